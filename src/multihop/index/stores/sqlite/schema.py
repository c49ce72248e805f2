"""The SQLite database of the embedded store: its tables, their migrations, and how connections to it are opened."""

from __future__ import annotations

import shutil
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from importlib.resources import files
from pathlib import Path
from typing import Any

from multihop.errors import FormatError, IndexNotFound, IndexReadOnly, StoreError, cause
from multihop.index.stores.core.documents import storable
from multihop.index.stores.sqlite import lock

FILE = "documents.sqlite"
APPLICATION = 0x4D486F70  # "MHop", so that a foreign SQLite file can be recognized

MIGRATIONS = ((files(__package__) / "schema-1.sql").read_text("utf-8"),)
"""One text per format; a text that was released is never changed, a new one is added behind it.

`removed` lists deleted passages until the lexical cache has deleted them too. `surface` holds each distinct
name once; `mention` says which passages use it, `name` which documents it may mean: links are the join of both.
"""
FORMAT = len(MIGRATIONS)

DANGLING = {
    "passages of documents": "SELECT count(*) FROM passage WHERE document NOT IN (SELECT row FROM document)",
    "mentions in passages": "SELECT count(*) FROM mention WHERE passage NOT IN (SELECT row FROM passage)",
    "mentions of names": "SELECT count(*) FROM mention WHERE surface NOT IN (SELECT row FROM surface)",
    "names of documents": "SELECT count(*) FROM name WHERE document NOT IN (SELECT row FROM document)"
    " OR surface NOT IN (SELECT row FROM surface)",
    "relations of passages": "SELECT count(*) FROM relation WHERE source NOT IN (SELECT row FROM passage)"
    " OR target NOT IN (SELECT row FROM passage)",
    "vectors of passages": "SELECT count(*) FROM vector WHERE passage NOT IN (SELECT row FROM passage)",
}
"""What must count zero in a sound index."""

_NEW = f"{FILE}.new"
_UNFINISHED = (_NEW, lock.FILE, lock.HOLDER)
"""How the names of files begin that an index has before it is one: a process that makes it may be killed then."""
_DAMAGE = ("Could not decode to UTF-8", "no such table", "no such column")
_WRITER_CACHE = 1_000_000_000
"""Bytes of pages that a writer holds at most. Names and mentions come in no order: where their trees are larger than
this, nearly every row of a load writes a page to the log and reads another one."""
_MOST_VALUES = 1024
_LENGTHS = (1, 2, 4, 8, 16, *range(32, 257, 32), *range(384, 1025, 128))
_PLACES = {n: f"({','.join('?' * n)})" for n in _LENGTHS}


class Connection(sqlite3.Connection):
    """A connection whose `rows` may be called by several threads at once."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        # Since Python 3.12 threads that run the same statement on one connection get each other's rows
        # (CPython issue 118172), so each statement is read to its end before the next one begins.
        self._turn = threading.Lock()

    def rows(self, sql: str, values: Sequence[Any] | Mapping[str, Any] = ()) -> list[Any]:
        """Run one statement and read all its rows; errors are those of the store."""
        try:
            with self._turn:
                return self.execute(sql, values).fetchall()
        except sqlite3.ProgrammingError as error:
            raise StoreError(f"the index cannot be read: {error} Was it closed already?") from error
        except sqlite3.DatabaseError as error:
            if not is_damage(error):
                raise
            raise damage_error(error) from error

    def renew(self) -> None:
        """Restart the read transaction; the caller makes sure that nothing was written since it began."""
        with self._turn:
            self.execute("COMMIT")
            self.execute("BEGIN")
            # What a transaction sees is settled by its first read, not by BEGIN.
            self.execute("SELECT 1 FROM meta").fetchone()


def is_damage(error: BaseException) -> bool:
    """Return whether an error means damage, which SQLite reports as this class, not a full disk or a lock (subclasses).

    Two of them are damage as well: text that is none, and tables or columns that are not there.
    """
    return type(error) is sqlite3.DatabaseError or str(error).startswith(_DAMAGE)


def damage_error(error: object) -> FormatError:
    return FormatError(
        f"the index is damaged ({error}); restore a copy, index the corpus again, or get out what can be read with: "
        "multihop salvage"
    )


def make_folder(folder: Path) -> None:
    """Make the folder of an index, unless it is there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise IndexReadOnly(f"cannot create an index in {str(folder)!r}: {cause(error)}") from error


def create(folder: Path, embedder: str | None = None) -> None:
    """Make an empty index in `folder`, which must hold none yet, for vectors of `embedder`; with the lock held."""
    try:
        # Made under another name and renamed, so that a crash leaves either nothing or a whole file.
        unfinished = folder / _NEW
        unfinished.unlink(missing_ok=True)
        with closing(sqlite3.connect(unfinished, isolation_level=None)) as connection:
            connection.execute("PRAGMA page_size = 8192")
            # Without the write-ahead log: closing would move it into the file and, on a full disk, silently would not.
            connection.execute(f"PRAGMA application_id = {APPLICATION}")
            upgrade(connection)
            if embedder is not None:
                connection.execute("INSERT INTO meta VALUES ('embedder', ?)", (embedder,))
            connection.execute("PRAGMA journal_mode = WAL")
        unfinished.replace(folder / FILE)
    except (OSError, sqlite3.Error) as error:
        raise IndexReadOnly(f"cannot create an index in {str(folder)!r}: {cause(error)}") from error


def remove_unused(folder: Path) -> None:
    """Remove an index without a single change, unless somebody is writing to it."""
    with suppress(StoreError):
        # To open a file that is not there would make one, in somebody else's folder.
        if not exists(folder):
            return
        with lock.writing(folder, 0.0):
            with closing(connect(folder)) as connection:
                if generation(connection):
                    return
            (folder / FILE).unlink()
        shutil.rmtree(folder, ignore_errors=True)


def format_of(folder: Path) -> int:
    """Return the format of the index in `folder`; raise where there is none."""
    file = folder / FILE
    if not exists(folder):
        if folder.is_file():
            raise FormatError(f"{str(folder)!r} is a file; an index is a folder. Give another path")
        if is_occupied(folder):
            raise FormatError(f"{str(folder)!r} is a folder without an index in it. Give another path")
        raise IndexNotFound(f"there is no index at {str(folder)!r}. Make one with: multihop index FILE --to {folder}")
    try:
        with closing(connect(folder)) as connection:
            application = connection.execute("PRAGMA application_id").fetchone()[0]
            version = connection.execute("PRAGMA user_version").fetchone()[0]
    except sqlite3.DatabaseError as error:
        # To SQLite a file that this user may not read looks like any other that it cannot open.
        check_readable(file)
        raise FormatError(f"{str(file)!r} is damaged or not an index: {error}") from error
    if application != APPLICATION:
        raise FormatError(f"{str(file)!r} is a database of another program, not an index of multihop")
    return int(version)


def check(folder: Path) -> None:
    """Raise unless `folder` holds an index of this format."""
    present = format_of(folder)
    if present != FORMAT:
        advice = "upgrade multihop" if present > FORMAT else "bring it up to date with: multihop index"
        raise FormatError(f"{str(folder)!r} has format {present}; this version reads format {FORMAT}: {advice}")


def upgrade(connection: sqlite3.Connection) -> None:
    """With the writer lock held: make the tables, or apply the migrations that came after they were made."""
    [done] = connection.execute("PRAGMA user_version").fetchone()
    if done < FORMAT:
        # One transaction, so that a process that is killed leaves an index of one format or the other.
        steps = "".join(MIGRATIONS[done:])
        connection.executescript(f"BEGIN; {steps} PRAGMA user_version = {FORMAT}; COMMIT;")


def exists(folder: Path) -> bool:
    """Return whether there is a database; raise if access to it is denied."""
    try:
        return (folder / FILE).exists()
    except OSError as error:
        raise unreadable(folder) from error


def is_occupied(folder: Path) -> bool:
    """Return whether the path holds something that is not part of an index; an unfinished index is not in the way."""
    if folder.is_dir():
        return any(not each.name.startswith(_UNFINISHED) for each in folder.iterdir())
    return folder.exists()


def check_readable(file: Path) -> None:
    """Raise where this user may not read a file."""
    try:
        file.open("rb").close()
    except OSError as error:
        raise unreadable(file) from error


def unreadable(place: Path) -> StoreError:
    return StoreError(
        f"{str(place)!r} cannot be read: this user lacks the rights; ask its owner, or become another user"
    )


def identity(folder: Path) -> tuple[int, int] | None:
    """Return what distinguishes a database from another one under the same name; None if there is none."""
    try:
        status = (folder / FILE).stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def connect(folder: Path, *, write: bool = False, mapped: bool = True) -> Connection:
    """Open the database; readers get a connection that cannot change it, which maps it into memory if wanted."""
    uri = (folder / FILE).resolve().as_uri()
    if write:
        # FULL: with the write-ahead log, less would let a power cut take back a change that was reported as stored.
        cache = f"PRAGMA cache_size = -{_WRITER_CACHE // 1024}"
        return _open(uri + "?mode=rw", "PRAGMA synchronous = FULL", cache, "PRAGMA temp_store = MEMORY")
    size, map_size = (65_536, 2**31) if mapped else (4096, 0)
    reading = ("SELECT 1 FROM sqlite_master", f"PRAGMA cache_size = -{size}", f"PRAGMA mmap_size = {map_size}")
    try:
        return _open(uri + "?mode=ro", *reading)
    except sqlite3.OperationalError:
        # A read-only folder has no room for the write-ahead log's index; nobody can be writing there either.
        _refuse_unread_log(folder)
        return _open(uri + "?immutable=1", *reading)


def _refuse_unread_log(folder: Path) -> None:
    log = folder / (FILE + "-wal")
    if log.exists() and log.stat().st_size:
        raise IndexReadOnly(
            f"the newest changes of {str(folder)!r} are still in {log.name}, which cannot be read in a read-only "
            "folder; open the index once where it can be written, then copy it again"
        )


def _open(uri: str, *statements: str) -> Connection:
    connection = sqlite3.connect(
        uri,
        uri=True,
        isolation_level=None,
        check_same_thread=False,
        timeout=30,
        cached_statements=512,
        factory=Connection,
    )
    try:
        for statement in statements:
            connection.execute(statement).fetchone()
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def generation(connection: Connection) -> int:
    try:
        return int(connection.rows("SELECT value FROM meta WHERE key = 'generation'")[0][0])
    except (IndexError, TypeError, ValueError) as error:
        raise damage_error("it has no generation number") from error


def select_in(connection: Connection, sql: str, values: Iterable[object]) -> Iterator[Any]:
    """Run `sql` with "(?)" standing for a list of values of any length."""
    # By class first: nearly all values are numbers of rows, thousands for a question, and those are storable.
    wanted = [value for value in values if value.__class__ is int or storable(value)]
    for start in range(0, len(wanted), _MOST_VALUES):
        batch = wanted[start : start + _MOST_VALUES]
        # Few lengths keep the statement cache small; the last value repeats.
        size = next(n for n in _LENGTHS if n >= len(batch))
        batch += [batch[-1]] * (size - len(batch))
        yield from connection.rows(sql.replace("(?)", _PLACES[size]), batch)
