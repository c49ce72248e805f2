"""Conditions of the command line become a filter: `country=Japan,Brazil`, `year>=1990`, `code="007"`.

The web page has the same grammar in `server/page/where.js`; one table of conditions is tested against both.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from multihop.errors import InvalidFilter
from multihop.types import Scalar

BOUNDS = {">": "gt", ">=": "gte", "<": "lt", "<=": "lte"}
SYNTAX = 'FIELD=VALUE, FIELD=ONE,OTHER, FIELD>=NUMBER or FIELD="text"'

_CONDITION = re.compile(r"\s*([^<>=]+?)\s*(>=|<=|==|=|>|<)\s*(.*?)\s*", re.DOTALL)
_VALUE = re.compile(r'\s*(?:"((?:[^"\\]|\\.)*)"|(?!")((?:[^,\\]|\\.|\\$)+?))\s*(?:,|$)', re.DOTALL)
_ESCAPE = re.compile(r'\\([\\,;"])')
_NUMBER = re.compile(r"-?[0-9]{1,18}(\.[0-9]{1,17})?")


def filter_of(conditions: Iterable[str]) -> dict[str, Any]:
    """Combine conditions into one filter: several values of a field are alternatives, several bounds hold together."""
    values: dict[str, dict[tuple[bool, Scalar], Scalar]] = {}
    bounds: dict[str, dict[str, Scalar]] = {}
    for condition in conditions:
        field, operator, found = _parsed(condition)
        if operator == "=":
            # By type too: Python takes true for 1.
            values.setdefault(field, {}).update(((type(v) is bool, v), v) for v in found)
        else:
            _add_bound(bounds.setdefault(field, {}), operator, found, condition)
        if field in values and field in bounds:
            raise InvalidFilter(f"the field {field!r} has both a value and bounds; give one or the other")
    several = {field: list(found.values()) for field, found in values.items()}
    return {field: found[0] if len(found) == 1 else found for field, found in several.items()} | bounds


def _parsed(condition: str) -> tuple[str, str, list[Scalar]]:
    match = _CONDITION.fullmatch(condition)
    if match is None:
        raise InvalidFilter(f"{condition!r} is not a condition; write {SYNTAX}")
    if match[1].endswith("!"):
        raise InvalidFilter(f"{condition!r}: a condition cannot exclude a value; name those wanted, as in {SYNTAX}")
    return match[1], match[2].replace("==", "="), _values(match[3], condition)


def _values(text: str, condition: str) -> list[Scalar]:
    found: list[Scalar] = []
    start = 0
    while not found or start < len(text) or text[start - 1] == ",":
        match = _VALUE.match(text, start)
        if match is None:
            raise InvalidFilter(f'{condition!r} has an empty value or an open quote; write "" for the empty text')
        found.append(_scalar(match[2]) if match[1] is None else _ESCAPE.sub(r"\1", match[1]))
        start = match.end()
    return found


def _scalar(word: str) -> Scalar:
    if word in ("true", "false"):
        return word == "true"
    if match := _NUMBER.fullmatch(word):
        return float(word) if match[1] else int(word)
    return _ESCAPE.sub(r"\1", word)


def _add_bound(bounds: dict[str, Scalar], operator: str, found: list[Scalar], condition: str) -> None:
    name = BOUNDS[operator]
    if len(found) > 1 or name in bounds:
        raise InvalidFilter(f"{condition!r} gives {operator!r} more than one value; a bound has one")
    bounds[name] = found[0]
