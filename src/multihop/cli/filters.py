"""Parses filter conditions of the command line: `country=Japan,Brazil`, `year>=1990`, `code="007"`.

`!=` excludes, `~=` matches a substring, `=*` matches any value, and ` | ` separates alternatives. The web page has
the same grammar in `server/page/filters.js`; one table of conditions is tested against both.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import click

from multihop.cli.options import TEXT
from multihop.errors import InvalidFilter
from multihop.types import Scalar

BOUNDS = {">": "gt", ">=": "gte", "<": "lt", "<=": "lte"}
LISTED = {"!=": "not", "~=": "contains"}
SYNTAX = 'FIELD=VALUE, FIELD=ONE,OTHER, FIELD>=NUMBER, FIELD="text", FIELD!=VALUE, FIELD~=PART or FIELD=*'

# The first operator counts, so that a value may contain others; two-character operators are tried first.
_CONDITION = re.compile(r"\s*([^<>=]+?)\s*(>=|<=|==|!=|~=|=|>|<)\s*(.*?)\s*", re.DOTALL)
# Quoted text, or text up to the next comma; a backslash escapes quotes and commas.
_VALUE = re.compile(r'\s*(?:"((?:[^"\\]|\\.)*)"|(?!")((?:[^,\\]|\\.|\\$)+?))\s*(?:,|$)', re.DOTALL)
# Quoted text is matched in order to be skipped: a bar inside it is part of the value.
_QUOTED_OR_BAR = re.compile(r'([=,<>]\s*"(?:[^"\\]|\\.)*")|\s\|\s', re.DOTALL)
_ESCAPE = re.compile(r'\\([\\,;"|*])')
_NUMBER = re.compile(r"-?[0-9]{1,18}(\.[0-9]{1,17})?")
_ANY_VALUE = "*"


class _Condition(NamedTuple):
    field: str
    operator: str
    values: list[Scalar]
    any: bool
    """True for a star, which matches every value."""
    written: str


def parse_filter(conditions: Iterable[str]) -> dict[str, Any]:
    """Combine conditions into one filter: several values of a field are alternatives, all else is a conjunction."""
    alone: list[_Condition] = []
    alternatives: list[dict[str, Any]] = []
    for condition in conditions:
        tests = [_parse_condition(each) for each in _split_alternatives(condition)]
        if len(tests) == 1:
            alone += tests
        else:
            alternatives.append({"$or": [_combine([test]) for test in tests]})
    where = _combine(alone)
    if len(alternatives) == 1:
        return where | alternatives[0]
    return where | ({"$and": alternatives} if alternatives else {})


def _split_alternatives(condition: str) -> Iterator[str]:
    start = 0
    for match in _QUOTED_OR_BAR.finditer(condition):
        if match[1] is None:
            yield condition[start : match.start()]
            start = match.end()
    yield condition[start:]


def _combine(tests: Iterable[_Condition]) -> dict[str, Any]:
    values: dict[str, dict[tuple[bool, Scalar], Scalar]] = {}
    others: dict[str, dict[str, Any]] = {}
    for field, operator, value, any, written in tests:
        if any:
            others.setdefault(field, {})["exists"] = operator == "="
        elif operator == "=":
            # By type too: in Python, True equals 1.
            values.setdefault(field, {}).update(((type(v) is bool, v), v) for v in value)
        elif operator in LISTED:
            known = others.setdefault(field, {}).setdefault(LISTED[operator], [])
            known += [v for v in (map(_text, value) if operator == "~=" else value) if v not in known]
        else:
            _add_bound(others.setdefault(field, {}), operator, value, written)
        if field in values and field in others:
            raise InvalidFilter(f"the field {field!r} has both a value and bounds; give one or the other")
    several = {field: list(value.values()) for field, value in values.items()}
    single = {field: value[0] if len(value) == 1 else value for field, value in several.items()}
    return single | {field: {n: _unwrap_single(v) for n, v in value.items()} for field, value in others.items()}


def _unwrap_single(value: Any) -> Any:
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def _text(value: Scalar) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _parse_condition(condition: str) -> _Condition:
    match = _CONDITION.fullmatch(condition)
    if match is None:
        raise InvalidFilter(f"{condition!r} is not a condition; write {SYNTAX}")
    operator, any = match[2].replace("==", "="), match[3] == _ANY_VALUE
    if any and operator not in ("=", "!="):
        raise InvalidFilter(f"{condition!r}: a star is allowed after = and != only")
    return _Condition(match[1], operator, [] if any else _parse_values(match[3], condition), any, condition)


def _parse_values(text: str, condition: str) -> list[Scalar]:
    values: list[Scalar] = []
    start = 0
    while not values or start < len(text) or text[start - 1] == ",":
        match = _VALUE.match(text, start)
        if match is None:
            raise InvalidFilter(f'{condition!r} has an empty value or an open quote; write "" for the empty text')
        values.append(_parse_scalar(match[2]) if match[1] is None else _ESCAPE.sub(r"\1", match[1]))
        start = match.end()
    return values


def _parse_scalar(word: str) -> Scalar:
    if word in ("true", "false"):
        return word == "true"
    if match := _NUMBER.fullmatch(word):
        return float(word) if match[1] else int(word)
    return _ESCAPE.sub(r"\1", word)


def _add_bound(bounds: dict[str, Any], operator: str, value: list[Scalar], condition: str) -> None:
    name = BOUNDS[operator]
    if len(value) > 1 or name in bounds:
        raise InvalidFilter(f"{condition!r} gives {operator!r} more than one value; a bound has one")
    bounds[name] = value[0]


def _filter_callback(context: click.Context, option: click.Parameter, conditions: Sequence[str]) -> dict[str, Any]:
    try:
        return parse_filter(conditions)
    except InvalidFilter as error:
        raise click.BadParameter(str(error), context, option) from error


conditions_option = partial(click.option, type=TEXT, multiple=True, callback=_filter_callback, metavar="CONDITION")
WHERE_HELP = (
    "Only documents whose metadata matches: country=Japan, country=Japan,Brazil, year>=1990, country!=Peru, "
    'place~=part, country=* (any), "a=1 | b=2" (either), code="007" (quotes force text). May be repeated: values '
    "of one field are alternatives, all else must match."
)
where_option = conditions_option("--where", help=WHERE_HELP)


def _limits_callback(context: click.Context, option: click.Parameter, given: Sequence[str]) -> dict[str, int]:
    bounds: dict[str, int] = {}
    for each in given:
        field, sign, most = each.rpartition("=")
        # isdigit alone also accepts ², which int does not.
        if not (field and sign and most.isascii() and most.isdigit() and int(most)):
            raise click.BadParameter(
                f"{each!r}: write a field and a positive number, such as source=2", context, option
            )
        bounds[field] = int(most)
    return bounds


limits_option = partial(click.option, type=TEXT, multiple=True, callback=_limits_callback, metavar="FIELD=N")
