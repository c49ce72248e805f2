"""Tokens: made once, shown once, kept only as hashes in a file that a person can read. Each opens some indexes, or all.

A token is 32 random bytes, so a plain hash is enough: there is nothing to guess that a slow one would protect.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from multihop.errors import InvalidInput, UnknownName, suggestion
from multihop.rendering.files import write_atomically

SCOPES = ("read", "survey", "write", "reports", "metrics")
_IMPLIED_SCOPES = {"write": ("survey", "read", "reports", "metrics"), "survey": ("read", "reports", "metrics"),
             "read": ("reports", "metrics")}  # fmt: skip
"""What a scope allows beside itself."""
_PREFIX = "mh_"
_LOCK_SECONDS = 30.0
"""Seconds to wait for others who change the file."""


@dataclass(frozen=True, slots=True)
class Token:
    """What is kept of a token."""

    name: str
    scopes: tuple[str, ...]
    sha256: str
    created: str
    indexes: tuple[str, ...] | None = None
    """The names of the indexes that it opens; None for all that are served, now and later."""

    def allows(self, scope: str) -> bool:
        """Tell whether it opens what needs this scope; who may write may read as well."""
        return any(scope == given or scope in _IMPLIED_SCOPES.get(given, ()) for given in self.scopes)

    def covers(self, index: str) -> bool:
        """Tell whether it is for this index."""
        return self.indexes is None or index in self.indexes


EVERYBODY = Token("everybody", SCOPES, "", "")
"""Who asks where no tokens are needed."""


def create(file: Path, name: str, scopes: Sequence[str], indexes: Sequence[str] | None = None) -> str:
    """Make a token, keep its hash in the file, and return the token itself: it cannot be shown again.

    It is for the indexes of the given names, whether or not they are served yet; without any, for all.
    """
    if indexes is not None and not (indexes and all(each.strip() for each in indexes)):
        raise InvalidInput("a token for some indexes needs their names; leave them out for a token for all")
    if not name.strip():
        raise InvalidInput("a token needs a name, so that it can be revoked later")
    if not scopes or not set(scopes) <= set(SCOPES):
        raise InvalidInput(
            f"a token has one or more of the scopes {', '.join(SCOPES)}; got {', '.join(scopes) or 'none'}"
        )
    secret = _PREFIX + secrets.token_urlsafe(32)
    made = datetime.now(UTC).isoformat(timespec="seconds")
    only = None if indexes is None else tuple(dict.fromkeys(indexes))
    with _locked(file):
        known = load(file) if file.exists() else ()
        if any(token.name == name for token in known):
            raise InvalidInput(f"there is a token {name!r} already; choose another name, or delete that one first")
        _save(file, (*known, Token(name, tuple(dict.fromkeys(scopes)), _hash(secret), made, only)))
    return secret


def delete(file: Path, name: str) -> None:
    """Take a token back; servers that use the file notice by themselves."""
    with _locked(file):
        known = load(file)
        kept = tuple(token for token in known if token.name != name)
        if len(kept) == len(known):
            raise UnknownName(f"there is no token {name!r}: {suggestion(name, [t.name for t in known])}")
        _save(file, kept)


@contextmanager
def _locked(file: Path) -> Iterator[None]:
    """Let one process at a time change the file, so that none writes over what another has just added."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        # As with an index: the lock is a transaction on a file of its own, which the system ends with its holder.
        lock = sqlite3.connect(file.parent / f".{file.name}.lock", timeout=_LOCK_SECONDS, isolation_level=None)
    except (OSError, sqlite3.Error) as error:
        raise InvalidInput(f"the token file {str(file)!r} cannot be written: {error}") from error
    with closing(lock):
        try:
            lock.execute("PRAGMA journal_mode = MEMORY")
            lock.execute("BEGIN EXCLUSIVE")
        except sqlite3.Error as error:
            raise InvalidInput(f"the token file {str(file)!r} cannot be changed now: {error}; try again") from error
        yield


def load(file: Path) -> tuple[Token, ...]:
    """Read the file of tokens."""
    try:
        rows = json.loads(file.read_text(encoding="utf-8"))["tokens"]
        return tuple(
            Token(r["name"], tuple(r["scopes"]), r["sha256"], r.get("created", ""), _names(r.get("indexes")))
            for r in rows
        )
    except FileNotFoundError:
        raise InvalidInput(
            f"there is no token file {str(file)!r}; make one with: multihop token create --file {file}"
        ) from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InvalidInput(f"{str(file)!r} is not a file of tokens: {type(error).__name__}") from error


def _names(given: object) -> tuple[str, ...] | None:
    """Read what a token is for; files from before there were such bounds say nothing, and mean all."""
    if given is None:
        return None
    if not isinstance(given, list):
        raise TypeError
    return tuple(given)


def _save(file: Path, tokens: Sequence[Token]) -> None:
    rows = json.dumps({"tokens": [asdict(token) for token in tokens]}, indent=2)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(file, rows + "\n", private=True)
    except OSError as error:
        raise InvalidInput(f"the token file {str(file)!r} cannot be written: {error.strerror}") from error


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


class TokenStore:
    """The tokens of a file as a server checks them; a changed file is read again."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._tokens = load(file)
        self._seen = _stamp(file)

    def find(self, secret: str) -> Token | None:
        """Find the token that was sent, taking the same time whatever is wrong with it."""
        stamp = _stamp(self._file)
        if stamp != self._seen:
            # A file that is gone or broken opens nothing.
            try:
                self._tokens = load(self._file)
            except InvalidInput:
                self._tokens = ()
            self._seen = stamp
        sent = _hash(secret)
        found = [token for token in self._tokens if hmac.compare_digest(token.sha256, sent)]
        return found[0] if found else None


def _stamp(file: Path) -> tuple[int, int]:
    try:
        status = file.stat()
    except OSError:
        return (0, 0)
    # The number of the file too: changes put another in its place, maybe within one tick of the clock.
    return status.st_mtime_ns, status.st_ino
