"""Optimize a strategy: measure it, let an optimizer work on training questions, measure it again."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dspy

from multihop.engine import Engine
from multihop.errors import InvalidInput, LanguageModelError
from multihop.evaluation.datasets import Question
from multihop.lm import Model
from multihop.lm.saved_prompts import save_prompts
from multihop.programs.forms import form
from multihop.programs.metric import feedback, titles_found
from multihop.programs.optimization.optimizers import OptimizerSettings, compile_program
from multihop.programs.pipeline import Pipeline
from multihop.programs.questions import examples
from multihop.protocols import Progress

_TRIED = 3


@dataclass(frozen=True, slots=True)
class Score:
    """How well a program did on some questions."""

    all_gold: float
    recall: float
    questions: int


@dataclass(frozen=True, slots=True)
class Optimized:
    """An optimized program, and how it did on questions that it has not learned from."""

    strategy: str
    model: str
    k: int
    how: OptimizerSettings
    program: Any
    before: Score
    after: Score
    trained_on: int
    answers: int
    """How many times a training question was answered."""

    def save(self, path: str | Path) -> str:
        """Write the prompts to a file that `multihop.lm.load_prompts` reads; gives their digest."""
        return save_prompts(Path(path), self.program, self.strategy, self.describe())

    def describe(self) -> dict[str, Any]:
        """Write out how it came about, as plain values."""
        dev = {"questions": self.before.questions, "before": _measures(self.before), "after": _measures(self.after)}
        return {
            "model": self.model, "optimizer": self.how.optimizer, "budget": self.how.budget, "demos": self.how.demos,
            "seed": self.how.seed, "k": self.k, "train_questions": self.trained_on, "answers": self.answers,
            "dev": dev,
        }  # fmt: skip


def optimize(
    strategy: str,
    engine: Engine,
    lm: Model,
    train: Sequence[Question],
    dev: Sequence[Question],
    *,
    k: int = 21,
    how: OptimizerSettings | None = None,
    reflecting: Any = None,
    progress: Progress | None = None,
) -> Optimized:
    """Optimize the prompts of a strategy on `train`; `dev` is only measured, before and after.

    `reflecting` is the DSPy model that writes new instructions: the same as `lm` unless a stronger one is given.
    """
    how = how or OptimizerSettings()
    program = program_of(strategy, engine, lm, k)
    taught, held = examples(train, engine), examples(dev, engine)
    if not taught or not held:
        raise InvalidInput("optimizing needs at least one question to train on and one to measure with")
    with dspy.context(lm=lm.lm):
        _check_model(program, dev, lm.name)
        before = _measure(program, held, k, how.threads, progress, "measuring before")
        counted = _Counted(k, how.budget, progress)
        better = compile_program(program, taught, counted, reflecting or lm.lm, how)
        after = _measure(better, held, k, how.threads, progress, "measuring after")
    return Optimized(strategy, lm.name, k, how, better, before, after, len(taught), counted.answers)


def program_of(strategy: str, engine: Engine, lm: Model, k: int) -> Pipeline:
    """Make the program of a strategy, with the limits and the cache of a model."""
    kind, documented = form(strategy)
    return kind(engine, k=k, documented=documented, limits=lm.limits, cache=lm.cache)


def _check_model(program: Pipeline, questions: Sequence[Question], name: str) -> None:
    """Raise when a model does nothing right in the first questions: all would be done by rule, and nothing learned."""
    problems: list[str] = []
    for question in questions[:_TRIED]:
        calls = program.result(question.text).trace.lm_calls
        if any(not call.problem for call in calls):
            return
        problems += [call.problem for call in calls]
    said = ", ".join(dict.fromkeys(problems)) or "it was not asked anything"
    raise LanguageModelError(
        f"the language model {name} did no step of the first questions: {said}; nothing was learned"
    )


class _Counted:
    """The metric of an optimizer, which counts the answers it sees."""

    def __init__(self, k: int, budget: int, progress: Progress | None) -> None:
        self.answers = 0
        self._k, self._budget, self._progress = k, budget, progress
        self._lock = threading.Lock()

    def __call__(
        self, example: Any, pred: Any, trace: Any = None, pred_name: str | None = None, pred_trace: Any = None
    ) -> Any:
        # With a name GEPA asks what to tell one predictor of an answer that was counted before.
        if pred_name is None:
            with self._lock:
                self.answers += 1
                if self._progress:
                    self._progress("optimizing", min(self.answers, self._budget), self._budget)
        return feedback(example, pred, self._k)


def _measure(
    program: Any, examples: Sequence[Any], k: int, threads: int, progress: Progress | None, stage: str
) -> Score:
    done: list[tuple[int, int]] = []
    lock = threading.Lock()

    def metric(example: Any, pred: Any) -> float:
        found, missed = titles_found(example, pred, k)
        # DSPy measures in several threads.
        with lock:
            done.append((len(found), len(missed)))
            if progress:
                progress(stage, len(done), len(examples))
        return float(not missed)

    dspy.Evaluate(devset=list(examples), metric=metric, num_threads=threads)(program)
    total = len(examples)
    # Sorted, since a sum of floats depends on the order, and threads end in any.
    shares = sorted(found / (found + missed) if found + missed else 1.0 for found, missed in done)
    # A question that failed has no row, and counts as missed.
    return Score(sum(not missed for _, missed in done) / total, sum(shares) / total, total)


def _measures(score: Score) -> dict[str, float]:
    return {"all_gold": round(score.all_gold, 4), "recall": round(score.recall, 4)}
