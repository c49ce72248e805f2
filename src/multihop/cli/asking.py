"""What `ask`, `answer` and `verdict` have in common: their options, and how a question or a batch is asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from multihop.cli.batch import BATCH_OPTIONS, BatchChoice
from multihop.cli.options import (
    WORDS,
    LmChoice,
    budget_option,
    embedder_option,
    index_option,
    json_option,
    lm_options,
    prompts_option,
    strategy_option,
    with_options,
)
from multihop.cli.screen import print_json, screen, warn
from multihop.cli.where import at_most_option, keep_option, where_option
from multihop.index.locations import Location

if TYPE_CHECKING:
    from rich.console import Console

    from multihop.engine import Engine
    from multihop.loop import Strategy
    from multihop.types import Answer, Result, Verdict

    Shown = TypeVar("Shown", Result, Answer, Verdict)

fast_option = click.option("--fast", is_flag=True, help="Rank without models: several times faster, less accurate.")
_OPTIONS = (
    index_option,
    budget_option,
    strategy_option,
    where_option,
    keep_option,
    at_most_option,
    click.option("--explain", is_flag=True, help="Also show the trace: the plan, every hop and why it stopped."),
    *BATCH_OPTIONS,
    lm_options,
    prompts_option,
    embedder_option,
    json_option,
)


@dataclass(frozen=True, slots=True)
class Asking:
    """What a command is asked, of which index, and how; `question` is None for a batch."""

    question: str | None
    path: Location
    k: int
    strategy: str
    where: dict[str, Any]
    keep: dict[str, Any]
    at_most: dict[str, int]
    explain: bool
    batch: BatchChoice
    lm: LmChoice
    prompts: Path | None
    embedder: str | None
    as_json: bool

    def prompted(self) -> str | Strategy:
        """Give the strategy, with optimized prompts where there are any."""
        return self.lm.prompted(self.strategy, self.prompts)

    def ask(self, method: Callable[..., Any], strategy: str | Strategy, **more: Any) -> Any:
        """Ask the engine by one of its methods; None when it was a batch, which is over then."""
        given = {"k": self.k, "strategy": strategy, "where": self.where or None, "keep": self.keep or None}
        # The model is opened once, for all rows of a batch.
        one = partial(method, **given, at_most=self.at_most or None, lm=self.lm.open(), **more)
        if self.question is not None:
            return one(self.question)
        self.batch.run(one, as_json=self.as_json)
        return None

    def warn_of_filter(self, engine: Engine, result: Result) -> None:
        """Say on stderr what may be wrong with a filter that left little."""
        for hint in engine.filter_hints(self.where) if result.short else ():
            warn(hint)

    def show(self, engine: Engine, found: Shown, result: Result, write: Callable[[Console, Shown], None]) -> None:
        """Print what was found, as JSON or for people; to these also the trace of its result, if asked for."""
        if self.as_json:
            print_json(found.to_dict())
            return
        console = screen()
        write(console, found)
        if self.explain:
            from multihop.cli.trace import trace_tree

            console.print()
            console.print(trace_tree(result, engine))


def asking(noun: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Give a command the options of those that ask, and what it is asked as its argument; it gets one value."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def with_asking(**given: Any) -> Any:
            batch = BatchChoice(given.pop("batch"), given.pop("out"), given.pop("workers"))
            own = {field.name: given.pop(field.name) for field in fields(Asking) if field.name != "batch"}
            # Whether one question or a batch is meant shows only when both options are known.
            own["question"] = batch.question(own["question"])
            return command(Asking(**own, batch=batch), **given)

        asked = click.argument("question", type=WORDS, required=False, metavar=noun)
        return with_options(with_asking, (asked, *_OPTIONS))

    return decorate
