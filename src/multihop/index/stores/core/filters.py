"""Filters over metadata such as {"country": "Japan"}: read, checked against the index, and ready for a database."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from multihop.errors import InvalidFilter, suggestion
from multihop.index.stores.core.documents import storable
from multihop.types import Note, Scalar, Where, native
from multihop.types.notes import VALUE_UNKNOWN

_NUMBER = re.compile(r"[-+]?[0-9]*\.?[0-9]+")
MOST_VALUES = 1000
"""A field with as many different values is not looked through for a misspelled one."""
OPERATORS = {"gt": ">", "gte": ">=", "lt": "<", "lte": "<="}
_OTHERS = ("not", "contains", "exists")
_DEEPEST = 16
_DATE = re.compile(r"[0-9]{4}(-[0-9]{2}(-[0-9]{2})?)?")
_DATE_OR_TIME = re.compile(_DATE.pattern + "([T ].*)?")
_LAST = "\U0010ffff"
"""Comes after every other character."""


class Kinds(NamedTuple):
    """Which kinds of values a metadata field holds; a field that no document has holds neither."""

    texts: bool
    numbers: bool


class Fields(Protocol):
    """The metadata fields of an index."""

    def kinds(self, field: str) -> Kinds: ...

    def field_names(self) -> Sequence[str]: ...

    def texts(self, field: str) -> Iterable[str]:
        """Return the different texts that a field holds."""


@dataclass(frozen=True, slots=True)
class Condition:
    """What one field must hold: any of `values`, a value within all `bounds` (SQL operators), or any value at all."""

    field: str
    values: tuple[Any, ...] = ()
    bounds: tuple[tuple[str, Any], ...] = ()
    exists: bool = False


@dataclass(frozen=True, slots=True)
class IdFilter:
    """Documents by id."""

    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Not:
    """Negation; documents without the field pass."""

    part: Expression


@dataclass(frozen=True, slots=True)
class Either:
    """Any of these."""

    parts: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Every:
    """All of these."""

    parts: tuple[Expression, ...]


Expression = Condition | IdFilter | Not | Either | Every


def filter_key(where: Where | None) -> str:
    """Return the cache key of a filter; empty for no filter."""
    return repr(_plain(where, 0)) if where else ""


def _plain(value: Any, depth: int) -> Any:
    # A filter in a filter is two levels here, its mapping and the list that it stands in. What is asked for is written
    # down before it is checked.
    _assert_not_deeper(depth // 2 - 1)
    if isinstance(value, Mapping):
        return [(field, _plain(condition, depth + 1)) for field, condition in value.items()]
    return [_plain(each, depth + 1) for each in value] if isinstance(value, list | tuple) else value


def _assert_not_deeper(depth: int) -> None:
    if depth > _DEEPEST:
        raise InvalidFilter(f"the filter is nested more than {_DEEPEST} levels deep; simplify it")


def parse_filter(where: Any, fields: Fields, depth: int = 0) -> Every:
    """Check a filter; a document passes when it meets every condition, with any value of a field that has several.

    A condition is a value (equality), a list (membership), or a mapping of which everything must hold: bounds such as
    {"gte": 1990, "lt": 2000}, {"not": …}, {"exists": True}, {"contains": "text"}. "$or" and "$and" hold lists of
    filters, "$not" holds one. "$ids" holds ids of documents.
    """
    if not isinstance(where, Mapping) or not where:
        raise InvalidFilter(f"a filter is a mapping from field to condition, not {where!r:.80}")
    _assert_not_deeper(depth)
    return Every(tuple(_expression(field, condition, fields, depth) for field, condition in where.items()))


def _expression(field: Any, condition: Any, fields: Fields, depth: int) -> Expression:
    if field == "$not":
        several = condition if isinstance(condition, list | tuple) and condition else [condition]
        return Not(Either(tuple(parse_filter(each, fields, depth + 1) for each in several)))
    if field == "$ids":
        return IdFilter(tuple(id for id in condition if isinstance(id, str) and storable(id)))
    if field in ("$or", "$and"):
        if not isinstance(condition, list | tuple) or not condition:
            raise InvalidFilter(f"{field!r} takes a list of filters, not {condition!r:.80}")
        parts = tuple(parse_filter(each, fields, depth + 1) for each in condition)
        return Either(parts) if field == "$or" else Every(parts)
    kinds = _kinds(field, fields)
    if not isinstance(condition, Mapping):
        return Condition(field, _alternatives(field, condition, kinds))
    if not condition or not set(condition) <= {*OPERATORS, *_OTHERS}:
        allowed = ", ".join((*OPERATORS, *_OTHERS))
        raise InvalidFilter(f"the filter on {field!r} has bounds {sorted(map(str, condition))}; allowed are {allowed}")
    return Every(tuple(_tests(field, condition, kinds, fields)))


def _tests(field: str, condition: Mapping[str, Any], kinds: Kinds, fields: Fields) -> Iterator[Expression]:
    if bounds := [_parse_bound(field, n, bound, kinds, fields) for n, bound in condition.items() if n in OPERATORS]:
        yield Condition(field, bounds=tuple(bounds))
    if "not" in condition:
        yield Not(Condition(field, _alternatives(field, condition["not"], kinds)))
    if "contains" in condition:
        yield Condition(field, _parse_contains(field, condition["contains"], fields))
    if "exists" in condition:
        if not isinstance(condition["exists"], bool):
            raise InvalidFilter(f"'exists' of the field {field!r} is true or false, not {condition['exists']!r:.60}")
        there = Condition(field, exists=True)
        yield there if condition["exists"] else Not(there)


def _alternatives(field: str, condition: Any, kinds: Kinds) -> tuple[Any, ...]:
    values = _as_values(condition)
    if not values:
        raise InvalidFilter(f"the filter on {field!r} is an empty list; give at least one value")
    return tuple(_check_value(field, value, kinds) for value in values)


def _as_values(condition: Any) -> Collection[Any]:
    return condition if isinstance(condition, list | tuple | set | frozenset) else [condition]


def _parse_bound(field: str, name: str, bound: Any, kinds: Kinds, fields: Fields) -> tuple[str, Any]:
    if not kinds.numbers and isinstance(bound, int) and not isinstance(bound, bool) and 1000 <= bound <= 9999:
        bound = str(bound)  # a year, where the field holds dates
    checked = _check_value(field, bound, kinds)
    if isinstance(checked, str):
        _check_date(field, checked, fields)
    if isinstance(checked, str) and _DATE.fullmatch(checked) and name in ("gt", "lte"):
        # Up to a year, a month or a day means up to its end.
        return (">=" if name == "gt" else "<"), checked + _LAST
    return OPERATORS[name], checked


def _check_date(field: str, bound: str, fields: Fields) -> None:
    """Raise for a bound that is no date where the field holds dates: it would let through all of them, or none."""
    # A single character is a bound of the alphabet, for what does or does not begin with a digit.
    if len(bound) == 1 or _DATE_OR_TIME.fullmatch(bound):
        return
    held = list(fields.texts(field))
    day = next((text for text in held if "-" in text), "")
    if day and all(map(_DATE_OR_TIME.fullmatch, held)):
        raise InvalidFilter(
            f"the metadata field {field!r} holds dates such as {day!r}; got {bound!r}: give a day such as 2024-05-03, "
            f"a month such as 2024-05 or a year"
        )


def _parse_contains(field: str, condition: Any, fields: Fields) -> tuple[str, ...]:
    wanted = condition if isinstance(condition, list | tuple) else [condition]
    if not wanted or not all(isinstance(each, str) and each for each in wanted):
        raise InvalidFilter(f"'contains' of the field {field!r} takes a text or several, not {condition!r:.60}")
    # Folded here: SQLite folds ASCII letters alone, and both stores must let the same documents through.
    folded = [each.casefold() for each in wanted]
    return tuple(text for text in fields.texts(field) if any(each in text.casefold() for each in folded))


def _kinds(field: Any, fields: Fields) -> Kinds:
    if not isinstance(field, str):
        raise InvalidFilter(f"a filter names metadata fields by text, not by {field!r}")
    kinds = fields.kinds(field) if storable(field) else Kinds(False, False)
    # A misspelled field would let nothing through, and that would look like an answer.
    if not any(kinds):
        names = suggestion(field, fields.field_names())
        raise InvalidFilter(f"no document has the metadata field {field!r}: {names}")
    return kinds


def _check_value(field: str, value: Any, kinds: Kinds) -> Any:
    value = native(value)
    if not isinstance(value, Scalar) or not storable(value) or (isinstance(value, float) and not math.isfinite(value)):
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


def value_hints(where: Where, values: Callable[[str], Sequence[tuple[Scalar, int]]]) -> Iterator[Note]:
    """Yield which values of a filter no document has, with the nearest that one has.

    `values` gives the values of a field, cut off where they are very many; a field that has as many as that is left
    alone, as the value may be among the others.
    """
    for field, condition in where.items():
        if isinstance(condition, Mapping) or field.startswith("$"):
            continue
        held = [value for value, _ in values(field)]
        if len(held) < MOST_VALUES:
            missing = (native(value) for value in _as_values(condition) if native(value) not in held)
            yield from (_absent(field, value, held) for value in missing)


def _absent(field: str, value: Scalar, held: Sequence[Scalar]) -> Note:
    text = f"no document has {field} = {value!r}: {_nearest(value, held)}"
    return Note(VALUE_UNKNOWN, {"field": field, "value": value}, text)


def _nearest(value: Scalar, held: Sequence[Scalar]) -> str:
    if isinstance(value, str):
        return suggestion(value, [v for v in held if isinstance(v, str)])
    numbers = [v for v in held if not isinstance(v, str)]
    return f"its numbers go from {min(numbers)} to {max(numbers)}" if numbers else "it holds texts"
