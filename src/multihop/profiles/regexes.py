r"""Regular expressions that cannot run away.

A pattern is compiled only when a bound on its work is known beforehand: the parse tree shows in how many ways it can be
tried at one place of a text. Nested repeats multiply beyond any bound and are refused, as are unbounded repeats of
anything that may hold a blank; runs of other characters are cut by `searchable`.

RE2 (google-re2) bounds any pattern, but its \b, \w and \d know ASCII only: "\bénergie\b" would never match.
"""

from __future__ import annotations

import functools
import math
import re
import warnings
from importlib import import_module
from itertools import combinations
from typing import Any

from multihop.errors import InvalidInput

# Private, and unknown to type checkers, but the only parser that reads a pattern as `re` itself does.
parser: Any = import_module("re._parser")
op: Any = import_module("re._constants")

LONGEST_RUN = 200
"""No run of characters other than blanks is longer than this in a searchable text."""
MOST_WAYS = 20_000
MOST_WAYS_AROUND = 200_000
"""A cue may be tried in more ways: it is matched on the few hundred characters around a value."""
LONGEST_PATTERN = 2_000
_BEYOND = 1e12
_RUN = re.compile(rf"(\S{{{LONGEST_RUN}}})\S+")
# Every printable ASCII character, and one each of an accented letter, other scripts, digits and signs.
_PROBES = [chr(i) for i in range(32, 127)] + ["é", "Ж", "年", "٣", "–"]
_EVERY = frozenset(_PROBES)
_WORD = frozenset(c for c in _PROBES if c.isalnum() or c == "_")
_FLAGS = re.IGNORECASE
_CATEGORIES = {
    op.CATEGORY_DIGIT: r"\d", op.CATEGORY_NOT_DIGIT: r"\D", op.CATEGORY_SPACE: r"\s",
    op.CATEGORY_NOT_SPACE: r"\S", op.CATEGORY_WORD: r"\w", op.CATEGORY_NOT_WORD: r"\W",
}  # fmt: skip
REPEATS = (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT)
_SINGLE = {op.LITERAL, op.NOT_LITERAL, op.ANY, op.IN}


def searchable(content: str) -> str:
    """Put a text on one line with single blanks and cut runs without any, so that the bound on a pattern holds."""
    return _RUN.sub(r"\1", " ".join(content.split()))


MARKER = "\ue000"
"""Takes the place of a value in a text whose surroundings are looked at."""


def compiled_cue(pattern: str) -> re.Pattern[str]:
    """Compile a pattern that is matched around a value, whose place {value} stands for."""
    return compiled(pattern.replace("{value}", MARKER), MOST_WAYS_AROUND)


@functools.lru_cache(4096)
def compiled(pattern: str, most: int = MOST_WAYS) -> re.Pattern[str]:
    """Compile a pattern, whatever its case; raises InvalidInput when it is wrong or could run away."""
    if len(pattern) > LONGEST_PATTERN:
        raise InvalidInput(f"it has {len(pattern)} characters; at most {LONGEST_PATTERN} are allowed")
    try:
        with warnings.catch_warnings():
            # A pattern that another Python reads otherwise is refused while its author can still mend it.
            warnings.simplefilter("error", FutureWarning)
            tree = parser.parse(pattern, _FLAGS)
        ways = _ways(list(tree), frozenset(), last=True)
        found = re.compile(pattern, _FLAGS)
    except FutureWarning as error:
        # [[a], [a--b], [a&&b], [a||b] and [a~~b], which a later Python will read as sets of sets.
        said = f"{error}"
        raise InvalidInput(rf"{said[:1].lower()}{said[1:]}; in a set write \[, \-, \&, \| and \~") from error
    except (re.error, RecursionError) as error:
        raise InvalidInput(f"not a regular expression: {error}") from error
    if ways > most:
        raise InvalidInput(
            "it could be tried in too many ways at one place (catastrophic backtracking); "
            "do not repeat a group that repeats or varies inside, and bound gaps as in .{0,60}"
        )
    # Such a pattern would give its weight to every passage.
    if found.match(""):
        raise InvalidInput("it matches the empty text, and so everything")
    return found


def inside(kind: Any, value: Any) -> list[list[Any]]:
    """Give what a node of a parse tree holds: the branches of an alternative, else one sequence; nothing for a leaf."""
    if kind is op.BRANCH:
        return [list(branch) for branch in value[1]]
    place = {op.SUBPATTERN: 3, **dict.fromkeys(REPEATS, 2)}.get(kind)
    if place is not None:
        return [list(value[place])]
    return [list(value)] if kind is op.ATOMIC_GROUP else []


# --- how many ways there are ----------------------------------------------------------------------


def _ways(nodes: list[Any], after: frozenset[str], *, last: bool) -> float:
    """Count in how many ways a sequence can be tried; `after` is what may follow it, `last` says that nothing must."""
    total = 1.0
    for i, (kind, value) in enumerate(nodes):
        rest = nodes[i + 1 :]
        follow = _first(rest) | (after if _nullable(rest) else frozenset())
        if rest and rest[0] == (op.AT, op.AT_BOUNDARY) and _first_of(kind, value) <= _WORD:
            # A run of letters ends at the boundary and nowhere else.
            follow = frozenset()
        total *= _ways_of(kind, value, follow, last and not rest)
        total = min(total, _BEYOND)
    return total


def _ways_of(kind: Any, value: Any, follow: frozenset[str], last: bool) -> float:
    if kind in REPEATS:
        return _ways_of_repeat(kind, value, follow, last)
    if branches := inside(kind, value):
        ways = [_ways(b, follow, last=last) for b in branches]
        # Of branches that exclude each other only one is ever gone into.
        return max(ways) if all(_exclusive(a, b) for a, b in combinations(branches, 2)) else sum(ways)
    if kind in (op.ASSERT, op.ASSERT_NOT):
        # Anything may follow what is only looked at, so that no run in it ends for sure.
        return _ways(list(value[1]), _EVERY, last=False)
    if kind in (op.GROUPREF, op.GROUPREF_EXISTS, op.GROUPREF_IGNORE):
        raise InvalidInput("it refers back to a group, which has no bound; write the part out again")
    return 1.0


def _ways_of_repeat(kind: Any, repeat: Any, follow: frozenset[str], last: bool) -> float:
    least, most, body = repeat
    nodes = list(body)
    unbounded = most is op.MAXREPEAT or most > LONGEST_RUN
    single = len(nodes) == 1 and nodes[0][0] in _SINGLE
    own = _first(nodes)
    if unbounded and single and " " in own and own != {" "}:
        raise InvalidInput("it repeats without bound something that may be a blank; bound it, as in .{0,60}")
    times = LONGEST_RUN if unbounded else int(most)
    # Where what follows cannot be part of the run, or nothing must follow, the run can end in one way only.
    settled = kind is op.POSSESSIVE_REPEAT or own == {" "} or last or not own & follow
    ends = 1 if settled else times - int(least) + 1
    if single:
        return float(ends)
    again = _ways(nodes, own | follow, last=False)
    if times * math.log(again) > math.log(_BEYOND):
        return _BEYOND
    if unbounded and " " in (chars := _characters(nodes)) and chars != {" "}:
        raise InvalidInput("it repeats without bound a group that may hold a blank; bound it, as in (?: a){1,20}")
    return ends * again**times


def _exclusive(a: list[Any], b: list[Any]) -> bool:
    """Tell whether two branches can never both match at one place: they differ in a character before they vary."""
    for (kind, value), (other, its) in zip(a, b, strict=False):
        apart = not _first_of(kind, value) & _first_of(other, its)
        if kind not in _SINGLE or other not in _SINGLE:
            return apart and not _may_be_empty(kind, value) and not _may_be_empty(other, its)
        if apart:
            return True
    return False


# --- what a part of a pattern can begin with ------------------------------------------------------


def _first(nodes: list[Any]) -> frozenset[str]:
    found: frozenset[str] = frozenset()
    for kind, value in nodes:
        found |= _first_of(kind, value)
        if not _may_be_empty(kind, value):
            break
    return found


def _first_of(kind: Any, value: Any) -> frozenset[str]:
    if kind is op.LITERAL:
        return _same(chr(value))
    if kind is op.NOT_LITERAL:
        return _EVERY - _same(chr(value))
    if kind is op.ANY:
        return _EVERY
    if kind is op.IN:
        return _class(value)
    return frozenset().union(*map(_first, inside(kind, value)))


def _class(members: Any) -> frozenset[str]:
    found: frozenset[str] = frozenset()
    negated = False
    for kind, value in members:
        if kind is op.NEGATE:
            negated = True
        elif kind is op.LITERAL:
            found |= _same(chr(value))
        elif kind is op.RANGE:
            found |= {c for c in _EVERY if any(value[0] <= ord(v) <= value[1] for v in _same(c))}
        elif kind is op.CATEGORY:
            found |= {c for c in _EVERY if re.match(_CATEGORIES[value], c)}
    return _EVERY - found if negated else found


@functools.cache
def _same(character: str) -> frozenset[str]:
    """The ways in which a character may be written; one that no probe stands for may be any of those that do."""
    forms = frozenset({character, character.lower(), character.upper()}) & _EVERY
    if character.isspace():
        return frozenset(" ")
    # The first 95 probes are ASCII.
    return forms or frozenset(_PROBES[95:])


def _characters(nodes: list[Any]) -> frozenset[str]:
    """All that a sequence can hold, at any place."""
    found: frozenset[str] = frozenset()
    for kind, value in nodes:
        parts = inside(kind, value)
        found = found.union(*map(_characters, parts)) if parts else found | _first_of(kind, value)
    return found


def _nullable(nodes: list[Any]) -> bool:
    """Tell whether a sequence can match nothing."""
    return all(_may_be_empty(kind, value) for kind, value in nodes)


def _may_be_empty(kind: Any, value: Any) -> bool:
    if kind in (op.AT, op.ASSERT, op.ASSERT_NOT) or (kind in REPEATS and value[0] == 0):
        return True
    return any(map(_nullable, inside(kind, value)))
