"""The PostgreSQL store as the loop sees it: one generation through one filter. Every method is a round trip or two."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np

from multihop import text
from multihop.index.stores.postgres import lexical, vectors
from multihop.index.stores.postgres.connecting import Snapshot
from multihop.index.stores.postgres.filters import Passing
from multihop.index.stores.postgres.lexical import Ranked, Statistics, Weights, parts
from multihop.index.stores.postgres.packing import part_of, restored, stored
from multihop.index.stores.postgres.vectors import Vectors
from multihop.index.stores.sqlite.schema import storable
from multihop.index.stores.sqlite.view import metadata_from
from multihop.protocols import Embedder, Linker, Lookup, Scored
from multihop.types import Link, Mention, Passage, Relation

_ROWS = "p.number = ANY(%s::bigint[]) AND p.part = ANY(%s::integer[])"
_PASSAGE = f"""
    SELECT p.number, p.document, p.position, p.title, p.text, p.heading, p.metadata FROM passage p WHERE {_ROWS}"""
_DOCUMENTS = "SELECT id, first, passages FROM document WHERE id = ANY(%s)"
_MENTIONS = """
    SELECT m.number, s.surface, s.key, s.spread FROM mention m JOIN surface s ON s.surface = m.surface
    WHERE m.number = ANY(%s::bigint[]) AND m.part = ANY(%s::integer[])"""
_MEANINGS = "SELECT surface, document, whole FROM name WHERE surface = ANY(%s::bigint[])"
_MEANT = "SELECT s.key, n.document, n.whole FROM surface s JOIN name n ON n.surface = s.surface WHERE s.key = ANY(%s)"
_LINKS_TO = """
    SELECT m.number, p.document, p.position, s.surface, s.key, s.spread
    FROM name n JOIN surface s ON s.surface = n.surface JOIN mention m ON m.surface = s.surface
    JOIN passage p ON p.part = m.part AND p.number = m.number
    WHERE n.document = %s AND p.document <> %s{filter}
    ORDER BY s.spread, p.document || '#' || p.position::text COLLATE "C" LIMIT %s"""
_RELATIONS = """
    SELECT source, target, kind, confidence, evidence, method FROM relation WHERE {} = ANY(%s::bigint[])"""
_SCAN = """
    SELECT p.number, p.document, p.position, p.title, p.text, p.heading, p.metadata FROM passage p
    WHERE p.number > %s{filter} ORDER BY p.number LIMIT 1000"""

T = TypeVar("T")
Meanings = Mapping[str, bool]
"""The documents that may bear a name, each with whether the name is its whole title."""


class Seen(NamedTuple):
    """What a view knows beside its snapshot: the counts of the generation, the filter, and what the store keeps."""

    statistics: Statistics
    filter: str
    get_blob: Callable[[str], tuple[int, bytes] | None]


class PostgresView:
    """A snapshot seen through a filter."""

    def __init__(
        self,
        snapshot: Snapshot,
        seen: Seen,
        linker: Linker,
        embedder: Embedder | None,
        passing: Passing | None = None,
    ) -> None:
        self._snapshot = snapshot
        self._seen = seen
        self._statistics = seen.statistics
        self._linker = linker
        self._embedder = embedder
        self._passing = passing
        self._size: int | None = None
        self._ids: dict[int, str] = {}
        self._numbers: dict[str, int | None] = {}
        self._spans: dict[str, tuple[int, int] | None] = {}
        self._passes: dict[int, bool] = {}
        self._names: dict[str, tuple[Mention, ...]] = {}

    @property
    def generation(self) -> int:
        return self._snapshot.generation

    @property
    def size(self) -> int:
        if self._passing is None:
            return int(self._snapshot.meta["passages"])
        if self._size is None:
            sql = f"SELECT count(*) FROM passage p WHERE true{self._passing.on('p')}"
            self._size = int(self._snapshot.rows(sql, self._passing.values)[0][0])
        return self._size

    @property
    def embedder(self) -> Embedder | None:
        return self._embedder

    # --- passages ---

    def passages(self, ids: Iterable[str]) -> dict[str, Passage]:
        known = self._known(ids)
        found = {row[0]: _passage(row) for row in self._select(_PASSAGE, known.values())}
        return {id: found[number] for id, number in known.items() if number in found}

    def passages_of(self, documents: Iterable[str], limit: int) -> dict[str, list[str]]:
        wanted = sorted(set(documents))
        self._locate(wanted)
        first: dict[str, list[int]] = {}
        for id in wanted:
            if span := self._spans.get(id):
                first[id] = list(range(span[0], span[0] + min(limit, span[1])))
        passing = self._passing_numbers([n for numbers in first.values() for n in numbers])
        result: dict[str, list[str]] = {}
        for id, numbers in first.items():
            for position, number in enumerate(numbers):
                if number in passing:
                    result.setdefault(id, []).append(self._remember(number, id, position))
        return result

    def since(self, mark: int) -> Iterator[tuple[int, Passage]]:
        filter = self._passing or Passing()
        sql = _SCAN.format(filter=filter.on("p"))
        while batch := self._snapshot.rows(sql, (mark, *filter.values)):
            yield from ((row[0], _passage(row)) for row in batch)
            mark = batch[-1][0]

    def scan(self) -> Iterator[Passage]:
        return (passage for _, passage in self.since(-1))

    # --- search ---

    def lexical(self, lookups: Sequence[Lookup]) -> list[Scored]:
        weights = self._statistics.weigh(self._snapshot, [(q.text, q.rough) for q in lookups])
        answers: dict[int, Scored] = {}
        here: dict[int, tuple[Weights, int]] = {}
        there: dict[int, tuple[Weights, int]] = {}
        for place, (own, asked) in enumerate(zip(weights, lookups, strict=True)):
            if asked.within is not None:
                answers[place] = self._among(own, asked.within, asked.limit)
            else:
                few = self._passing is None and self._statistics.postings(own) <= lexical.FEW
                (here if few else there)[place] = (own, asked.limit)
        answers |= zip(here, self._ranked_here(list(here.values())), strict=True)
        answers |= zip(there, self._ranked_there(list(there.values())), strict=True)
        return [answers[place] for place in range(len(lookups))]

    def _ranked_here(self, asked: Sequence[tuple[Weights, int]]) -> list[Scored]:
        ranked = lexical.rank_here(self._snapshot, self._statistics, asked) if asked else []
        self._name({number for hits in ranked for number, _ in hits})
        named = [[(self._ids[number], score) for number, score in hits] for hits in ranked]
        return [_best(hits, limit) for hits, (_, limit) in zip(named, asked, strict=True)]

    def _ranked_there(self, asked: Sequence[tuple[Weights, int]]) -> list[Scored]:
        ranked = lexical.rank_there(self._snapshot, self._statistics, asked, self._passing or Passing())
        return [self._named(hits, limit) for hits, (_, limit) in zip(ranked, asked, strict=True)]

    def _among(self, weights: Weights, within: Sequence[str], limit: int) -> Scored:
        numbers = sorted(self._known(within).values())
        return self._named(lexical.among(self._snapshot, self._statistics, weights, numbers), limit)

    def nearest(self, vectors_: Vectors, limit: int, within: Sequence[str] | None = None) -> list[Scored]:
        if self._embedder is None:
            return [[] for _ in vectors_]
        if within is not None:
            numbers = sorted(self._known(within).values())
            return [self._named(hits, limit) for hits in vectors.among(self._snapshot, vectors_, numbers)]
        ranked = vectors.rank(self._snapshot, vectors_, limit, self._passing or Passing(), self.size)
        return [self._named(hits, limit) for hits in ranked]

    def vectors(self, passages: Sequence[str]) -> Vectors:
        if self._embedder is None:
            return np.zeros((len(passages), 0), dtype=np.float32)
        known = self._known(passages)
        sql = "SELECT p.number, p.data FROM embedding p WHERE " + _ROWS
        found = self._select(sql, known.values())
        rows = vectors.unpacked([data for _, data in found], self._embedder.dimension)
        places = {number: place for place, (number, _) in enumerate(found)}
        result = np.zeros((len(passages), self._embedder.dimension), dtype=np.float32)
        for place, id in enumerate(passages):
            if id in known and known[id] in places:
                result[place] = rows[places[known[id]]]
        return result

    # --- links ---

    def named(self, texts: Sequence[str]) -> list[tuple[Mention, ...]]:
        new = [t for t in dict.fromkeys(texts) if t not in self._names]
        if new:
            self._names.update(zip(new, self._find_names(new), strict=True))
        return [self._names[t] for t in texts]

    def _find_names(self, texts: Sequence[str]) -> list[tuple[Mention, ...]]:
        words = [text.words(t) for t in texts]
        possible = sorted(filter(storable, set().union(*(self._linker.possible(w) for w in words))))
        meant: dict[str, dict[str, bool]] = defaultdict(dict)
        for key, document, whole in self._snapshot.rows(_MEANT, (possible,)) if possible else ():
            meant[key][restored(document)] = whole
        if not meant:
            return [() for _ in texts]
        matcher = self._linker.matcher(sorted(meant))
        documents = {key: sorted(_equals(found).items()) for key, found in meant.items()}
        return [tuple(_mention(k, documents[k], i, j) for k, i, j in matcher.locate(w)) for w in words]

    def links_from(self, passages: Sequence[str], rarest: int | None = None) -> list[Link]:
        known = self._known(passages)
        used: dict[int, list[tuple[int, str, int]]] = defaultdict(list)
        for number, surface, key, spread in self._select(_MENTIONS, known.values()):
            used[number].append((spread, key, surface))
        kept = {source: sorted(used[number])[:rarest] for source, number in known.items() if number in used}
        meanings = self._meanings({surface for names in kept.values() for _, _, surface in names})
        links: list[Link] = []
        for source in sorted(kept):
            own = source.rpartition("#")[0]
            for spread, key, surface in kept[source]:
                others = {d: whole for d, whole in meanings[surface].items() if d != own}
                links += [Link(source, target, key, n, spread) for target, n in sorted(_equals(others).items())]
        return links

    def links_to(self, documents: Sequence[str], limit: int) -> list[Link]:
        wanted = [d for d in dict.fromkeys(documents) if storable(d)]
        filter = self._passing or Passing()
        sql = _LINKS_TO.format(filter=filter.on("m"))
        statements = [(sql, (stored(d), stored(d), *filter.values, limit)) for d in wanted]
        found = dict(zip(wanted, self._snapshot.many(statements), strict=True)) if wanted else {}
        meanings = self._meanings({row[3] for rows in found.values() for row in rows})
        links: list[Link] = []
        for target, rows in found.items():
            for number, document, position, surface, key, spread in rows:
                own = restored(document)
                others = {d: whole for d, whole in meanings[surface].items() if d != own}
                source = self._remember(number, own, position)
                links.append(Link(source, target, key, _equals(others)[target], spread))
        return sorted(links, key=lambda link: (link.source, link.target, link.name))

    def _meanings(self, surfaces: Iterable[int]) -> dict[int, dict[str, bool]]:
        found: dict[int, dict[str, bool]] = defaultdict(dict)
        wanted = sorted(surfaces)
        for surface, document, whole in self._snapshot.rows(_MEANINGS, (wanted,)) if wanted else ():
            found[surface][restored(document)] = whole
        return found

    # --- relations ---

    def relations_from(self, passages: Sequence[str]) -> list[Relation]:
        numbers = list(self._known(passages).values())
        return self._relations(
            _RELATIONS.format("source") + " AND part = ANY(%s::integer[])", (numbers, parts(numbers))
        )

    def relations_to(self, passages: Sequence[str]) -> list[Relation]:
        return self._relations(_RELATIONS.format("target"), (list(self._known(passages).values()),))

    def relation_counts(self) -> dict[str, int]:
        pairs = self._snapshot.rows("SELECT source, target FROM relation", ())
        passing = self._passing_numbers({end for pair in pairs for end in pair})
        counts = Counter(end for pair in pairs if passing.issuperset(pair) for end in pair)
        self._name(set(counts))
        return {self._ids[number]: count for number, count in counts.items()}

    def _relations(self, sql: str, values: Sequence[list[int]]) -> list[Relation]:
        rows = self._snapshot.rows(sql, values) if values[0] else []
        ends = {end for row in rows for end in row[:2]}
        passing = self._passing_numbers(ends)
        self._name(passing)
        related = [
            Relation(self._ids[r[0]], self._ids[r[1]], r[2], r[3], restored(r[4]), restored(r[5]))
            for r in rows
            if r[0] in passing and r[1] in passing
        ]
        return sorted(related, key=lambda r: (r.source, r.target, r.kind))

    # --- what was computed ---

    def get_blob(self, name: str) -> tuple[int, bytes] | None:
        return self._seen.get_blob(name)

    def cached(self, name: str, make: Callable[[], T], *, shared: bool = False) -> T:
        return self._statistics.memory.recall("" if shared else self._seen.filter, name, make)

    # --- ids and numbers ---

    def _known(self, ids: Iterable[str]) -> dict[str, int]:
        """Numbers of the passages that exist and pass the filter, in the order asked."""
        wanted = list(dict.fromkeys(ids))
        places = {id: _place(id) for id in wanted if id not in self._numbers}
        self._locate({place[0] for place in places.values() if place})
        for id, place in places.items():
            span = self._spans.get(place[0]) if place else None
            self._numbers[id] = span[0] + place[1] if span and place and place[1] < span[1] else None
        found = {id: number for id in wanted if (number := self._numbers[id]) is not None}
        passing = self._passing_numbers(found.values())
        return {id: number for id, number in found.items() if number in passing}

    def _locate(self, documents: Iterable[str]) -> None:
        """Look up where the passages of documents begin and how many they are."""
        unknown = [d for d in documents if d not in self._spans]
        self._spans |= dict.fromkeys(unknown)
        asked = [stored(d) for d in unknown if storable(d)]
        for id, first, count in self._snapshot.rows(_DOCUMENTS, (asked,)) if asked else ():
            self._spans[restored(id)] = (first, count)

    def _passing_numbers(self, numbers: Iterable[int]) -> set[int]:
        wanted = set(numbers)
        if self._passing is None:
            return wanted
        unknown = sorted(n for n in wanted if n not in self._passes)
        if unknown:
            sql = f"SELECT p.number FROM passage p WHERE {_ROWS}{self._passing.on('p')}"
            self._passes |= dict.fromkeys(unknown, False)
            values = (unknown, parts(unknown), *self._passing.values)
            self._passes |= {n: True for (n,) in self._snapshot.rows(sql, values)}
        return {n for n in wanted if self._passes[n]}

    def _name(self, numbers: Iterable[int]) -> None:
        """Look up the ids of passages that are known by number only."""
        sql = f"SELECT p.number, p.document, p.position FROM passage p WHERE {_ROWS}"
        for number, document, position in self._select(sql, [n for n in numbers if n not in self._ids]):
            self._remember(number, restored(document), position)

    def _named(self, ranked: Ranked, limit: int) -> Scored:
        return _best([(self._remember(n, restored(d), p), score) for n, d, p, score in ranked], limit)

    def _remember(self, number: int, document: str, position: int) -> str:
        id = self._ids.get(number)
        if id is None:
            id = self._ids[number] = f"{document}#{position}"
            self._numbers[id] = number
            if self._passing is not None:
                self._passes.setdefault(number, True)
        return id

    def _select(self, sql: str, numbers: Iterable[int]) -> list[tuple[Any, ...]]:
        wanted = list(numbers)
        return self._snapshot.rows(sql, (wanted, sorted({part_of(n) for n in wanted}))) if wanted else []


def _place(id: str) -> tuple[str, int] | None:
    """Read the id of a passage as its document and position."""
    document, _, position = id.rpartition("#")
    if not position.isdecimal() or not position.isascii() or (position[0] == "0" and position != "0"):
        return None
    return (document, int(position)) if document else None


def _equals(meanings: Meanings) -> dict[str, int]:
    """Say for each document that bears a name how many bear it with equal right.

    Those whose whole title it is come before those that share it only without their parentheses or as an alias.
    """
    whole = sum(meanings.values())
    return {id: whole if is_whole else len(meanings) for id, is_whole in meanings.items()}


def _mention(key: str, documents: Sequence[tuple[str, int]], start: int, end: int) -> Mention:
    return Mention(key, tuple(d for d, _ in documents), tuple(n for _, n in documents), start, end)


def _best(scored: Scored, limit: int) -> Scored:
    return sorted(scored, key=lambda hit: (-hit[1], hit[0]))[:limit]


def _passage(row: Sequence[Any]) -> Passage:
    _, document, position, title, body, heading, metadata = row
    id = restored(document)
    return Passage(
        f"{id}#{position}", id, position, restored(title), restored(body), restored(heading), metadata_from(metadata)
    )
