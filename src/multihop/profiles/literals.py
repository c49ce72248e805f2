"""Literals that a pattern requires, searched for before the pattern is tried.

Most passages hold none of the words a pattern begins with, and finding words is much faster than trying patterns.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib import import_module
from typing import Any

# Private, and unknown to type checkers, but the only parser that reads a pattern as `re` itself does.
parser: Any = import_module("re._parser")
op: Any = import_module("re._constants")

Pieces = frozenset[str]
_SHORTEST = 2
_ELSEWHERE = frozenset("ſıİ\u212a")
"""Letters that a pattern without regard to case takes for others, and lower-casing does not."""
_INEXACT = re.compile(r"(?<!\\)\{(?!\d*,?\d*\})")
_REPEATS = (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT)


def required_literals(pattern: str) -> Pieces | None:
    """Return lower-case literals, one of which is in every match; None if there are none."""
    # A brace that is a plain character to `re` may say to `regex`, which matches, that a match need not be exact.
    return None if _INEXACT.search(pattern) else _of_sequence(list(parser.parse(pattern)))


class Prefilter:
    """Selects the patterns that can match a text."""

    def __init__(self, patterns: Sequence[str]) -> None:
        from ahocorasick_rs import AhoCorasick

        needed = [required_literals(p) for p in patterns]
        self._always = [i for i, pieces in enumerate(needed) if pieces is None]
        self._every = list(range(len(patterns)))
        pieces = sorted({piece for some in needed if some for piece in some})
        self._patterns_of = [[i for i, some in enumerate(needed) if some and piece in some] for piece in pieces]
        self._finder = AhoCorasick(pieces) if pieces else None

    def worth_trying(self, line: str) -> Sequence[int]:
        """Return the places of the patterns that may match, in order."""
        # Where lower-casing and `re` disagree on a letter every pattern is tried: slower, but nothing is missed.
        if self._finder is None or not _ELSEWHERE.isdisjoint(line):
            return self._every
        matched = {i for i, _, _ in self._finder.find_matches_as_indexes(line.lower(), overlapping=True)}
        return sorted({*self._always, *(p for i in matched for p in self._patterns_of[i])})


def _of_sequence(nodes: list[Any]) -> Pieces | None:
    """The best of what the parts of a sequence require: what is longest, then what is fewest."""
    candidates: list[Pieces] = []
    run = ""
    for kind, value in [*nodes, (None, None)]:
        if kind is op.LITERAL:
            run += chr(value).lower()
            continue
        if len(run) >= _SHORTEST:
            candidates.append(frozenset({run}))
        run = ""
        if kind is not None and (pieces := _of(kind, value)) is not None:
            candidates.append(pieces)
    return max(candidates, key=lambda c: (min(map(len, c)), -len(c), sorted(c)), default=None)


def _of(kind: Any, value: Any) -> Pieces | None:
    # What may be left out is required of no match.
    if kind in _REPEATS and value[0] == 0:
        return None
    # The branches of an alternative, or the one sequence that a group or a repeat holds; other nodes hold none.
    place = {op.BRANCH: 1, op.SUBPATTERN: 3, **dict.fromkeys(_REPEATS, 2)}.get(kind)
    held = value if place is None else value[place]
    inside = held if kind is op.BRANCH else [held] if place or kind is op.ATOMIC_GROUP else []
    parts = [_of_sequence(list(nodes)) for nodes in inside]
    # One alternative without a certain piece leaves nothing certain.
    return frozenset().union(*(p for p in parts if p)) if parts and None not in parts else None
