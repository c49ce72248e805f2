"""Arguments of tools that take a question and the options of a request."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from typing import Annotated, Any

from mcp.types import CallToolResult
from pydantic import Field

from multihop.types import OPTIONS, Option, Request

MOST_PASSAGES = 50
LONGEST_QUESTION = 4_000
"""Smaller than those of a request: a response has to fit into a conversation."""

Question = Annotated[
    str, Field(min_length=1, max_length=LONGEST_QUESTION, description="the whole question or claim, in plain words")
]
Budget = Annotated[int, Field(ge=1, le=MOST_PASSAGES)]
_KINDS: dict[str, Any] = {
    "count": Budget,
    "text": str,
    "filter": dict[str, Any],
    "limits": dict[str, int],
    "ids": list[str],
}
_DESCRIPTIONS = {
    "k": "how many passages at most",
    "strategy": "auto, unless another of list_indexes is wanted",
    "where": "only documents with: "
    '{"country": ["Japan", "Brazil"]}, {"year": {"gte": 1990}}, '
    '{"country": {"not": "Peru"}} or {"title": {"contains": "part"}}; values: metadata_values',
    "keep": "as where, for what is returned",
    "as_of": "valid on this day (2024-05-03), or any; today by default",
    "at_most": 'most passages per value: {"source": 2}',
    "exclude": "ids of passages or documents you have already",
}
"""Descriptions that are shorter here, or show the JSON syntax."""
Passages = Annotated[Budget, Field(description=_DESCRIPTIONS["k"])]
Where = Annotated[dict[str, Any] | None, Field(description=_DESCRIPTIONS["where"])]
Day = Annotated[str | None, Field(description=_DESCRIPTIONS["as_of"])]
Ids = Annotated[list[str] | None, Field(description=_DESCRIPTIONS["exclude"])]


def argument(name: str, option: Option) -> inspect.Parameter:
    """Return the tool argument for an option of a request."""
    kind: Any = _KINDS[option.kind] if option.default is not None else _KINDS[option.kind] | None
    description = Field(description=_DESCRIPTIONS.get(name, option.help))
    return _argument(name, Annotated[kind, description], option.default)


def _argument(name: str, annotation: Any, default: Any = inspect.Parameter.empty) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=default, annotation=annotation)


def takes_request(*, k: int) -> Callable[[Callable[..., CallToolResult]], Callable[..., CallToolResult]]:
    """Decorate a tool with a question and the options of a request, passed to it as a Request; `k` is the default."""

    def decorate(tool: Callable[..., CallToolResult]) -> Callable[..., CallToolResult]:
        signature = inspect.signature(tool, eval_str=True)
        itself, asked, *others = signature.parameters.values()
        options = {**OPTIONS, "k": replace(OPTIONS["k"], default=k)}
        offered = [argument(name, option) for name, option in options.items()]

        @wraps(tool)
        def with_request(*given: Any, **named: Any) -> CallToolResult:
            bound = shown.bind(*given, **named)
            bound.apply_defaults()
            rest = bound.arguments
            chosen: Any = {name: rest.pop(name) for name in OPTIONS}
            return tool(**{**rest, asked.name: Request(rest[asked.name], **chosen)})

        shown = signature.replace(parameters=[itself, _argument(asked.name, Question), *offered, *others])
        with_request.__signature__ = shown  # type: ignore[attr-defined]  # what the protocol describes the tool by
        return with_request

    return decorate
