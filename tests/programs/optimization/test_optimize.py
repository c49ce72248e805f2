"""The three optimizers, run for real on a few sample questions with a scripted model; the prompts saved and used."""

from __future__ import annotations

import json
from pathlib import Path

import dspy
import pytest

from multihop import Engine
from multihop.errors import InvalidInput, LanguageModelError, UnknownName
from multihop.evaluation.datasets import Question
from multihop.lm import Limits, Model, load_prompts, open_lm
from multihop.programs.metric import discrete_retrieval_eval, feedback
from multihop.programs.optimization import Optimized, OptimizerSettings, examples, optimize
from multihop.strategies import strategy
from multihop.testing import sample_questions
from multihop.testing.lm import Faults, ScriptedLM

from ...lm.able import able
from .learner import HINT, Learner

QUESTIONS = [Question(q.id, q.text, q.gold) for q in sample_questions()]
TRAIN, DEV = QUESTIONS[:6], QUESTIONS[6:12]
STRATEGIES = ("gap-documented", "listwise-documented")


def optimized(lm: Learner, engine: Engine, name: str, how: OptimizerSettings) -> Optimized:
    return optimize(name, engine, Model(lm), TRAIN, DEV, k=3, how=how)


@pytest.mark.parametrize("name", STRATEGIES)
@pytest.mark.parametrize(("optimizer", "budget"), [("gepa", 40), ("mipro", 60)])
def test_better_instructions_are_found_saved_and_used(
    optimizer: str, budget: int, name: str, sample: Engine, tmp_path: Path
) -> None:
    done = optimized(Learner(), sample, name, OptimizerSettings(optimizer, budget, threads=2))
    assert done.after.all_gold > done.before.all_gold
    digest = done.save(tmp_path / "prompts.json")

    asked = Learner()
    prompted = strategy(name).with_prompts(load_prompts(tmp_path / "prompts.json"))
    results = [sample.retrieve(q.text, k=3, strategy=prompted, lm=asked) for q in DEV]
    whole = [set(q.gold) <= {e.passage.document_id for e in r} for q, r in zip(DEV, results, strict=True)]
    assert sum(whole) / len(DEV) == pytest.approx(done.after.all_gold)
    result = results[0]
    assert any(HINT in prompt for prompt in asked.prompts)
    assert result.trace.strategy["prompts"] == {"Prompts": {"strategy": name, "digest": digest}}
    plain = Learner()
    sample.retrieve(DEV[0].text, k=3, strategy=name, lm=plain)
    assert not any(HINT in prompt for prompt in plain.prompts)


@pytest.mark.parametrize("name", STRATEGIES)
def test_examples_are_collected_saved_and_used(name: str, sample: Engine, tmp_path: Path) -> None:
    done = optimized(Learner(always=True), sample, name, OptimizerSettings("bootstrap", budget=6, threads=1))
    assert done.answers == 2, "two examples are enough"
    done.save(tmp_path / "prompts.json")

    asked = Learner(always=True)
    prompts = load_prompts(tmp_path / "prompts.json")
    sample.retrieve(DEV[0].text, k=3, strategy=strategy(name).with_prompts(prompts), lm=asked)
    examples = [q.text for q in TRAIN if any(q.text in prompt for prompt in asked.prompts)]
    assert len(examples) == 2
    assert all(DEV[0].text in prompt for prompt in asked.prompts)


def test_answers_come_from_the_cache_and_obey_the_limits(sample: Engine, tmp_path: Path) -> None:
    lm = Learner(always=True)
    kept = open_lm("openai/none", cache=tmp_path / "answers.db").cache
    model = Model(lm, Limits(calls=1), kept)
    how = OptimizerSettings("bootstrap", budget=2, threads=1)
    optimize("listwise-documented", sample, model, TRAIN[:2], DEV[:2], k=3, how=how)
    # One call for each question: the two of dev before, two of train, two of dev with examples.
    assert len(lm.prompts) <= 6
    again = Learner(always=True)
    optimize("listwise-documented", sample, Model(again, Limits(calls=1), kept), TRAIN[:2], DEV[:2], k=3, how=how)
    assert again.prompts == []


def test_the_same_seed_gives_the_same_prompts(sample: Engine, tmp_path: Path) -> None:
    for name in ("a", "b"):
        optimized(Learner(), sample, "listwise-documented", OptimizerSettings("gepa", 30, threads=1)).save(
            tmp_path / name
        )
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_the_file_says_how_it_came_about(sample: Engine, tmp_path: Path) -> None:
    done = optimized(Learner(), sample, "gap", OptimizerSettings("gepa", 30, threads=2))
    done.save(tmp_path / "prompts.json")
    said = json.loads((tmp_path / "prompts.json").read_text(encoding="utf-8"))
    assert (said["strategy"], said["dspy"]) == ("gap", dspy.__version__)
    origin = said["origin"]
    assert (origin["model"], origin["optimizer"], origin["train_questions"]) == ("scripted/model", "gepa", 6)
    assert origin["dev"]["questions"] == 6
    assert 0 <= origin["dev"]["before"]["all_gold"] <= origin["dev"]["after"]["all_gold"] <= 1


def test_the_feedback_names_what_was_found_and_missed(sample: Engine) -> None:
    [example] = examples(QUESTIONS[:1], sample)
    pred = dspy.Prediction(retrieved_docs=["the  FRAM (ship) | whatever"])
    said = feedback(example, pred)
    assert "Found of the documents that decide the claim: “Fram (ship)”." in said.feedback
    assert "Missed: “Colin Archer”." in said.feedback
    assert "The missed document “Colin Archer” begins: Colin Archer came into the world in Larvik" in said.feedback
    assert said.score == 0.25
    whole = dspy.Prediction(retrieved_docs=["Fram (ship) | …", "Colin Archer | …"])
    assert feedback(example, whole).score == 1.0
    assert discrete_retrieval_eval(example, whole)
    assert not discrete_retrieval_eval(example, pred)


def test_a_model_that_never_answers_is_told_at_once(sample: Engine) -> None:
    away = ScriptedLM(able, Faults(("unreachable",)))
    with pytest.raises(
        LanguageModelError, match="did no step of the first questions: it could not be reached; nothing"
    ):
        optimize("listwise", sample, Model(away), TRAIN, DEV)
    assert len(away.asked) == 3 * 2


def test_mistakes_are_explained(sample: Engine) -> None:
    with pytest.raises(UnknownName, match="did you mean 'gepa'"):
        OptimizerSettings("gepaa")
    with pytest.raises(InvalidInput, match="budget is a whole number from 1 on, got 0"):
        OptimizerSettings(budget=0)
    with pytest.raises(UnknownName, match="no strategy 'bm25' that asks a language model"):
        optimize("bm25", sample, Model(Learner()), TRAIN, DEV)
    with pytest.raises(InvalidInput, match=r"a budget of 5 answers is too small for MIPROv2.*give at least 15"):
        optimized(Learner(), sample, "gap", OptimizerSettings("mipro", 5))
    with pytest.raises(InvalidInput, match="at least one question"):
        optimize("gap", sample, Model(Learner()), [], DEV)
