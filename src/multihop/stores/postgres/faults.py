"""What a server refuses, said in one line each; what libpq says passes through with the password taken out."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg import errors as pg
from psycopg_pool import PoolClosed, PoolTimeout

from multihop.errors import FormatError, IndexReadOnly, InvalidInput, MultihopError, StoreError
from multihop.stores.postgres.address import Address, without

GONE = (pg.AdminShutdown, pg.CrashShutdown, pg.CannotConnectNow, pg.ConnectionException)


class ConnectionLost(StoreError):
    """The server went away; what was not committed is undone, and trying again may do."""


@contextmanager
def explained(address: Address) -> Iterator[None]:
    """Turn every error of the driver into one of ours."""
    try:
        yield
    except MultihopError:
        raise
    except (psycopg.Error, PoolClosed) as error:
        raise _explained(error, address) from error


def lost(error: BaseException) -> bool:
    """Tell whether the connection is gone, as against a statement that was refused."""
    if isinstance(error, ConnectionLost):
        return True
    return isinstance(error, GONE) or (isinstance(error, psycopg.OperationalError) and error.sqlstate is None)


def _explained(error: Exception, address: Address) -> MultihopError:
    said = _line(error, address)
    where = address.shown
    if isinstance(error, PoolTimeout):
        return StoreError(
            f"all {address.pool} connections to {where!r} are in use; let go of views that are no longer needed, or "
            "allow more with pool=N in the address"
        )
    if isinstance(error, PoolClosed):
        return StoreError("the index cannot be read: it was closed already")
    if isinstance(error, pg.InvalidPassword | pg.InvalidAuthorizationSpecification):
        return StoreError(f"the server at {where!r} refuses this user or password: {said}")
    if isinstance(error, pg.InvalidCatalogName):
        return StoreError(f"there is no such database at {where!r}: {said}; make it with: createdb NAME")
    if isinstance(error, pg.InsufficientPrivilege | pg.ReadOnlySqlTransaction):
        return IndexReadOnly(f"the role that opened {where!r} may not do this, nothing was changed: {said}")
    if isinstance(error, pg.QueryCanceled):
        return StoreError(
            f"the server at {where!r} stopped a statement that took too long: {said}; raise statement_timeout, or ask "
            "for less"
        )
    if isinstance(error, pg.DiskFull | pg.TooManyConnections | pg.OutOfMemory):
        return IndexReadOnly(f"the server at {where!r} has no room left: {said}; nothing of this change was kept")
    if isinstance(error, pg.UndefinedTable | pg.UndefinedColumn | pg.InvalidSchemaName):
        return FormatError(f"the index at {where!r} is damaged or of another version: {said}")
    if isinstance(error, psycopg.ProgrammingError) and error.sqlstate is None:
        return InvalidInput(f"{where!r} is not an address that PostgreSQL understands: {said}")
    if lost(error):
        return ConnectionLost(f"the server at {where!r} cannot be reached: {said}")
    return StoreError(f"the server at {where!r} says: {said}")


def _line(error: Exception, address: Address) -> str:
    primary = error.diag.message_primary if isinstance(error, psycopg.Error) else None
    text = primary or str(error)
    return without(" ".join(text.split()), address)[:400]
