"""Filters over metadata such as {"country": "Japan"}: read, checked against the index, and ready for a database."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from multihop.errors import InvalidFilter, suggestion
from multihop.index.stores.core.documents import storable
from multihop.types import Scalar, Where

_NUMBER = re.compile(r"[-+]?[0-9]*\.?[0-9]+")
MOST_VALUES = 1000
"""A field with as many different values is not looked through for a misspelled one."""
OPERATORS = {"gt": ">", "gte": ">=", "lt": "<", "lte": "<="}


class Kinds(NamedTuple):
    """Which kinds of values a metadata field holds; a field that no document has holds neither."""

    texts: bool
    numbers: bool


class Fields(Protocol):
    """The metadata fields of an index."""

    def kinds(self, field: str) -> Kinds: ...

    def field_names(self) -> Sequence[str]: ...


@dataclass(frozen=True, slots=True)
class Condition:
    """What one field must hold: any of `values`, or a value within all `bounds` (SQL operators and values)."""

    field: str
    values: tuple[Any, ...] = ()
    bounds: tuple[tuple[str, Any], ...] = ()


def filter_key(where: Where | None) -> str:
    """Write a filter as text, so that equal texts mean equal filters; empty for no filter."""
    return repr([(f, dict(c) if isinstance(c, Mapping) else c) for f, c in where.items()]) if where else ""


def conditions(where: Where, fields: Fields) -> list[Condition]:
    """Check a filter; a document passes when it meets every condition, with any value of a field that has several.

    A condition is a value (equality), a list (membership), or bounds such as {"gte": 1990, "lt": 2000}.
    """
    return [_condition(field, condition, fields) for field, condition in where.items()]


def _condition(field: Any, condition: Any, fields: Fields) -> Condition:
    kinds = _kinds(field, fields)
    if isinstance(condition, Mapping):
        if not condition or not set(condition) <= set(OPERATORS):
            raise InvalidFilter(
                f"the filter on {field!r} has bounds {sorted(map(str, condition))}; allowed are {', '.join(OPERATORS)}"
            )
        checked = _checked(field, condition.values(), kinds)
        return Condition(field, bounds=tuple(zip(map(OPERATORS.__getitem__, condition), checked, strict=True)))
    if isinstance(condition, list | tuple | set | frozenset):
        if not condition:
            raise InvalidFilter(f"the filter on {field!r} is an empty list; give at least one value")
        return Condition(field, _checked(field, condition, kinds))
    return Condition(field, _checked(field, [condition], kinds))


def _kinds(field: Any, fields: Fields) -> Kinds:
    if not isinstance(field, str):
        raise InvalidFilter(f"a filter names metadata fields by text, not by {field!r}")
    kinds = fields.kinds(field) if storable(field) else Kinds(False, False)
    if not any(kinds):
        names = suggestion(field, fields.field_names())
        raise InvalidFilter(f"no document has the metadata field {field!r}: {names}")
    return kinds


def _checked(field: str, values: Iterable[Any], kinds: Kinds) -> tuple[Any, ...]:
    return tuple(_checked_value(field, value, kinds) for value in values)


def _checked_value(field: str, value: Any, kinds: Kinds) -> Any:
    if not isinstance(value, Scalar) or not storable(value) or (isinstance(value, float) and math.isnan(value)):
        raise InvalidFilter(
            f"the filter on {field!r} holds {value!r}; allowed are texts, numbers, booleans, lists of them, "
            f"or bounds such as {{'gte': 1990}}"
        )
    if isinstance(value, str) and not kinds.texts:
        advice = "remove the quotes" if _NUMBER.fullmatch(value.strip()) else "give a number"
        raise InvalidFilter(f"the metadata field {field!r} holds numbers; got the text {value!r}: {advice}")
    if not isinstance(value, str) and not kinds.numbers:
        raise InvalidFilter(f"the metadata field {field!r} holds texts; got the number {value!r}: put it in quotes")
    return value


def value_hints(where: Where, values: Callable[[str], Sequence[tuple[Scalar, int]]]) -> Iterator[str]:
    """Say which values of a filter no document has, with the nearest that one has.

    `values` gives the values of a field, cut off where they are very many; a field that has as many as that is left
    alone, as the value may be among the others.
    """
    for field, condition in where.items():
        if isinstance(condition, Mapping):
            continue
        held = [value for value, _ in values(field)]
        wanted = condition if isinstance(condition, list | tuple | set | frozenset) else [condition]
        if len(held) < MOST_VALUES:
            yield from (f"no document has {field} = {v!r}: {_nearest(v, held)}" for v in wanted if v not in held)


def _nearest(value: Scalar, held: Sequence[Scalar]) -> str:
    if isinstance(value, str):
        return suggestion(value, [v for v in held if isinstance(v, str)])
    numbers = [v for v in held if not isinstance(v, str)]
    return f"its numbers go from {min(numbers)} to {max(numbers)}" if numbers else "it holds texts"
