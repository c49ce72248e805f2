"""The indexes of a server: opened once, found by name, written by one request or job at a time."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from multihop.engine import Engine
from multihop.errors import suggestion
from multihop.protocols import LanguageModel
from multihop.server.problems import Problem, log
from multihop.server.settings import Location
from multihop.server.tokens import EVERYBODY, Token
from multihop.types import Stats, plain

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
        self, locations: Iterable[Location], *, read_only: bool = False, lm: LanguageModel | None = None
    ) -> None:
        self._served: dict[str, ServedIndex] = {}
        try:
            for location in locations:
                engine = open_engine(location, lm)
                self._served[location.name] = ServedIndex(location.name, engine, not read_only and _writable(engine))
        except BaseException:
            self.close()
            raise

    def __iter__(self) -> Iterator[ServedIndex]:
        return iter(self._served.values())

    def visible_to(self, token: Token) -> list[ServedIndex]:
        """List the indexes that a token covers."""
        return [served for served in self if token.covers(served.name)]

    def get(self, name: str, token: Token = EVERYBODY) -> ServedIndex:
        """Find an index; one that the token does not cover is reported as not found."""
        known = {served.name: served for served in self.visible_to(token)}
        if name not in known:
            offered = suggestion(name[:80], known) if known else "this token is for no index that is served here"
            raise Problem(404, f"there is no index {name[:80]!r}: {offered}")
        return known[name]

    def close(self) -> None:
        for served in self._served.values():
            served.engine.close()


def _writable(engine: Engine) -> bool:
    # An index with vectors accepts no documents without its embedder.
    return engine.store.writable and (engine.recorded_embedder is None or engine.embedder is not None)
