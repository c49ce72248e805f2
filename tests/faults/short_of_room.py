"""A process that works on an index while its files must not grow: `python short_of_room.py COMMAND FOLDER BYTES`.

A limit on the size of files stands for a full disk: it needs no rights and no disk of its own, and writing fails just
where it would fail there. Python ignores the signal that comes with it.
"""

from __future__ import annotations

import json
import resource
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from multihop.engine import Engine
from multihop.errors import MultihopError
from multihop.index.stores import EmbeddedStore
from multihop.index.stores.sqlite.lexical import LexicalCache, Writer
from multihop.testing.contracts import found
from multihop.types import Document

NEW = [Document(f"new{i}", f"A new text, number{i}. " * 20, f"New{i}x") for i in range(300)]
UNLIMITED = resource.getrlimit(resource.RLIMIT_FSIZE)


@contextmanager
def no_file_larger_than(size: int) -> Iterator[None]:
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, UNLIMITED[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, UNLIMITED)


class _FullWriter(Writer):
    """Takes the place of a writer; the disk is full when the truth is written and the cache is not."""

    def __init__(self, writer: Writer) -> None:
        self.__dict__.update(vars(writer))

    def commit(self, generation: int, last_row: int) -> None:
        with no_file_larger_than(0):
            super().commit(generation, last_row)


class _FullCache(LexicalCache):
    def writer(self, *, rebuild: bool = False) -> Writer:
        return _FullWriter(super().writer(rebuild=rebuild))


def attempt(engine: Engine, documents: list[Document]) -> str:
    try:
        engine.add(documents)
    except MultihopError as error:
        return f"{type(error).__name__}: {error}"
    return "added"


def seen(engine: Engine) -> list[object]:
    return [engine.stats().documents, found(engine.store.view(), "granite"), engine.refresh()]


def add(folder: str, size: int) -> list[object]:
    """Add many documents without room for them, look, and add them again with room."""
    with Engine.open(folder) as engine:
        with no_file_larger_than(size):
            short = [attempt(engine, NEW), *seen(engine), attempt(engine, NEW)]
        return [*short, attempt(engine, NEW), *seen(engine)]


def cache(folder: str, size: int) -> list[object]:
    """Add a document whose place in the cache finds no room, look while there is none, and again when there is."""
    with Engine.open(folder) as engine:
        assert isinstance(engine.store, EmbeddedStore)
        whole = engine.store._lexical
        engine.store._lexical = _FullCache(engine.store.path)
        short = [attempt(engine, NEW[:1]), *seen(engine)]
        engine.store._lexical = whole
        return [*short, *seen(engine), found(engine.store.view(), "number0")]


def reopen(folder: str, size: int) -> list[object]:
    """Open an index whose cache is gone, without room to build it again."""
    try:
        with no_file_larger_than(size), Engine.open(folder):
            return ["opened"]
    except MultihopError as error:
        return [f"{type(error).__name__}: {error}"]


def create(folder: str, size: int) -> list[object]:
    try:
        with no_file_larger_than(size), Engine.open(folder, create=True):
            return ["created"]
    except MultihopError as error:
        return [f"{type(error).__name__}: {error}"]


if __name__ == "__main__":
    command, folder, size = sys.argv[1:]
    chosen = {c.__name__: c for c in (add, cache, reopen, create)}[command]
    sys.stdout.write(json.dumps(chosen(folder, int(size))))
