from __future__ import annotations

from pathlib import Path

import pytest

from multihop.errors import InvalidProfile, UnknownName
from multihop.profiles import Phrase, Profile, ProfileRelation, Weights, load, names, parse, template

WRONG = [
    ('nam = "x"', "nam: unknown key; did you mean 'name'"),
    ("name = 3", "name: give a text, not 3"),
    ("x = ", "not TOML: Invalid value"),
    ("[scoring]\nthreshold = 2", "scoring.threshold: give a number from 0 to 1, not 2"),
    ("[scoring]\nthreshold = true", "scoring.threshold: give a number from 0 to 1, not True"),
    ("[scoring]\nthreshold = nan", "scoring.threshold: give a number from 0 to 1, not nan"),
    (f"[scoring]\nthreshold = {10**400}", "scoring.threshold: give a number from 0 to 1, not 1000"),
    (f"[scoring]\nthreshold = 1{'0' * 5000}", "not TOML: Exceeds the limit"),
    ("[scoring]\ntop_k = 0", "scoring.top_k: give a whole number from 1 to 1000, not 0"),
    ("[scoring]\ntop_k = 2.5", "scoring.top_k: give a whole number"),
    ("[scoring.weights]\nfuzy = 1", "scoring.weights.fuzy: unknown key; did you mean 'fuzzy'"),
    ("[scoring.weights]\nfuzzy=0\ntransformer=0\nword2vec=0\npatterns=0", "scoring.weights: every weight is 0"),
    ("[keywords]\nx = 3", "keywords.x: 3 is not a table"),
    ("[keywords.x]\nwords = []", "keywords.x.words: give a list of one or more texts"),
    ('[keywords.x]\nwords = ["a", "a"]', r"keywords.x.words\[1\]: 'a' is there twice"),
    ('[[questions]]\ntext = "x"\nkeywords = ["a", 3]', r"questions\[0\].keywords\[1\]: give a text, not 3"),
    ('[[questions]]\ntext = "  "', r"questions\[0\].text: give a text"),
    ('[[questions]]\ntext = "x"\n[[questions]]\ntext = "x"', r"questions\[1\]: 'x' is there twice"),
    ('[keywords.energy]\nwords = ["a"]\n[[questions]]\ntext = "x"\ngroups = ["enrgy"]', r"did you mean 'energy'"),
    (
        '[[patterns]]\nname = "x"\nregex = "(a+b"',
        r"patterns\[0\].regex: '\(a\+b': not a regular expression: missing \)",
    ),
    ('[[patterns]]\nname = "x"\nregex = "["', r"patterns\[0\].regex: '\[': not a regular expression"),
    ('[[patterns]]\nname = "x"', r"patterns\[0\].regex: give a text, not nothing"),
    ('[[relations]]\nkind = "CAUSE"\ncues = ["x"]', r"relations\[0\].kind: .*did you mean 'CAUSES'"),
    ("phrases = 3", r"phrases: write it as \[\[phrases\]\] tables"),
    (
        '[[questions]]\ntext="x"\n[[questions.values]]\nkind="procent"',
        r"values\[0\].kind: 'procent' is not known: did you",
    ),
    ('[[questions]]\ntext="x"\n[[questions.values]]\nkind="names"', r"values\[0\].names: 'names' needs \[questions"),
    (
        '[[questions]]\ntext="x"\n[[questions.values]]\nkind="year"\nfor=["a"]',
        r"for\[0\]: give \[regex, weight\], not 'a'",
    ),
    ('[[questions]]\ntext="x"\n[[questions.values]]\nkind="year"\nfor=[["a", 2]]', r"for\[0\]: the weight is a number"),
    ('[[questions]]\ntext="x"\n[[questions.values]]\nkind="year"\nfor=[["(", 1]]', r"for\[0\]: '\(': not a regular"),
    (
        '[[questions]]\ntext="x"\n[[questions.values]]\nkind="year"\nshow="{x}"',
        r"show: '\{x\}' is not a known placeholder",
    ),
    ('[[questions]]\ntext="x"\n[[questions.values]]\nkind="amount"\n[questions.values.units]\nt=["t", 0]', "factor is"),
    (
        f'[[questions]]\ntext="x"\n[[questions.values]]\nkind="amount"\n[questions.values.units]\nt=["t", {10**400}]',
        "units.t: the factor is a number above 0, at most 1e",
    ),
    ('[labels]\ncountry = "contry"', r"labels.country: 'contry' is not known: did you mean 'country'"),
    ('[[phrases]]\ntext = "a {thing}"', r"phrases\[0\].text: '\{thing\}' is not a known placeholder; allowed are"),
]


@pytest.mark.parametrize(("content", "problem"), WRONG)
def test_a_mistake_is_named_with_its_place_and_what_is_allowed(content: str, problem: str) -> None:
    with pytest.raises(InvalidProfile, match=problem) as caught:
        parse(content, name="mine")
    assert str(caught.value).startswith("mine: ")


def test_the_climate_profile_ships() -> None:
    climate = load("climate")
    assert "climate" in names()
    assert (climate.group, len(climate.questions), climate.scoring.weights) == ("country", 8, Weights())
    assert (climate.scoring.threshold, climate.scoring.top_k, climate.scoring.fuzzy_threshold) == (0.2, 20, 0.6)
    assert climate.scoring.max_hops == 2
    assert climate.questions[0].keywords == ("reduction target", "GHG emissions", "% reduction")
    assert climate.questions[1].keywords == ("baseline year", "reference year", "BAU scenario")
    assert {r.kind for r in climate.relations} == {
        "SUPPORTS", "EXPLAINS", "CONTRADICTS", "FOLLOWS", "TEMPORAL_FOLLOWS", "CAUSES",
    }  # fmt: skip
    served = {g for q in climate.questions for g in q.groups}
    assert all(any(climate.serving([g])) for g in served)


@pytest.mark.parametrize(
    ("group", "words"),
    [
        ("emissions", {"emission", "ghg", "co2", "carbon dioxide"}),
        ("targets", {"target", "goal", "reduction", "percentage"}),
        ("energy", {"renewable", "solar", "wind", "fossil fuel"}),
        ("adaptation", {"adaptation", "resilience", "vulnerability"}),
        ("finance", {"finance", "funding", "investment", "cost"}),
    ],
)
def test_the_climate_profile_knows_the_documented_keywords(group: str, words: set[str]) -> None:
    [known] = [set(g.words) for g in load("climate").keywords if g.name == group]
    assert words <= known


def test_a_file_is_a_profile(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('[[relations]]\nkind = "CAUSES"\ncues = ["leads to"]\nconfidence = 0.7\n')
    assert load(str(file)) == load(file) == Profile("mine", relations=(ProfileRelation("CAUSES", ("leads to",), 0.7),))
    assert load(file).digest != load("climate").digest


def test_what_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match=r"no profile 'climat': did you mean 'climate'\? One of your own is given as"):
        load("climat")
    with pytest.raises(UnknownName, match=r"no profile file .*mine.toml"):
        load(tmp_path / "mine.toml")
    (tmp_path / "latin.toml").write_bytes(b'name = "\xff"')
    with pytest.raises(InvalidProfile, match=r"latin.toml: the file is not UTF-8"):
        load(tmp_path / "latin.toml")


def test_the_template_is_a_profile() -> None:
    assert parse(template(), name="x").questions[0].text == "When is the work due?"


def test_a_question_of_the_set_brings_its_keywords_and_topics() -> None:
    climate = load("climate")
    first = climate.questions[0]
    assert climate.enhance(first.text) == first.enhanced == f"{first.text} reduction target GHG emissions % reduction"
    assert climate.question(first.enhanced.upper()) == first
    assert climate.topics(first.text) == first.groups
    assert climate.enhance("Who signs?") == "Who signs?"
    assert climate.topics("Who signs?") == ()


def test_any_other_question_is_about_the_topics_whose_words_it_uses() -> None:
    climate = load("climate")
    assert climate.topics("What are Japan's emission targets?") == ("emissions", "targets")
    groups, patterns, phrases = climate.serving(("adaptation",))
    assert [g.name for g in groups] == ["adaptation"]
    assert {p.name for p in patterns} == {"climate impact"}
    assert Phrase("adaptation measures", 0.45, ("adaptation",)) in phrases
