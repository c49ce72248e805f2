"""Errors of the server and of libpq as errors of ours: one line each, without the password."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg import errors as pg
from psycopg_pool import PoolClosed, PoolTimeout

from multihop.errors import FormatError, IndexReadOnly, InvalidInput, MultihopError, StoreError
from multihop.index.stores.postgres.address import Address, without

# A connection that is refused has no code, only what the server said of it.
_REFUSED: tuple[tuple[str, type[psycopg.Error]], ...] = (
    ("password|no pg_hba.conf entry|not permitted to log in|role .* does not exist|authentication", pg.InvalidPassword),
    ("database .* does not exist", pg.InvalidCatalogName),
    ("permission denied for database", pg.InsufficientPrivilege),
    ("too many (?:connections|clients)|remaining connection slots", pg.TooManyConnections),
    ("invalid .* value|invalid port|invalid integer", psycopg.ProgrammingError),
)
_ENDED = frozenset({"57P01", "57P02", "57P03", "57P05", "25P03", "25P04"})
"""Codes of a connection that the server has ended: it shuts down or starts up, or a connection or a transaction was
idle, or open, for longer than the server allows."""


class ConnectionLost(StoreError):
    """The server went away; what was not committed is undone, and trying again may do."""


@contextmanager
def explain_errors(address: Address) -> Iterator[None]:
    """Convert driver errors into `MultihopError`s."""
    try:
        yield
    except MultihopError:
        raise
    except psycopg.Error as error:
        raise _explain(error, address) from error


def is_connection_lost(error: BaseException) -> bool:
    """Return whether the connection was lost, rather than a statement rejected."""
    if isinstance(error, ConnectionLost):
        return True
    if not isinstance(error, psycopg.Error):
        return False
    # Class 08 is also what Citus says when one of its nodes went away.
    unsaid = isinstance(error, psycopg.OperationalError) and (error.sqlstate or "08").startswith("08")
    return error.sqlstate in _ENDED or unsaid


def _explain(error: Exception, address: Address) -> MultihopError:
    said = _line(error, address)
    where, server = address.shown, f"the server at {address.shown!r}"
    kind = _kind(error, said)
    # Those of the pool first: they have no code, which otherwise means that the connection is gone.
    if isinstance(error, PoolTimeout):
        return StoreError(
            f"all {address.pool} connections to {where!r} are in use; release views that are no longer needed, or "
            "allow more with pool=N in the address"
        )
    if isinstance(error, PoolClosed):
        return StoreError("the index cannot be read: it was closed already")
    if issubclass(kind, pg.InvalidPassword | pg.InvalidAuthorizationSpecification):
        return StoreError(f"{server} refuses this user or password: {said}")
    if issubclass(kind, pg.InvalidCatalogName):
        return StoreError(f"database not found at {where!r}: {said}; create it with: createdb NAME")
    if issubclass(kind, pg.ReadOnlySqlTransaction):
        return IndexReadOnly(f"{server} is read-only, nothing was changed: {said}; write to the primary server")
    if issubclass(kind, pg.InsufficientPrivilege):
        return IndexReadOnly(
            f"the role that opened {where!r} may not do this, nothing was changed: {said}; its owner can grant it (see "
            "Roles in docs/scaling.md)"
        )
    if issubclass(kind, pg.QueryCanceled):
        return StoreError(
            f"{server} stopped a statement that took too long: {said}; raise statement_timeout, or ask for less"
        )
    if issubclass(kind, pg.TooManyConnections):
        return StoreError(
            f"{server} has no free connections: {said}; try again later, or ask for fewer with pool=N in the address"
        )
    if issubclass(kind, pg.DiskFull | pg.OutOfMemory):
        return IndexReadOnly(f"{server} is out of disk space or memory: {said}; this change was rolled back")
    if issubclass(kind, pg.UndefinedTable | pg.UndefinedColumn | pg.InvalidSchemaName):
        return FormatError(f"the index at {where!r} is damaged or of another version: {said}")
    state = getattr(error, "sqlstate", None)
    if issubclass(kind, psycopg.ProgrammingError) and state is None:
        return InvalidInput(f"{where!r} is not an address that PostgreSQL understands: {said}")
    if state in _ENDED or re.search("server closed|consuming input|connection is lost|is closed", said):
        return ConnectionLost(
            f"the connection to {where!r} was lost: {said}; what was not finished is undone, so try again"
        )
    if is_connection_lost(error):
        return ConnectionLost(f"{server} cannot be reached: {said}")
    return StoreError(f"{server} says: {said}")


def _kind(error: Exception, said: str) -> type[Exception]:
    """Return the class of an error, taken from its message where the driver does not know."""
    if isinstance(error, psycopg.OperationalError) and error.sqlstate is None and not isinstance(error, PoolTimeout):
        return next((kind for pattern, kind in _REFUSED if re.search(pattern, said)), type(error))
    return type(error)


def _line(error: Exception, address: Address) -> str:
    primary = error.diag.message_primary if isinstance(error, psycopg.Error) else None
    # Of a refused connection only what the server says, not over which socket.
    text = primary or str(error).rpartition("FATAL: ")[2]
    lines = [" ".join(line.split()) for line in text.splitlines()]
    return without("; ".join(filter(None, lines)), address)[:400]
