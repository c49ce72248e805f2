"""What is asked: a question with all its options, as one value that every shell builds and the engine takes.

A request is checked when it is made, so one that exists is valid as far as that can be known without an index. The
options that carry an `Option` are offered by the command line, the HTTP server and the MCP server; each derives its
parameters from `OPTIONS`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import date
from types import MappingProxyType
from typing import Any, Literal, Protocol, TypedDict, Unpack

from multihop.errors import InvalidBudget, InvalidFilter, InvalidQuestion
from multihop.types.corpus import Where
from multihop.types.dates import iso_day

MOST_PASSAGES = 1000
LONGEST_QUESTION = 20_000
TODAY, ANY_DAY = "today", "any"


class StrategyLike(Protocol):
    """A strategy as far as a request knows it; the engine takes those of `multihop.Strategy`."""

    @property
    def name(self) -> str: ...

    def describe(self) -> dict[str, Any]: ...


@dataclass(frozen=True, slots=True)
class Option:
    """How shells offer one field of a request."""

    kind: Literal["count", "text", "filter", "limits", "ids"]
    """A count is a whole number from 1 on; limits give a count for each of several metadata fields."""
    help: str
    most: int | None = None
    """The largest count, the longest text, or the most fields."""
    default: Any = None


def _option(option: Option) -> Any:
    # The default is that of the option, so that shells and the engine cannot differ in it.
    return field(default=option.default, metadata={"option": option})


class RequestOptions(TypedDict, total=False):
    """The fields of a `Request` beside the question, as keywords."""

    k: int
    strategy: str | StrategyLike
    where: Where | None
    keep: Where | None
    at_most: Mapping[str, int] | None
    exclude: Sequence[str] | None
    as_of: str | date | None
    models: bool
    lm: Any


@dataclass(frozen=True, slots=True)
class Request:
    """A question or claim, and how to find its evidence. Raises `InvalidInput` for what cannot be asked."""

    question: str
    k: int = _option(Option("count", "Maximum number of passages.", MOST_PASSAGES, 21))
    """The budget: at most this many passages are returned."""
    strategy: str | StrategyLike = _option(Option("text", "The name of a strategy.", 100, "auto"))
    """A name, or a `multihop.Strategy`."""
    where: Where | None = _option(Option("filter", "Keeps to documents whose metadata match."))
    """Only documents whose metadata match are searched; hops lead to no others."""
    keep: Where | None = _option(Option("filter", "Filters what is returned; hops may lead elsewhere."))
    """Only documents that match are returned; hops may go through others."""
    at_most: Mapping[str, int] | None = _option(
        Option("limits", "Maximum number of passages of one value of a metadata field.", 20)
    )
    """The largest number of passages with the same value of a metadata field."""
    exclude: Sequence[str] | None = _option(
        Option("ids", "Passages or documents, by id, that are not returned; hops may lead through them.", 1000)
    )
    """Ids of passages or documents to leave out of what is returned, such as those an agent has already."""
    as_of: str | date | None = _option(
        Option("text", "A day such as 2024-05-03: only what held then is used. Today by default; any for no limit.", 40)
    )
    """The day on which documents must hold; None is today, "any" searches old and future versions too."""
    models: bool = True
    """False ranks without the built-in models: faster, less accurate."""
    lm: Any = None
    """A language model to use instead of the engine's; False for none."""

    def __post_init__(self) -> None:
        _check_question(self.question)
        _check_budget(self.k)
        for given in (self.where, self.keep):
            if given is not None and not isinstance(given, Mapping):
                raise InvalidFilter(f"a filter is a mapping from field to condition, not {given!r}")
        _check_limits(self.at_most)
        _check_excluded(self.exclude)
        check_day(self.as_of)

    @property
    def day(self) -> str | None:
        """The day on which documents must hold, in ISO format; None where old and future versions are asked for."""
        if self.as_of == ANY_DAY:
            return None
        return iso_day(date.today() if self.as_of in (None, TODAY) else self.as_of, last=True)

    @classmethod
    def of(cls, question: str | Request, **options: Unpack[RequestOptions]) -> Request:
        """Make a request of a question and options; a request is taken as it is, but for the options given."""
        if isinstance(question, Request):
            return replace(question, **options) if options else question
        return cls(question, **options)


OPTIONS: Mapping[str, Option] = MappingProxyType(
    {f.name: f.metadata["option"] for f in fields(Request) if "option" in f.metadata}
)
"""What shells offer beside the question, in the order in which they list it."""


def _check_question(question: object) -> None:
    if not isinstance(question, str) or not question.strip():
        raise InvalidQuestion("the question is empty; give a claim or a question")
    if len(question) > LONGEST_QUESTION:
        raise InvalidQuestion(f"the question has {len(question)} characters; at most {LONGEST_QUESTION} are allowed")


def _check_budget(k: object) -> None:
    # True is an int to Python, and no budget.
    if isinstance(k, bool) or not isinstance(k, int) or not 1 <= k <= MOST_PASSAGES:
        raise InvalidBudget(f"k is the number of passages wanted, a whole number from 1 to {MOST_PASSAGES}; got {k!r}")


def check_day(as_of: object) -> None:
    """Raise for a value that is not a day."""
    if as_of not in (None, TODAY, ANY_DAY) and iso_day(as_of) is None:
        raise InvalidFilter(
            f"as_of is a day such as 2024-05-03, a month such as 2024-05 or a year, which stand for their last day, "
            f"'{TODAY}' or '{ANY_DAY}'; got {as_of!r:.60}"
        )


def _check_limits(at_most: object) -> None:
    if at_most is not None and not isinstance(at_most, Mapping):
        raise InvalidFilter(f"at_most is a mapping from field to number of passages, not {at_most!r:.60}")
    for name, most in (at_most or {}).items():
        if not isinstance(most, int) or isinstance(most, bool) or most < 1:
            raise InvalidFilter(f"at_most of {name!r} is a number of passages from 1 on, not {most!r:.60}")


def _check_excluded(exclude: object) -> None:
    if exclude is None:
        return
    if isinstance(exclude, str) or not isinstance(exclude, Sequence) or not all(isinstance(e, str) for e in exclude):
        raise InvalidFilter(f"exclude is a list of ids of passages or documents, not {exclude!r:.60}")
