"""Clients that are slow, or too many: they cost the server nothing, and others nothing either."""

from __future__ import annotations

import asyncio
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from threading import Event
from typing import Any

import httpx
import pytest
import uvicorn
from starlette.types import Receive, Scope, Send
from uvicorn.server import ServerState

from multihop.server import app
from multihop.server.connections import limited_protocol
from multihop.server.launch import listening_socket
from multihop.server.settings import ServerLimits

from ..patience import ENOUGH, patience
from .conftest import Listen, Serve

HALF = b"GET /health HTTP/1.1\r\nHost: localhost\r\nX-Slow: "


def _connect(client: httpx.Client) -> socket.socket:
    return socket.create_connection((client.base_url.host, client.base_url.port or 80), timeout=ENOUGH)


def _rest(connection: socket.socket) -> bytes:
    """Read until the server ends the connection."""
    received = b""
    try:
        while part := connection.recv(65_536):
            received += part
    except ConnectionResetError:
        pass
    return received


@pytest.mark.parametrize("sent", [b"", HALF, b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n" + HALF])
def test_headers_that_do_not_arrive(listen: Listen, sent: bytes) -> None:
    client = listen(limits=ServerLimits(headers=0.3, keep_alive=30.0))
    with patience(), _connect(client) as connection:
        connection.sendall(sent)
        received = _rest(connection)
    assert received.endswith(
        b'{"error": {"status": 408, "message": "the request did not arrive in time; send it again"}}'
    )
    assert received.count(b"HTTP/1.1 200") == sent.count(b"\r\n\r\n")


def test_headers_that_drip_do_not_get_more_time(listen: Listen) -> None:
    client = listen(limits=ServerLimits(headers=0.5))
    with patience(), _connect(client) as connection:
        connection.sendall(HALF)
        connection.settimeout(0.05)
        received = b""
        while b"408" not in received:
            try:
                connection.sendall(b"a")
                received += connection.recv(1024)
            except TimeoutError:
                continue
            except (BrokenPipeError, ConnectionResetError):
                break
    assert client.get("/health").status_code == 200


def test_an_idle_connection_is_closed(listen: Listen) -> None:
    client = listen(limits=ServerLimits(keep_alive=1.0))
    with patience(), _connect(client) as connection:
        connection.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert _rest(connection).startswith(b"HTTP/1.1 200")


def test_a_question_longer_than_the_time_for_headers_is_answered(listen: Listen) -> None:
    client = listen(limits=ServerLimits(headers=0.2, keep_alive=30.0))
    for _ in range(3):
        asked = client.post("/v1/indexes/sample/retrieve", json={"question": "Who built the Fram?", "k": 2})
        assert asked.status_code == 200
        time.sleep(0.4)  # longer than the headers of a request may take: between requests another limit holds


def test_more_half_sent_requests_than_an_address_may_have_are_refused(listen: Listen) -> None:
    client = listen(limits=ServerLimits(headers=float(ENOUGH), connections=20))
    with patience(), ExitStack() as opened:
        _half_sent(client, opened, 20)
        for _ in range(3):
            with _connect(client) as one_more:
                assert b"503" in _rest(one_more)


def test_half_sent_requests_are_gone_when_their_time_is_up(listen: Listen) -> None:
    client = listen(limits=ServerLimits(headers=1.0, connections=20))
    with patience(), ExitStack() as opened:
        _half_sent(client, opened, 20)
        while True:
            try:
                if client.get("/health").status_code == 200:
                    break
            except httpx.TransportError:
                continue


def _half_sent(client: httpx.Client, opened: ExitStack, count: int) -> None:
    for _ in range(count):
        connection = opened.enter_context(_connect(client))
        # The last one is refused where another connection of this client is still open.
        with suppress(BrokenPipeError, ConnectionResetError):
            connection.sendall(HALF)


def test_a_client_that_does_not_take_its_answer(listen: Listen) -> None:
    client = listen(limits=ServerLimits(stalled=0.2))
    client.get("/openapi.json").raise_for_status()  # from now on it is ready to be sent
    asked, seconds = 60, 2.0
    with patience():
        # A busy server may not have begun to wait: then the client is lazy for longer.
        while _answers_taken_late(client, asked, seconds) == asked:
            seconds *= 2
    assert client.get("/health").status_code == 200


def _answers_taken_late(client: httpx.Client, asked: int, seconds: float) -> int:
    """Ask for more than the buffers between the two hold, take nothing for a while, then all there is."""
    with socket.socket() as connection:
        connection.settimeout(ENOUGH)
        # Before it connects: otherwise the system lets it grow to tens of megabytes.
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 100_000)
        connection.connect((client.base_url.host, client.base_url.port or 80))
        connection.sendall(b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n" * asked)
        time.sleep(seconds)
        return _rest(connection).count(b"HTTP/1.1 200")


def test_no_part_of_an_answer_waits_for_another() -> None:
    with listening_socket("127.0.0.1", 0) as listener:
        assert listener.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_two_lengths_of_one_body(listen: Listen) -> None:
    client = listen()
    with patience(), _connect(client) as connection:
        connection.sendall(
            b"POST /v1/indexes/sample/retrieve HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n"
            b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        )
        received = _rest(connection)
    assert received.startswith(b"HTTP/1.1 400")
    assert b"both Content-Length and Transfer-Encoding" in received


def _handled(*sent: str, left: str = "") -> list[str]:
    """Send requests before the server gets to read any, and return the paths in the order in which they are handled.

    The client of `left` is gone by then.
    """
    paths: list[str] = []

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        paths.append(scope["path"])
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    async def main() -> None:
        config, state = uvicorn.Config(application, log_config=None), ServerState()
        config.load()
        protocol = limited_protocol(ServerLimits())
        loop = asyncio.get_running_loop()
        server = await loop.create_server(lambda: protocol(config, state, {}), "127.0.0.1", 0)
        with patience(), ExitStack() as clients:
            for path in sent:
                connection = socket.create_connection(server.sockets[0].getsockname(), timeout=ENOUGH)
                connection.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
                if path == left:
                    connection.close()
                else:
                    clients.enter_context(connection).setblocking(False)
            while len(paths) < len(sent) - bool(left):
                await asyncio.sleep(0.01)
        server.close()
        while state.connections:
            await asyncio.sleep(0.01)

    asyncio.run(main())
    return paths


def test_a_request_whose_client_has_left_is_not_handled() -> None:
    assert _handled("/left", "/stays", left="/left") == ["/stays"]


def test_a_burst_of_requests_delays_no_check_of_liveness() -> None:
    burst = [f"/{number}" for number in range(20)]
    handled = _handled(*burst, "/health")
    assert [path for path in handled if path != "/health"] == burst
    assert handled.index("/health") < 10


@pytest.mark.parametrize("path", ["/docs", "/openapi.json"])
def test_a_description_that_is_generated_delays_no_check_of_liveness(
    listen: Listen, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, goes_on, description = Event(), Event(), app._description()

    def generate() -> dict[str, Any]:
        begun.set()
        assert goes_on.wait(ENOUGH)
        return description

    monkeypatch.setattr(app, "_description", generate)
    client = listen()
    with ThreadPoolExecutor(1) as other:
        asked = other.submit(httpx.get, f"{client.base_url}{path}", timeout=ENOUGH)
        try:
            assert begun.wait(ENOUGH)
            with pytest.raises(TimeoutError):
                asked.result(0)
            assert client.get("/health", timeout=ENOUGH / 10).status_code == 200
        finally:
            goes_on.set()
        assert asked.result().status_code == 200


def test_paths_without_an_operation_need_no_description(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "_description", lambda: pytest.fail("it takes half a second, and everybody waits"))
    client = serve()
    assert client.get("/v1/nothing").status_code == 404
    refused = client.delete("/v1/indexes/sample/retrieve")
    assert (refused.status_code, refused.headers["allow"]) == (405, "POST")
    assert client.get("/").status_code == client.get("/v1/views").status_code == 200
