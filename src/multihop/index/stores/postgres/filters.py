"""Filters over metadata, as conditions inside SQL."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from multihop.index.stores.core.filters import Condition, Kinds, conditions
from multihop.index.stores.postgres.connections import Snapshot
from multihop.index.stores.postgres.packing import restored, stored
from multihop.types import Where


@dataclass(frozen=True, slots=True)
class Passing:
    """Which passages a filter lets through: conditions for rows that have a part and a number, and their values."""

    conditions: tuple[str, ...] = ()
    values: tuple[Any, ...] = ()

    def on(self, table: str) -> str:
        """Write the conditions for a table, to be put behind others."""
        return "".join(
            f" AND ({table}.part, {table}.number) IN (SELECT part, number FROM attribute WHERE {condition})"
            for condition in self.conditions
        )


class PostgresFields:
    """The metadata fields of one snapshot."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot

    def kinds(self, field: str) -> Kinds:
        held = "SELECT 1 FROM attribute WHERE field = %s AND {} IS NOT NULL LIMIT 1"
        texts, numbers = self._snapshot.many([(held.format(c), (stored(field),)) for c in ("words", "value")])
        return Kinds(bool(texts), bool(numbers))

    def field_names(self) -> list[str]:
        return [restored(field) for (field,) in self._snapshot.rows("SELECT DISTINCT field FROM attribute")]


def passing(snapshot: Snapshot, where: Where) -> Passing:
    """Read a filter and write its conditions."""
    sql: list[str] = []
    values: list[Any] = []
    for condition in conditions(where, PostgresFields(snapshot)):
        written, given = _among(condition) if condition.values else _between(condition)
        sql.append(f"field = %s AND {written}")
        values += [stored(condition.field), *given]
    return Passing(tuple(sql), tuple(values))


def _among(condition: Condition) -> tuple[str, list[Any]]:
    words = [stored(v) for v in condition.values if isinstance(v, str)]
    numbers = [Decimal(v) for v in condition.values if not isinstance(v, str)]
    alternatives: list[str] = []
    held: list[Any] = []
    if words:
        alternatives.append('(left(words, 64) COLLATE "C" = ANY(%s) AND words = ANY(%s))')
        held += [[w[:64] for w in words], words]
    if numbers:
        alternatives.append("value = ANY(%s)")
        held.append(numbers)
    return f"({' OR '.join(alternatives)})", held


def _between(condition: Condition) -> tuple[str, list[Any]]:
    # Numbers and texts never compare.
    compared = (
        f'words COLLATE "C" {operator} %s' if isinstance(bound, str) else f"value {operator} %s"
        for operator, bound in condition.bounds
    )
    values = [stored(bound) if isinstance(bound, str) else Decimal(bound) for _, bound in condition.bounds]
    return " AND ".join(compared), values
