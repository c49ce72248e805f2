"""Answers of language models on disk, so that the same question is not paid for twice."""

from __future__ import annotations

import contextlib
import hashlib
import json
import sqlite3
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from multihop.errors import StoreError

# With another API key a prompt still has the same answer, and nothing of a key gets into the file.
_SECRET = ("key", "token", "secret", "password", "headers", "credential", "auth")
_SCHEMA = "create table if not exists answers (key text primary key, outputs text, tokens_in int, tokens_out int)"


class CachedAnswer(NamedTuple):
    """An answer with what it cost when it was first given."""

    outputs: list[Any]
    tokens_in: int
    tokens_out: int


class ResponseCache:
    """One SQLite file, safe between threads and processes. Answers that could not be used are not kept."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        # All threads share one connection, which only one of them may use at a time.
        self._lock = threading.Lock()
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._database = sqlite3.connect(self.path, timeout=30.0, check_same_thread=False, isolation_level=None)
            self._database.execute(_SCHEMA)
        except (OSError, sqlite3.Error) as error:
            raise StoreError(f"{str(path)!r} cannot be used to keep answers of language models: {error}") from error

    def get(self, key: str) -> CachedAnswer | None:
        query = "select outputs, tokens_in, tokens_out from answers where key = ?"
        try:
            with self._lock:
                row = self._database.execute(query, (key,)).fetchone()
            return CachedAnswer(json.loads(row[0]), row[1], row[2]) if row else None
        except (sqlite3.Error, ValueError):
            return None  # a damaged cache costs a call, not an answer

    def put(self, key: str, answer: CachedAnswer) -> None:
        try:
            outputs = json.dumps(answer.outputs)
        except (TypeError, ValueError):
            return  # an answer that holds more than text is asked for again
        row = (key, outputs, answer.tokens_in, answer.tokens_out)
        with self._lock, contextlib.suppress(sqlite3.Error):  # a full disk must not lose the answer itself
            self._database.execute("insert or replace into answers values (?, ?, ?, ?)", row)

    def close(self) -> None:
        self._database.close()


def key_of(model: str, messages: Sequence[Mapping[str, Any]] | str | None, parameters: Mapping[str, Any]) -> str:
    """Name an answer by the model, the whole prompt and every parameter but the secret ones."""
    # `max_tokens` is no secret, though its name holds one of the words.
    public = {k: v for k, v in parameters.items() if not any(word in k.lower() for word in _SECRET) or "max" in k}
    return hashlib.sha256(json.dumps([model, messages, public], sort_keys=True, default=repr).encode()).hexdigest()
