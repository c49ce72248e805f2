"""Another process that works on an index: `python worker.py COMMAND FOLDER`. It says what it has done, line by line."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

from multihop.index.links.mentions import MentionLinker
from multihop.index.stores import EmbeddedStore
from multihop.index.stores.sqlite.lexical import LexicalCache, Writer
from multihop.protocols import Divided
from multihop.testing.contracts import divide_each
from multihop.types import Document

ROUNDS = 25


def round_of(number: int) -> list[Document]:
    """Give six documents that all hold the word of their round; each round replaces the one before."""
    return [Document(str(i), f"This is round{number}.", f"Title{i} of{number}") for i in range(6)]


class _DyingWriter(Writer):
    """Takes the place of a writer and ends the process where the truth is committed and the cache is not."""

    def __init__(self, writer: Writer) -> None:
        self.__dict__.update(vars(writer))

    def commit(self, generation: int, last_row: int) -> None:
        os._exit(9)


class _DyingCache(LexicalCache):
    def writer(self, *, rebuild: bool = False) -> Writer:
        return _DyingWriter(super().writer(rebuild=rebuild))


def say(line: str) -> None:
    print(line, flush=True)  # noqa: T201  (this is how it speaks to its parent)


def add(store: EmbeddedStore) -> None:
    store.add(divide_each(Document("later", "Written by another process, in Rome.", "Later")))


def hold(store: EmbeddedStore) -> None:
    """Keep the writer lock until a line comes in."""

    def waiting() -> Iterator[Divided]:
        say("holding")
        sys.stdin.readline()
        yield from divide_each(Document("held", "Written after a wait."))

    store.add(waiting())


def rounds(store: EmbeddedStore) -> None:
    for number in range(1, ROUNDS + 1):
        store.add(divide_each(*round_of(number)))


def die_adding(store: EmbeddedStore) -> None:
    store._lexical = _DyingCache(store.path)
    store.add(
        divide_each(Document("a", "Limestone near Rome.", "Changed"), Document("new", "Basalt, as in Paris.", "New"))
    )


def die_deleting(store: EmbeddedStore) -> None:
    store._lexical = _DyingCache(store.path)
    store.delete(["a", "rome"])


if __name__ == "__main__":
    commands = {c.__name__: c for c in (add, hold, rounds, die_adding, die_deleting)}
    commands[sys.argv[1]](EmbeddedStore(sys.argv[2], MentionLinker(), create=True, wait=60))
