"""The HoVer programs as DSPy modules: what they return, and that optimizers can work on them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import dspy
import pytest

from multihop import Engine, HoverMultiHopPipeline
from multihop.errors import InvalidBudget, InvalidInput, InvalidQuestion
from multihop.evaluation.datasets import load
from multihop.programs import GapPipeline, ListwisePipeline, discrete_retrieval_eval, examples, gap, listwise
from multihop.programs.pipeline import Pipeline
from multihop.testing import sample_documents, sample_questions, write_hover_sample
from multihop.testing.lm import Faults, ScriptedLM

from ..lm.able import able

QUESTION = sample_questions()[0]
PROGRAMS = (GapPipeline, ListwisePipeline)


def wide(step: str, inputs: Mapping[str, str]) -> Any:
    """Answers that search for much, so that the pool is larger than the budget."""
    broad = ["ship voyage town born architect", "river city bridge built", "born in the year of the war"]
    if step == "claim_decomposition":
        return {"sub_questions": broad}
    if step == "gap_analyzer":
        return {"missing_facts": broad, "query": broad[1]}
    return {"queries": broad} if step == "entity_query_decomposition" else able(step, inputs)


def run(program: Pipeline, claim: str = QUESTION.text, lm: Any = None) -> list[str]:
    with dspy.context(lm=lm or ScriptedLM(wide)):
        return list(program(claim=claim).retrieved_docs)


@pytest.mark.parametrize("kind", PROGRAMS)
def test_a_model_of_its_own_is_used_and_counted(kind: type[Pipeline], sample: Engine) -> None:
    program, own, other = kind(sample), ScriptedLM(wide), ScriptedLM(wide)
    program.set_lm(own)
    assert program.get_lm() is own
    with dspy.context(lm=other):
        result = program.result(QUESTION.text)
    assert (len(own.asked), other.asked) == (len(result.trace.lm_calls), [])
    assert all(call.tokens_in == 100 for call in result.trace.lm_calls)


def test_both_are_known_by_the_documented_name() -> None:
    assert gap.HoverMultiHopPipeline is GapPipeline
    assert listwise.HoverMultiHopPipeline is ListwisePipeline


@pytest.mark.parametrize("documented", [True, False])
@pytest.mark.parametrize("kind", PROGRAMS)
def test_exactly_21_titles_with_their_texts(kind: type[Pipeline], documented: bool, sample: Engine) -> None:
    docs = run(kind(sample, documented=documented))
    assert len(set(docs)) == 21
    known = {f"{d.title} | {d.text}" for d in sample_documents()}
    assert set(docs) <= known


@pytest.mark.parametrize("documented", [True, False])
@pytest.mark.parametrize("kind", PROGRAMS)
def test_exactly_21_though_queries_overlap_titles_repeat_and_nothing_matches(
    kind: type[Pipeline], documented: bool, tmp_path: Path
) -> None:
    from multihop import Document

    def same(step: str, inputs: Mapping[str, str]) -> Any:
        said = able(step, inputs) or {}
        return {key: ["harbor", "the harbor"] if isinstance(value, list) else "harbor" for key, value in said.items()}

    with Engine.open(tmp_path / "few.mh", create=True) as engine:
        about = [Document(f"h{i}", f"The harbor number {i} lies in the north.", f"Port {i % 3}") for i in range(10)]
        other = [Document(f"x{i}", f"Apples ripen in orchard {i}.", "Orchard") for i in range(15)]
        engine.add([*about, *other], whole=True)
        docs = run(kind(engine, documented=documented), "Which harbor is it?", ScriptedLM(same))
    assert len(set(docs)) == 21
    assert sum("harbor" in doc for doc in docs) == 10


@pytest.mark.parametrize("claim", ["", "  ", None, 7, "x" * 20_001])
def test_claims_are_refused_as_the_engine_refuses_them(claim: Any, sample: Engine) -> None:
    with pytest.raises(InvalidQuestion, match="question"):
        GapPipeline(sample).result(claim)
    with pytest.raises(InvalidQuestion, match="question"):
        HoverMultiHopPipeline(sample)(claim=claim)
    with pytest.raises(InvalidBudget, match="k, the number of passages"):
        GapPipeline(sample, k=0).result("Who?")


@pytest.mark.parametrize(
    "facts",
    [
        [{"key": "Fram (ship)", "value": 0}, {"key": "Larvik", "value": 2}],
        [["Fram (ship)", 0], ["Fram (ship)", 1], ["Larvik", 2]],
        [("Fram (ship)", 0), ("Larvik", 2)],
        ["Fram (ship)", "Larvik"],
        {"title": ["Fram (ship)", "Larvik"], "sent_id": [0, 2]},
    ],
)
def test_gold_in_every_form_of_the_official_files(facts: Any) -> None:
    example = dspy.Example(supporting_facts=facts)
    assert discrete_retrieval_eval(example, dspy.Prediction(retrieved_docs=["Larvik | x", "Fram (ship) | y"]))
    assert not discrete_retrieval_eval(example, dspy.Prediction(retrieved_docs=["Larvik | x", "Oslo | y"]))


@pytest.mark.parametrize("facts", [None, "Fram", [[0, "Fram"]], [{"name": "Fram"}], [[]]])
def test_gold_in_no_known_form_is_refused(facts: Any) -> None:
    with pytest.raises(InvalidInput, match="supporting fact"):
        discrete_retrieval_eval(dspy.Example(supporting_facts=facts), dspy.Prediction(retrieved_docs=[]))


def test_examples_come_from_the_official_files(tmp_path: Path, sample: Engine) -> None:
    write_hover_sample(tmp_path / "hover")
    dataset = load("hover", tmp_path, split="train", hops=3)
    found = examples(dataset)
    assert {e.hops for e in found} == {3}
    assert [e.claim for e in found] == [q.text for q in dataset.questions]
    assert all(set(e.inputs().keys()) == {"claim"} and len(e.supporting_facts) == 3 for e in found)
    assert [e.toDict() for e in examples(dataset.questions, sample)] == [e.toDict() for e in found]
    with pytest.raises(InvalidInput, match="give the dataset, or an engine"):
        examples(dataset.questions)
    with pytest.raises(InvalidInput, match="is not in the index"):
        examples([replace(dataset.questions[0], gold=("nowhere",))], sample)


@pytest.mark.parametrize("kind", PROGRAMS)
def test_a_small_pool_is_returned_whole(kind: type[Pipeline], tmp_path: Path) -> None:
    from multihop import Document

    with Engine.open(tmp_path / "small.mh", create=True) as engine:
        engine.add(Document(f"d{i}", f"The ship number {i} of Roald Amundsen.", f"Ship {i}") for i in range(4))
        docs = run(kind(engine), "Which ship did Roald Amundsen borrow?")
    assert sorted(docs) == [f"Ship {i} | The ship number {i} of Roald Amundsen." for i in range(4)]


@pytest.mark.parametrize("kind", PROGRAMS)
def test_the_program_is_the_strategy(kind: type[Pipeline], sample: Engine) -> None:
    program = kind(sample, documented=False)
    direct = sample.retrieve(QUESTION.text, k=21, strategy=kind.strategy, lm=ScriptedLM(wide))
    assert run(program) == [f"{e.passage.title} | {e.passage.text}" for e in direct]


@pytest.mark.parametrize("kind", PROGRAMS)
def test_predictors_are_those_of_the_steps(kind: type[Pipeline], sample: Engine) -> None:
    names = {name.partition(".")[0] for name, _ in kind(sample).named_predictors()}
    assert names == set(kind.steps)


@pytest.mark.parametrize("kind", PROGRAMS)
def test_changed_instructions_reach_the_model(kind: type[Pipeline], sample: Engine) -> None:
    program = kind(sample).deepcopy()
    for _, predictor in program.named_predictors():
        predictor.signature = predictor.signature.with_instructions("COMPILED")
    seen: list[str] = []

    class Listening(ScriptedLM):
        def __call__(self, prompt: Any = None, *, messages: Any = None, **parameters: Any) -> list[str]:
            seen.append(messages[0]["content"])
            return super().__call__(prompt, messages=messages, **parameters)

    run(program, lm=Listening(able))
    assert seen and all("COMPILED" in prompt for prompt in seen)


@pytest.mark.parametrize("kind", PROGRAMS)
def test_state_is_saved_and_loaded(kind: type[Pipeline], sample: Engine, tmp_path: Path) -> None:
    program = kind(sample)
    for _, predictor in program.named_predictors():
        predictor.signature = predictor.signature.with_instructions("COMPILED")
    program.save(str(tmp_path / "program.json"))
    loaded = kind(sample)
    loaded.load(str(tmp_path / "program.json"))
    assert {p.signature.instructions for _, p in loaded.named_predictors()} == {"COMPILED"}


def test_the_trace_of_dspy_holds_the_predictions_in_order(sample: Engine) -> None:
    program = GapPipeline(sample)
    trace: list[Any] = []
    with dspy.context(lm=ScriptedLM(able), trace=trace):
        program(claim=QUESTION.text)
    known = {id(p): name for name, p in program.named_predictors()}
    assert [known[id(p)] for p, _, _ in trace][:4] == [
        "claim_decomposition",
        "gap_analyzer",
        "entity_extractor",
        "bridging_entity_identifier",
    ]


def test_bootstrapping_compiles_a_program(sample: Engine) -> None:
    def found(example: Any, prediction: Any, trace: Any = None) -> bool:
        return bool(len(prediction.retrieved_docs) == example.count)

    train = [dspy.Example(claim=q.text, count=21).with_inputs("claim") for q in sample_questions()[:2]]
    with dspy.context(lm=ScriptedLM(wide)):
        compiled = dspy.BootstrapFewShot(metric=found, max_labeled_demos=0).compile(
            ListwisePipeline(sample), trainset=train
        )
    assert all(predictor.demos for _, predictor in compiled.named_predictors())
    assert len(run(compiled)) == 21


@pytest.mark.parametrize("kind", PROGRAMS)
def test_without_a_model_or_with_a_broken_one_there_is_still_an_answer(kind: type[Pipeline], sample: Engine) -> None:
    with dspy.context(lm=None):
        by_rule = list(kind(sample)(claim=QUESTION.text).retrieved_docs)
    assert by_rule
    assert run(kind(sample), lm=ScriptedLM(able, Faults(("broken",)))) == by_rule


@pytest.mark.parametrize("kind", PROGRAMS)
def test_any_retriever_will_do(kind: type[Pipeline], sample: Engine) -> None:
    asked: list[tuple[str, int]] = []

    def retrieve(query: str, k: int) -> list[dict[str, Any]]:
        asked.append((query, k))
        found = sample.retrieve(query, k=k, strategy="bm25")
        return [{"id": e.passage.id, "title": e.passage.title, "text": e.passage.text} for e in found]

    assert len(run(kind(retrieve))) == 21
    assert {k for _, k in asked} == ({18, 5} if kind is GapPipeline else {12})
