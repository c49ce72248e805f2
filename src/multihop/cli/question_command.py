"""Shared by `ask`, `answer` and `verdict`: their options, and running one question or a batch."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from multihop.cli.batch import BATCH_OPTIONS, BatchChoice
from multihop.cli.filters import WHERE_HELP, conditions_option, limits_option
from multihop.cli.named_indexes import asked_indexes_option
from multihop.cli.options import (
    STRATEGY,
    TEXT,
    LmChoice,
    add_options,
    embedder_option,
    json_option,
    lm_options,
    prompts_option,
)
from multihop.cli.output import open_console, print_json, warn
from multihop.index.locations import Location
from multihop.rendering.phrases import one_line
from multihop.types import OPTIONS, Option, Request
from multihop.types.notes import ID_UNKNOWN, NOT_IN_FORCE, VALUE_UNKNOWN

if TYPE_CHECKING:
    from rich.console import Console

    from multihop import Strategy
    from multihop.engine import Engine
    from multihop.types import Answer, Result, Verdict

    Shown = TypeVar("Shown", Result, Answer, Verdict)

fast_option = click.option("--fast", is_flag=True, help="Rank without models: several times faster, less accurate.")
_KINDS: dict[str, Callable[..., Any]] = {
    "count": partial(click.option, type=int),
    "text": partial(click.option, type=TEXT),
    "filter": conditions_option,
    "limits": limits_option,
    "ids": partial(click.option, type=TEXT, multiple=True),
}
_FLAGS = {"k": ("-k", "--top-k")}
_TYPES = {"strategy": STRATEGY}
_HELP = {
    "strategy": "A strategy; see multihop strategies.",
    "where": WHERE_HELP,
    "keep": "Return only matching documents, written as for --where; hops may pass through others. May be repeated.",
    "exclude": "Do not return this passage or document, by id; hops may lead through it. May be repeated.",
    "at_most": "Return at most N passages per value of a metadata field: source=2. May be repeated.",
}
"""Help for options whose syntax differs on the command line."""


def click_option(name: str, option: Option) -> Callable[..., Any]:
    """Make the command-line option for an option of a request."""
    flags = _FLAGS.get(name, (f"--{name.replace('_', '-')}",))
    settings: dict[str, Any] = {"type": _TYPES[name]} if name in _TYPES else {}
    if option.default is not None:
        settings |= {"default": option.default, "show_default": True}
    made: Callable[..., Any] = _KINDS[option.kind](*flags, name, help=_HELP.get(name, option.help), **settings)
    return made


_OPTIONS: tuple[Callable[..., Any], ...] = (
    asked_indexes_option,
    *(click_option(name, option) for name, option in OPTIONS.items()),
    click.option("--explain", is_flag=True, help="Also show the trace: the plan, every hop and why it stopped."),
    *BATCH_OPTIONS,
    lm_options,
    prompts_option,
    embedder_option,
    json_option,
)


@dataclass(frozen=True, slots=True)
class QuestionCommand:
    """A command that asks questions: what to ask, which index, and how; `question` is None for a batch."""

    question: str | None
    indexes: Mapping[str, Location]
    """The indexes to search as one, by name."""
    options: Mapping[str, Any]
    """The options of the request that were given."""
    explain: bool
    batch: BatchChoice
    lm: LmChoice
    prompts: Path | None
    embedder: str | None
    as_json: bool

    @property
    def strategy(self) -> str:
        """The name of the strategy."""
        return str(self.options["strategy"])

    def strategy_with_prompts(self) -> str | Strategy:
        """Return the strategy, with optimized prompts if any were given."""
        return self.lm.with_prompts(self.strategy, self.prompts)

    def ask(
        self,
        method: Callable[..., Any],
        strategy: str | Strategy,
        *,
        models: bool = True,
        column: str = "question",
        **callbacks: Callable[..., None] | None,
    ) -> Any:
        """Call an engine method with the question; for a batch, run it to the end and return None.

        `column` is the one that is asked if a table has several that could be.
        """
        # The model is opened once for all rows of a batch.
        given: Any = {**self.options, "strategy": strategy, "models": models, "lm": self.lm.open()}

        def ask_one(question: str) -> Any:
            return method(Request(question, **given), **callbacks)

        if self.question is not None:
            return ask_one(self.question)
        # An invalid option fails at once, not in every row.
        Request("any question", **given)
        self.batch.run(ask_one, self.indexes.values(), as_json=self.as_json, first=column)
        return None

    def show(self, engine: Engine, answered: Shown, result: Result, write: Callable[[Console, Shown], None]) -> None:
        """Print the result as JSON or as text; as text, also the trace if --explain was given."""
        warn_about_filters(result)
        if self.as_json:
            print_json(answered.to_dict())
            return
        console = open_console()
        write(console, answered)
        if self.explain:
            from multihop.cli.trace import trace_tree

            console.print()
            console.print(trace_tree(result, engine))
        else:
            for note in result.trace.notes:
                if note.code == NOT_IN_FORCE:
                    console.print(one_line(note.text), style="dim")


def warn_about_filters(result: Result) -> None:
    """Print on stderr which values of a filter and which ids to exclude the index does not have."""
    for note in result.trace.notes:
        if note.code in (VALUE_UNKNOWN, ID_UNKNOWN):
            warn(note.text)


def question_command(noun: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorate a command with the question argument and all shared options, passed to it as one value."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def run(**given: Any) -> Any:
            batch = BatchChoice(given.pop("batch"), given.pop("out"), given.pop("workers"))
            # click passes an empty value for repeatable options that were not given.
            options = {name: value for name in OPTIONS if (value := given.pop(name)) not in (None, {}, ())}
            own = {f.name: given.pop(f.name) for f in fields(QuestionCommand) if f.name not in ("batch", "options")}
            # Needs both options to tell a single question from a batch.
            own["question"] = batch.question(own["question"])
            return command(QuestionCommand(**own, batch=batch, options=options), **given)

        asked = click.argument("question", type=TEXT, required=False, metavar=noun)
        return add_options(run, (asked, *_OPTIONS))

    return decorate
