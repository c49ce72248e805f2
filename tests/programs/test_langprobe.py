"""The HoVer programs in a harness that does what LangProBe's does, step by step."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import dspy
import pytest
from dspy.clients.cache import Cache

import multihop
from multihop import Engine
from multihop.errors import InvalidInput, UnknownName
from multihop.programs.langprobe import HoverMultiHopPipeline, LangProBeRM, discrete_retrieval_eval
from multihop.testing import sample_documents, sample_questions
from multihop.testing.lm import Faults, ScriptedLM

from ..lm.able import able, server

FORMS = ("gap", "listwise", "gap-documented", "listwise-documented")
TITLES = {d.id: d.title for d in sample_documents()}


def claims() -> list[Any]:
    """Sample questions in the form of the HoVer benchmark."""
    return [
        dspy.Example(
            claim=q.text, supporting_facts=[{"key": TITLES[g], "value": 0} for g in q.gold], label=1
        ).with_inputs("claim")
        for q in sample_questions()[:12]
    ]


class Bench:
    """What LangProBe does with a program: set the model up, evaluate, add up the tokens, optimize, evaluate, save."""

    def __init__(self, program: Any, lm: Any, api_base: str | None = None, threads: int = 8) -> None:
        self.program = program
        self.program.setup_lm(lm, api_key="none", api_base=api_base)
        test = claims()
        random.Random(1).shuffle(test)
        self.train = test[:4]
        self.evaluate = dspy.Evaluate(
            devset=test[4:], metric=discrete_retrieval_eval, num_threads=threads, max_errors=5000,
            provide_traceback=False,
        )  # fmt: skip

    def baseline(self, **config: Any) -> tuple[float, int, int]:
        with dspy.context(**config):
            score = self.evaluate(self.program).score
        return (score, *tokens(self.program.lm))

    def optimized(self, **config: Any) -> tuple[float, int, int, Any]:
        lm = self.program.get_lm()
        self.program.set_lm(None)
        optimizer = dspy.BootstrapFewShot(metric=discrete_retrieval_eval, max_labeled_demos=2, max_bootstrapped_demos=1)
        with dspy.context(lm=lm.copy(), **config):
            better = optimizer.compile(self.program, trainset=self.train)
        used = lm.copy()
        with dspy.context(lm=used, **config):
            score = self.evaluate(better).score
        return (score, *tokens(used), better)


def tokens(lm: Any) -> tuple[int, int]:
    usage = [entry.get("usage") for entry in lm.history]
    return sum(u["prompt_tokens"] for u in usage), sum(u["completion_tokens"] for u in usage)


@pytest.mark.parametrize("form", FORMS)
def test_baseline_and_optimized_program(form: str, sample: Engine, tmp_path: Path) -> None:
    lm = ScriptedLM(able)
    bench = Bench(HoverMultiHopPipeline(sample, form=form), lm)
    score, tokens_in, tokens_out = bench.baseline()
    assert score == 100.0
    assert (tokens_in, tokens_out) == (100 * len(lm.asked), 20 * len(lm.asked))
    score, tokens_in, _, better = bench.optimized()
    assert score == 100.0
    assert tokens_in > 0
    assert all(len(p.demos) > 0 for _, p in better.named_predictors())
    better.save(tmp_path / "program.json")
    again = HoverMultiHopPipeline(sample, form=form)
    again.load(tmp_path / "program.json")
    assert again.dump_state() == better.dump_state()
    assert "_" not in bench.program._name


class LangProBeDSPyMetaProgram(dspy.Module):  # type: ignore[misc]  # dspy has no types
    """The base class that LangProBe optimizes: it sets the model of a program up in its own way."""

    def setup_lm(self, lm: Any, api_key: str | None = None, api_base: str | None = None) -> None:
        self.lm = dspy.LM(lm, api_key=api_key, api_base=api_base, cache=False)
        self.set_lm(self.lm)


class InFront(LangProBeDSPyMetaProgram, HoverMultiHopPipeline):
    pass


def test_the_base_class_of_langprobe_may_stand_in_front(sample: Engine) -> None:
    with server(ScriptedLM(able)) as (base, requests):
        bench = Bench(InFront(sample, form="listwise"), "openai/able", base, threads=4)
        assert bench.baseline() == (100.0, 70 * len(requests), 30 * len(requests))
        before = len(requests)
        score, tokens_in, _, _ = bench.optimized()
    assert score == 100.0
    assert 0 < tokens_in < 70 * (len(requests) - before)


@pytest.mark.parametrize("threads", [1, 8])
def test_a_model_by_name_and_address_whatever_the_number_of_threads(
    threads: int, sample: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    # DSPy would answer the second time from its own cache, in the home of whoever runs this.
    monkeypatch.setattr(dspy, "cache", Cache(enable_disk_cache=False, enable_memory_cache=False, disk_cache_dir=""))
    with server(ScriptedLM(able)) as (base, requests):
        bench = Bench(HoverMultiHopPipeline(sample), "openai/able", base, threads)
        score, tokens_in, tokens_out = bench.baseline()
    assert score == 100.0
    assert (tokens_in, tokens_out) == (70 * len(requests), 30 * len(requests))


@pytest.mark.parametrize("form", FORMS)
def test_passages_may_come_from_the_retriever_that_dspy_has(form: str, sample: Engine) -> None:
    bench = Bench(HoverMultiHopPipeline(form=form), ScriptedLM(able))
    score, tokens_in, _ = bench.baseline(rm=LangProBeRM(sample))
    assert score == 100.0
    assert tokens_in > 0


@pytest.mark.parametrize("form", FORMS)
def test_exactly_21_documents_each_once(form: str, sample: Engine) -> None:
    program = HoverMultiHopPipeline(sample, form=form)
    program.setup_lm(ScriptedLM(able, Faults(("malformed", "empty", "truncated", "refusal", "unreachable"), rate=0.5)))
    known = {f"{d.title} | {d.text}" for d in sample_documents()}
    for claim in claims()[:4]:
        docs = program(**claim.inputs()).retrieved_docs
        assert len(docs) == len(set(docs)) == 21
        assert set(docs) <= known


def test_the_metric_compares_normalized_titles_of_the_first_21() -> None:
    gold = dspy.Example(supporting_facts=[{"key": "The Fram (ship)", "value": 3}, {"key": "Colin Archer", "value": 0}])

    def found(*docs: str) -> bool:
        return discrete_retrieval_eval(gold, dspy.Prediction(retrieved_docs=list(docs)))

    assert found("colin archer | x", "Fram ship | the rest | of it")
    assert found("Colin Archer | x", "Colin Archer | y", "FRAM (SHIP)")
    assert not found("Colin Archer | x", "Fram | about the Fram (ship)")
    assert not found()
    assert not found("Fram (ship) | x", *(f"Other {i} | x" for i in range(20)), "Colin Archer | x")


def test_the_retriever_gives_long_text(sample: Engine) -> None:
    rm = LangProBeRM(sample)
    docs = rm("Fram", k=3)
    assert docs[0].long_text.startswith("Fram (ship) | ")
    assert len(docs) == 3
    with dspy.context(rm=rm):
        assert dspy.Retrieve(k=3)("Fram").passages == [d.long_text for d in docs]
    assert dspy.Tool(rm, name="search", desc="Search.")(query="Fram", k=1)[0].long_text == docs[0].long_text


def test_public_names() -> None:
    assert multihop.HoverMultiHopPipeline is HoverMultiHopPipeline
    assert multihop.discrete_retrieval_eval is discrete_retrieval_eval


def test_mistakes_are_explained(sample: Engine) -> None:
    with pytest.raises(UnknownName, match="did you mean 'listwise'"):
        HoverMultiHopPipeline(sample, form="listwize")
    with pytest.raises(InvalidInput, match="give the program an Engine"):
        HoverMultiHopPipeline()(claim="Who built the Fram?")
    with pytest.raises(InvalidInput, match=r"an index is a multihop\.Engine, got str"):
        LangProBeRM("wiki.mh")  # type: ignore[arg-type]  # the mistake


def test_the_saved_program_holds_no_key(sample: Engine, tmp_path: Path) -> None:
    program = HoverMultiHopPipeline(sample)
    program.setup_lm("openai/none", api_key="sk-very-secret", api_base="http://10.0.0.1/v1")
    program.save(tmp_path / "program.json")
    assert "sk-very" not in json.dumps(json.loads((tmp_path / "program.json").read_text(encoding="utf-8")))
