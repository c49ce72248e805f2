"""The three optimizers of DSPy, each set up from the same few choices.

GEPA (Agrawal et al. 2025) rewrites instructions after reading what was missed, MIPROv2 (Opsahl-Ong et al. 2024)
searches over instructions and examples, bootstrap (Khattab et al. 2023) collects examples from questions that went
well.
"""

from __future__ import annotations

import importlib.util
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import dspy

from multihop.errors import InvalidInput, MissingExtra, UnknownName, suggestion

_SETS = 4
"""Sets of examples, and instructions for a step, that MIPROv2 chooses from; one of each is the empty or present one."""
_BATCH = 3
"""Questions that GEPA reflects on at a time."""
Metric = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class OptimizerSettings:
    """How to optimize: with which optimizer, and how much it may cost."""

    optimizer: str = "gepa"
    budget: int = 300
    """About how many times a training question may be answered."""
    demos: int = 2
    """Examples for each step at most; GEPA uses none."""
    seed: int = 0
    threads: int = 4

    def __post_init__(self) -> None:
        if self.optimizer not in OPTIMIZERS:
            raise UnknownName(f"there is no optimizer {self.optimizer!r}: {suggestion(self.optimizer, OPTIMIZERS)}")
        for name in ("budget", "demos", "threads"):
            if getattr(self, name) < 1:
                raise InvalidInput(f"{name} is a whole number from 1 on, got {getattr(self, name)!r}")


def compile_program(program: Any, train: Sequence[Any], metric: Metric, reflecting: Any, how: OptimizerSettings) -> Any:
    """Optimize a program on training examples; `reflecting` is the model that writes new instructions."""
    shuffled = list(train)
    # The list is cut in two below, and in the order of its file the halves could differ in kind.
    random.Random(how.seed).shuffle(shuffled)  # noqa: S311  # an order, not a secret
    return OPTIMIZERS[how.optimizer](program, shuffled, metric, reflecting, how)


def _gepa(program: Any, train: list[Any], metric: Metric, reflecting: Any, how: OptimizerSettings) -> Any:
    _require("gepa", "GEPA")
    learn, judge = _split_training(train)
    # GEPA measures the judging half once, then a batch before and after its first change.
    _enough(how, len(judge) + 2 * _BATCH, "GEPA")
    optimizer = dspy.GEPA(
        metric=metric, max_metric_calls=how.budget, reflection_lm=reflecting, num_threads=how.threads, seed=how.seed,
        reflection_minibatch_size=min(_BATCH, len(learn)),
    )  # fmt: skip
    return optimizer.compile(program, trainset=learn, valset=judge)


def _mipro(program: Any, train: list[Any], metric: Metric, reflecting: Any, how: OptimizerSettings) -> Any:
    _require("optuna", "MIPROv2")
    learn, judge = _split_training(train)
    # What is spent before the first trial: answers to take examples from, and the program as it is.
    before = (_SETS - 1) * len(learn) + len(judge)
    _enough(how, before + len(judge), "MIPROv2")
    optimizer = dspy.MIPROv2(
        metric=_number(metric), prompt_model=reflecting, task_model=dspy.settings.lm, auto=None, num_candidates=_SETS,
        max_bootstrapped_demos=how.demos, max_labeled_demos=0, num_threads=how.threads, seed=how.seed,
        metric_threshold=1.0, track_stats=False,
    )  # fmt: skip
    return optimizer.compile(
        program, trainset=learn, valset=judge, num_trials=(how.budget - before) // len(judge), minibatch=False,
        program_aware_proposer=False, view_data_batch_size=min(10, len(learn)),
    )  # fmt: skip


def _bootstrap(program: Any, train: list[Any], metric: Metric, reflecting: Any, how: OptimizerSettings) -> Any:
    del reflecting  # it writes no instructions
    # Labeled examples are of no use: they hold claims and titles, not what a step is to answer.
    optimizer = dspy.BootstrapFewShot(
        metric=_number(metric), metric_threshold=1.0, max_bootstrapped_demos=how.demos, max_labeled_demos=0
    )
    return optimizer.compile(program, trainset=train[: how.budget])


OPTIMIZERS: dict[str, Callable[..., Any]] = {"gepa": _gepa, "mipro": _mipro, "bootstrap": _bootstrap}


def _split_training(train: list[Any]) -> tuple[list[Any], list[Any]]:
    """Divide the training questions into those to learn from and those that judge candidates; few serve as both."""
    half = len(train) // 2
    return (train[:half], train[half:]) if half >= _BATCH else (train, train)


def _number(metric: Metric) -> Metric:
    return lambda example, pred, trace=None: float(metric(example, pred, trace).score)


def _enough(how: OptimizerSettings, least: int, name: str) -> None:
    if how.budget < least:
        raise InvalidInput(
            f"a budget of {how.budget} answers is too small for {name} with so many training questions; "
            f"give at least {least}, or fewer questions"
        )


def _require(package: str, name: str) -> None:
    if importlib.util.find_spec(package) is None:
        raise MissingExtra(name, "optimize")
