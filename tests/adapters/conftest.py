"""What the tests of all adapters share: the folder of an index, a question, and no way out to the network."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from multihop import Engine
from multihop.index.stores import EmbeddedStore

QUESTION = "Who drew the ship that Amundsen borrowed?"
EXPECTED = ["fram-ship#0", "roald-amundsen#0", "colin-archer#0"]
"""The evidence for it under a budget of three; the last is found by a link in the second hop."""
ARCHER = {
    "document_id": "colin-archer", "passage_id": "colin-archer#0", "title": "Colin Archer", "rank": 3, "hop": 2,
    "reason": "linked from “Fram (ship)”; speaks of what “Fram (ship)” mentions", "country": "Norway",
}  # fmt: skip
"""What an adapter must say of the last one."""


@pytest.fixture
def folder(sample: Engine) -> Path:
    """The folder of the sample index, for adapters that open it themselves."""
    assert isinstance(sample.store, EmbeddedStore)
    return sample.store.path


@pytest.fixture(autouse=True)
def _offline(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Refuse every connection to another machine, and tell of it: who reports home keeps quiet when that fails."""
    # As in a new process, whatever other tests left: nothing said about the list of prices, and none read yet.
    monkeypatch.delenv("LITELLM_LOCAL_MODEL_COST_MAP", raising=False)
    monkeypatch.setattr("dspy.clients.model_metadata._data", None)
    connect = socket.socket.connect
    tried: list[Any] = []

    def checked(self: socket.socket, address: Any) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6) and address[0] not in ("127.0.0.1", "::1", "localhost"):
            tried.append(address)
            raise OSError(f"a test connects to {address}")
        connect(self, address)

    def looked_up(host: Any, *_: Any, **__: Any) -> Any:
        tried.append(host)
        raise OSError(f"a test looks up {host}")

    monkeypatch.setattr(socket.socket, "connect", checked)
    resolve = socket.getaddrinfo
    local = ("127.0.0.1", "::1", "localhost", None)
    monkeypatch.setattr(socket, "getaddrinfo", lambda h, *a, **k: (resolve if h in local else looked_up)(h, *a, **k))
    yield
    assert tried == []


@pytest.fixture
def closings(monkeypatch: pytest.MonkeyPatch) -> list[Engine]:
    """The engines that have been closed so far, each time it happens."""
    closed: list[Engine] = []
    close = Engine.close

    def noted(self: Engine) -> None:
        closed.append(self)
        close(self)

    monkeypatch.setattr(Engine, "close", noted)
    return closed
