"""Connection limits: time to receive headers, stalled writes, and connections per client address.

uvicorn waits for request headers indefinitely, and for as many clients as there are file descriptors; a few hundred
half-sent requests, which need no token, would block the server for everybody.
"""

from __future__ import annotations

import asyncio
import ipaddress
import json
from collections import Counter, deque
from http import HTTPStatus
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from multihop.server.problems import Problem, body_of
from multihop.server.settings import ServerLimits

_RESERVED = 128
"""File descriptors reserved for indexes, jobs and logs."""
_WANTED = 16_384
_LIVENESS = b"GET /health "
_BUSY = Problem(503, "too many connections; close some, or try again in a moment")
_LATE = Problem(408, "the request did not arrive in time; send it again")


def raise_connection_limit() -> int:
    """Raise the limit on open files as far as allowed, and return the number of connections a process may hold."""
    try:
        import resource
    except ImportError:  # not on Windows
        return _WANTED
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    soft, hard = (_WANTED if each == resource.RLIM_INFINITY else each for each in limits)
    if soft < min(hard, _WANTED):
        soft = min(hard, _WANTED)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, limits[1]))
    return max(_RESERVED, soft - _RESERVED)


def limited_protocol(limits: ServerLimits) -> type[H11Protocol]:
    """Create the protocol class of one process, which counts its connections."""
    open_connections: Counter[str] = Counter()
    max_connections = raise_connection_limit()
    waiting: deque[Connection] = deque()

    def handle_next(loop: asyncio.AbstractEventLoop) -> None:
        """Handle the request that has waited longest, and the next one in another turn of the event loop."""
        connection = waiting.popleft()
        if waiting:
            loop.call_soon(handle_next, loop)
        connection.handle_arrived()

    class Connection(H11Protocol):
        """A connection that is closed if its client is too slow and refused if there are too many."""

        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **options)
            self._address = ""
            self._refused = False
            self._arrived: list[bytes] = []
            self._timers: dict[str, asyncio.TimerHandle] = {}

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's
            self._address = _address(transport)
            open_connections[self._address] += 1
            self._refused = (
                open_connections[self._address] > limits.connections or open_connections.total() > max_connections
            )
            if self._refused:
                # Bypass uvicorn, which would start reading: we only need the transport to write the refusal.
                self.transport = transport
                self._close_with(_BUSY)
                return
            super().connection_made(transport)
            self._start_header_timer()

        def connection_lost(self, exc: Exception | None) -> None:
            open_connections[self._address] -= 1
            # A Counter keeps zeros, one for every address ever seen.
            if not open_connections[self._address]:
                del open_connections[self._address]
            self._cancel("headers")
            self._cancel("stalled")
            super().connection_lost(exc)

        def data_received(self, data: bytes) -> None:
            self._arrived.append(data)
            if data.startswith(_LIVENESS):
                self.handle_arrived()
            elif len(self._arrived) == 1:
                # One in a turn: a burst of requests delays no check of liveness, and what is left costs nothing more.
                waiting.append(self)
                if len(waiting) == 1:
                    self.loop.call_soon(self.loop.call_soon, handle_next, self.loop)

        def handle_arrived(self) -> None:
            data = b"".join(self._arrived)
            self._arrived.clear()
            # To a refused client the response is already written; a check of liveness takes what came before along.
            if data and not self._refused and not self.transport.is_closing():
                super().data_received(data)

        def handle_events(self) -> None:
            super().handle_events()
            # The headers are complete; the router limits the time for the body.
            if self.conn.their_state is not h11.IDLE:
                self._cancel("headers")
            elif self.conn.trailing_data[0] and not self.transport.is_closing():
                # The next request of the connection has started but is incomplete.
                self._start_header_timer()

        def _start_header_timer(self) -> None:
            """Start the timer for headers; further headers do not extend it."""
            if "headers" not in self._timers:
                self._timers["headers"] = self.loop.call_later(limits.headers, self._close_with, _LATE)

        def _cancel(self, name: str) -> None:
            if timer := self._timers.pop(name, None):
                timer.cancel()

        def pause_writing(self) -> None:
            super().pause_writing()
            self._cancel("stalled")
            # abort, not close, which would wait until the client has read the buffer.
            self._timers["stalled"] = self.loop.call_later(limits.stalled, self.transport.abort)

        def resume_writing(self) -> None:
            self._cancel("stalled")
            super().resume_writing()

        def _close_with(self, problem: Problem) -> None:
            self._refused = True
            if not self.transport.is_closing():
                status, body = HTTPStatus(problem.status_code), json.dumps(body_of(problem))
                # Written by hand: there may be no complete request for the application to answer.
                self.transport.write(
                    f"HTTP/1.1 {status} {status.phrase}\r\ncontent-type: application/json\r\n"
                    f"content-length: {len(body)}\r\nretry-after: 1\r\nconnection: close\r\n\r\n{body}".encode()
                )
                self.transport.close()

    return Connection


def _address(transport: asyncio.Transport) -> str:
    """Return the client of a connection: its IPv4 address, or its IPv6 /64 network."""
    peer = transport.get_extra_info("peername")
    # Unix sockets have no address; all their clients count as one.
    if not isinstance(peer, tuple):
        return ""
    try:
        # A link-local address has its interface after %.
        address = ipaddress.ip_address(str(peer[0]).partition("%")[0])
    except ValueError:
        return str(peer[0])
    if isinstance(address, ipaddress.IPv4Address):
        return str(address)
    return str(address.ipv4_mapped or ipaddress.ip_network((address, 64), strict=False))
