"""A request: a question with all its options, as one value for the engine, the command line, HTTP and MCP.

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

from multihop.errors import InvalidBudget, InvalidFilter, InvalidInput, InvalidQuestion, suggestion
from multihop.types.corpus import Where
from multihop.types.dates import iso_day
from multihop.types.plain import native

MOST_PASSAGES = 1000
LONGEST_QUESTION = 20_000
TODAY, ANY_DAY = "today", "any"


class StrategyLike(Protocol):
    """The part of a strategy that a request needs; the engine takes a `multihop.Strategy`."""

    @property
    def name(self) -> str: ...

    def describe(self) -> dict[str, Any]: ...


@dataclass(frozen=True, slots=True)
class Option:
    """How the command line, HTTP and MCP offer one field of a request."""

    kind: Literal["count", "text", "filter", "limits", "ids"]
    """A count is a positive integer; limits are counts by metadata field."""
    help: str
    most: int | None = None
    """Maximum count, length of the text, or number of fields."""
    default: Any = None


def _option(option: Option) -> Any:
    # Taken from the option, so that there is one default for all.
    return field(default=option.default, metadata={"option": option})


class RequestOptions(TypedDict, total=False):
    """The fields of a `Request` other than the question, as keywords."""

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
    """A question or claim, and how to find its evidence. Raises `InvalidInput` for invalid values."""

    question: str
    k: int = _option(Option("count", "Maximum number of passages.", MOST_PASSAGES, 21))
    """The budget: the maximum number of passages to return."""
    strategy: str | StrategyLike = _option(Option("text", "The name of a strategy.", 100, "auto"))
    """A name, or a `multihop.Strategy`."""
    where: Where | None = _option(Option("filter", "Search only documents whose metadata match."))
    """Only documents whose metadata match are searched, in every hop."""
    keep: Where | None = _option(
        Option("filter", "Return only documents whose metadata match; hops may pass through others.")
    )
    """Only matching documents are returned; hops may pass through others."""
    at_most: Mapping[str, int] | None = _option(
        Option("limits", "Maximum number of passages per value of a metadata field.", 20)
    )
    """Maximum number of passages per value of a metadata field."""
    exclude: Sequence[str] | None = _option(
        Option("ids", "Ids of passages or documents not to return; hops may pass through them.", 1000)
    )
    """Ids of passages or documents that are not returned, such as those an agent already has."""
    as_of: str | date | None = _option(
        Option("text", "Use only documents valid on this day, such as 2024-05-03. Today by default; any for all.", 40)
    )
    """The day on which documents must be valid; None is today, "any" includes old and future versions."""
    models: bool = True
    """False ranks without the built-in models: faster, less accurate."""
    lm: Any = None
    """A language model to use instead of the engine's; False for none."""

    def __post_init__(self) -> None:
        for name in ("k", "as_of", "models"):
            object.__setattr__(self, name, native(getattr(self, name)))
        if isinstance(self.at_most, Mapping):
            object.__setattr__(self, "at_most", {name: native(most) for name, most in self.at_most.items()})
        _check_question(self.question)
        _check_budget(self.k)
        for name in ("where", "keep"):
            given = getattr(self, name)
            if given is not None and not isinstance(given, Mapping):
                raise InvalidFilter(f"{name} is a filter, a mapping from field to condition; got {given!r:.60}")
        _check_limits(self.at_most)
        _check_excluded(self.exclude)
        check_day(self.as_of)
        if not isinstance(self.models, bool):
            raise InvalidInput(f"models is True or False; got {self.models!r:.60}")

    @property
    def day(self) -> str | None:
        """The day on which documents must be valid, in ISO format; None for any day."""
        if self.as_of == ANY_DAY:
            return None
        return iso_day(date.today() if self.as_of in (None, TODAY) else self.as_of, last=True)

    @classmethod
    def of(cls, question: str | Request, **options: Unpack[RequestOptions]) -> Request:
        """Build a request from a question and options; the options override those of a given request."""
        for name in options:
            if name not in RequestOptions.__annotations__:
                raise InvalidInput(f"unknown argument {name!r}: {suggestion(name, RequestOptions.__annotations__)}")
        if isinstance(question, Request):
            return replace(question, **options) if options else question
        return cls(question, **options)


OPTIONS: Mapping[str, Option] = MappingProxyType(
    {f.name: f.metadata["option"] for f in fields(Request) if "option" in f.metadata}
)
"""The options of a request, in the order of --help."""


def _check_question(question: object) -> None:
    if not isinstance(question, str):
        raise InvalidQuestion(f"a question is a text, got {type(question).__name__}")
    if not question.strip():
        raise InvalidQuestion("the question is empty; give a claim or a question")
    if len(question) > LONGEST_QUESTION:
        raise InvalidQuestion(f"the question has {len(question)} characters; at most {LONGEST_QUESTION} are allowed")


def _check_budget(k: object) -> None:
    # In Python, True is an int.
    if isinstance(k, bool) or not isinstance(k, int) or not 1 <= k <= MOST_PASSAGES:
        raise InvalidBudget(f"k, the number of passages, must be a whole number from 1 to {MOST_PASSAGES}; got {k!r}")


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
