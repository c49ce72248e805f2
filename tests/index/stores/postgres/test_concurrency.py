"""Many readers while one writes: nobody sees half a document, and nobody fails."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from multihop import Document, Engine
from multihop.protocols import Lookup

from ....patience import ENOUGH

ROUNDS = 8


def _version(number: int) -> Document:
    paragraphs = [f"Basalt of version{number}, part {i}." for i in range(4)]
    return Document("a", "\n\n".join(paragraphs), f"Basalt {number}", {"version": number})


def _look(engine: Engine, stop: threading.Event) -> int:
    """Look at one document until told to stop; every part of it must be of the same version."""
    looked = 0
    while not stop.is_set() or not looked:
        view = engine.store.view()
        ids = view.passages_of(["a"], 10)["a"]
        passages = view.passages(ids)
        versions = {passage.metadata["version"] for passage in passages.values()}
        assert len(passages) == len(ids)
        assert len(versions) == 1
        [version] = versions
        found = {id for id, _ in view.lexical([Lookup(f"version{version}", 10)])[0]}
        assert found == set(ids)
        assert view.lexical([Lookup(f"version{int(str(version)) + 1}", 10)]) == [[]]
        assert view.find_names([f"Basalt {version}"])[0][0].documents == ("a",)
        looked += 1
    return looked


@pytest.mark.parametrize("shared", [True, False], ids=["one engine", "engine each"])
def test_eight_readers_and_a_writer(address: str, shared: bool) -> None:
    stop = threading.Event()
    with Engine.open(f"{address}&pool=12", create=True) as engine, ThreadPoolExecutor(8) as pool:
        engine.add(_version(0))
        engines = [engine if shared else Engine.open(f"{address}&pool=2") for _ in range(8)]
        readers = [pool.submit(_look, each, stop) for each in engines]
        try:
            for number in range(1, ROUNDS):
                engine.add(_others(number))
        finally:
            stop.set()
        assert all(reader.result(ENOUGH) for reader in readers)
        for each in engines:
            each.close()


def _others(number: int) -> Iterator[Document]:
    yield _version(number)
    for i in range(30):
        yield Document(f"{number}-{i}", f"Granite {number} of quarry {i}", f"Quarry {number} {i}")
