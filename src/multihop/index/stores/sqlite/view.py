"""The embedded store as the loop sees it: one generation through one filter."""

from __future__ import annotations

import json
import re
import weakref
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from operator import itemgetter
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np

from multihop import text
from multihop.index.stores.memory import Memory
from multihop.index.stores.sqlite import schema
from multihop.index.stores.sqlite.lexical import Rows, Searcher
from multihop.index.stores.sqlite.naming import names_in
from multihop.index.stores.sqlite.vectors import VectorCache, Vectors
from multihop.protocols import Embedder, Linker, Lookup, Scored
from multihop.types import Link, Listed, Mention, Metadata, Passage, Relation

T = TypeVar("T")
GetBlob = Callable[[str], tuple[int, bytes] | None]
_PASSAGE = """
    SELECT p.row, p.id, d.id, p.position, d.title, p.text, p.heading, d.metadata
    FROM passage p JOIN document d ON d.row = p.document WHERE p.row IN (?)"""
_PASSAGES_AFTER = _PASSAGE.replace("p.row IN (?)", "p.row > ? ORDER BY p.row LIMIT 1000")
_RELATIONS = """
    SELECT r.source, r.target, s.id, t.id, r.kind, r.confidence, r.evidence, r.method
    FROM relation r JOIN passage s ON s.row = r.source JOIN passage t ON t.row = r.target WHERE r.%s IN (?)"""
_ENDS = "SELECT source, target FROM relation"
_COUNTS = """
    SELECT p.id, count(*) FROM (SELECT source AS row FROM relation UNION ALL SELECT target FROM relation) r
    JOIN passage p ON p.row = r.row GROUP BY p.row"""
_OPENINGS = """
    SELECT p.row, p.id, d.id, p.position, d.title, p.text, p.heading, d.metadata
    FROM document d JOIN passage p ON p.document = d.row
    WHERE d.id IN (?) AND p.position < %d ORDER BY d.id, p.position"""
_MENTIONS = """
    SELECT m.passage, s.spread, s.key, s.row FROM mention m JOIN surface s ON s.row = m.surface
    WHERE m.passage IN (?)"""
_MEANINGS = """
    SELECT n.surface, n.document, d.id, d.title FROM name n JOIN document d ON d.row = n.document
    WHERE n.surface IN (?)"""
_LINKS_TO = """
    SELECT p.row, p.id, p.document, s.row, s.key, s.spread FROM document d JOIN name n ON n.document = d.row
    JOIN surface s ON s.row = n.surface JOIN mention m ON m.surface = s.row JOIN passage p ON p.row = m.passage
    WHERE d.id IN (?) AND p.document <> d.row ORDER BY s.spread, p.id"""

_DOCUMENTS = r"""
    SELECT p.row, d.id, d.title, d.metadata FROM document d JOIN passage p ON p.document = d.row AND p.position = 0
    WHERE d.id > :after AND (d.id LIKE :starts ESCAPE '\' OR d.title LIKE :starts ESCAPE '\') ORDER BY d.id"""
_REMEMBERED = 20_000
_FEW = 400
"""So many rows are read as whole passages when their ids are asked for: what is found is looked at next."""
Key = TypeVar("Key")
Value = TypeVar("Value")


class Read(Generic[Key, Value]):
    """What was read before, as far as it is not too much: a generation never changes, so it stays true."""

    def __init__(self) -> None:
        self.known: dict[Key, Value] = {}

    def learn(self, found: Mapping[Key, Value]) -> None:
        if len(self.known) + len(found) > _REMEMBERED:
            self.known = {}  # not emptied: another thread may be reading the old one
        self.known.update(found)


class Snapshot:
    """The truth and its caches, all of one generation; kept as long as anyone looks at it."""

    def __init__(
        self, folder: Path, connection: schema.Connection, searcher: Searcher, embedder: Embedder | None
    ) -> None:
        self.connection = connection
        self.searcher = searcher
        self.embedder = embedder
        self.generation = searcher.generation
        self.vectors = VectorCache(folder, connection, embedder.dimension) if embedder else None
        self.filtered: dict[str, Rows] = {}
        """The rows that each filter lets through, as far as they were asked for."""
        self.passages: Read[int, Passage] = Read()
        self.openings: Read[tuple[str, int], tuple[tuple[int, str], ...]] = Read()
        self.meanings: Read[int, tuple[tuple[int, str, str], ...]] = Read()
        self.memory = Memory()
        weakref.finalize(self, connection.close)


class EmbeddedView:
    """A snapshot seen through a filter. `allowed` holds the rows that pass it, sorted; None lets everything through."""

    def __init__(
        self, snapshot: Snapshot, linker: Linker, get_blob: GetBlob, allowed: Rows | None = None, filter: str = ""
    ) -> None:
        self._snapshot = snapshot
        self._get_blob = get_blob
        self._filter = filter
        self._connection = snapshot.connection
        self._linker = linker
        self._allowed = allowed
        self._allowed_set: set[int] | None = None if allowed is None else set(allowed.tolist())
        self._ids: dict[int, str] = {}
        self._rows: dict[str, int] = {}
        self._names: dict[str, tuple[Mention, ...]] = {}

    @property
    def generation(self) -> int:
        return self._snapshot.generation

    @property
    def size(self) -> int:
        if self._allowed is not None:
            return len(self._allowed)
        return int(self._connection.rows("SELECT count(*) FROM passage")[0][0])

    @property
    def embedder(self) -> Embedder | None:
        return self._snapshot.embedder

    def passages(self, ids: Iterable[str]) -> dict[str, Passage]:
        wanted = list(ids)
        known, memory = self._rows, self._snapshot.passages.known
        found = {i: memory[known[i]] for i in wanted if i in known and known[i] in memory}
        if len(found) == len(wanted) and self._allowed is None:
            return found  # the usual case: what was found was read at once
        rows = self._known(wanted)
        loaded = self._load(rows.values())
        return {i: loaded[row] for i, row in rows.items() if row in loaded}

    def passages_of(self, documents: Iterable[str], limit: int) -> dict[str, list[str]]:
        memory = self._snapshot.openings.known
        wanted = sorted(set(documents))
        opening = {d: memory[d, limit] for d in wanted if (d, limit) in memory}
        rows = self._select(_OPENINGS % int(limit), [d for d in wanted if d not in opening])
        new: dict[str, list[tuple[int, str]]] = defaultdict(list)
        for row, passage in self._learn(rows).items():
            new[passage.document_id].append((row, passage.id))
        self._snapshot.openings.learn({(d, limit): tuple(found) for d, found in new.items()})
        opening |= {d: tuple(found) for d, found in new.items()}
        result: dict[str, list[str]] = {}
        for document in wanted:
            for row, id in opening.get(document, ()):
                if self._lets_through(row):
                    self._remember(row, id)
                    result.setdefault(document, []).append(id)
        return result

    def documents(self, after: str, starts: str, limit: int) -> list[Listed]:
        if not (schema.storable(after) and schema.storable(starts)):
            return []
        pattern = re.sub(r"([\\%_])", r"\\\1", starts) + "%"
        # Without a filter SQLite need not hand over more than is asked for.
        sql = f"{_DOCUMENTS} LIMIT {int(limit)}" if self._allowed is None else _DOCUMENTS
        rows = self._connection.rows(sql, {"after": after, "starts": pattern})
        found = [Listed(id, title, metadata_from(data)) for row, id, title, data in rows if self._lets_through(row)]
        return found[:limit]

    def lexical(self, lookups: Sequence[Lookup]) -> list[Scored]:
        asked = [(q.text, q.limit, self._restrict(q.within), q.rough) for q in lookups]
        return self._named_rows(self._snapshot.searcher.rank_all(asked), [q.limit for q in lookups])

    def nearest(self, vectors: Vectors, limit: int, within: Sequence[str] | None = None) -> list[Scored]:
        cache = self._snapshot.vectors
        if cache is None:
            return [[] for _ in vectors]
        allowed = self._restrict(within)
        return self._named_rows([cache.rank(v, limit, allowed) for v in vectors], [limit] * len(vectors))

    def named(self, texts: Sequence[str]) -> list[tuple[Mention, ...]]:
        new = [t for t in dict.fromkeys(texts) if t not in self._names]
        self._names.update(zip(new, self._find_names(new), strict=True))
        return [self._names[t] for t in texts]

    def _find_names(self, texts: Sequence[str]) -> list[tuple[Mention, ...]]:
        words = [text.words(t) for t in texts]
        known = names_in(self._connection, self._linker, words)
        if not known:
            return [() for _ in texts]
        matcher = self._linker.matcher(list(known))
        located = [list(matcher.locate(w)) for w in words]
        used = {key for found in located for key, _, _ in found}
        meanings = self._meanings(known[key] for key in used)
        documents = {key: _sharing(key, meanings.get(known[key], ())) for key in used}
        return [tuple(_mention(k, documents[k], i, j) for k, i, j in found if documents[k]) for found in located]

    def links_from(self, passages: Sequence[str], rarest: int | None = None) -> list[Link]:
        sources = self.passages(passages)
        used: dict[int, list[tuple[int, str, int]]] = defaultdict(list)
        for row, spread, key, surface in self._select(_MENTIONS, self._known(sources).values()):
            used[row].append((spread, key, surface))
        kept = {row: sorted(names)[:rarest] for row, names in used.items()}
        meanings = self._meanings({n[2] for names in kept.values() for n in names})
        links: list[Link] = []
        for source in sorted(sources):
            own = sources[source].document_id
            for spread, key, surface in kept.get(self._rows[source], ()):
                meant = [meaning for meaning in meanings[surface] if meaning[1] != own]
                links += [Link(source, target, key, n, spread) for target, n in _sharing(key, meant)]
        return links

    def links_to(self, documents: Sequence[str], limit: int) -> list[Link]:
        links: list[Link] = []
        # Without a filter SQLite need not hand over more than is asked for.
        sql = f"{_LINKS_TO} LIMIT {int(limit)}" if self._allowed is None else _LINKS_TO
        for target in dict.fromkeys(documents):
            found = [r for r in self._select(sql, [target]) if self._lets_through(r[0])][:limit]
            meanings = self._meanings({r[3] for r in found})
            for _, source, own, surface, key, spread in found:
                titles = {id: title for document, id, title in meanings[surface] if document != own}
                links.append(Link(source, target, key, _equals(key, titles)[target], spread))
        return sorted(links, key=lambda link: (link.source, link.target, link.name))

    def relations_from(self, passages: Sequence[str]) -> list[Relation]:
        return self._relations("source", passages)

    def relations_to(self, passages: Sequence[str]) -> list[Relation]:
        return self._relations("target", passages)

    def _relations(self, end: str, passages: Sequence[str]) -> list[Relation]:
        rows = self._select(_RELATIONS % end, self._known(passages).values())
        passing = {tuple(r[2:]) for r in rows if self._lets_through(r[0]) and self._lets_through(r[1])}
        return [Relation(*r) for r in sorted(passing, key=tuple)]

    def relation_counts(self) -> dict[str, int]:
        if self._allowed is None:
            return dict(self._connection.rows(_COUNTS))
        ends = [pair for pair in self._connection.rows(_ENDS) if all(map(self._lets_through, pair))]
        counts = Counter(end for pair in ends for end in pair)
        names = self._select("SELECT row, id FROM passage WHERE row IN (?)", counts)
        return {id: counts[row] for row, id in names}

    def since(self, mark: int) -> Iterator[tuple[int, Passage]]:
        if self._allowed is not None:
            for rows in schema.pieces(self._allowed[self._allowed > mark].tolist()):
                yield from ((r[0], _passage(r)) for r in sorted(self._select(_PASSAGE, rows), key=itemgetter(0)))
            return
        while batch := self._connection.rows(_PASSAGES_AFTER, (mark,)):
            yield from ((row[0], _passage(row)) for row in batch)
            mark = batch[-1][0]

    def scan(self) -> Iterator[Passage]:
        return (passage for _, passage in self.since(-1))

    def vectors(self, passages: Sequence[str]) -> Vectors:
        cache = self._snapshot.vectors
        if cache is None:
            return np.zeros((len(passages), 0), dtype=np.float32)
        known = self._known(passages)
        rows, found = cache.among(np.array(sorted(known.values()), dtype=np.int64))
        places = {int(row): place for place, row in enumerate(rows)}
        result = np.zeros((len(passages), found.shape[1]), dtype=np.float32)
        for place, id in enumerate(passages):
            if known.get(id) in places:
                result[place] = found[places[known[id]]]
        return result

    def get_blob(self, name: str) -> tuple[int, bytes] | None:
        return self._get_blob(name)

    def cached(self, name: str, make: Callable[[], T], *, shared: bool = False) -> T:
        return self._snapshot.memory.recall("" if shared else self._filter, name, make)

    def _meanings(self, surfaces: Iterable[int]) -> dict[int, tuple[tuple[int, str, str], ...]]:
        """Row, id and title of the documents that each name may mean."""
        memory = self._snapshot.meanings.known
        wanted = set(surfaces)
        known = {s: memory[s] for s in wanted if s in memory}
        found: dict[int, list[tuple[int, str, str]]] = defaultdict(list)
        for surface, document, id, title in self._select(_MEANINGS, [s for s in wanted if s not in known]):
            found[surface].append((document, id, title))
        new = {surface: tuple(meant) for surface, meant in found.items()}
        self._snapshot.meanings.learn(new)
        return known | new

    def _known(self, ids: Iterable[str]) -> dict[str, int]:
        """Rows of the passages that exist and pass the filter, in the order asked."""
        wanted = list(dict.fromkeys(ids))
        unknown = [i for i in wanted if i not in self._rows]
        for row, id in self._select("SELECT row, id FROM passage WHERE id IN (?)", unknown):
            self._remember(row, id)
        known = {i: self._rows[i] for i in wanted if i in self._rows}
        return known if self._allowed is None else {i: row for i, row in known.items() if self._lets_through(row)}

    def _load(self, rows: Iterable[int]) -> dict[int, Passage]:
        memory = self._snapshot.passages.known
        wanted = list(rows)
        found = {row: memory[row] for row in wanted if row in memory}
        return found | self._learn(self._select(_PASSAGE, [row for row in wanted if row not in found]))

    def _learn(self, rows: Iterable[Sequence[Any]]) -> dict[int, Passage]:
        new = {row[0]: _passage(row) for row in rows}
        self._snapshot.passages.learn(new)
        return new

    def _named_rows(self, ranked: list[list[tuple[int, float]]], limits: Sequence[int]) -> list[Scored]:
        rows = {row for hits in ranked for row, _ in hits if row not in self._ids}
        if len(rows) <= _FEW:
            for row, passage in self._load(rows).items():
                self._remember(row, passage.id)
        else:
            for row, id in self._select("SELECT row, id FROM passage WHERE row IN (?)", rows):
                self._remember(row, id)
        ids = self._ids
        best = [sorted([(-score, ids[row]) for row, score in hits if row in ids]) for hits in ranked]
        return [[(id, -worse) for worse, id in hits[:limit]] for hits, limit in zip(best, limits, strict=True)]

    def _restrict(self, within: Sequence[str] | None) -> Rows | None:
        if within is None:
            return self._allowed
        return np.array(sorted(self._known(within).values()), dtype=np.int64)

    def _remember(self, row: int, id: str) -> None:
        self._ids[row] = id
        self._rows[id] = row

    def _lets_through(self, row: int) -> bool:
        return self._allowed_set is None or row in self._allowed_set

    def _select(self, sql: str, values: Iterable[object]) -> Iterable[Sequence[Any]]:
        return schema.select_in(self._connection, sql, values)


def _sharing(key: str, meant: Sequence[tuple[int, str, str]]) -> Sequence[tuple[str, int]]:
    """The documents that a name may mean, sorted, each with how many share it."""
    if len(meant) == 1:
        return ((meant[0][1], 1),)
    return sorted(_equals(key, {id: title for _, id, title in meant}).items())


def _equals(key: str, titles: Mapping[str, str]) -> dict[str, int]:
    """Say for each document that bears a name how many bear it with equal right.

    Those whose whole title it is come before those that share it only without their parentheses or as an alias.
    """
    if len(titles) == 1:
        return dict.fromkeys(titles, 1)
    whole = {id for id, title in titles.items() if _surface_key(title) == key}
    return {id: len(whole) if id in whole else len(titles) for id in titles}


_surface_key = lru_cache(maxsize=65_536)(text.surface_key)


def _mention(key: str, documents: Sequence[tuple[str, int]], start: int, end: int) -> Mention:
    return Mention(key, tuple(d for d, _ in documents), tuple(n for _, n in documents), start, end)


def _passage(row: Sequence[Any]) -> Passage:
    _, id, document, position, title, body, heading, metadata = row
    return Passage(id, document, position, title, body, heading, metadata_from(metadata))


def metadata_from(stored: str) -> Metadata:
    """Read metadata back as it was given: lists become tuples again."""
    if stored == "{}":
        return {}
    return {k: tuple(v) if isinstance(v, list) else v for k, v in json.loads(stored).items()}
