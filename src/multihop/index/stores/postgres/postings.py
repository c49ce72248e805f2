"""Writing postings: gathered in memory by part, copied when a part is full, and taken out again with their passages."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from multihop.index.stores.postgres import packing
from multihop.index.stores.postgres.packing import PART, part_of
from multihop.index.stores.postgres.statements import Connection, copy_packed, copy_rows
from multihop.index.streams import in_batches

# One row at a time and by its whole key: Citus refuses an upsert of what another statement selects.
_APPEND = """
    INSERT INTO posting (part, term, codes, most, least) VALUES (%s, %s, %s, %s, %s)
    ON CONFLICT (term, part) DO UPDATE SET codes = posting.codes || excluded.codes,
        most = greatest(posting.most, excluded.most), least = least(posting.least, excluded.least)"""
_KNOWN = "SELECT term FROM term WHERE term = ANY(%s)"
_COUNT = """
    UPDATE term SET passages = term.passages + c.n FROM unnest(%s::text[], %s::integer[]) AS c(t, n)
    WHERE term.term = c.t"""
_GONE = "DELETE FROM term WHERE passages <= 0 AND term = ANY(%s)"


class Postings:
    """The postings of one change, and what it changes in the statistics."""

    def __init__(self, connection: Connection, first: int) -> None:
        self._connection = connection
        self._begun = part_of(first) if first % PART else -1
        """The part that earlier changes have begun to fill, if any."""
        self._gathered: dict[int, defaultdict[str, list[int]]] = {}
        self._used: Counter[str] = Counter()
        self.words = 0

    def add(self, number: int, words: int, counts: Mapping[str, int]) -> int:
        """Add a passage with its number of words; returns the code of its length."""
        code = packing.length_code(words)
        part = part_of(number)
        if part not in self._gathered:
            self.flush()
            self._gathered[part] = defaultdict(list)
        gathered = self._gathered[part]
        for term, posting in packing.postings(number, counts, code):
            gathered[term].append(posting)
        self._used.update(counts.keys())
        self.words += words
        return code

    def remove(self, passages: Iterable[tuple[int, int, Mapping[str, int]]]) -> None:
        """Remove passages, given by number, words and terms of each."""
        # A document that came twice in one change leaves postings that are still to be written.
        self.flush()
        places: defaultdict[int, list[int]] = defaultdict(list)
        terms: defaultdict[int, set[str]] = defaultdict(set)
        for number, words, counts in passages:
            places[part_of(number)].append(number % PART)
            terms[part_of(number)].update(counts)
            self._used.subtract(counts.keys())
            self.words -= words
        for part, gone in places.items():
            self._take_out(part, gone, sorted(terms[part]))

    def _take_out(self, part: int, places: Sequence[int], terms: Sequence[str]) -> None:
        which = "FROM posting WHERE part = %s AND term = ANY(%s)"
        rows = self._connection.cursor(binary=True).execute(f"SELECT term, codes {which}", (part, list(terms)))
        left: dict[str, Sequence[int]] = {}
        for term, packed in rows:
            codes = packing.unpack_codes(packed)
            if len(codes := codes[~np.isin(codes >> 16, places)]):
                left[term] = codes.tolist()
        self._connection.execute(f"DELETE {which}", (part, list(terms)))
        self._copy(part, left)

    def flush(self) -> None:
        """Write what was gathered."""
        for part, gathered in self._gathered.items():
            if part == self._begun:
                rows = [(part, term, codes, *packing.bounds(codes)) for term, codes in gathered.items()]
                self._connection.cursor().executemany(_APPEND, rows)
            else:
                self._copy(part, gathered)
                # Whatever comes later for this part joins what is there.
                self._begun = part
        self._gathered.clear()

    def _copy(self, part: int, gathered: Mapping[str, Sequence[int]]) -> None:
        # In the order of the index, so that the rows of a term are found side by side.
        rows = (packing.copy_row(part, term, gathered[term]) for term in sorted(gathered))
        copy_packed(self._connection, "posting (part, term, codes, most, least)", map(b"".join, in_batches(rows, 1000)))

    def finish(self) -> None:
        self.flush()
        changed = {t: n for t, n in sorted(self._used.items()) if n}
        if not changed:
            return
        # New terms are copied and known ones updated: an upsert of many rows is not for every kind of table.
        known = {t: changed[t] for (t,) in self._connection.execute(_KNOWN, (list(changed),))}
        if known:
            self._connection.execute(_COUNT, (list(known), list(known.values())))
        if fresh := [(t, n) for t, n in changed.items() if t not in known]:
            copy_rows(self._connection, "term", ["text", "int4"], fresh)
        if gone := [t for t, n in changed.items() if n < 0]:
            self._connection.execute(_GONE, (gone,))
