"""Access tokens, stored as hashes in a readable file. A token covers some indexes, or all.

A token is 32 random bytes, so a fast hash is enough: there is no weak password for a slow hash to protect.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import logging
import secrets
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from multihop.errors import InvalidInput, UnknownName, cause, suggestion
from multihop.rendering.files import write_atomically
from multihop.types import Rights

if TYPE_CHECKING:
    from starlette.requests import Request

log = logging.getLogger("multihop.server")
SCOPES = ("read", "survey", "write", "memory", "reports", "metrics")
_IMPLIED_SCOPES = {
    "write": ("survey", "read", "memory", "reports", "metrics"),
    "survey": ("read", "reports", "metrics"),
    "read": ("reports", "metrics"),
}
"""Scopes that a scope includes."""
_PREFIX = "mh_"
_LOCK_SECONDS = 30.0
"""Seconds to wait for other writers of the file."""


@dataclass(frozen=True, slots=True)
class Token:
    """The stored data of a token."""

    name: str
    scopes: tuple[str, ...]
    sha256: str
    created: str
    indexes: tuple[str, ...] | None = None
    """The names of the indexes it covers; None for all, including future ones."""
    rights: Rights | None = None
    """Who its holder is and what that person may see; None for everything."""

    def allows(self, scope: str) -> bool:
        """Return whether the token has this scope, directly or included in another."""
        # Jobs, reports and metrics are about whole indexes, whatever their reader may see.
        if self.rights is not None and scope != "read":
            return scope == "memory" and bool(self.namespace)
        return any(scope == given or scope in _IMPLIED_SCOPES.get(given, ()) for given in self.scopes)

    @property
    def namespace(self) -> str:
        """The only namespace of memory that the token is for, the name of its user; empty for any or none."""
        if self.rights is None or "memory" not in self.scopes or not self.rights.names_one:
            return ""
        return self.rights.user

    def covers(self, index: str) -> bool:
        """Return whether the token covers this index."""
        return self.indexes is None or index in self.indexes

    def covers_jobs(self, index: str) -> bool:
        """Return whether the token covers jobs of this index, which are about all of it."""
        return self.rights is None and self.covers(index)


EVERYBODY = Token("everybody", SCOPES, "", "")
"""The token of all requests to an open server."""


def token_of(request: Request) -> Token:
    """Return the token of a request, which the router has stored."""
    token: Token = request.state.token
    return token


def create(
    file: Path, name: str, scopes: Sequence[str], indexes: Sequence[str] | None = None, rights: Rights | None = None
) -> str:
    """Create a token, store its hash in the file, and return the token, which cannot be shown again.

    It covers the named indexes, whether or not they are served yet; by default, all. With `rights` it reads what these
    permit and, with the scope memory, remembers in the namespace of its user; it allows nothing else.
    """
    if rights is not None and not {"read"} <= set(scopes) <= {"read", "memory"}:
        raise InvalidInput("a token with a user, groups or a filter has the right read, or read and memory")
    if "memory" in scopes and not (rights and rights.names_one):
        raise InvalidInput("a token with the right memory needs a user, whose name is its namespace")
    if indexes is not None and not (indexes and all(each.strip() for each in indexes)):
        raise InvalidInput("a token for some indexes needs their names; leave them out for a token for all")
    if not name.strip():
        raise InvalidInput("a token needs a name, so that it can be revoked later")
    if not scopes or not set(scopes) <= set(SCOPES):
        raise InvalidInput(
            f"a token has one or more of the rights {', '.join(SCOPES)}; got {', '.join(scopes) or 'none'}"
        )
    secret = _PREFIX + secrets.token_urlsafe(32)
    made = datetime.now(UTC).isoformat(timespec="seconds")
    only = None if indexes is None else tuple(dict.fromkeys(indexes))
    with _lock(file):
        known = load(file) if file.exists() else ()
        if any(token.name == name for token in known):
            raise InvalidInput(f"a token {name!r} already exists; choose another name, or delete it first")
        _save(file, (*known, Token(name, tuple(dict.fromkeys(scopes)), _hash(secret), made, only, rights)))
    return secret


def delete(file: Path, name: str) -> None:
    """Revoke a token; running servers notice."""
    with _lock(file):
        known = load(file)
        kept = tuple(token for token in known if token.name != name)
        if len(kept) == len(known):
            raise UnknownName(f"there is no token {name!r}: {suggestion(name, [t.name for t in known])}")
        _save(file, kept)


@contextmanager
def _lock(file: Path) -> Iterator[None]:
    """Lock the file for changes, so that no process overwrites the changes of another."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        # As for an index, the lock is a transaction on a separate file, released when its process ends.
        lock = sqlite3.connect(file.parent / f".{file.name}.lock", timeout=_LOCK_SECONDS, isolation_level=None)
    except (OSError, sqlite3.Error) as error:
        raise InvalidInput(f"the token file {str(file)!r} cannot be written: {cause(error)}") from error
    with closing(lock):
        try:
            lock.execute("PRAGMA journal_mode = MEMORY")
            lock.execute("BEGIN EXCLUSIVE")
        except sqlite3.Error as error:
            raise InvalidInput(f"the token file {str(file)!r} cannot be changed now: {error}; try again") from error
        yield


def load(file: Path) -> tuple[Token, ...]:
    """Read a token file."""
    try:
        rows = json.loads(file.read_text(encoding="utf-8"))["tokens"]
        return tuple(
            Token(
                r["name"],
                tuple(r["scopes"]),
                r["sha256"],
                r.get("created", ""),
                _names(r.get("indexes")),
                _rights(r.get("rights")),
            )
            for r in rows
        )
    except FileNotFoundError:
        raise InvalidInput(
            f"the token file {str(file)!r} does not exist; create it with: "
            f"multihop token create --file {file} --name NAME --rights read"
        ) from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InvalidInput(f"{str(file)!r} is not a valid token file: {type(error).__name__}") from error


def _names(given: object) -> tuple[str, ...] | None:
    """Read the indexes that a token covers; a missing entry means all."""
    if given is None:
        return None
    if not isinstance(given, list):
        raise TypeError
    return tuple(given)


def _rights(given: object) -> Rights | None:
    """Read who the holder of a token is; anything unreadable makes the file invalid, which grants no access."""
    if given is None:
        return None
    if not isinstance(given, dict) or not isinstance(given["where"], dict):
        raise TypeError
    return Rights(str(given["user"]), tuple(map(str, given["groups"])), given["where"])


def _save(file: Path, tokens: Sequence[Token]) -> None:
    rows = json.dumps({"tokens": [asdict(token) for token in tokens]}, indent=2)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(file, rows + "\n", private=True)
    except OSError as error:
        raise InvalidInput(f"the token file {str(file)!r} cannot be written: {cause(error)}") from error


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


class TokenStore:
    """The tokens of a file, reloaded when the file changes."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._tokens = load(file)
        self._seen = _stamp(file)

    def find(self, secret: str) -> Token | None:
        """Find a token by its secret, in constant time."""
        stamp = _stamp(self._file)
        if stamp != self._seen:
            # A missing or broken file grants no access.
            try:
                self._tokens = load(self._file)
            except InvalidInput as error:
                self._tokens = ()
                log.warning("no token is accepted until this is repaired: %s", error)
            self._seen = stamp
        sent = _hash(secret)
        matching = [token for token in self._tokens if hmac.compare_digest(token.sha256, sent)]
        return matching[0] if matching else None


def _stamp(file: Path) -> tuple[int, int]:
    try:
        status = file.stat()
    except OSError:
        return (0, 0)
    # With the inode: a change replaces the file, possibly within the clock's resolution.
    return status.st_mtime_ns, status.st_ino
