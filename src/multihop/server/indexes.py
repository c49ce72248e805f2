"""The indexes of a server: opened once, found by name, written by one request or job at a time."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from multihop.engine import Engine
from multihop.errors import suggestion
from multihop.index.derived import INDEX_FIELD
from multihop.protocols import LanguageModel
from multihop.server.problems import Problem, log
from multihop.server.settings import Location
from multihop.server.tokens import EVERYBODY, Token
from multihop.types import Metadata, Rights, Stats, plain

_STORE_LOCK_SECONDS = 30.0
"""Seconds to wait for a writer in another process."""
_JOB_LOCK_SECONDS = 60.0
"""Seconds that a job waits for other writers of this server."""


def open_engine(location: Location, lm: LanguageModel | None = None) -> Engine:
    """Open an index with its embedder; if that cannot be loaded and was not requested, go on without vectors."""
    return Engine.open(
        location.place,
        embedder=location.embedder, wait=_STORE_LOCK_SECONDS, lm=lm,
        warn=lambda message: log.warning("%s: %s", location.name, message),
    )  # fmt: skip


@dataclass(slots=True)
class ServedIndex:
    """One index of the server. Statistics are computed once per generation."""

    name: str
    engine: Engine
    writable: bool
    catalogs: dict[tuple[int, str], Any] = field(default_factory=dict)
    """Cached document catalogs (catalog.py)."""
    # Among writers of this process; those of other processes are excluded by the lock of the store.
    _write_lock: threading.Lock = field(default_factory=threading.Lock)
    _stats: Stats | None = None
    _parts: dict[str, ServedIndex] = field(default_factory=dict)

    def stats(self) -> Stats:
        # No lock needed: concurrent threads compute the same.
        if self._stats is None or self._stats.generation != self.engine.refresh():
            self._stats = self.engine.stats()
        return self._stats

    def describe(self) -> dict[str, Any]:
        stats = self.stats()
        return {
            "name": self.name, "documents": stats.documents, "passages": stats.passages, "fields": plain(stats.fields),
            "generation": stats.generation, "embedder": stats.embedder, "writable": self.writable,
        }  # fmt: skip

    def restrict(self, rights: Rights) -> ServedIndex:
        """Return the index as the holder of rights sees it, which is read-only."""
        engine = self.engine.restrict(rights)
        key = engine.store.location
        if key not in self._parts:
            self._parts[key] = ServedIndex(self.name, engine, False)
        return self._parts[key]

    def check_writable(self) -> None:
        if not self.writable:
            raise Problem(409, f"the index {self.name!r} is served read-only")

    @contextmanager
    def writing(self, wait: float = _JOB_LOCK_SECONDS) -> Iterator[Engine]:
        """Hold the write lock; waits at most `wait` seconds for another writer of this server."""
        self.check_writable()
        if not self._write_lock.acquire(timeout=wait):
            raise Problem(
                503, f"the index {self.name!r} is being written by a job; try again later", {"Retry-After": "5"}
            )
        try:
            yield self.engine
        finally:
            self._write_lock.release()


class Indexes:
    """All indexes of a server, by name."""

    def __init__(
        self,
        locations: Iterable[Location],
        *,
        together: Mapping[str, Sequence[str]] = MappingProxyType({}),
        read_only: bool = False,
        lm: LanguageModel | None = None,
    ) -> None:
        self._served: dict[str, ServedIndex] = {}
        self._together = together
        try:
            for location in locations:
                engine = open_engine(location, lm)
                self._served[location.name] = ServedIndex(location.name, engine, not read_only and _writable(engine))
            for name, parts in together.items():
                whole = Engine.combine({part: self._served[part].engine for part in parts})
                self._served[name] = ServedIndex(name, whole, False)
        except BaseException:
            self.close()
            raise

    def __iter__(self) -> Iterator[ServedIndex]:
        return iter(self._served.values())

    def visible_to(self, token: Token) -> list[ServedIndex]:
        """List the indexes that a token covers, each with the documents that its holder may see."""
        covered = [served for served in self if token.covers(served.name)]
        return covered if token.rights is None else [served.restrict(token.rights) for served in covered]

    def get(self, name: str, token: Token = EVERYBODY) -> ServedIndex:
        """Find an index as the holder of the token may see it."""
        served = self.require_covered(name, token)
        if name in self._together:
            served.engine.refresh()
        return served if token.rights is None else served.restrict(token.rights)

    def require_covered(self, name: str, token: Token) -> ServedIndex:
        """Find a whole index; one that the token does not cover is reported as not found."""
        known = {served.name: served for served in self if token.covers(served.name)}
        if name not in known:
            offered = suggestion(name[:80], known) if known else "this token is for no index that is served here"
            raise Problem(404, f"there is no index {name[:80]!r}: {offered}")
        return known[name]

    def origin(self, name: str, metadata: Metadata, token: Token) -> ServedIndex:
        """Find the whole index that a document was added to, where the index of this name is made of several."""
        whole = self.require_covered(name, token)
        return self._served[str(metadata[INDEX_FIELD])] if name in self._together else whole

    def is_derived(self, name: str, token: Token) -> bool:
        """Return whether an index is made from others for this token, and may have to be brought up to date first."""
        return token.rights is not None or name in self._together

    def with_wholes(self, token: Token) -> Token:
        """Extend a token that covers several indexes to the index made of them."""
        if token.indexes is None:
            return token
        wholes = [name for name, parts in self._together.items() if all(map(token.covers, parts))]
        return replace(token, indexes=(*token.indexes, *wholes))

    def close(self) -> None:
        for served in self._served.values():
            served.engine.close()


def _writable(engine: Engine) -> bool:
    # An index with vectors accepts no documents without its embedder.
    return engine.store.writable and (engine.recorded_embedder is None or engine.embedder is not None)
