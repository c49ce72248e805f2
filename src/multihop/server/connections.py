"""How long a connection may keep the server waiting, and how many one address may hold.

uvicorn waits for the headers of a request as long as a client likes, and for as many clients as there are file
descriptors; a few hundred half-sent requests, which need no token, would stop a server for everybody.
"""

from __future__ import annotations

import asyncio
import ipaddress
import json
from collections import Counter
from http import HTTPStatus
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from multihop.server.problems import Problem, body_of
from multihop.server.settings import Limits

_RESERVED = 128
"""File descriptors that are left for indexes, jobs and logs."""
_WANTED = 16_384
_BUSY = Problem(503, "too many connections; close some, or try again in a moment")
_LATE = Problem(408, "the request did not arrive in time; send it again")


def raise_connection_limit() -> int:
    """Say how many connections a process may hold, after asking the system for as many as it gives."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return _WANTED
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    soft, hard = (_WANTED if each == resource.RLIM_INFINITY else each for each in limits)
    if soft < min(hard, _WANTED):
        soft = min(hard, _WANTED)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, limits[1]))
    return max(_RESERVED, soft - _RESERVED)


def limited_protocol(limits: Limits) -> type[H11Protocol]:
    """Make the protocol of one process; its connections are counted together."""
    open_connections: Counter[str] = Counter()
    max_connections = raise_connection_limit()

    class Connection(H11Protocol):
        """A connection that is closed when its client is too slow, and refused when there are too many."""

        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **options)
            self._address = ""
            self._refused = False
            self._timers: dict[str, asyncio.TimerHandle] = {}

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's
            self._address = _address(transport)
            open_connections[self._address] += 1
            self._refused = (
                open_connections[self._address] > limits.connections or open_connections.total() > max_connections
            )
            if self._refused:
                # Not by way of uvicorn, which would begin to read: all that is needed is where to write the refusal.
                self.transport = transport
                self._close_with(_BUSY)
                return
            super().connection_made(transport)
            self._start_header_timer()

        def connection_lost(self, exc: Exception | None) -> None:
            open_connections[self._address] -= 1
            # A Counter keeps its zeros: there would be one for every address that ever came.
            if not open_connections[self._address]:
                del open_connections[self._address]
            self._cancel("headers")
            self._cancel("stalled")
            super().connection_lost(exc)

        def data_received(self, data: bytes) -> None:
            # The answer is written already; what a refused client still sends is dropped.
            if not self._refused:
                super().data_received(data)

        def handle_events(self) -> None:
            super().handle_events()
            # The headers are whole. How long the body may take is for the guard of its route to say.
            if self.conn.their_state is not h11.IDLE:
                self._cancel("headers")
            elif self.conn.trailing_data[0] and not self.transport.is_closing():
                # The next request of the connection has begun, and is not whole.
                self._start_header_timer()

        def _start_header_timer(self) -> None:
            """Begin to wait for headers; more of them does not make the wait longer."""
            if "headers" not in self._timers:
                self._timers["headers"] = self.loop.call_later(limits.headers, self._close_with, _LATE)

        def _cancel(self, name: str) -> None:
            if timer := self._timers.pop(name, None):
                timer.cancel()

        def pause_writing(self) -> None:
            super().pause_writing()
            self._cancel("stalled")
            # Aborted, not closed: closing waits for the client to take what is still in the buffer.
            self._timers["stalled"] = self.loop.call_later(limits.stalled, self.transport.abort)

        def resume_writing(self) -> None:
            self._cancel("stalled")
            super().resume_writing()

        def _close_with(self, problem: Problem) -> None:
            self._refused = True
            if not self.transport.is_closing():
                status, body = HTTPStatus(problem.status_code), json.dumps(body_of(problem))
                # Written by hand: there may be no request yet that the application could answer.
                self.transport.write(
                    f"HTTP/1.1 {status} {status.phrase}\r\ncontent-type: application/json\r\n"
                    f"content-length: {len(body)}\r\nretry-after: 1\r\nconnection: close\r\n\r\n{body}".encode()
                )
                self.transport.close()

    return Connection


def _address(transport: asyncio.Transport) -> str:
    """Name who holds a connection: an IPv4 address, or the network of an IPv6 one, of which everybody has many."""
    peer = transport.get_extra_info("peername")
    # A Unix socket has no address: whoever comes by one counts as one.
    if not isinstance(peer, tuple):
        return ""
    try:
        # Behind % stands the interface that a link-local address belongs to.
        address = ipaddress.ip_address(str(peer[0]).partition("%")[0])
    except ValueError:
        return str(peer[0])
    if isinstance(address, ipaddress.IPv4Address):
        return str(address)
    return str(address.ipv4_mapped or ipaddress.ip_network((address, 64), strict=False))
