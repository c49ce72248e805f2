"""Filters over metadata, as conditions inside SQL."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from multihop.index.stores.core.filters import Condition, Either, Every, Expression, IdFilter, Kinds, Not, parse_filter
from multihop.index.stores.postgres.connections import Snapshot
from multihop.index.stores.postgres.packing import escape_nul, unescape_nul
from multihop.index.stores.postgres.statements import Statement, distinct, first
from multihop.types import Where

_FIELDS = "SELECT DISTINCT field FROM $attribute h"


@dataclass(frozen=True, slots=True)
class Passing:
    """Which passages a filter lets through: a condition on rows that have a part and a number, and its values."""

    condition: str = ""
    """With {row} for the table."""
    values: tuple[Any, ...] = ()

    def on(self, table: str) -> str:
        """Write the condition for a table, to be put behind others."""
        return f" AND {self.condition.replace('{row}', table)}" if self.condition else ""


class PostgresFields:
    """The metadata fields of one snapshot."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot

    def kinds(self, field: str) -> Kinds:
        held = "SELECT 1 FROM $attribute h WHERE field = %s AND {} IS NOT NULL LIMIT 1"
        texts, numbers = self._snapshot.many(
            [Statement(held.format(c), (escape_nul(field),), first) for c in ("words", "value")]
        )
        return Kinds(bool(texts), bool(numbers))

    def texts(self, field: str) -> list[str]:
        held = "SELECT DISTINCT words FROM $attribute h WHERE field = %s AND words IS NOT NULL"
        return [unescape_nul(words) for (words,) in self._snapshot.rows(held, (escape_nul(field),), distinct)]

    def field_names(self) -> list[str]:
        return [unescape_nul(field) for (field,) in self._snapshot.rows(_FIELDS, (), distinct)]


def passing(snapshot: Snapshot, where: Where) -> Passing:
    """Read a filter and write its condition."""
    sql, values = _to_sql(parse_filter(where, PostgresFields(snapshot)))
    return Passing(sql, tuple(values))


def _to_sql(expression: Expression) -> tuple[str, list[Any]]:
    match expression:
        case Every(parts) | Either(parts):
            word = " AND " if isinstance(expression, Every) else " OR "
            written = [_to_sql(part) for part in parts]
            return f"({word.join(sql for sql, _ in written)})", [v for _, values in written for v in values]
        case Not(part):
            sql, values = _to_sql(part)
            return f"NOT {sql}", values
        case IdFilter(ids):
            named = "({row}.part, {row}.number) IN (SELECT part, number FROM $passage p WHERE document = ANY(%s))"
            return named, [[escape_nul(id) for id in ids]]
        case _:
            condition, values = _meeting(expression)
            sql = (
                "({row}.part, {row}.number) IN (SELECT part, number FROM $attribute h WHERE field = %s"
                + condition
                + ")"
            )
            return sql, [escape_nul(expression.field), *values]


def _meeting(condition: Condition) -> tuple[str, list[Any]]:
    if condition.exists:
        return "", []
    if condition.bounds:
        # Numbers and texts never compare.
        compared = (
            f' AND words COLLATE "C" {operator} %s' if isinstance(bound, str) else f" AND value {operator} %s"
            for operator, bound in condition.bounds
        )
        values = [escape_nul(bound) if isinstance(bound, str) else Decimal(bound) for _, bound in condition.bounds]
        return "".join(compared), values
    return _among(condition)


def _among(condition: Condition) -> tuple[str, list[Any]]:
    words = [escape_nul(v) for v in condition.values if isinstance(v, str)]
    # Exactly: a column of numbers holds all digits of a float, which rounded ones would not equal.
    numbers = [Decimal(v) for v in condition.values if not isinstance(v, str)]
    alternatives = ["false"]
    held: list[Any] = []
    if words:
        # By their beginnings in the index, which has no room for a long text, and then whole.
        alternatives.append('(left(words, 64) COLLATE "C" = ANY(%s) AND words = ANY(%s))')
        held += [[w[:64] for w in words], words]
    if numbers:
        alternatives.append("value = ANY(%s)")
        held.append(numbers)
    return f" AND ({' OR '.join(alternatives)})", held
