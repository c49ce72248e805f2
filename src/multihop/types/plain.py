"""Any value of the engine as dictionaries, lists, strings and numbers."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from datetime import date
from functools import cache
from typing import Any

_TIMED = {"seconds", "cached"}
"""What a result cost, not what it says: left out where equal results are to give equal bytes."""
SHOWN_IF_SET = {"shown": "where used"}
"""Metadata of a field that few strategies fill; the others do not show it."""
# By exact type: a channel is a str as well, and is to become a plain one.
_AS_IT_IS = frozenset((str, int, bool, type(None)))


@cache
def _fields(kind: type) -> tuple[tuple[str, bool], ...]:
    """Names of the fields of a value, and which are shown though empty; looked up once for thousands of values."""
    if dataclasses.is_dataclass(kind):
        return tuple((f.name, f.metadata != SHOWN_IF_SET) for f in dataclasses.fields(kind))
    return tuple((name, True) for name in getattr(kind, "_fields", ()))


def native(value: Any) -> Any:
    """Return a number of NumPy as one of Python and a date as ISO text, for JSON and databases; others unchanged."""
    if getattr(value, "ndim", None) == 0:
        value = value.item()
    # The missing date of pandas is a date that does not equal itself.
    return value.isoformat() if isinstance(value, date) and value == value else value


def _plain(value: Any, timing: bool) -> Any:
    kind: Any = type(value)
    if kind in _AS_IT_IS:
        return value
    if isinstance(value, float):
        return round(value, 6)
    if isinstance(value, str):
        # A channel, which carries more than its name.
        return str(value)
    if fields := _fields(kind):
        named = [(n, getattr(value, n), shown) for n, shown in fields if timing or n not in _TIMED]
        return {n: _plain(v, timing) for n, v, shown in named if shown or v}
    if isinstance(value, Mapping):
        return {str(k): _plain(v, timing) for k, v in value.items()}
    if isinstance(value, set | frozenset):
        # A set has no order, and its members may be of types that do not compare.
        value = sorted(value, key=repr)
    if isinstance(value, tuple | list):
        return [_plain(v, timing) for v in value]
    return native(value)


def plain(value: Any, *, timing: bool = True) -> Any:
    """Turn any value of the engine into dictionaries, lists, strings and numbers."""
    return _plain(value, timing)
