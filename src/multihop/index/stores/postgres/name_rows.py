"""Row operations on names and mentions, inside one transaction on the server."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Any

from multihop import text
from multihop.index.stores.core.linking import BATCH
from multihop.index.stores.core.rows import NewDocument, NewPassage, Pair
from multihop.index.stores.postgres import packing
from multihop.index.stores.postgres.packing import PART, escape_nul, name_part, name_parts, unescape_nul
from multihop.index.stores.postgres.statements import Connection, copy_packed, copy_rows
from multihop.index.streams import in_batches

_LONGEST_KEY = 2000
"""Bytes that an entry of an index can hold; no text would mention a longer name."""
_READ = "SELECT number, title, heading, text FROM passage WHERE "
_BY_NAME = "surface = ANY(%s::bigint[]) AND part = ANY(%s::integer[])"
BY_NUMBER = "number = ANY(%s::bigint[]) AND part = ANY(%s::integer[])"
_DELETE_MENTIONS = """
    DELETE FROM mention USING unnest(%s::bigint[], %s::bigint[]) AS g(n, s)
    WHERE mention.number = g.n AND mention.surface = g.s AND mention.part = ANY(%s::integer[])"""
_ADD_SPREAD = """
    UPDATE surface SET spread = spread + c.n FROM unnest(%s::bigint[], %s::integer[]) AS c(s, n)
    WHERE surface.surface = c.s"""

Numbered = tuple[NewDocument, int]
"""A document with the number of its first passage."""


def beginnings(runs: Iterable[str]) -> list[str]:
    """Return every name that one of these runs of words could begin with; they are looked up in one round trip."""
    return sorted({name for run in runs for name in accumulate(run.split(" "), "{} {}".format)})


class PostgresNameRows:
    """Names and mentions, as one change leaves them."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._meta = {k: int(v) for k, v in connection.execute("SELECT key, value FROM meta") if k != "embedder"}
        self._first = self._next = self._meta["next_passage"]
        self._next_name = self._meta["next_surface"]
        self._new_names: dict[str, int] = {}

    # --- passages ---

    def earlier_count(self) -> int:
        return self._meta["passages"]

    def earlier(self) -> Iterator[NewPassage]:
        return self._between(0, self._first)

    def _between(self, first: int, end: int) -> Iterator[NewPassage]:
        for start in range(first, end, BATCH):
            # A batch is smaller than a part, so that it lies in the parts of its two ends.
            numbers = start, min(start + BATCH, end) - 1
            condition = "number BETWEEN %s AND %s AND part = ANY(%s::integer[]) ORDER BY number"
            yield from self._read(condition, (*numbers, packing.parts(numbers)))

    def read(self, passages: Sequence[int]) -> list[NewPassage]:
        return self._read(BY_NUMBER, (list(passages), packing.parts(passages)))

    def _read(self, condition: str, values: Sequence[Any]) -> list[NewPassage]:
        rows = self._connection.execute(_READ + condition, values).fetchall()
        return [NewPassage(number, *map(unescape_nul, parts)) for number, *parts in rows]

    def index(self, passages: Sequence[NewPassage]) -> None:
        """Do nothing: postings are written as passages are inserted."""

    # --- names ---

    def name_count(self) -> int:
        return self._next_name - 1

    def new_names(self) -> list[str]:
        return list(self._new_names)

    def all_names(self) -> dict[str, int]:
        return dict(self._connection.execute("SELECT key, surface FROM surface ORDER BY surface").fetchall())

    def names_in(self, runs: Collection[str]) -> dict[str, int]:
        return self._numbers(beginnings(runs))

    def _numbers(self, keys: Sequence[str]) -> dict[str, int]:
        sql = "SELECT key, surface FROM surface WHERE key = ANY(%s)"
        return dict(self._connection.execute(sql, (keys,)).fetchall())

    def _insert_names(self, numbered: Sequence[Numbered]) -> None:
        named = {
            (key, escape_nul(document.id)): (key == text.surface_key(document.title), first, len(pieces))
            for (document, pieces, keys), first in numbered
            for key in keys
            if len(key.encode()) <= _LONGEST_KEY
        }
        keys = sorted({key for key, _ in named})
        known = self._numbers(keys)
        fresh = [key for key in keys if key not in known]
        for key in fresh:
            known[key] = self._new_names[key] = self._next_name
            self._next_name += 1
        new = ((known[key], key, 0, name_part(known[key])) for key in fresh)
        copy_rows(self._connection, "surface", ["int8", "text", "int4", "int4"], new)
        rows = (
            (known[key], document, whole, name_part(known[key]), *span)
            for (key, document), (whole, *span) in named.items()
        )
        copy_rows(self._connection, "name", ["int8", "text", "bool", "int4", "int8", "int4"], rows)

    def drop_unused_names(self, names: Collection[int]) -> tuple[list[int], list[int]]:
        used = self._connection.execute(
            f"SELECT DISTINCT surface FROM name WHERE {_BY_NAME}", (sorted(names), name_parts(names))
        )
        unused = sorted(set(names).difference(name for (name,) in used))
        if not unused:
            return [], []
        users = self._connection.execute("SELECT number FROM mention WHERE surface = ANY(%s::bigint[])", (unused,))
        passages = [number for (number,) in users]
        self._connection.execute("DELETE FROM mention WHERE surface = ANY(%s::bigint[])", (unused,))
        self._connection.execute(f"DELETE FROM surface WHERE {_BY_NAME}", (unused, name_parts(unused)))
        # A name may come and go within one change: earlier passages are then not searched for it.
        gone = set(unused)
        self._new_names = {key: name for key, name in self._new_names.items() if name not in gone}
        return unused, passages

    def with_words_of(self, names: Sequence[str]) -> Iterator[int]:
        for some in in_batches(names, 100):
            yield from self._with_rarest_words_of(some)

    def _with_rarest_words_of(self, names: Sequence[str]) -> Iterator[int]:
        """Find the passages that hold the two rarest words of a name; most of those hold them all."""
        split = {name: sorted(set(map(packing.term, text.terms(name)))) for name in names}
        every = sorted({term for terms in split.values() for term in terms})
        counted = self._connection.execute("SELECT term, passages FROM term WHERE term = ANY(%s)", (every,))
        used: dict[str, int] = dict(counted.fetchall())
        rarest = {n: sorted(terms, key=lambda t: (used.get(t, 0), t))[:2] for n, terms in split.items() if terms}
        wanted = sorted({term for terms in rarest.values() for term in terms})
        users: defaultdict[str, set[int]] = defaultdict(set)
        rows = self._connection.cursor(binary=True).execute(
            "SELECT part, term, codes FROM posting WHERE term = ANY(%s)", (wanted,)
        )
        for part, term, codes in rows:
            users[term].update((part * PART + (packing.unpack_codes(codes) >> 16)).tolist())
        for terms in rarest.values():
            yield from set.intersection(*(users[term] for term in terms))

    # --- mentions ---

    def mentions(self, passages: Sequence[int]) -> list[Pair]:
        sql = f"SELECT number, surface FROM mention WHERE {BY_NUMBER}"
        rows = self._connection.execute(sql, (list(passages), packing.parts(passages)))
        return [(number, name) for number, name in rows]

    def insert_mentions(self, mentions: Sequence[Pair]) -> None:
        copy_packed(self._connection, "mention", [packing.copy_mentions(mentions)])

    def delete_mentions(self, mentions: Sequence[Pair]) -> None:
        numbers, names = map(list, zip(*mentions, strict=True))
        self._connection.execute(_DELETE_MENTIONS, (numbers, names, packing.parts(numbers)))

    def add_spread(self, changes: Sequence[Pair]) -> None:
        self._connection.execute(_ADD_SPREAD, list(map(list, zip(*changes, strict=True))))
