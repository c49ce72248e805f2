"""A language model as judge of relations: what it may say, what nonsense comes to, and what it may cost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from multihop import Document, Engine
from multihop.index.links.lm import METHOD, LmJudge
from multihop.lm import Limits, Model
from multihop.protocols import RelationJudge
from multihop.testing.contracts import RelationJudgeContract
from multihop.testing.lm import Fault, Faults, ScriptedLM
from multihop.types import Passage, PassagePair, Relation

DOCUMENTS = (
    Document("flood", "The river Ume rose over its banks. Little was left of the Ekträsk mill.", "Ekträsk flood"),
    Document("mill", "It stood on the river Ume and ground rye for the whole parish.", "Ekträsk mill"),
)
PAIR = PassagePair(
    Passage("flood#0", "flood", 0, "Ekträsk flood", DOCUMENTS[0].text),
    Passage("mill#0", "mill", 0, "Ekträsk mill", DOCUMENTS[1].text),
    0.5,
)


def said(**changes: Any) -> dict[str, Any]:
    return {"relation_judgement": {"kind": "CAUSES", "direction": "first to second", "confidence": 0.9} | changes}


class TestLmJudge(RelationJudgeContract):
    @pytest.fixture
    def judge(self) -> RelationJudge:
        return LmJudge(Model(ScriptedLM(said())))


def judged(script: Any, **model: Any) -> tuple[list[Relation], tuple[str, ...]]:
    judge = LmJudge(Model(ScriptedLM(script), **model))
    (found,) = judge.judge([PAIR])
    return list(found or ()), judge.notes


def test_it_chooses_a_kind_and_a_direction() -> None:
    assert judged(said()) == (
        [Relation("flood#0", "mill#0", "CAUSES", 0.9, "judged by scripted/model", METHOD)], ()
    )  # fmt: skip
    (backwards,), _ = judged(said(direction="second to first", kind="EXPLAINS"))
    assert (backwards.ends, backwards.kind) == (("mill#0", "flood#0"), "EXPLAINS")
    assert judged(said(kind="NONE")) == ([], ())


@pytest.mark.parametrize(
    "script",
    [
        said(kind="DESTROYS"), said(direction="to roald-amundsen#0"), said(confidence="very"), said(confidence=7),
        said(confidence=-0.1), said(confidence="nan"), said(kind=""), {"relation_judgement": "mill#0 CAUSES gold#7"},
        {},
    ],
)  # fmt: skip
def test_nonsense_is_passed_over_and_noted(script: Any) -> None:
    found, (note,) = judged(script)
    assert found == []
    assert note.startswith("the language model did not judge 1 of 1 pairs, rules alone did: ")


def test_the_relations_of_an_index_are_those_of_the_rules_and_of_the_model(tmp_path: Path) -> None:
    model = ScriptedLM(said())
    with Engine.open(tmp_path / "x.mh", create=True) as engine:
        engine.add(DOCUMENTS)
        by_rule = engine.relate()
        done = engine.relate(lm=model)
        assert (done.passages, done.notes) == (2, ())
        found = engine.store.view().relations_from(["flood#0", "mill#0"])
        assert [(r.ends, r.kind) for r in found if r.method == METHOD] == [(("flood#0", "mill#0"), "CAUSES")]
        assert done.relations >= by_rule.relations + 1
        # What is in a prompt is the two passages; nothing is new, so nobody is asked again.
        asked = len(model.asked)
        assert {a.step for a in model.asked} == {"relation_judgement"}
        assert engine.relate(lm=model).passages == 0
        assert len(model.asked) == asked


def test_an_engine_with_a_model_uses_it(tmp_path: Path) -> None:
    with Engine.open(tmp_path / "x.mh", create=True, lm=ScriptedLM(said(kind="CONTRADICTS"))) as engine:
        engine.add(DOCUMENTS)
        engine.relate()
        kinds = {r.kind for r in engine.store.view().relations_from(["flood#0", "mill#0"]) if r.method == METHOD}
    assert kinds == {"CONTRADICTS"}


@pytest.mark.parametrize("fault", ["malformed", "empty", "refusal", "unreachable", "broken"])
def test_a_model_that_fails_leaves_what_the_rules_find(tmp_path: Path, fault: Fault) -> None:
    with Engine.open(tmp_path / "x.mh", create=True) as engine:
        engine.add(DOCUMENTS)
        engine.relate()
        ids = ["flood#0", "mill#0"]
        by_rule = engine.store.view().relations_from(ids)
        lm = Model(ScriptedLM(said(), Faults((fault,))), sleep=lambda _: None)
        done = engine.relate(lm=lm)
        assert engine.store.view().relations_from(ids) == by_rule
    assert len(done.notes) == 1
    assert "rules alone did" in done.notes[0]


def test_its_limits_hold_for_the_whole_call(tmp_path: Path) -> None:
    lm = ScriptedLM(said(kind="NONE"))
    many = [*DOCUMENTS, *(Document(f"d{i}", f"Report {i} on the Ekträsk mill.", f"Report {i}") for i in range(9))]
    with Engine.open(tmp_path / "x.mh", create=True) as engine:
        engine.add(many)
        done = engine.relate(lm=Model(lm, Limits(calls=4)))
        assert len(lm.asked) == 4
        assert "the limit of 4 calls is reached" in done.notes[0]
        # With more calls it goes on with the passages that are owed an answer, and nothing is found anew.
        again = engine.relate(lm=Model(lm, Limits(calls=500)))
        assert (again.rebuilt, again.notes) == (False, ())
        assert 0 < again.passages < done.passages
        assert engine.relate(lm=Model(lm, Limits(calls=1))).passages == 0
