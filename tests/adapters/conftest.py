"""What the tests of all adapters share: the folder of an index, a question, and no way out to the network."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

import pytest

from multihop import Engine
from multihop.stores import EmbeddedStore

QUESTION = "Who designed the ship that Amundsen borrowed?"
EXPECTED = ["fram-ship#0", "roald-amundsen#0", "colin-archer#0"]
"""The evidence for it under a budget of three; the last is found by a link in the second hop."""


@pytest.fixture
def folder(sample: Engine) -> Path:
    """The folder of the sample index, for adapters that open it themselves."""
    assert isinstance(sample.store, EmbeddedStore)
    return sample.store.path


@pytest.fixture(autouse=True)
def _offline(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refuse every connection to another machine: frameworks may report home, and tests must not depend on it."""
    connect = socket.socket.connect

    def checked(self: socket.socket, address: Any) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6) and address[0] not in ("127.0.0.1", "::1", "localhost"):
            raise AssertionError(f"a test connects to {address}")
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", checked)


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
