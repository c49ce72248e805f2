"""On-disk cache of language model responses."""

from __future__ import annotations

import contextlib
import hashlib
import json
import sqlite3
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from multihop.errors import StoreError, cause

# Excluded from cache keys: the response does not depend on the API key, and no secret may get into the file.
_SECRET = ("key", "token", "secret", "password", "headers", "credential", "auth")
_SCHEMA = "create table if not exists answers (key text primary key, outputs text, tokens_in int, tokens_out int)"


class CachedAnswer(NamedTuple):
    """A response with its original cost."""

    outputs: list[Any]
    tokens_in: int
    tokens_out: int


class ResponseCache:
    """An SQLite file, safe for threads and processes. Unusable responses are not stored."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        # All threads share one connection, used by one at a time.
        self._lock = threading.Lock()
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._database = sqlite3.connect(self.path, timeout=30.0, check_same_thread=False, isolation_level=None)
            self._database.execute(_SCHEMA)
        except (OSError, sqlite3.Error) as error:
            raise StoreError(
                f"{str(path)!r} cannot be used to cache language model responses: {cause(error)}"
            ) from error

    def get(self, key: str) -> CachedAnswer | None:
        query = "select outputs, tokens_in, tokens_out from answers where key = ?"
        try:
            with self._lock:
                row = self._database.execute(query, (key,)).fetchone()
            return CachedAnswer(json.loads(row[0]), row[1], row[2]) if row else None
        except (sqlite3.Error, ValueError):
            return None  # a damaged cache only costs a call

    def put(self, key: str, answer: CachedAnswer) -> None:
        try:
            outputs = json.dumps(answer.outputs)
        except (TypeError, ValueError):
            return  # not serializable: ask again next time
        row = (key, outputs, answer.tokens_in, answer.tokens_out)
        with self._lock, contextlib.suppress(sqlite3.Error):  # a full disk must not lose the response
            self._database.execute("insert or replace into answers values (?, ?, ?, ?)", row)

    def close(self) -> None:
        self._database.close()


def key_of(model: str, messages: Sequence[Mapping[str, Any]] | str | None, parameters: Mapping[str, Any]) -> str:
    """Return the cache key: a digest of the model, the prompt and all parameters except secrets."""
    # `max_tokens` contains one of the words but is not a secret.
    public = {k: v for k, v in parameters.items() if not any(word in k.lower() for word in _SECRET) or "max" in k}
    return hashlib.sha256(json.dumps([model, messages, public], sort_keys=True, default=repr).encode()).hexdigest()
