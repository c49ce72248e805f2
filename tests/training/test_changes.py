"""Texts in which two things are told apart: what is asked and claimed of them follows from what they say."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

import limits
import pytest
from changes import SCENES, Chance, Scene, examples, succession, texts
from contrast import Verdict
from reading_examples import Examples, Kind, add_changes
from rows import decode


@pytest.mark.parametrize("make", (*SCENES, *limits.SCENES))
def test_what_is_asked_is_answered_and_nothing_is_left_to_fill_in(make: Callable[[Chance], Scene]) -> None:
    for seed in range(200):
        scene = make(random.Random(seed))
        for ask in scene.asked:
            assert ask.answer in ("yes", "no") or ask.answer.lower() in scene.told.lower()
        said = [scene.told, *(ask.question for ask in scene.asked), *(claim for claim, _ in scene.claimed)]
        assert not any("{" in text or "  " in text for text in said)
        verdicts = dict(scene.claimed)
        assert len(verdicts) == len(scene.claimed), "one claim has two verdicts"
        assert {Verdict.SUPPORTED, Verdict.CONTRADICTED} <= set(verdicts.values())


def test_who_follows_whom_is_asked_both_ways() -> None:
    scene = succession(random.Random(3))
    answers = {ask.question: ask.answer for ask in scene.asked}
    [new] = {answer for question, answer in answers.items() if question.startswith("Who is the new")}
    [old] = {answer for question, answer in answers.items() if question.startswith("Who was the previous")}
    assert new != old
    assert answers[f"Who is the successor of {old}?"] == new
    assert (f"{old} took over from {new}.", Verdict.CONTRADICTED) in scene.claimed


def test_claims_stand_beside_their_own_sentences_or_the_whole_text() -> None:
    made = texts(300, random.Random(1))
    found = examples(made, random.Random(1))
    assert len(found) == 600
    for number, example in enumerate(found):
        text = made[number // 2]
        assert example.evidence in ((text.text,), (text.scene.told,))
        if example.verdict is not Verdict.NEITHER:
            assert (example.claim, example.verdict) in text.scene.claimed
    assert {example.verdict for example in found} == set(Verdict)


def test_questions_about_changes_are_answered_by_the_text_or_by_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reading_examples.CHANGES", 300)
    monkeypatch.setattr("reading_examples.LIMITS", 300)
    made = Examples()
    add_changes(made, random.Random(1))
    kinds = set()
    for asked in (*made.asked["changes"], *made.asked["limits"]):
        kinds.add(asked.kind)
        assert (asked.kind is Kind.SPAN) == bool(asked.spans)
        [number] = asked.documents
        for first, last in asked.spans.get(number, ()):
            assert decode(made.documents[number][first : last + 1].tolist())
    assert kinds == set(Kind)
    assert len(made.judged["changes"]) == len(made.judged["limits"]) == 600


def test_a_value_at_the_limit_is_within_it() -> None:
    judged = dict[int, set[int]]()
    for seed in range(2000):
        scene = limits.ages(random.Random(seed))
        if told := re.match(r"Minimum age for the .*: (\d+) years", scene.told):
            for claim, verdict in scene.claimed:
                if age := re.match(r"An? (\d+)-year-old (?:may join|can take part|is old enough)", claim):
                    above = int(age[1]) - int(told[1])
                    assert verdict is (Verdict.SUPPORTED if above >= 0 else Verdict.CONTRADICTED)
                    judged.setdefault(above, set()).add(verdict)
    assert 0 in judged
    assert min(judged) < 0


def test_what_means_the_same_never_contradicts() -> None:
    assert limits._alike("90 minutes", limits._EQUAL) == {"90 minutes", "an hour and a half", "1.5 hours"}
    assert limits.spelled(45) == "forty-five"
