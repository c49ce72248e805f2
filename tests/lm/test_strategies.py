"""The strategies that use a model: data flow as documented, rule twins, and what is never trusted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from multihop import Engine
from multihop.lm import Limits, Model
from multihop.strategies import AUTO_LM, STRATEGIES, strategy
from multihop.testing import SampleQuestion, sample_questions
from multihop.testing.lm import FAULTS, Fault, Faults, ScriptedLM
from multihop.types import Result, plain

from ..reliability.soak import SHARE, rounds
from .able import able, ranked

QUESTIONS = {q.id: q for q in sample_questions()}
QUESTION = QUESTIONS["q01"]
ASKED = list(QUESTIONS.values())[:: 1 if SHARE else 3]
"""Those that are asked of every strategy, with a model and without: all of them in the long form."""
WITH_LM = ("auto", "gap", "gap-documented", "listwise", "listwise-documented")


def recall(question: SampleQuestion, result: Result) -> float:
    return len({e.passage.document_id for e in result} & set(question.gold)) / len(question.gold)


def steps(result: Result) -> list[tuple[str, int]]:
    return [(c.step, c.hop) for c in result.trace.lm_calls]


def limits(result: Result) -> list[list[int]]:
    return [[f.query.limit for f in hop.found] for hop in result.trace.hops]


def test_what_a_writer_learns_reaches_the_selector_and_the_trace(sample: Engine) -> None:
    result = sample.retrieve(QUESTION.text, k=5, strategy="gap", lm=ScriptedLM(able))
    learned = [hop.learned for hop in result.trace.hops]
    assert not learned[0]
    assert learned[1]["gaps"]
    assert not set(learned[1]["gaps"]) & set(learned[2].get("gaps", ())), "each hop shows what is new in it"
    assert plain(result.trace.hops[1])["learned"] == plain(learned[1])
    assert "learned" not in plain(sample.retrieve("Who?", k=1, strategy="bm25").trace.hops[0])


def test_gap_asks_as_documented(sample: Engine) -> None:
    result = sample.retrieve(QUESTION.text, k=21, strategy="gap-documented", lm=ScriptedLM(distinct))
    assert steps(result) == [
        ("claim_decomposition", 0),
        ("gap_analyzer", 0),
        ("entity_extractor", 2),
        ("bridging_entity_identifier", 2),
        ("gap_analysis", 3),
        ("entity_extractor", 4),
        ("gap_analysis", 4),
    ]
    assert limits(result) == [[18, 18], [5] * 5, [5] * 3, [5] * 3]
    first = result.trace.hops[0].found
    assert [f.query.text for f in first] == ["Who led the expedition?", "naval architect born in Larvik"]


def test_gap_searches_every_sub_question_and_the_question(sample: Engine) -> None:
    result = sample.retrieve(QUESTION.text, k=21, strategy="gap", lm=ScriptedLM(distinct))
    asked = [f.query.text for f in result.trace.hops[0].found]
    assert asked == [
        QUESTION.text,
        "Who led the expedition?",
        "Which town lies by the sea?",
        "naval architect born in Larvik",
    ]


def test_gap_analysis_is_told_what_was_found(sample: Engine) -> None:
    lm = ScriptedLM(distinct)
    sample.retrieve(QUESTION.text, k=21, strategy="gap-documented", lm=lm)
    second, third = (a.inputs for a in lm.asked if a.step == "gap_analysis")
    assert "Entity after 1" in second["entities"] and "Entity after 2" not in second["entities"]
    assert "Entity after 2" in third["entities"], "the last analysis knows what the one before it brought"


def distinct(step: str, inputs: Mapping[str, str]) -> Any:
    """Answers that tell the steps and their repetitions apart."""
    seen = 1 + ("Ada Lovelace" in inputs.get("documents", "") and step == "entity_extractor")
    again = "Entity after 2" in inputs.get("entities", "")
    return {
        "claim_decomposition": {"sub_questions": ["Who led the expedition?", "Which town lies by the sea?"]},
        "gap_analyzer": {"missing_facts": ["A fact."], "query": "naval architect born in Larvik"},
        "entity_extractor": {"entities": [f"Entity after {seen}"], "relationships": ["A drew B"]},
        "bridging_entity_identifier": {
            "bridging_entities": ["Colin Archer", "Fram", "Larvik", "Oslo", "Norway", "Sixth"]
        },
        "gap_analysis": {
            "queries": ["volcano", "poem", "opera", "fourth"]
            if again
            else ["Ada Lovelace", "telescope", "bridge", "x"],
            "missing_information": ["something"],
        },
    }.get(step)


@pytest.mark.parametrize(("count", "each"), [(2, 15), (3, 12)])
def test_listwise_asks_as_documented(count: int, each: int, sample: Engine) -> None:
    script = {
        "entity_query_decomposition": {
            "queries": ["Roald Amundsen ship", "naval architect", "South Pole voyage"][:count]
        },
        "document_reranker": {"ranked_ids": list(range(1, 11))},
    }
    result = sample.retrieve(QUESTION.text, k=10, strategy="listwise-documented", lm=ScriptedLM(script))
    assert steps(result) == [("entity_query_decomposition", 0), ("document_reranker", 1)]
    assert limits(result) == [[each] * count]
    assert result.trace.notes == ()


def test_listwise_returns_a_small_pool_as_it_is(sample: Engine) -> None:
    lm = ScriptedLM({"entity_query_decomposition": {"queries": ["Colin Archer", "Colin Archer Larvik"]}})
    result = sample.retrieve(QUESTION.text, k=100, strategy="listwise-documented", lm=lm)
    assert [a.step for a in lm.asked] == ["entity_query_decomposition"]
    assert 0 < len(result.evidence) < 100


def test_the_documented_order_is_the_models(sample: Engine) -> None:
    def last_first(step: str, inputs: Mapping[str, str]) -> Any:
        if step == "document_reranker":
            return {"ranked_ids": sorted(ranked(inputs["documents"], []), reverse=True)}
        return {"queries": ["ship", "voyage"]}

    lm = ScriptedLM(last_first)
    documented = sample.retrieve(QUESTION.text, k=5, strategy="listwise-documented", lm=lm)
    by_rule = sample.retrieve("ship", k=100, strategy="bm25")
    assert documented.evidence[0].reason.startswith("place 1 by the language model")
    assert documented.evidence[0].passage.id != by_rule.evidence[0].passage.id


@pytest.mark.parametrize(
    ("said", "note"),
    [
        ([3, 3, 3, 2, 1, 4, 5, 6], ""),
        ([999, -1, 0, 3, 2, 1, 4, 5], "not offered"),
        ([3], "ranked 1 of 5"),
        ([], "its answer was empty"),
    ],
)
@pytest.mark.parametrize("name", ["listwise", "listwise-documented"])
def test_a_ranking_is_repaired(name: str, said: list[int], note: str, sample: Engine) -> None:
    lm = ScriptedLM(
        {"entity_query_decomposition": {"queries": ["ship", "voyage"]}, "document_reranker": {"ranked_ids": said}}
    )
    result = sample.retrieve(QUESTION.text, k=5, strategy=name, lm=lm)
    ids = [e.passage.id for e in result]
    assert len(set(ids)) == 5
    assert note in " ".join(map(str, result.trace.notes))


@pytest.mark.parametrize("name", WITH_LM)
def test_without_a_model_the_rules_do_it_and_say_so(name: str, sample: Engine) -> None:
    result = sample.retrieve(QUESTION.text, k=5, strategy=name)
    assert len(result.evidence) == 5
    assert result.trace.lm_calls == ()
    said = any(note.code == "lm-missing" for note in result.trace.notes)
    assert said == (name != "auto")


@pytest.mark.parametrize("fault", [f for f in FAULTS if f != "truncated"])
@pytest.mark.parametrize("name", WITH_LM)
def test_with_a_model_that_fails_the_rules_do_it(name: str, fault: Fault, sample: Engine) -> None:
    lm = ScriptedLM(able, Faults((fault,), slow=0.5))
    allowed = Limits(seconds=0.1) if fault == "slow" else Limits()
    result = sample.retrieve(QUESTION.text, k=5, strategy=name, lm=Model(lm, allowed, sleep=lambda s: None))
    by_rule = sample.retrieve(QUESTION.text, k=5, strategy=AUTO_LM if name == "auto" else name)
    assert [e.passage.id for e in result] == [e.passage.id for e in by_rule]
    assert result.trace.lm_calls and all(c.outcome == "failed" for c in result.trace.lm_calls)
    assert all(any(c.step == note.data.get("step") for note in result.trace.notes) for c in result.trace.lm_calls)


@pytest.mark.parametrize("name", WITH_LM)
def test_a_truncated_answer_never_breaks_a_question(name: str, sample: Engine) -> None:
    result = sample.retrieve(QUESTION.text, k=5, strategy=name, lm=ScriptedLM(able, Faults(("truncated",))))
    assert len({e.passage.id for e in result}) == 5


@pytest.mark.parametrize("calls", range(8))
def test_any_number_of_calls_is_enough_for_an_answer(calls: int, sample: Engine) -> None:
    result = sample.retrieve(QUESTION.text, k=5, strategy="gap", lm=Model(ScriptedLM(able), Limits(calls=calls)))
    assert len(result.evidence) == 5
    assert sum(c.outcome == "ok" for c in result.trace.lm_calls) == calls


def test_aspects_are_those_that_a_model_names(sample: Engine) -> None:
    named = {"aspect": "Definition of the Fram", "type": "definition", "importance": 1, "keywords": ["Fram", "ship"]}
    wrong = {"aspect": "Something", "type": "nonsense"}
    asked = "What is the Fram, and how was it built?"
    by_rule = sample.retrieve(asked, k=3, strategy="aspects")
    for aspects, texts in (([named, wrong], ["Definition of the Fram"]), ([wrong], None), (["odd"], None)):
        found = sample.retrieve(asked, k=3, strategy="aspects", lm=ScriptedLM({"query_aspects": {"aspects": aspects}}))
        assert steps(found) == [("query_aspects", 0)]
        plan = found.trace.plan
        if texts:
            assert [a.text for a in plan.aspects] == texts
            assert plan.aspects[0].subjects == ("Fram",)
        else:
            assert plan.aspects == by_rule.trace.plan.aspects
            assert any(n.code == "lm-step-failed" and n.data["step"] == "query_aspects" for n in found.trace.notes)


@pytest.fixture(scope="module")
def unhelped(sample: Engine) -> dict[str, dict[str, float]]:
    """The recall of sample questions without a model, by strategy."""
    return {
        name: {q.id: recall(q, sample.retrieve(q.text, k=5, strategy=name)) for q in ASKED}
        for name in ("auto", "gap", "listwise")
    }


def test_auto_keeps_what_is_well_above_the_cut(sample: Engine) -> None:
    def backwards(step: str, inputs: Mapping[str, str]) -> Any:
        return (
            {"ranked_ids": sorted(ranked(inputs["documents"], []), reverse=True)} if step == "document_reranker" else ""
        )

    judged = sample.retrieve(QUESTION.text, k=12, lm=ScriptedLM(backwards))
    by_rule = sample.retrieve(QUESTION.text, k=12, strategy=AUTO_LM)
    assert [e.passage.id for e in judged][:8] == [e.passage.id for e in by_rule][:8]
    assert len(judged.trace.hops[-1].replaced) == 4


def test_a_good_model_helps_and_auto_makes_at_most_three_calls(
    sample: Engine, unhelped: dict[str, dict[str, float]]
) -> None:
    for name, without in unhelped.items():
        helped = 0.0
        for question in ASKED:
            lm = ScriptedLM(able)
            helped += recall(question, sample.retrieve(question.text, k=5, strategy=name, lm=lm))
            assert name != "auto" or len(lm.asked) <= 3, question.text
        assert helped > sum(without.values()), name


@pytest.mark.release  # hundreds of questions
@pytest.mark.parametrize("name", ["auto", "gap", "listwise"])
def test_every_fifth_call_fails_in_many_questions(
    name: str, sample: Engine, unhelped: dict[str, dict[str, float]]
) -> None:
    kinds: tuple[Fault, ...] = ("malformed", "empty", "truncated", "refusal", "unreachable", "rate limit", "broken")
    got = expected = failed = calls = 0.0
    for seed in range(rounds(2, 10)):
        for question in ASKED:
            model = Model(ScriptedLM(able, Faults(kinds, rate=0.2, seed=seed)), sleep=lambda seconds: None)
            result = sample.retrieve(question.text, k=5, strategy=name, lm=model)
            assert len({e.passage.id for e in result}) == 5
            got += recall(question, result)
            expected += unhelped[name][question.id]
            calls += len(result.trace.lm_calls)
            failed += sum(bool(c.problem) for c in result.trace.lm_calls)
    assert 0.1 < failed / calls < 0.3
    assert got >= expected


def test_the_same_answers_give_the_same_bytes(sample: Engine) -> None:
    runs = {
        sample.retrieve(QUESTION.text, k=5, strategy="gap", lm=ScriptedLM(able)).to_json(timing=False) for _ in range(5)
    }
    assert len(runs) == 1


def test_auto_without_a_model_is_what_it_was() -> None:
    assert strategy("auto") is STRATEGIES["auto"]
    assert strategy("auto", lm=True) is AUTO_LM
    assert strategy("gap", lm=True) is STRATEGIES["gap"]


def test_a_model_of_the_engine_is_used_unless_another_is_given(sample: Engine) -> None:
    first, second = ScriptedLM(able), ScriptedLM(able)
    engine = Engine(sample.store, first)
    engine.retrieve(QUESTION.text, k=3)
    engine.retrieve(QUESTION.text, k=3, lm=second)
    assert (len(first.asked), len(second.asked)) == (3, 3)


def test_a_strategy_with_a_model_is_still_a_value() -> None:
    gap = STRATEGIES["gap"]
    assert replace(gap) == gap
    assert gap.describe()["writer"]["GapQueries"]["bridges"] == 5


@pytest.mark.parametrize("name", ["gap-documented", "listwise-documented", "gap", "listwise"])
def test_the_writers_work_with_any_planner(name: str, sample: Engine) -> None:
    mixed = replace(STRATEGIES[name], planner=STRATEGIES["bm25"].planner)
    assert len(sample.retrieve(QUESTION.text, k=5, strategy=mixed).evidence) == 5
