"""Servers for tests: one inside the test, and one that listens on the loopback address."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn
from starlette.testclient import TestClient

from multihop.server.app import application
from multihop.server.launch import listening_socket, uvicorn_config
from multihop.server.settings import Location, Settings

from ..patience import ENOUGH

Serve = Callable[..., TestClient]
Listen = Callable[..., httpx.Client]


@pytest.fixture
def settings(sample_index: Path, tmp_path: Path) -> Settings:
    """A server of one index, a copy of the sample that may be changed."""
    place = shutil.copytree(sample_index, tmp_path / "sample.mh")
    return Settings((Location("sample", str(place)),), tmp_path / "state")


@pytest.fixture
def serve(settings: Settings) -> Iterator[Serve]:
    """Start servers inside the test, with settings changed as the keywords say."""
    started: list[TestClient] = []

    def start(**changes: Any) -> TestClient:
        client = TestClient(
            application(replace(settings, **changes)), "http://localhost", raise_server_exceptions=False
        )
        client.__enter__()
        started.append(client)
        return client

    yield start
    for client in started:
        client.__exit__(None, None, None)


@pytest.fixture
def client(serve: Serve) -> TestClient:
    return serve()


@pytest.fixture
def listen(settings: Settings) -> Iterator[Listen]:
    """Start real servers on free ports of the loopback address."""
    ends: list[Callable[[], None]] = []

    def start(**changes: Any) -> httpx.Client:
        listener = listening_socket("127.0.0.1", 0)
        server = uvicorn.Server(uvicorn_config(replace(settings, **changes)))
        thread = threading.Thread(target=server.run, args=([listener],))
        thread.start()
        client = httpx.Client(base_url=f"http://127.0.0.1:{listener.getsockname()[1]}", timeout=ENOUGH)

        def end() -> None:
            client.close()
            server.should_exit = True
            thread.join()
            listener.close()

        ends.append(end)
        return client

    yield start
    for end in ends:
        end()
