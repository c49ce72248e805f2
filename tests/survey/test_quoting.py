"""Values by a language model: what it quotes is checked, and what does not stand in a passage is dropped."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest

from multihop import Document, Engine
from multihop.errors import InvalidInput
from multihop.lm import model_of
from multihop.profiles import Profile
from multihop.profiles.values import ProfileQuestion
from multihop.survey import SurveyAnswer, survey
from multihop.survey.findings import BOTH, MODEL, RULES, Finding, ValueSource, findings
from multihop.survey.quoting import ask_for_value
from multihop.testing.lm import Faults, ScriptedLM

STATED = "The country will bring its yearly output of gases down by a third, that is 33%, until the end of the decade."
OTHER = "Forests cover 12% of the land, and rivers are many."


def asked(
    question: ProfileQuestion, value: str, quote: str, *contents: str, faults: Faults | None = None
) -> tuple[tuple[Finding, ...], str]:
    sources = [ValueSource(f"d#{i}", c, 0.3, "d", "NDC") for i, c in enumerate(contents or (OTHER, STATED))]
    lm = model_of(ScriptedLM({"quoted_value": {"value": value, "quote": quote}}, faults))
    assert lm is not None
    found, note = ask_for_value(lm, question, sources)
    return findings(question, sources, quoted=found), note


def test_a_value_that_no_rule_finds_is_taken_from_its_quote(climate: Profile) -> None:
    question = climate.questions[0]
    assert findings(question, [ValueSource("d#0", STATED, 0.3, "d")]) == ()
    found, note = asked(question, "33 %", "bring its yearly output of gases down by a third, that is 33%")
    [first] = found
    assert (first.value, first.number, first.unit, first.passage) == ("33%", 33.0, "%", "d#1")
    assert (first.sentence, first.found_by, note) == (STATED, MODEL, "")
    assert first.confidence >= 0.6


@pytest.mark.parametrize(
    ("value", "quote", "said"),
    [
        ("33%", "The country will halve its emissions, that is 33%.", "its quote is in no passage"),
        ("33%", "that is 33 percent points", "its quote is in no passage"),
        ("40%", "gases down by a third, that is 33%", "its quote does not contain it"),
        ("3%", "gases down by a third, that is 33%", "its quote does not contain it"),
        ("33%", "is 33%", "its quote is in no passage"),
        ("33%", "", "its quote is in no passage"),
    ],
)
def test_what_does_not_stand_where_it_is_quoted_is_dropped(climate: Profile, value: str, quote: str, said: str) -> None:
    found, note = asked(climate.questions[0], value, quote)
    assert found == ()
    assert note == f"dropped {value!r} of the language model: {said}"


def test_rule_and_model_that_agree_are_surer(climate: Profile) -> None:
    said = "We commit to reduce GHG emissions by 46% by 2030 from 2013 levels."
    [alone] = findings(climate.questions[0], [ValueSource("d#0", said, 0.3, "d", "NDC")])
    [both], _ = asked(climate.questions[0], "46%", said, said)
    assert (alone.found_by, both.found_by) == (RULES, BOTH)
    assert both.confidence > alone.confidence
    assert both.text == alone.text == "46% below 2013 by 2030"


def test_not_found_and_a_failing_model_leave_what_the_rules_find(climate: Profile) -> None:
    said = "We commit to reduce GHG emissions by 46% by 2030 from 2013 levels."
    by_rules = findings(climate.questions[0], [ValueSource("d#0", said, 0.3, "d", "NDC")])
    assert asked(climate.questions[0], "not found", "", said) == (by_rules, "")
    found, note = asked(climate.questions[0], "46%", said, said, faults=Faults(["unreachable"]))
    assert found == by_rules
    assert "gave no value" in note and "by rules only" in note


def test_lists_choices_and_sentences_are_read_in_the_quote(climate: Profile) -> None:
    gases = "What we count are, in this order, CO2 as well as methane and nothing else."
    found, _ = asked(climate.questions[4], "carbon dioxide and methane", gases, gases)
    assert found[0].value == "CO2, CH4"
    plan = "It is a plan of ours to plant a tree for every child."
    found, _ = asked(climate.questions[7], "planting trees", "to plant a tree for every child", f"Hello. {plan}")
    assert found[0].sentence == plan
    against = "What would come without any effort is what we measure ourselves by."
    found, _ = asked(climate.questions[2], "yes", against, against)
    assert (found[0].value, found[0].found_by) == ("yes", MODEL)


def test_a_question_without_rules_is_answered_in_the_words_of_the_quote() -> None:
    plain = ProfileQuestion(1, "Who opened the bridge?")
    found, _ = asked(
        plain, "King Haakon", "opened by King Haakon in 1930", "The bridge was opened by King Haakon in 1930."
    )
    assert [(f.value, f.found_by) for f in found] == [("King Haakon", MODEL)]
    assert asked(plain, "Queen Maud", "opened by King Haakon", "It was opened by King Haakon.")[0] == ()


def test_a_survey_asks_the_model_of_every_cell_and_tells_in_its_table(tmp_path: Path, climate: Profile) -> None:
    lm = ScriptedLM({"quoted_value": {"value": "33%", "quote": "by a third, that is 33%"}})
    with Engine.open(tmp_path / "x.mh", create=True) as engine:
        engine.add([Document("no", STATED, metadata={"country": "Norway"})])
        options: dict[str, Any] = {"questions": [1], "threshold": 0.0, "out": tmp_path / "out"}
        plain = survey(engine, climate, **options)
        asked_again = survey(engine, climate, lm=lm, **options)
        resumed = survey(engine, climate, lm=lm, **options)
        with pytest.raises(InvalidInput, match="a language model needs jobs=1, got jobs=2"):
            survey(engine, climate, lm=lm, jobs=2)
    assert _only(plain.groups[0].answers).value == "not found"
    assert _only(asked_again.groups[0].answers).findings[0].found_by == MODEL
    assert (asked_again.resumed, resumed.resumed) == (0, 1)
    assert [a.step for a in lm.asked] == ["quoted_value"]
    [row] = csv.DictReader((tmp_path / "out" / "survey.csv").read_text("utf-8").splitlines())
    assert (row["value"], row["found_by"], row["sentence"]) == ("33%", MODEL, STATED)


def _only(answers: tuple[SurveyAnswer, ...]) -> SurveyAnswer:
    [only] = answers
    return only
