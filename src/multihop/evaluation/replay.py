"""Replays the question of a saved result and reports what differs."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from multihop.engine import Engine
from multihop.errors import InvalidInput
from multihop.types import OPTIONS, Result

_NEEDED = ("question", "k", "evidence", "trace")
_TIMING = ("seconds", "cached")
"""What depends on the machine and the moment, and is never compared."""
_NEAR = 1e-5
"""Scores closer than this are equal: computers differ in the last digits."""
_MISSING = object()


@dataclass(frozen=True, slots=True)
class TraceDifference:
    """A value that differs; None where it is missing."""

    place: str
    was: Any
    now: Any


@dataclass(frozen=True, slots=True)
class Replay:
    """The saved and the repeated result of a question."""

    result: Result
    differences: tuple[TraceDifference, ...]
    entered: tuple[str, ...]
    """Passages that are evidence now and were not."""
    left: tuple[str, ...]
    notes: tuple[str, ...]
    """What was different from the start: another generation of the index, a language model that is not there."""

    @property
    def same(self) -> bool:
        return not self.differences


def replay(engine: Engine, text: str) -> Replay:
    """Repeat the question of a serialized result and compare everything but times."""
    before = _parse_trace(text)
    trace = before["trace"]
    # A result repeats what was asked, but for the strategy, which its trace describes.
    recorded: Any = {name: before[name] for name in OPTIONS if before.get(name) not in (None, {})}
    result = engine.retrieve(before["question"], **recorded | {"strategy": trace["strategy"]["name"]})
    # Through JSON, so that a tuple and a list of the same items are equal.
    now = json.loads(result.to_json(timing=False))
    notes = []
    if trace.get("generation") != now["trace"]["generation"]:
        notes.append(f"the index was at generation {trace.get('generation')} and is at {now['trace']['generation']}")
    if trace.get("lm"):
        notes.append(f"the language model {trace['lm']!r} helped then, and does not now")
    # The notes say it already; an index that grew may still give the very same answer.
    for each in (trace, now["trace"]):
        each.pop("generation", None)
    ids = [[e["passage"]["id"] for e in each["evidence"]] for each in (before, now)]
    entered, left = (tuple(id for id in one if id not in other) for one, other in ((ids[1], ids[0]), (ids[0], ids[1])))
    return Replay(result, tuple(_differences(before, now, "")), entered, left, tuple(notes))


def _parse_trace(text: str) -> dict[str, Any]:
    try:
        before = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"this is not JSON: {error}; give what `multihop ask --json` has written") from error
    if not isinstance(before, dict) or not all(name in before for name in _NEEDED):
        raise InvalidInput(
            f"this is not a result: it needs {', '.join(_NEEDED)}; give what `multihop ask --json` wrote"
        )
    try:
        named = isinstance(before["trace"]["strategy"]["name"], str) and isinstance(before["question"], str)
        # Only tried, to name what is missing here and not in the middle of a comparison.
        [e["passage"]["id"] for e in before["evidence"]]
    except (KeyError, TypeError) as error:
        raise InvalidInput(f"this is not a whole result: {error} is missing or wrong") from error
    if not named:
        raise InvalidInput("this is not a whole result: question and name of the strategy must be text")
    return before


def _differences(was: Any, now: Any, place: str) -> Iterator[TraceDifference]:
    if isinstance(was, Mapping) and isinstance(now, Mapping):
        for key in dict.fromkeys([*was, *now]):
            if key not in _TIMING:
                yield from _differences(was.get(key, _MISSING), now.get(key, _MISSING), f"{place}.{key}".lstrip("."))
    elif isinstance(was, list) and isinstance(now, list):
        for number in range(max(len(was), len(now))):
            first, second = (each[number] if number < len(each) else _MISSING for each in (was, now))
            yield from _differences(first, second, f"{place}[{number}]")
    elif not _equal(was, now):
        yield TraceDifference(place, *(None if each is _MISSING else each for each in (was, now)))


def _equal(was: Any, now: Any) -> bool:
    if isinstance(was, int | float) and isinstance(now, int | float):
        return math.isclose(was, now, rel_tol=_NEAR, abs_tol=_NEAR)
    return bool(was == now)
