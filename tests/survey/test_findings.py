from __future__ import annotations

from dataclasses import replace

import pytest

from multihop import profiles
from multihop.profiles import Profile
from multihop.profiles.values import Cue, ProfileQuestion, ValueRule
from multihop.survey.findings import Finding, ValueSource, findings, page_of


def found(profile: Profile, number: int, *sources: ValueSource | str, **known: str) -> tuple[Finding, ...]:
    given = [ValueSource(f"d#{i}", s, 0.6, "d") if isinstance(s, str) else s for i, s in enumerate(sources)]
    return findings(profile.questions[number - 1], given, {int(k[1:]): v for k, v in known.items()})


@pytest.mark.parametrize(
    ("sentence", "text"),
    [
        ("We commit to reduce GHG emissions by 46% by 2030 from 2013 levels.", "46% below 2013 by 2030"),
        (
            "There will be a 13.6% reduction in GHG emissions by 2030 compared to a business as usual (BAU) 2030 "
            "scenario, conditional on external support.",
            "13.6% below business as usual by 2030 (conditional)",
        ),
        ("The contribution is to cut net emissions to 51–55 per cent below gross 2005 levels by 2035.",
         "51% to 55% below 2005 by 2035"),
        ("The country aims at reducing GHG emissions by 278 million tons of CO2 annually by 2030.",
         "278 million tons of CO2 by 2030"),
    ],
)  # fmt: skip
def test_a_target_is_read_with_its_year_base_and_condition(climate: Profile, sentence: str, text: str) -> None:
    first = found(climate, 1, f"Introduction. {sentence} More follows.")[0]
    assert first.text == text
    assert first.sentence == sentence


@pytest.mark.parametrize(
    "sentence",
    [
        "The share of renewable energy will reach 45% by 2030.",
        "Our emissions are 0.1% of global emissions.",
        "Emissions in 2016 amounted to 31.6% of those in 1990.",
        "There are many rivers and lakes.",
    ],
)
def test_other_percentages_are_no_target(climate: Profile, sentence: str) -> None:
    assert found(climate, 1, sentence) == ()


def test_the_newer_of_two_documents_comes_first_and_the_contradiction_is_marked(climate: Profile) -> None:
    said = "The country commits to reduce greenhouse gas emissions by {}% by 2030 compared to 1990 levels."
    old = ValueSource("old#0", said.format(40), 0.7, "old", "First NDC", "2015-03-06")
    new = ValueSource("new#0", said.format(55), 0.5, "new", "Update", "2020-12-17", "https://example.org/new.pdf", 6)
    both = found(climate, 1, old, new)
    assert [(f.value, f.date, f.contradicts) for f in both] == [
        ("55%", "2020-12-17", True),
        ("40%", "2015-03-06", True),
    ]
    assert (both[0].page, both[0].url, both[0].document) == (6, "https://example.org/new.pdf", "new")
    assert [f.contradicts for f in found(climate, 1, old, replace(old, id="old#1"))] == [False]


def test_what_an_older_document_says_is_shown_beside_many_values_of_the_newest(climate: Profile) -> None:
    said = "The country commits to reduce greenhouse gas emissions by {}% by 2030 compared to {} levels."
    new = " ".join(said.format(n, year) for n, year in ((55, 1990), (43, 2005), (61, 2006), (62, 2007), (30, 2008)))
    both = found(
        climate, 1, ValueSource("old#0", said.format(40, 1990), 0.7, "old", "First NDC", "2015-03-06"),
        ValueSource("new#0", new, 0.7, "new", "Update", "2020-12-17"),
    )  # fmt: skip
    assert len(both) == 4
    assert (both[-1].value, both[-1].date, both[-1].contradicts) == ("40%", "2015-03-06", True)
    assert [f.date for f in both[:3]] == ["2020-12-17"] * 3


def test_conditional_and_unconditional_targets_do_not_contradict(climate: Profile) -> None:
    said = (
        "The unconditional target is to reduce greenhouse gas emissions by 35% by 2030 from 1990 levels.",
        "The conditional target is to reduce greenhouse gas emissions by 40% by 2030 from 1990 levels.",
    )
    both = found(climate, 1, *said)
    assert {f.text for f in both} == {"35% below 1990 by 2030 (unconditional)", "40% below 1990 by 2030 (conditional)"}
    assert not any(f.contradicts for f in both)


def test_lists_and_sentences_of_one_document_do_not_contradict(climate: Profile) -> None:
    scope = ("Sectors covered: energy; waste.", "Sectors covered: energy; agriculture; waste; industry.")
    assert [f.contradicts for f in found(climate, 4, *scope)] == [False, False]
    documents = [ValueSource(f"{n}#0", said, 0.6, n, date=n) for n, said in zip(("2015", "2020"), scope, strict=True)]
    newest = found(climate, 4, *documents)
    assert [(f.date, f.contradicts) for f in newest] == [("2020", True), ("2015", True)]


def test_saying_it_again_makes_it_surer(climate: Profile) -> None:
    said = "The base year is 2005."
    [once], [twice] = found(climate, 2, said), found(climate, 2, said, "Emissions fall by 30% compared to 2005.")
    assert once.value == twice.value == "2005"
    assert once.confidence < twice.confidence < 1.0


def test_gases_sectors_and_a_choice(climate: Profile) -> None:
    scope = (
        "Gases covered: carbon dioxide (CO2), methane (CH4) and nitrous oxide (N2O). Sectors covered: energy; waste."
    )
    assert found(climate, 5, scope)[0].value == "CO2, CH4, N2O"
    assert found(climate, 4, scope)[0].value == "Energy, Waste"
    target = "The target is to reduce emissions by 20% relative to business-as-usual levels by 2030."
    assert found(climate, 3, target)[0].value == "yes"
    assert found(climate, 3, "The target is to cut emissions by 20% below 1990 levels.")[0].value == "no"


def test_a_cue_may_name_the_value_of_another_question(climate: Profile) -> None:
    said = "Emissions were 70 Mt CO2e in 1995. Emissions were 80 Mt CO2e in 1990."
    assert found(climate, 6, said, q2="1990")[0].text == "80 Mt CO2e in 1990"
    assert found(climate, 6, said, q2="1995")[0].text == "70 Mt CO2e in 1995"


@pytest.mark.parametrize(
    "sentence",
    [
        "In 2022, total greenhouse gas emissions (with land use and indirect emissions) equated 42.1 Mt CO2e.",
        "Emissions according to the conditional target for the whole economy amount to 22,726 kt CO2e.",
        "The cumulative reduction in greenhouse gas emissions since 1990 is to exceed 55 billion tonnes of CO2.",
    ],
)
def test_other_amounts_are_no_base_year_emissions(climate: Profile, sentence: str) -> None:
    assert found(climate, 6, sentence, q2="1990") == ()


def test_the_year_of_an_amount_is_one_that_it_is_said_to_be_of(climate: Profile) -> None:
    said = "Base year emissions are 52.1 Mt CO2e (National Inventory Report 2024)."
    assert found(climate, 6, said)[0].text == "52.1 Mt CO2e"
    assert found(climate, 6, said.replace("Base year emissions", "Emissions in 1990"))[0].text == "52.1 Mt CO2e in 1990"


def test_levels_that_a_target_is_compared_to_are_those_of_the_base_year(climate: Profile) -> None:
    said = "Japan commits to reduce its greenhouse gas emissions by 46% by 2030 compared to 2013 levels."
    assert found(climate, 2, ValueSource("d#0", said, 0.3, "d"))[0].value == "2013"


def test_a_value_needs_cues_and_keeps_to_its_threshold() -> None:
    rule = ValueRule("year", (Cue("opened in {value}", 0.6), Cue("closed", -0.5)), least=0.5)
    question = ProfileQuestion(1, "When was it opened?", values=(rule,))
    assert findings(question, [ValueSource("a", "It was opened in 1999.", 1.0)])[0].value == "1999"
    assert findings(question, [ValueSource("a", "It was opened in 1999 and closed.", 1.0)]) == ()
    assert findings(question, [ValueSource("a", "It was built in 1999.", 1.0)]) == ()
    assert findings(replace(question, values=()), [ValueSource("a", "It was opened in 1999.", 1.0)]) == ()


def test_a_long_sentence_is_cut_between_words(climate: Profile) -> None:
    said = f"{'word ' * 200}reduce GHG emissions by 46% by 2030 from 2013 levels {'word ' * 200}"
    sentence = found(climate, 1, said)[0].sentence
    assert "46% by 2030" in sentence and len(sentence) < 450
    assert sentence.startswith("word ") and sentence.endswith(" word")


def test_every_question_of_the_climate_profile_has_values() -> None:
    assert all(q.values for q in profiles.load("climate").questions)


@pytest.mark.parametrize(("sentence", "page"), [("Cut by\n40%.", 2), ("It ends here.", 4), ("One.", 2), ("Gone.", 2)])
def test_the_page_of_a_sentence_is_looked_for_from_that_of_its_passage(sentence: str, page: int) -> None:
    text = "One. It ends here.\fOne. Two.\n Cut by\f40%. Three.\fIt  ends here.\f"
    assert page_of(" ".join(sentence.split()), text, 2) == page
