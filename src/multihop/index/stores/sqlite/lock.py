"""One writer at a time: a lock that the operating system releases when its holder dies."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from multihop.errors import IndexLocked, IndexReadOnly, StoreError

FILE = "writer.lock"
HOLDER = "writer.pid"


@contextmanager
def writing(folder: Path, wait: float) -> Iterator[None]:
    """Hold the folder's writer lock; wait up to `wait` seconds for another writer, then raise IndexLocked.

    The lock is an exclusive transaction on a file of its own, which works alike on every platform SQLite runs on.
    """
    holder = folder / HOLDER
    if not os.access(folder, os.W_OK):
        raise IndexReadOnly(f"the index {str(folder)!r} cannot be written to: the folder is read-only for this user")
    try:
        connection = _lock(folder / FILE, wait)
    except sqlite3.OperationalError as error:
        raise _refusal(folder, error) from error
    try:
        # Only for the message that others get; the lock holds without it.
        with suppress(OSError):
            holder.write_text(str(os.getpid()), encoding="ascii")
        yield
    finally:
        # Before the lock is released: afterwards it would be the name of the next holder.
        with suppress(OSError):
            holder.unlink(missing_ok=True)
        connection.close()


def _lock(file: Path, wait: float) -> sqlite3.Connection:
    connection = sqlite3.connect(file, timeout=wait, isolation_level=None, check_same_thread=False)
    try:
        # Nothing is ever written to this file, so no journal is to lie beside it.
        connection.execute("PRAGMA journal_mode = MEMORY")
        connection.execute("BEGIN EXCLUSIVE")
    except sqlite3.OperationalError:
        connection.close()
        raise
    return connection


def _refusal(folder: Path, error: sqlite3.OperationalError) -> StoreError:
    if "locked" not in str(error):
        return IndexReadOnly(f"the index {str(folder)!r} cannot be written to: {error}")
    with suppress(OSError):
        pid = (folder / HOLDER).read_text(encoding="ascii").strip()
        return IndexLocked(
            f"the index {str(folder)!r} is being written by process {pid}. Try again later, or wait for it"
        )
    return IndexLocked(f"the index {str(folder)!r} is being written by another process. Try again later")
