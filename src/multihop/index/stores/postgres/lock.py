"""One writer at a time: an advisory lock, which the server releases when its holder goes away."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import psycopg

from multihop.errors import IndexLocked
from multihop.index.stores.postgres.address import Address
from multihop.index.stores.postgres.statements import Connection, value

_PAUSE = 0.05
# The server shows a key of 64 bits in two halves, and marks it by objsubid 1.
_HOLDER = """
    SELECT a.pid, a.application_name FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
    WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1
    AND (l.classid::bigint << 32 | l.objid::bigint) = hashtextextended(%s, 0) LIMIT 1"""


@contextmanager
def writing(connection: Connection, address: Address, wait: float) -> Iterator[None]:
    """Hold the writer lock of an index; wait up to `wait` seconds for another writer, then raise IndexLocked."""
    until = time.monotonic() + wait
    while not value(connection, "SELECT pg_try_advisory_lock(hashtextextended(%s, 0))", (address.schema,)):
        if time.monotonic() >= until:
            holder = connection.execute(_HOLDER, (address.schema,)).fetchone()
            by = f"the connection {holder[0]} of the server ({holder[1] or 'unnamed'})" if holder else "another process"
            index = f"the index {address.index!r} at {address.shown!r}"
            raise IndexLocked(f"{index} is being written by {by}. Try again later, or wait for it")
        time.sleep(min(_PAUSE, max(0.0, until - time.monotonic())))
    try:
        yield
    finally:
        # When the connection is lost, so is the lock.
        with suppress(psycopg.Error):
            if connection.info.transaction_status != psycopg.pq.TransactionStatus.IDLE:
                # The lock belongs to the session and outlives the transaction, but a failed one refuses to unlock it.
                connection.execute("ROLLBACK")
            connection.execute("SELECT pg_advisory_unlock(hashtextextended(%s, 0))", (address.schema,))
