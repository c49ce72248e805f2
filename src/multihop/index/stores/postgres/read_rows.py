"""Row operations of one snapshot on the server, through one filter. Each is a round trip or two."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set as AnySet
from typing import Any

from multihop import text
from multihop.index.stores.core.documents import load_metadata, storable
from multihop.index.stores.core.rows import KnownIds, NameUse, Ranked
from multihop.index.stores.postgres import lexical, packing, vectors
from multihop.index.stores.postgres.connections import Snapshot
from multihop.index.stores.postgres.filters import Passing
from multihop.index.stores.postgres.lexical import Name, Statistics, Terms, Values, Weights
from multihop.index.stores.postgres.name_rows import beginnings
from multihop.index.stores.postgres.packing import escape_nul, parts, unescape_nul
from multihop.index.stores.postgres.statements import Rows, Statement, add_up, by_number, concatenate
from multihop.protocols import Lookup, Vectors
from multihop.types import Passage, RelationKind

_ROWS = "p.number = ANY(%s::bigint[]) AND p.part = ANY(%s::integer[])"
_COLUMNS = "p.number, p.document, p.position, p.title, p.text, p.heading, p.metadata, p.page"
_PASSAGE = f"SELECT {_COLUMNS} FROM $passage p WHERE {_ROWS}"
_WITH_TERMS = f"SELECT {_COLUMNS}, p.length, p.terms FROM $passage p WHERE {_ROWS}"
_TERMS = f"SELECT p.number, p.length, p.terms FROM $passage p WHERE {_ROWS}"
_RARE = 200
_FEW = 400
"""Up to this many passages are read whole when only their match with a query is needed: their text is read next."""
_DOCUMENTS = "SELECT id, first, passages FROM $document WHERE id = ANY(%s)"
_MENTIONS = "SELECT p.number, p.surface FROM $mention p WHERE " + _ROWS
_BY_NAME = "s.surface = ANY(%s::bigint[]) AND s.part = ANY(%s::integer[])"
# Whoever asks what a name means goes to the passages of the documents next; where they lie comes along.
_MEANINGS = f"SELECT s.surface, s.document, s.whole, s.first, s.passages FROM $name s WHERE {_BY_NAME}"
_NAME = "SELECT s.surface, s.spread, s.key, n.document, n.whole, n.first, n.passages FROM $surface s"
_SAME_NAME = "$name n ON n.part = s.part AND n.surface = s.surface"
_NAMED = f"{_NAME} JOIN {_SAME_NAME} WHERE s.key = ANY(%s)"
# Mentions and names lie on different nodes, so names are looked up afterwards. What they mean comes along, but not for
# names that are used very often: those may have thousands of documents, and links follow the rarest names first.
_NAMES = f"{_NAME} LEFT JOIN {_SAME_NAME} AND s.spread <= {_RARE} WHERE {_BY_NAME}"
_NAMES_OF = """
    SELECT n.document, s.surface, s.spread, s.key FROM $name n
    JOIN $surface s ON s.part = n.part AND s.surface = n.surface WHERE n.document = ANY(%s)"""
_MENTIONS_OF = """
    SELECT m.number, p.document, p.position, s.surface
    FROM unnest(%s::bigint[], %s::integer[]) AS s(surface, spread) JOIN $mention m ON m.surface = s.surface
    JOIN $passage p ON p.part = m.part AND p.number = m.number WHERE p.document <> %s{filter}
    ORDER BY s.spread, p.document || '#' || p.position::text COLLATE "C" LIMIT %s"""
_RELATIONS = """
    SELECT source, target, kind, confidence, evidence, method FROM $relation r WHERE {} = ANY(%s::bigint[])"""
_SCANNED = 1000
_SCAN = f"SELECT {_COLUMNS} FROM $passage p WHERE p.number > %s{{filter}} ORDER BY p.number LIMIT {_SCANNED}"


class PostgresReadRows:
    """A snapshot seen through a filter."""

    def __init__(self, snapshot: Snapshot, statistics: Statistics, passing: Passing | None) -> None:
        self.snapshot = snapshot
        self._statistics = statistics
        self._filtered = passing is not None
        self._filter = passing or Passing()
        self._size: int | None = None
        self._spans: dict[str, tuple[int, int] | None] = {}
        self._passes: dict[int, bool] = {}
        self.ids = KnownIds()

    @property
    def generation(self) -> int:
        return self.snapshot.generation

    @property
    def size(self) -> int:
        if not self._filtered:
            return int(self.snapshot.meta["passages"])
        if self._size is None:
            sql = f"SELECT count(*) FROM $passage p WHERE true{self._filter.on('p')}"
            self._size = int(self.snapshot.rows(sql, self._filter.values, add_up)[0][0])
        return self._size

    def passing(self, passages: Iterable[int]) -> set[int]:
        wanted = set(passages)
        if not self._filtered:
            return wanted
        if unknown := sorted(n for n in wanted if n not in self._passes):
            sql = f"SELECT p.number FROM $passage p WHERE {_ROWS}{self._filter.on('p')}"
            self._passes |= dict.fromkeys(unknown, False)
            values = (unknown, parts(unknown), *self._filter.values)
            self._passes |= {n: True for (n,) in self.snapshot.rows(sql, values, concatenate)}
        return {n for n in wanted if self._passes[n]}

    # --- passages ---

    def find(self, ids: Sequence[str]) -> None:
        places = {id: _place(id) for id in ids}
        self._locate({place[0] for place in places.values() if place})
        for id, place in places.items():
            span = self._spans.get(place[0]) if place else None
            self.ids.numbers[id] = span[0] + place[1] if span and place and place[1] < span[1] else None

    def find_ids(self, passages: Sequence[int]) -> None:
        sql = f"SELECT p.number, p.document, p.position FROM $passage p WHERE {_ROWS}"
        for number, document, position in self._select(sql, passages):
            self.ids.add(number, f"{unescape_nul(document)}#{position}")

    def passages(self, passages: Sequence[int]) -> dict[int, Passage]:
        return {row[0]: _passage(row) for row in self._select(_PASSAGE, passages)}

    def openings(self, documents: Sequence[str], limit: int) -> dict[str, tuple[tuple[int, str], ...]]:
        self._locate(documents)
        # Passages of a document are numbered one after another: their ids follow without reading them.
        spans = {id: span for id in documents if (span := self._spans.get(id))}
        return {
            id: tuple((first + position, f"{id}#{position}") for position in range(min(limit, count)))
            for id, (first, count) in spans.items()
        }

    def since(self, mark: int) -> Iterator[tuple[int, Passage]]:
        sql = _SCAN.format(filter=self._filter.on("p"))
        while batch := self.snapshot.rows(sql, (mark, *self._filter.values), by_number(_SCANNED)):
            yield from ((row[0], _passage(row)) for row in batch)
            mark = batch[-1][0]

    def _locate(self, documents: Iterable[str]) -> None:
        """Look up where the passages of documents begin and how many they are."""
        unknown = [d for d in documents if d not in self._spans]
        # None for those that are not found, so that they are not asked for again.
        self._spans |= dict.fromkeys(unknown)
        asked = self.snapshot.documents_there([escape_nul(d) for d in unknown if storable(d)])
        for id, first, count in self.snapshot.rows(_DOCUMENTS, (asked,), concatenate) if asked else ():
            self._spans[unescape_nul(id)] = (first, count)

    # --- search ---

    def lexical(self, lookups: Sequence[Lookup], within: Sequence[Sequence[int] | None]) -> list[Ranked]:
        weights = self._statistics.weigh(self.snapshot, [(q.text, q.rough) for q in lookups])
        ranked: list[Ranked] = [[] for _ in lookups]
        here: dict[int, tuple[Weights, int]] = {}
        there: dict[int, tuple[Weights, int]] = {}
        given = {place: numbers for place, numbers in enumerate(within) if numbers is not None and weights[place]}
        for place, (own, asked) in enumerate(zip(weights, lookups, strict=True)):
            if within[place] is None:
                few = not self._filtered and self._statistics.postings(own) <= lexical.FEW
                (here if few else there)[place] = (own, asked.limit)
        # What is known of the passages given, and the postings of all queries, come in one round trip.
        values, terms = self._read_postings(
            {t for own, _ in here.values() for t in own}, {n for numbers in given.values() for n in numbers}
        )
        for place, (own, limit) in here.items():
            ranked[place] = lexical.top(own, values, limit)
        for place, numbers in given.items():
            ranked[place] = lexical.among(self._statistics, weights[place], numbers, terms)
        if there:
            hits = lexical.rank_there(self.snapshot, self._statistics, list(there.values()), self._filter)
            for place, best in zip(there, self._note_passed(hits), strict=True):
                ranked[place] = best
        return ranked

    def _read_postings(self, terms: AnySet[str], passages: AnySet[int]) -> tuple[dict[str, Values], dict[int, Terms]]:
        """Read the postings of terms, and the terms of passages, as far as they are not cached."""
        values, cached = self._statistics.look_up(terms), self._statistics.terms.known
        known = {number: cached[number] for number in passages if number in cached}
        missing, unknown = sorted(terms - values.keys()), sorted(passages - known.keys())
        few = len(unknown) <= _FEW
        statements: list[Statement] = [Statement(lexical.POSTINGS, (missing,), concatenate)] if missing else []
        if unknown:
            sql = _WITH_TERMS if few else _TERMS
            statements.append(Statement(sql, (unknown, parts(unknown)), concatenate))
        results = self.snapshot.many(statements) if statements else []
        if missing:
            values |= self._statistics.add_postings(missing, results[0])
        if unknown:
            new = {row[0]: (row[-2], *packing.unpack_terms(bytes(row[-1]))) for row in results[-1]}
            known |= new
            if few:
                self._statistics.terms.add(new)
                self._statistics.cache.passages.add({row[0]: _passage(row[:-2]) for row in results[-1]})
        return values, known

    def frequencies(self, terms: Sequence[str]) -> list[int]:
        return self._statistics.frequencies(self.snapshot, terms)

    def nearest(self, vectors_: Vectors, limit: int, within: Sequence[int] | None) -> list[Ranked]:
        if within is not None:
            return vectors.among(self.snapshot, vectors_, within)
        return self._note_passed(vectors.rank(self.snapshot, vectors_, limit, self._filter, self.size))

    def vectors(self, passages: Sequence[int]) -> tuple[list[int], Vectors]:
        rows = self._select(f"SELECT p.number, p.data FROM $embedding p WHERE {_ROWS}", passages)
        return [number for number, _ in rows], vectors.unpack([data for _, data in rows])

    def _note_passed(self, rankings: list[Ranked]) -> list[Ranked]:
        self._pass(number for hits in rankings for number, _ in hits)
        return rankings

    def _pass(self, passages: Iterable[int]) -> None:
        """Note what was found through the filter."""
        if self._filtered:
            self._passes |= dict.fromkeys(passages, True)

    # --- names ---

    def names_in(self, runs: Collection[str]) -> dict[str, int]:
        asked = [name for name in beginnings(runs) if storable(name)]
        if not asked:
            return {}
        # Whoever looks for names wants to know next what they mean, and searches for the same words.
        words = map(packing.term, text.stems({run.partition(" ")[0] for run in runs} - text.STOPWORDS))
        counting = self._statistics.count_statements(words)
        named, *counts = self.snapshot.many([Statement(_NAMED, (asked,), concatenate), *counting])
        for statement, rows in zip(counting, counts, strict=True):
            self._statistics.add_counts(statement, rows)
        names = self._take(named)
        return dict(sorted((name.key, number) for number, name in names.items()))

    def meanings(self, names: Mapping[int, str]) -> dict[int, dict[str, bool]]:
        known = self._statistics.names.known
        spans = {name: known[name].documents for name in names if name in known and known[name].documents}
        if missing := sorted(name for name in names if name not in spans):
            for name, document, *meant in self.snapshot.rows(
                _MEANINGS, (missing, packing.name_parts(missing)), concatenate
            ):
                spans.setdefault(name, {})[unescape_nul(document)] = tuple(meant)
        for documents in spans.values():
            self._spans |= {id: (first, count) for id, (_, first, count) in documents.items()}
        return {name: {id: whole for id, (whole, *_) in documents.items()} for name, documents in spans.items()}

    def _take(self, rows: Iterable[Sequence[Any]]) -> dict[int, Name]:
        """Store names as the server sent them, one row for each document."""
        names: dict[int, Name] = {}
        for number, spread, key, document, *meant in rows:
            name = names.setdefault(number, Name(spread, key, {}))
            if document is not None:
                name.documents[unescape_nul(document)] = tuple(meant)
        self._statistics.names.add(names)
        return names

    def mentions(self, passages: Sequence[int]) -> Iterator[NameUse]:
        uses = self._select(_MENTIONS, passages)
        cached = self._statistics.names.known
        names = {name: cached[name] for _, name in uses if name in cached}
        if missing := sorted({name for _, name in uses if name not in names}):
            names |= self._take(self.snapshot.rows(_NAMES, (missing, packing.name_parts(missing)), concatenate))
        # While a node is away, so are its names.
        return (NameUse(number, names[n].spread, names[n].key, n) for number, n in uses if n in names)

    def mentions_of(self, documents: Sequence[str], limit: int) -> dict[str, list[NameUse]]:
        wanted = [d for d in documents if storable(d)]
        named: dict[str, dict[int, tuple[int, str]]] = {d: {} for d in wanted}
        asked = ([escape_nul(d) for d in wanted],)
        for document, name, *use in self.snapshot.rows(_NAMES_OF, asked, concatenate) if wanted else ():
            named[unescape_nul(document)][name] = tuple(use)
        sql = _MENTIONS_OF.format(filter=self._filter.on("m"))
        statements = [
            Statement(
                sql,
                (list(names), [spread for spread, _ in names.values()], escape_nul(d), *self._filter.values, limit),
                _by_spread,
            )
            for d, names in named.items()
        ]
        uses: dict[str, list[NameUse]] = {}
        for document, rows in zip(wanted, self.snapshot.many(statements) if wanted else (), strict=True):
            for number, own, position, _ in rows:
                self.ids.add(number, f"{unescape_nul(own)}#{position}")
            self._pass(number for number, *_ in rows)
            uses[document] = [NameUse(number, *named[document][name], name) for number, _, _, name in rows]
        return uses

    # --- relations ---

    def relations(self, end: str, passages: Sequence[int]) -> Iterator[tuple[int, int, RelationKind, float, str, str]]:
        sql, values = _RELATIONS.format(end), [list(passages)]
        # A relation lies in the part of its source; those that lead to a target may be on any node.
        if end == "source":
            sql, values = sql + " AND part = ANY(%s::integer[])", [*values, parts(passages)]
        rows = self.snapshot.rows(sql, values, concatenate) if passages else ()
        for source, target, kind, confidence, *said in rows:
            evidence, method = map(unescape_nul, said)
            yield source, target, kind, confidence, evidence, method

    def _select(self, sql: str, numbers: Collection[int]) -> list[tuple[Any, ...]]:
        return self.snapshot.rows(sql, (list(numbers), parts(numbers)), concatenate) if numbers else []


def _by_spread(rows: Rows, values: Sequence[Any]) -> Rows:
    """Merge rows of `_MENTIONS_OF`: names that few passages use come first."""
    # Python orders texts by code point, as the collation C orders their bytes in UTF-8.
    spread = dict(zip(*values[:2], strict=True))
    return sorted(rows, key=lambda row: (spread[row[3]], f"{row[1]}#{row[2]}"))[: values[-1]]


def _place(id: str) -> tuple[str, int] | None:
    """Read the id of a passage as its document and position."""
    document, _, position = id.rpartition("#")
    # Only as we write it: "a#01" would otherwise find the passage "a#1".
    if not position.isdecimal() or not position.isascii() or (position[0] == "0" and position != "0"):
        return None
    return (document, int(position)) if document else None


def _passage(row: Sequence[Any]) -> Passage:
    _, document, position, *texts, page = row
    id, title, body, heading, metadata = map(unescape_nul, (document, *texts))
    return Passage(f"{id}#{position}", id, position, title, body, heading, load_metadata(metadata), page)
