"""Exact search: passages that contain a text or match a regular expression, counted to the end."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from itertools import islice
from typing import Any

import regex

from multihop.engine import Engine
from multihop.errors import InvalidInput
from multihop.protocols.arguments import check_arguments
from multihop.rendering.phrases import one_line
from multihop.rendering.tokens import Tokenizer, estimate_tokens
from multihop.types import Where, plain

LONGEST_PATTERN = 500
_SECONDS = 5.0
_SIDE = 70
"""Characters shown on either side of a match."""
_HEADING = 12
"""Tokens that a match costs beside its text: the id and the title of its passage."""


@dataclass(frozen=True, slots=True)
class Match:
    """A passage that matches: the first match with its surroundings, and how many there are in the passage."""

    passage_id: str
    title: str
    text: str
    count: int = 1


@dataclass(frozen=True, slots=True)
class Matches:
    """The passages that match, as many as asked for, and how many are left."""

    pattern: str
    matches: tuple[Match, ...]
    left: int
    """Matching passages that were found and are not shown."""
    searched: int
    """Passages searched so far, those before `start` included."""
    size: int
    """Passages that there are to search."""
    next_start: int | None = None
    """Where to go on; None when every match is shown."""

    @property
    def complete(self) -> bool:
        """True when everything was searched, so that `left` is exact."""
        return self.searched >= self.size

    def to_dict(self) -> dict[str, Any]:
        """Turn it into plain values."""
        return {**plain(self), "complete": self.complete}


def grep(
    engine: Engine,
    pattern: str,
    *,
    expression: bool = False,
    case: bool = False,
    where: Where | None = None,
    as_of: str | date | None = None,
    limit: int = 20,
    tokens: int | None = None,
    start: int = 0,
    seconds: float = _SECONDS,
    count: Tokenizer = estimate_tokens,
) -> Matches:
    """Find the passages that contain a text, or with `expression` match a regular expression.

    At most `limit` of them and `tokens` tokens are shown; the others are counted. The search ends after `seconds`;
    `searched` and `size` then say how far it came. Give `next_start` as `start` to go on. Only documents that hold on
    the day `as_of` are searched, today by default.
    """
    check_arguments(locals())
    compiled = _compile(pattern, expression=expression, case=case)
    view = engine.index(where, as_of=as_of).passages
    deadline = time.monotonic() + seconds
    shown: list[Match] = []
    left, room, searched, resume = 0, tokens, start, None
    for searched, passage in enumerate(islice(view.scan(), start, None), start + 1):
        places = list(_find_matches(compiled, passage.text, deadline))
        if places:
            match = Match(passage.id, one_line(passage.title, 100), _around(passage.text, *places[0]), len(places))
            cost = count(match.text) + _HEADING
            # Once one does not fit none is shown, so that going on skips nothing.
            if left or len(shown) >= limit or (room is not None and cost > room and shown):
                left += 1
                resume = searched - 1 if resume is None else resume
            else:
                shown.append(match)
                room = None if room is None else room - cost
        if time.monotonic() > deadline:
            break
    size = max(view.size, searched)
    if resume is None and searched < size:
        resume = searched
    return Matches(pattern, tuple(shown), left, searched, size, resume)


def _compile(pattern: str, *, expression: bool, case: bool) -> Any:
    if not pattern.strip() or len(pattern) > LONGEST_PATTERN:
        raise InvalidInput(f"the pattern has {len(pattern)} characters; give 1 to {LONGEST_PATTERN}")
    flags = regex.MULTILINE | (0 if case else regex.IGNORECASE)
    # A line break in a passage stands for a space.
    source = pattern if expression else r"\s+".join(map(regex.escape, pattern.split()))
    try:
        return regex.compile(source, flags)
    except regex.error as error:
        raise InvalidInput(f"{pattern!r:.80} is not a regular expression: {error}") from error


def _find_matches(compiled: Any, source: str, deadline: float) -> Iterator[tuple[int, int]]:
    """Yield the matches that are not empty; an expression that takes too long is the caller's mistake."""
    try:
        for match in compiled.finditer(source, timeout=max(0.01, deadline - time.monotonic())):
            if match.end() > match.start():
                yield match.span()
    except TimeoutError:
        raise InvalidInput("the regular expression takes too long on a passage; write a simpler one") from None


def _around(source: str, start: int, end: int) -> str:
    first = max(0, start - _SIDE)
    last = min(len(source), max(end, start + _SIDE) + _SIDE)
    # At word boundaries, where there are any.
    first = source.find(" ", first, start) + 1 or first if first else 0
    last = source.rfind(" ", end, last) if last < len(source) and source.rfind(" ", end, last) > 0 else last
    return f"{'…' if first else ''}{one_line(source[first:last])}{'…' if last < len(source) else ''}"
