"""The embedded store: a folder on one machine.

SQLite is the source of truth; tantivy and usearch are caches beside it.

A write is one SQLite transaction over documents, passages, metadata, names, mentions and vectors; only then the caches
follow. Each cache says which generation it shows, so a crash in between is noticed and repaired at the next opening.
Readers keep a snapshot (an open read transaction and cache searchers of the same generation) and move to a newer one
only when database and caches agree.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, nullcontext, suppress
from functools import partial
from pathlib import Path

from multihop.errors import IndexBehind, IndexLocked, IndexReadOnly, StoreError
from multihop.index.stores.core.adding import add_in_steps
from multihop.index.stores.core.change import Change
from multihop.index.stores.core.checks import after_repair
from multihop.index.stores.core.documents import load_aliases, load_metadata, prefix_pattern, storable
from multihop.index.stores.core.embedding import LoadEmbedder, agreed_embedder, require_embedder
from multihop.index.stores.core.filters import filter_key
from multihop.index.stores.core.view import IndexView
from multihop.index.stores.sqlite import checks, lock, schema
from multihop.index.stores.sqlite.filters import passing_rows
from multihop.index.stores.sqlite.lexical import LexicalCache, Writer
from multihop.index.stores.sqlite.read_rows import Snapshot, SqliteReadRows
from multihop.index.stores.sqlite.stamps import Stamp
from multihop.index.stores.sqlite.vectors import VectorCache
from multihop.index.stores.sqlite.write_rows import SqliteWriteRows, passages_after, put_files
from multihop.protocols import Divided, Edit, Embedder, Linker, Progress, dimension_of
from multihop.types import Changed, Check, Document, Listed, Relation, Scalar, SourceFile, Stats, Where

_PATIENCE = 30.0
"""Seconds to wait at opening for a writer in another process to bring its caches up to its documents."""
_VALUES = "SELECT value, count(*) FROM attribute WHERE field = ? GROUP BY value ORDER BY 2 DESC, 1 LIMIT ?"
_DOCUMENTS = r"""
    SELECT id, title, metadata FROM document
    WHERE id > :after AND (id LIKE :starts ESCAPE '\' OR title LIKE :starts ESCAPE '\') ORDER BY id LIMIT :limit"""
_FILES = "SELECT folder, path, size, modified, digest, recipe, problem FROM file WHERE folder = "
_IDS = "SELECT id FROM document WHERE id > ? ORDER BY id LIMIT 5000"
_IDS_WITH = """
    SELECT d.id FROM attribute a JOIN document d ON d.row = a.document
    WHERE a.field = ? AND a.value = ? AND d.id > ? ORDER BY d.id LIMIT ?"""


class EmbeddedStore:
    """An index in a folder. Safe to use from several threads and processes; one of them writes at a time."""

    def __init__(
        self,
        path: str | Path,
        linker: Linker,
        *,
        create: bool = False,
        embedder: Embedder | None = None,
        load_embedder: LoadEmbedder | None = None,
        wait: float = 0.0,
    ) -> None:
        self.path = Path(path)
        self._linker = linker
        self._wait = wait
        self._threads = threading.RLock()
        self._embedder = embedder
        if create and not schema.exists(self.path) and not schema.is_occupied(self.path):
            self._create()
        self._snapshot: Snapshot
        self._replaced: list[schema.Connection] = []
        self._open(create=create, load=load_embedder)

    # --- reading ---

    @property
    def generation(self) -> int:
        return self._snapshot.generation

    @property
    def embedder(self) -> Embedder | None:
        return self._embedder

    def view(self, where: Where | None = None) -> IndexView:
        self.refresh()
        snapshot = self._snapshot
        key, allowed = filter_key(where), None
        if where:
            allowed = snapshot.cache.computed.get(key, "rows", partial(passing_rows, snapshot.connection, where))
        rows = SqliteReadRows(snapshot, allowed)
        return IndexView(rows, snapshot.cache, self._linker, self._embedder, self.get_blob, key)

    def refresh(self) -> int:
        """Move to the newest generation on which database and caches agree; stay where we are while they do not."""
        if self._was_replaced() or self._snapshot.is_cut():
            with self._threads:
                # Asked again: another thread may have seen to it while we waited.
                if self._was_replaced() or self._snapshot.is_cut():
                    self._reopen()
        if schema.generation(self._watch) != self._snapshot.generation:
            with self._threads:
                fresh = self._try_snapshot()
                if fresh is not None:
                    self._snapshot = fresh
                elif self._nobody_writes():
                    # A writer died, or ran out of room, between its transaction and its caches.
                    with suppress(IndexReadOnly):
                        self._snapshot = self._first_snapshot()
        return self._snapshot.generation

    def document(self, id: str) -> Document | None:
        return self.get_documents([id]).get(id)

    def get_documents(self, ids: Sequence[str]) -> dict[str, Document]:
        snapshot = self._snapshot
        documents: dict[str, Document] = {}
        sql = "SELECT row, id, title, aliases, metadata, text FROM document WHERE id IN (?)"
        for row, id, title, aliases, metadata, body in schema.select_in(snapshot.connection, sql, ids):
            # Its only passage holds all of its text.
            if body is None:
                [(body,)] = snapshot.connection.rows("SELECT text FROM passage WHERE document = ?", (row,))
            documents[id] = Document(id, body, title, load_metadata(metadata), load_aliases(aliases))
        return documents

    def document_ids(self) -> Iterator[str]:
        snapshot, last = self._snapshot, ""  # held, as another thread may move on and close it
        while batch := snapshot.connection.rows(_IDS, (last,)):
            yield from (id for (id,) in batch)
            last = batch[-1][0]

    def documents(self, after: str, starts: str, limit: int) -> list[Listed]:
        if not (storable(after) and storable(starts)):
            return []
        self.refresh()
        snapshot = self._snapshot  # held, as another thread may move on and close it
        rows = snapshot.connection.rows(_DOCUMENTS, {"after": after, "starts": prefix_pattern(starts), "limit": limit})
        return [Listed(id, title, load_metadata(data)) for id, title, data in rows]

    def field_values(self, field: str, limit: int) -> list[tuple[Scalar, int]]:
        if not storable(field):
            return []
        self.refresh()
        snapshot = self._snapshot
        return snapshot.connection.rows(_VALUES, (field, limit))

    def files(self, folder: str, after: str, limit: int) -> list[SourceFile]:
        # Read as they are now: notes of files come without a generation of their own.
        rows = self._watch.rows(f"{_FILES} ? AND path > ? ORDER BY path LIMIT ?", (folder, after, limit))
        return [SourceFile(*row) for row in rows]

    def files_at(self, folder: str, paths: Sequence[str]) -> dict[str, SourceFile]:
        # `select_in` takes one list of values, so the folder is part of the statement.
        quoted = folder.replace("'", "''")
        rows = schema.select_in(self._watch, f"{_FILES} '{quoted}' AND path IN (?)", paths)
        return {row[1]: SourceFile(*row) for row in rows}

    def ids_with(self, field: str, value: str, after: str, limit: int) -> list[str]:
        snapshot = self._snapshot
        return [id for (id,) in snapshot.connection.rows(_IDS_WITH, (field, value, after, limit))]

    def stats(self) -> Stats:
        self.refresh()
        return checks.stats(self._snapshot, self.path, self.recorded_embedder)

    # --- writing ---

    def add(self, documents: Iterable[Divided], progress: Progress | None = None) -> Changed:
        """Add or replace documents; a very long stream is committed in transactions that grow with the index."""
        return self.edit(documents, progress)

    def edit(self, edits: Iterable[Edit], progress: Progress | None = None) -> Changed:
        """Add, delete and take note of files, in transactions that grow with the index."""
        require_embedder(self._label, self._embedder, self.recorded_embedder)
        with self._writing():
            return add_in_steps(
                edits,
                lambda step: self._apply(partial(Change.run, edits=step, progress=progress)),
                lambda: self._snapshot.searcher.size,
            )

    def put_files(self, files: Iterable[SourceFile]) -> None:
        with self._threads, lock.writing(self.path, self._wait), self._database() as connection:
            connection.execute("BEGIN IMMEDIATE")
            put_files(connection, files)
            connection.execute("COMMIT")

    def delete(self, ids: Iterable[str]) -> Changed:
        with self._writing():
            return self._apply(partial(Change.delete, ids=ids))

    def relate(self, relations: Iterable[Relation], *, replace: bool = False, settles: int = -1) -> int:
        with self._writing():
            # Counted in the database: a relation that was there already only takes its own place.
            before = checks.count(self._snapshot.connection, "relation")
            self._apply(partial(Change.relate, relations=relations, replace=replace, settles=settles))
            after = checks.count(self._snapshot.connection, "relation")
            return after if replace else after - before

    def put_blob(self, name: str, data: bytes) -> None:
        with self._threads, lock.writing(self.path, self._wait):
            with self._database() as connection:
                connection.execute("INSERT OR REPLACE INTO kept VALUES (?, ?, ?)", (name, self.generation, data))
            self._empty_log()

    def get_blob(self, name: str) -> tuple[int, bytes] | None:
        rows = self._watch.rows("SELECT generation, data FROM kept WHERE name = ?", (name,))
        return (int(rows[0][0]), bytes(rows[0][1])) if rows else None

    def _apply(self, work: partial[None]) -> Changed:
        """Run one change as one transaction, then bring the caches up to it."""
        with self._database() as connection:
            lexical: Writer | None = None
            try:
                connection.execute("BEGIN IMMEDIATE")
                lexical = self._lexical.writer()
                rows = SqliteWriteRows(connection, lexical, self._snapshot.searcher)
                change = Change(rows, self._linker, self._embedder)
                work(change)
                if change.empty:
                    lexical.rollback()
                    connection.execute(change.end)
                    return Changed(generation=self.generation)
                result = change.finish()
                connection.execute("COMMIT")
            except BaseException:
                # Also where somebody pressed Ctrl-C: nothing of an unfinished change may stay.
                if lexical is not None:
                    lexical.rollback()
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise
        try:
            lexical.commit(result.generation, rows.last)
            self._follow_change()
        except IndexBehind:
            raise
        except StoreError as error:
            raise IndexBehind(f"the change is stored, but cannot be searched yet: {error}") from error
        return result

    def _follow_change(self) -> None:
        """After a change: move on to it, and put the caches in order where that is due."""
        self._snapshot = self._first_snapshot(locked=True)
        if self._snapshot.searcher.needs_rebuild:
            # Where there is no room for another one, the old one serves on.
            with suppress(IndexReadOnly):
                self._feed_lexical(renew=True)
                self._snapshot = self._first_snapshot(locked=True)
        if self._snapshot.vectors is not None and self._snapshot.vectors.save_if_grown():
            self._snapshot = self._first_snapshot(locked=True)
        self._empty_log()

    def _empty_log(self) -> None:
        """With the writer lock held: move the write-ahead log into the file and cut it off.

        A snapshot that reads the file alone keeps SQLite from writing to it, one that reads the log from cutting it
        off. So ours moves to the end of the log and, once that is in the file, to the file. Where others still read,
        or there is no room, the log stays until the next change.
        """
        with suppress(StoreError), self._database() as connection:
            connection.execute("PRAGMA busy_timeout = 0")
            if schema.generation(connection) != self._snapshot.generation:
                return
            for extent in ("PASSIVE", "TRUNCATE"):
                self._snapshot.connection.renew()
                connection.rows(f"PRAGMA wal_checkpoint({extent})")

    @contextmanager
    def _writing(self) -> Iterator[None]:
        with self._threads, lock.writing(self.path, self._wait):
            if self._was_replaced():
                self._reopen(locked=True)
            self._catch_up()
            # Another process may have written since we last looked: linking needs its passages too.
            if schema.generation(self._watch) != self._snapshot.generation:
                self._snapshot = self._first_snapshot(locked=True)
            yield

    @contextmanager
    def _database(self) -> Iterator[schema.Connection]:
        """Open the database for writing, and report what the disk refuses."""
        try:
            with closing(schema.connect(self.path, write=True)) as connection:
                yield connection
        except sqlite3.DatabaseError as error:
            if schema.is_damage(error):
                raise schema.damage_error(error) from error
            if not isinstance(error, sqlite3.OperationalError):
                raise
            raise IndexReadOnly(
                f"the index {str(self.path)!r} could not be written; this change was rolled back: {error}"
            ) from error

    def verify(self, repair: bool = True) -> list[Check]:
        """Compare every cache with the documents, row by row, and rebuild what differs; other damage is reported."""
        with self._threads:
            before = checks.verify(self._snapshot, self._lexical)
            wrong = {check.name for check in before if not check.ok}
            if not repair or wrong.isdisjoint((checks.LEXICAL, checks.VECTORS)):
                return before
            with lock.writing(self.path, self._wait):
                if checks.LEXICAL in wrong:
                    self._feed_lexical(rebuild=True)
                if checks.VECTORS in wrong:
                    VectorCache.delete(self.path)
                self._snapshot = self._first_snapshot(locked=True)
            return after_repair(before, checks.verify(self._snapshot, self._lexical))

    def close(self) -> None:
        """Close the index. Everything is on disk already; closing only empties the write-ahead log."""
        with self._threads:
            for connection in (self._watch, self._snapshot.connection, *self._replaced):
                connection.close()
            with suppress(StoreError), self._database() as connection:
                connection.rows("PRAGMA wal_checkpoint(PASSIVE)")

    # --- opening ---

    def _open(self, *, create: bool = False, locked: bool = False, load: LoadEmbedder | None = None) -> None:
        self._identity = schema.identity(self.path)
        if create and schema.format_of(self.path) < schema.FORMAT:
            with lock.writing(self.path, self._wait), self._database() as connection:
                schema.upgrade(connection)
        schema.check(self.path)
        self._lexical = LexicalCache(self.path)
        # What is kept is read through this one, block after block, and is not to stay in memory.
        self._watch = schema.connect(self.path, mapped=False)
        try:
            record = self._record_embedder if create else lambda _: False
            self._embedder = agreed_embedder(self._label, self._embedder, self.recorded_embedder, record, load)
            self._snapshot = self._first_snapshot(locked=locked)
            self._repair_vectors(locked=locked)
        except BaseException:
            self._watch.close()
            raise

    def _repair_vectors(self, *, locked: bool) -> None:
        """Write a damaged vector cache anew; where that cannot be, vectors are compared one by one."""
        vectors = self._snapshot.vectors
        if vectors is None or not vectors.damaged:
            return
        with suppress(StoreError, OSError), nullcontext() if locked else lock.writing(self.path, 0.0):
            VectorCache.delete(self.path)
            if vectors.save_if_grown():
                self._snapshot = self._first_snapshot(locked=True)

    def _was_replaced(self) -> bool:
        """Return whether another index is at our path now, as when one was built elsewhere and renamed into place."""
        now = schema.identity(self.path)
        return now is not None and now != self._identity

    def _reopen(self, *, locked: bool = False) -> None:
        """Go on with the index that took the place of ours; where that cannot be opened, ours is kept."""
        before = self._identity, self._lexical, self._watch, self._embedder, self._snapshot
        try:
            self._open(locked=locked)
        except BaseException:
            self._identity, self._lexical, self._watch, self._embedder, self._snapshot = before
            raise
        # Other threads may still be reading from it.
        self._replaced.append(before[2])

    def _create(self) -> None:
        """Make an empty index, unless another process was faster."""
        if self._embedder is not None:
            dimension_of(self._embedder)  # refused before anything is made
        schema.make_folder(self.path)
        with lock.writing(self.path, _PATIENCE):
            if not (self.path / schema.FILE).exists():
                schema.create(self.path, self._embedder.identity if self._embedder else None)

    @property
    def _label(self) -> str:
        return f"the index {str(self.path)!r}"

    def _record_embedder(self, identity: str) -> bool:
        if checks.count(self._watch, "passage"):
            return False
        with lock.writing(self.path, self._wait), self._database() as connection:
            connection.execute("INSERT OR REPLACE INTO meta VALUES ('embedder', ?)", (identity,))
        return True

    @property
    def recorded_embedder(self) -> str | None:
        rows = self._watch.rows("SELECT value FROM meta WHERE key = 'embedder'")
        return str(rows[0][0]) if rows else None

    @property
    def location(self) -> str:
        return str(self.path)

    def beside(self, name: str) -> str:
        return str(self.path / "permitted" / name)

    @property
    def writable(self) -> bool:
        return os.access(self.path, os.W_OK)

    @property
    def dimension(self) -> int | None:
        """How long the stored vectors are; None where there are none."""
        rows = self._watch.rows("SELECT length(data) / 2 FROM vector LIMIT 1")
        return int(rows[0][0]) if rows else None

    def _try_snapshot(self) -> Snapshot | None:
        """Open database and caches; None when they do not show the same generation."""
        with ExitStack() as unless_kept:
            connection = unless_kept.enter_context(closing(schema.connect(self.path)))
            connection.execute("BEGIN")
            generation = schema.generation(connection)
            searcher = self._lexical.searcher()
            if searcher is None or searcher.stamp.generation != generation:
                return None
            snapshot = Snapshot(self.path, connection, searcher, self._embedder)
            unless_kept.pop_all()
            return snapshot

    def _first_snapshot(self, *, locked: bool = False) -> Snapshot:
        """Open the newest generation, bringing the caches up to it if their writer did not live to do so."""
        patience = time.monotonic() + _PATIENCE
        while True:
            snapshot = self._try_snapshot()
            if snapshot is not None:
                return snapshot
            try:
                with nullcontext() if locked else lock.writing(self.path, 0.0):
                    self._catch_up()
            except IndexLocked:
                # Its writer is alive and about to bring the caches up to its documents.
                if time.monotonic() > patience:
                    raise
                time.sleep(0.05)

    def _nobody_writes(self) -> bool:
        try:
            with lock.writing(self.path, 0.0):
                return True
        except StoreError:
            return False

    def _catch_up(self) -> None:
        """With the writer lock held: make the lexical cache show the generation of the database."""
        searcher = self._lexical.searcher()
        generation = schema.generation(self._watch)
        if searcher is None or searcher.stamp.generation > generation:
            self._feed_lexical(rebuild=True)
        elif searcher.stamp.generation < generation:
            self._feed_lexical(after=searcher.stamp)

    def _feed_lexical(self, *, rebuild: bool = False, renew: bool = False, after: Stamp | None = None) -> None:
        """Write to the lexical cache what came `after` a state of it, or everything.

        `rebuild` deletes its files first, which may be damaged; with `renew` the old content serves until then.
        """
        last = after.last_row if after else 0
        with closing(schema.connect(self.path)) as connection:
            connection.execute("BEGIN")
            generation = schema.generation(connection)
            writer = self._lexical.writer(rebuild=rebuild)
            try:
                if renew:
                    writer.clear()
                if after:
                    removed = connection.rows("SELECT passage FROM removed WHERE generation > ?", (after.generation,))
                    writer.remove(row for (row,) in removed)
                for passage in passages_after(connection, last):
                    writer.add(passage.number, passage.words)
                    last = passage.number
            except BaseException:
                writer.rollback()
                raise
            try:
                writer.commit(generation, last)
            except IndexBehind as error:
                # Whoever opens an index, or is about to change it, has stored nothing.
                raise IndexReadOnly(
                    f"the search cache in {str(self.path)!r} cannot be written; make room: {error.__cause__}"
                ) from error
