"""Row operations of one snapshot of the embedded store, through one filter."""

from __future__ import annotations

import os
import weakref
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import starmap
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np

from multihop import text
from multihop.index.stores.core.cache import GenerationCache
from multihop.index.stores.core.documents import load_metadata
from multihop.index.stores.core.rows import KnownIds, NameUse, Ranked
from multihop.index.stores.sqlite import schema
from multihop.index.stores.sqlite.lexical import LexicalSearcher, Rows
from multihop.index.stores.sqlite.vectors import VectorCache, Vectors
from multihop.index.stores.sqlite.write_rows import names_in
from multihop.index.streams import in_batches
from multihop.protocols import Embedder, Lookup, dimension_of
from multihop.types import Passage, RelationKind

_READ = "SELECT p.row, p.id, d.id, p.position, d.title, p.text, p.heading, d.metadata, p.page"
_PASSAGE = f"{_READ} FROM passage p JOIN document d ON d.row = p.document WHERE p.row IN (?)"
_PASSAGES_AFTER = _PASSAGE.replace("p.row IN (?)", "p.row > ? ORDER BY p.row LIMIT 1000")
_OPENINGS = f"""
    {_READ} FROM document d JOIN passage p ON p.document = d.row
    WHERE d.id IN (?) AND p.position < %d ORDER BY d.id, p.position"""
_RELATIONS = """
    SELECT r.source, r.target, s.id, t.id, r.kind, r.confidence, r.evidence, r.method
    FROM relation r JOIN passage s ON s.row = r.source JOIN passage t ON t.row = r.target WHERE r.%s IN (?)"""
_MENTIONS = """
    SELECT m.passage, s.spread, s.key, s.row FROM mention m JOIN surface s ON s.row = m.surface
    WHERE m.passage IN (?)"""
_MEANINGS = """
    SELECT n.surface, d.id, d.title FROM name n JOIN document d ON d.row = n.document WHERE n.surface IN (?)"""
_MENTIONS_OF = """
    SELECT p.row, p.id, s.spread, s.key, s.row FROM document d JOIN name n ON n.document = d.row
    JOIN surface s ON s.row = n.surface JOIN mention m ON m.surface = s.row JOIN passage p ON p.row = m.passage
    WHERE d.id IN (?) AND p.document <> d.row ORDER BY s.spread, p.id"""
_ROWS = 900


class Snapshot:
    """The documents and their caches, all of one generation; alive as long as anyone looks at it."""

    def __init__(
        self, folder: Path, connection: schema.Connection, searcher: LexicalSearcher, embedder: Embedder | None
    ) -> None:
        self.folder = folder
        self.connection = connection
        self.searcher = searcher
        self.generation = searcher.stamp.generation
        self.vectors = VectorCache(folder, connection, dimension_of(embedder)) if embedder else None
        self.cache = GenerationCache()
        self._sizes = {str(file): _size(str(file), 0) for file in _mapped_files(folder)}
        weakref.finalize(self, connection.close)

    def is_cut(self) -> bool:
        """Return whether a file that is mapped into memory has become shorter: reading on would end the process."""
        # One that is gone was replaced by a merge; whoever has it mapped still has all of it.
        return any(_size(file, size) < size for file, size in self._sizes.items())


def _size(file: str, otherwise: int) -> int:
    try:
        return os.stat(file).st_size  # noqa: PTH116  # of every file for every question: a Path costs as much again
    except OSError:
        return otherwise


def _mapped_files(folder: Path) -> Iterator[Path]:
    """Yield the files that SQLite, tantivy and usearch map; those of the caches never change once they are written."""
    yield folder / schema.FILE
    yield from folder.glob("vectors.*.usearch")
    yield from (f for f in (folder / "lexical").glob("*.*") if f.suffix not in (".json", ".lock"))


class SqliteReadRows:
    """A snapshot seen through a filter.

    `allowed` holds the rows that pass it, sorted and as a set; None lets everything through.
    """

    def __init__(self, snapshot: Snapshot, allowed: tuple[Rows, frozenset[int]] | None = None) -> None:
        self._snapshot = snapshot
        self._connection = snapshot.connection
        self.generation = snapshot.generation
        self._allowed: Rows | None = None if allowed is None else allowed[0]
        self._allowed_set: frozenset[int] | None = None if allowed is None else allowed[1]
        self.ids = KnownIds()

    @property
    def size(self) -> int:
        # Not counted by SQLite, which would go through all of them, several times for a question.
        return self._snapshot.searcher.size if self._allowed is None else len(self._allowed)

    def passing(self, passages: Iterable[int]) -> set[int]:
        return set(passages) if self._allowed_set is None else set(self._allowed_set.intersection(passages))

    # --- passages ---

    def find(self, ids: Sequence[str]) -> None:
        self._learn("id", ids)

    def find_ids(self, passages: Sequence[int]) -> None:
        self._learn("row", passages)

    def _learn(self, column: str, values: Sequence[object]) -> None:
        for row, id in self._select(f"SELECT row, id FROM passage WHERE {column} IN (?)", values):
            self.ids.add(row, id)

    def passages(self, passages: Sequence[int]) -> dict[int, Passage]:
        return {row[0]: _passage(row) for row in self._select(_PASSAGE, passages)}

    def openings(self, documents: Sequence[str], limit: int) -> dict[str, tuple[tuple[int, str], ...]]:
        read = {row[0]: _passage(row) for row in self._select(_OPENINGS % int(limit), documents)}
        # Whoever asks for the passages of a document usually reads them next.
        self._snapshot.cache.passages.add(read)
        by_document: dict[str, list[tuple[int, str]]] = defaultdict(list)
        for number, passage in read.items():
            by_document[passage.document_id].append((number, passage.id))
        return {document: tuple(opening) for document, opening in by_document.items()}

    def since(self, mark: int) -> Iterator[tuple[int, Passage]]:
        if self._allowed is not None:
            for rows in in_batches(self._allowed[self._allowed > mark].tolist(), _ROWS):
                yield from ((r[0], _passage(r)) for r in sorted(self._select(_PASSAGE, rows), key=itemgetter(0)))
            return
        while batch := self._connection.rows(_PASSAGES_AFTER, (mark,)):
            yield from ((row[0], _passage(row)) for row in batch)
            mark = batch[-1][0]

    # --- search ---

    def lexical(self, lookups: Sequence[Lookup], within: Sequence[Sequence[int] | None]) -> list[Ranked]:
        allowed = [self._restrict(numbers) for numbers in within]
        asked = [(q.text, q.limit, rows, q.rough) for q, rows in zip(lookups, allowed, strict=True)]
        return self._snapshot.searcher.rank_all(asked)

    def frequencies(self, terms: Sequence[str]) -> list[int]:
        return self._snapshot.searcher.frequencies(terms)

    def nearest(self, vectors: Vectors, limit: int, within: Sequence[int] | None) -> list[Ranked]:
        allowed = self._restrict(within)
        return [self._vectors.rank(vector, limit, allowed) for vector in vectors]

    def vectors(self, passages: Sequence[int]) -> tuple[list[int], Vectors]:
        rows, vectors = self._vectors.among(np.array(passages, dtype=np.int64))
        return rows.tolist(), vectors

    @property
    def _vectors(self) -> VectorCache:
        assert self._snapshot.vectors is not None  # noqa: S101  # only asked for where there is an embedder
        return self._snapshot.vectors

    def _restrict(self, within: Sequence[int] | None) -> Rows | None:
        return self._allowed if within is None else np.array(within, dtype=np.int64)

    # --- names ---

    def names_in(self, runs: Collection[str]) -> dict[str, int]:
        return names_in(self._connection, runs)

    def meanings(self, names: Mapping[int, str]) -> dict[int, dict[str, bool]]:
        titles: dict[int, dict[str, str]] = defaultdict(dict)
        for name, id, title in self._select(_MEANINGS, names):
            titles[name][id] = title
        return {name: _whole_titles(names[name], held) for name, held in titles.items()}

    def mentions(self, passages: Sequence[int]) -> Iterator[NameUse]:
        return starmap(NameUse, self._select(_MENTIONS, passages))

    def mentions_of(self, documents: Sequence[str], limit: int) -> dict[str, list[NameUse]]:
        # Without a filter SQLite need not hand over more than is asked for.
        sql = f"{_MENTIONS_OF} LIMIT {int(limit)}" if self._allowed_set is None else _MENTIONS_OF
        uses: dict[str, list[NameUse]] = {}
        for document in documents:
            rows = list(self._select(sql, [document]))
            if self._allowed_set is not None:
                rows = [row for row in rows if row[0] in self._allowed_set][:limit]
            uses[document] = [NameUse(row, *use) for row, _, *use in rows]
            for row, id, *_ in rows:
                self.ids.add(row, id)
        return uses

    # --- relations ---

    def relations(self, end: str, passages: Sequence[int]) -> Iterator[tuple[int, int, RelationKind, float, str, str]]:
        for source, target, source_id, target_id, *rest in self._select(_RELATIONS % end, passages):
            self.ids.add(source, source_id)
            self.ids.add(target, target_id)
            yield source, target, *rest

    def _select(self, sql: str, values: Iterable[object]) -> Iterator[Any]:
        return schema.select_in(self._connection, sql, values)


_surface_key = lru_cache(maxsize=65_536)(text.surface_key)


def _whole_titles(key: str, titles: Mapping[str, str]) -> dict[str, bool]:
    """Return for each document that shares a name whether it is its whole title; it matters only among several."""
    if len(titles) == 1:
        return dict.fromkeys(titles, True)
    return {id: _surface_key(title) == key for id, title in titles.items()}


def _passage(row: Sequence[Any]) -> Passage:
    _, id, document, position, title, body, heading, metadata, page = row
    return Passage(id, document, position, title, body, heading, load_metadata(metadata), page)
