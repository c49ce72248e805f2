"""One change of the embedded store's truth, inside one transaction.

New documents are linked both ways: their passages to every name in the corpus, and older passages to the new names. A
passage touched by a name that came or went is read again as a whole, so that linking step by step gives exactly the
links that linking everything at once would give.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from multihop import text
from multihop.errors import InvalidRecord
from multihop.index.stores.sqlite import schema
from multihop.index.stores.sqlite.lexical import Searcher, Writer
from multihop.index.stores.sqlite.naming import names_in
from multihop.index.stores.sqlite.vectors import pack
from multihop.protocols import Divided, Embedder, Linker, Matcher, Progress
from multihop.types import Changed, Document, Relation

_BATCH = 1000
_EMBED_BATCH = 256
_READ = """SELECT p.row, p.document, d.title, p.heading, p.text FROM passage p JOIN document d ON d.row = p.document"""


def analysed(connection: sqlite3.Connection, after: int) -> Iterator[tuple[int, int, list[str]]]:
    """Read the passages behind row `after` in order, each with its document and its words."""
    return _words(connection.execute(f"{_READ} WHERE p.row > ? ORDER BY p.row", (after,)))


def _words(rows: Iterable[Sequence[Any]]) -> Iterator[tuple[int, int, list[str]]]:
    for row, document, title, heading, body in rows:
        yield row, document, text.passage_words(title, heading, body)


class Change:
    """A set of additions or deletions; `finish` links and embeds them and gives the change its generation."""

    def __init__(
        self,
        connection: schema.Connection,
        linker: Linker,
        embedder: Embedder | None,
        lexical: Writer,
        searcher: Searcher,
    ) -> None:
        self._connection = connection
        self._linker = linker
        self._embedder = embedder
        self._lexical = lexical
        self._searcher = searcher
        self._generation = schema.generation(connection) + 1
        self._next_document = self._meta("next_document")
        self._first_row = self._next_row = self._meta("next_passage")
        self._last_surface = int(connection.execute("SELECT coalesce(max(row), 0) FROM surface").fetchone()[0])
        self._maybe_nameless: set[int] = set()
        self._relink: set[int] = set()
        self._spread: Counter[int] = Counter()
        self._progress: Progress = _silent
        self.documents = 0
        self.relations = 0
        self._replaced = 0
        self._passages = 0

    @property
    def last_row(self) -> int:
        return self._next_row - 1

    def add(self, documents: Iterable[Divided], progress: Progress | None = None) -> None:
        self._progress = progress or _silent
        for batch in schema.pieces(documents, _BATCH):
            self._insert(batch)
            self._progress("reading", self.documents, None)

    def delete(self, ids: Sequence[str]) -> None:
        found = [
            int(str(r[0])) for r in schema.select_in(self._connection, "SELECT row FROM document WHERE id IN (?)", ids)
        ]
        rows = list(dict.fromkeys(found))
        self._remove(rows)
        self.documents += len(rows)

    def relate(self, relations: Iterable[Relation], replace: bool) -> None:
        if replace:
            self.relations += self._connection.execute("DELETE FROM relation").rowcount
        for batch in schema.pieces(relations, _BATCH):
            found = schema.select_in(
                self._connection, "SELECT id, row FROM passage WHERE id IN (?)", {p for r in batch for p in r.ends}
            )
            rows = {str(id): int(row) for id, row in found}
            known = [
                (rows[r.source], rows[r.target], r.kind, r.confidence, r.evidence, r.method)
                for r in batch
                if r.source in rows and r.target in rows
            ]
            self._connection.executemany("INSERT OR REPLACE INTO relation VALUES (?, ?, ?, ?, ?, ?)", known)
            self.relations += len(known)

    def finish(self) -> Changed:
        """Link, embed, and stamp; the caller commits."""
        self._forget_names()
        self._relink.update(self._passages_with_new_names())
        self._link_old()
        self._link_new()
        self._embed()
        self._connection.executemany(
            "UPDATE surface SET spread = spread + ? WHERE row = ?", ((n, s) for s, n in self._spread.items() if n)
        )
        # Before this change the lexical cache had caught up, so it needs no older removals.
        self._connection.execute("DELETE FROM removed WHERE generation < ?", (self._generation,))
        self._connection.executemany(
            "UPDATE meta SET value = ? WHERE key = ?",
            [
                (self._generation, "generation"),
                (self._next_document, "next_document"),
                (self._next_row, "next_passage"),
            ],
        )
        return Changed(self.documents, self._replaced, self._passages, self._generation)

    # --- documents ---

    def _insert(self, batch: Sequence[Divided]) -> None:
        last = {document.id: (document, pieces) for document, pieces in batch}
        known = "SELECT row FROM document WHERE id IN (?)"
        existing = {int(str(r[0])) for r in schema.select_in(self._connection, known, last)}
        self._remove(sorted(existing))
        self._replaced += len(existing) + len(batch) - len(last)
        self.documents += len(batch)
        documents, passages, attributes, names = [], [], [], []
        for document, pieces in last.values():
            check_storable(document)
            row = self._next_document
            self._next_document += 1
            # The text is kept apart only where the passages do not hold it all.
            whole = None if len(pieces) == 1 and pieces[0].text == document.text else document.text
            documents.append(
                (
                    row,
                    document.id,
                    document.title,
                    json.dumps(document.aliases) if document.aliases else "[]",
                    dump(document),
                    whole,
                )
            )
            for position, piece in enumerate(pieces):
                passages.append((self._next_row, f"{document.id}#{position}", row, position, piece.heading, piece.text))
                self._next_row += 1
            attributes += [(field, value, row) for field, value in attributes_of(document)]
            names += [(key, row) for key in self._linker.names(document.title, document.aliases)]
        self._passages += len(passages)
        many = self._connection.executemany
        many("INSERT INTO document VALUES (?, ?, ?, ?, ?, ?)", documents)
        many("INSERT INTO passage VALUES (?, ?, ?, ?, ?, ?)", passages)
        many("INSERT OR IGNORE INTO attribute VALUES (?, ?, ?)", attributes)
        many("INSERT OR IGNORE INTO surface (key) VALUES (?)", ((key,) for key, _ in names))
        many("INSERT OR IGNORE INTO name SELECT row, ? FROM surface WHERE key = ?", ((d, key) for key, d in names))

    def _remove(self, documents: Sequence[int]) -> None:
        for document in documents:
            rows = [r[0] for r in self._connection.execute("SELECT row FROM passage WHERE document = ?", (document,))]
            for row in rows:
                self._spread.subtract(s for (s,) in self._mentions(row))
            each = [(row,) for row in rows]
            self._connection.executemany("DELETE FROM mention WHERE passage = ?", each)
            self._connection.executemany("DELETE FROM vector WHERE passage = ?", each)
            self._connection.executemany("DELETE FROM relation WHERE source = ?", each)
            self._connection.executemany("DELETE FROM relation WHERE target = ?", each)
            self._connection.executemany("DELETE FROM passage WHERE row = ?", each)
            self._connection.executemany("INSERT INTO removed VALUES (?, ?)", [(r, self._generation) for r in rows])
            named = self._connection.execute("SELECT surface FROM name WHERE document = ?", (document,))
            self._maybe_nameless.update(s for (s,) in named)
            for table in ("attribute", "name"):
                self._connection.execute(f"DELETE FROM {table} WHERE document = ?", (document,))
            self._connection.execute("DELETE FROM document WHERE row = ?", (document,))
            self._relink.difference_update(rows)
            self._lexical.remove(r for r in rows if r < self._first_row)

    # --- links ---

    def _forget_names(self) -> None:
        """Drop names that no document bears any more, and read the passages that used them again."""
        for surface in sorted(self._maybe_nameless):
            if self._connection.execute("SELECT 1 FROM name WHERE surface = ?", (surface,)).fetchone():
                continue
            users = [
                r[0] for r in self._connection.execute("SELECT passage FROM mention WHERE surface = ?", (surface,))
            ]
            self._relink.update(users)
            self._connection.execute("DELETE FROM mention WHERE surface = ?", (surface,))
            self._connection.execute("DELETE FROM surface WHERE row = ?", (surface,))
            del self._spread[surface]

    def _passages_with_new_names(self) -> Iterator[int]:
        new = [k for (k,) in self._connection.execute("SELECT key FROM surface WHERE row > ?", (self._last_surface,))]
        old = self._searcher.size
        if not new or not old:
            return
        if len(new) >= old // 20:
            # So many names are new that hardly a passage has none of them: read all again.
            yield from (
                r[0] for r in self._connection.execute("SELECT row FROM passage WHERE row < ?", (self._first_row,))
            )
            return
        for key in new:
            yield from (row for row in self._searcher.holding(key.split(" ")).tolist() if row < self._first_row)

    def _link_old(self) -> None:
        everything = self._all_names() if len(self._relink) > self._few() else None
        for done, batch in enumerate(schema.pieces(sorted(self._relink), _BATCH)):
            rows = schema.select_in(self._connection, f"{_READ} WHERE p.row IN (?)", batch)
            passages = {row: words for row, _, words in _words(rows)}
            surfaces, matcher = everything or self._names_for(list(passages.values()))
            for row, found in zip(passages, matcher.find(list(passages.values())), strict=True):
                self._change_mentions(row, {surfaces[i] for i in found})
            self._progress("linking earlier passages", done * _BATCH + len(batch), len(self._relink))

    def _change_mentions(self, row: int, after: set[int]) -> None:
        before = {s for (s,) in self._mentions(row)}
        gone, come = before - after, after - before
        self._connection.executemany("DELETE FROM mention WHERE passage = ? AND surface = ?", ((row, s) for s in gone))
        self._connection.executemany("INSERT INTO mention VALUES (?, ?)", ((row, s) for s in sorted(come)))
        self._spread.update(come)
        self._spread.subtract(gone)

    def _link_new(self) -> None:
        total = self._next_row - self._first_row
        passages = analysed(self._connection, self._first_row - 1)
        done = 0
        everything = self._all_names() if total > self._few() else None
        with ThreadPoolExecutor(1) as beside:
            for batch in schema.pieces(passages, _BATCH):
                texts = [words for _, _, words in batch]
                surfaces, matcher = everything or self._names_for(texts)
                # Names are found on another core while the words go into the lexical cache.
                matched = beside.submit(matcher.find, texts)
                for row, _, words in batch:
                    self._lexical.add(row, words)
                mentions = [
                    (row, surface)
                    for (row, _, _), found in zip(batch, matched.result(), strict=True)
                    for surface in sorted([surfaces[i] for i in found])
                ]
                self._connection.executemany("INSERT INTO mention VALUES (?, ?)", mentions)
                self._spread.update([surface for _, surface in mentions])
                done += len(batch)
                self._progress("linking", done, total)

    def _names_for(self, texts: Sequence[Sequence[str]]) -> tuple[list[int], Matcher]:
        """Look up only the names that these texts could mention."""
        known = names_in(self._connection, self._linker, texts)
        return list(known.values()), self._linker.matcher(list(known))

    def _few(self) -> int:
        """Up to so many passages it is cheaper to look up their possible names than to load every name."""
        return int(self._connection.execute("SELECT count(*) FROM surface").fetchone()[0]) // 200

    def _all_names(self) -> tuple[list[int], Matcher]:
        known = self._connection.execute("SELECT row, key FROM surface ORDER BY row").fetchall()
        return [row for row, _ in known], self._linker.matcher([key for _, key in known])

    def _mentions(self, row: int) -> sqlite3.Cursor:
        return self._connection.execute("SELECT surface FROM mention WHERE passage = ?", (row,))

    # --- vectors ---

    def _embed(self) -> None:
        if self._embedder is None:
            return
        total = self._next_row - self._first_row
        rows = self._connection.execute(f"{_READ} WHERE p.row >= ? ORDER BY p.row", (self._first_row,))
        done = 0
        for batch in schema.pieces(rows, _EMBED_BATCH):
            vectors = self._embedder.embed(
                [text.to_embed(title, heading, body) for _, _, title, heading, body in batch]
            )
            packed = ((row[0], pack(vector)) for row, vector in zip(batch, vectors, strict=True))
            self._connection.executemany("INSERT INTO vector VALUES (?, ?)", packed)
            done += len(batch)
            self._progress("embedding", done, total)

    def _meta(self, key: str) -> int:
        return int(self._connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()[0])


def check_storable(document: Document) -> None:
    held = (document.id, document.title, document.text, *document.aliases, *document.metadata)
    for value in (*held, *(value for _, value in attributes_of(document))):
        if not schema.storable(value):
            raise InvalidRecord(
                f"document {document.id!r} holds {_excerpt(value)}, which cannot be stored; allowed are texts without "
                "halves of surrogate pairs (U+D800 to U+DFFF) and whole numbers of at most 64 bits"
            )


def _excerpt(value: object) -> str:
    shown = ascii(value)
    place = max(0, shown.find("\\ud") - 20)
    return shown if len(shown) <= 60 else f"…{shown[place : place + 50]}…"


def attributes_of(document: Document) -> Iterator[tuple[str, Any]]:
    for field, value in document.metadata.items():
        for each in value if isinstance(value, tuple | list) else (value,):
            yield field, int(each) if isinstance(each, bool) else each


def dump(document: Document) -> str:
    return json.dumps(dict(document.metadata), ensure_ascii=False) if document.metadata else "{}"


def _silent(stage: str, done: int, total: int | None) -> None:
    """Report progress to nobody."""
