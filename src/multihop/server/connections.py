"""How long a connection may keep the server waiting, and how many one address may hold.

uvicorn waits for the headers of a request as long as a client likes, and for as many clients as there are file
descriptors; a few hundred half-sent requests, which need no token, would stop a server for everybody.
"""

from __future__ import annotations

import asyncio
import ipaddress
from collections import Counter
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from multihop.server.settings import Limits

_RESERVED = 128
"""File descriptors that are left for indexes, jobs and logs."""
_WANTED = 16_384
_BUSY = b'{"error": {"status": 503, "message": "too many connections; close some, or try again in a moment"}}'
_LATE = b'{"error": {"status": 408, "message": "the request did not arrive in time; send it again"}}'


def allowed_connections() -> int:
    """Say how many connections a process may hold, after asking the system for as many as it gives."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return _WANTED
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard == resource.RLIM_INFINITY:
        hard = _WANTED
    if soft != resource.RLIM_INFINITY and soft < min(hard, _WANTED):
        soft = min(hard, _WANTED)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    return max(_RESERVED, (_WANTED if soft == resource.RLIM_INFINITY else soft) - _RESERVED)


def limited(limits: Limits) -> type[H11Protocol]:
    """Make the protocol of one process; its connections are counted together."""
    held: Counter[str] = Counter()
    most = allowed_connections()

    class Connection(H11Protocol):
        """A connection that is closed when its client is too slow, and refused when there are too many."""

        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **options)
            self._address = ""
            self._refused = False
            self._waiting: asyncio.TimerHandle | None = None
            self._stalled: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's
            self._address = _address(transport)
            held[self._address] += 1
            self._refused = held[self._address] > limits.connections or held.total() > most
            if self._refused:
                self.transport = transport
                self._end(503, _BUSY)
                return
            super().connection_made(transport)
            self._wait()

        def connection_lost(self, exc: Exception | None) -> None:
            held[self._address] -= 1
            if not held[self._address]:
                del held[self._address]
            self._waited()
            self._taken()
            super().connection_lost(exc)

        def data_received(self, data: bytes) -> None:
            if not self._refused:
                super().data_received(data)

        def handle_events(self) -> None:
            super().handle_events()
            if self.conn.their_state is not h11.IDLE:
                self._waited()
            elif self.conn.trailing_data[0] and not self.transport.is_closing():
                # The next request of the connection has begun, and is not whole.
                self._wait()

        def _wait(self) -> None:
            """Begin to wait for headers; more of them does not make the wait longer."""
            if self._waiting is None:
                self._waiting = self.loop.call_later(limits.headers, self._end, 408, _LATE)

        def _waited(self) -> None:
            if self._waiting is not None:
                self._waiting.cancel()
                self._waiting = None

        def _taken(self) -> None:
            if self._stalled is not None:
                self._stalled.cancel()
                self._stalled = None

        def pause_writing(self) -> None:
            super().pause_writing()
            self._taken()
            self._stalled = self.loop.call_later(limits.stalled, self.transport.abort)

        def resume_writing(self) -> None:
            self._taken()
            super().resume_writing()

        def _end(self, status: int, body: bytes) -> None:
            self._refused = True
            if not self.transport.is_closing():
                phrase = {408: "Request Timeout", 503: "Service Unavailable"}[status]
                self.transport.write(
                    f"HTTP/1.1 {status} {phrase}\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n"
                    "retry-after: 1\r\nconnection: close\r\n\r\n".encode()
                    + body
                )
                self.transport.close()

    return Connection


def _address(transport: asyncio.Transport) -> str:
    """Name who holds a connection: an IPv4 address, or the network of an IPv6 one, of which everybody has many."""
    peer = transport.get_extra_info("peername")
    if not isinstance(peer, tuple):
        return ""
    try:
        address = ipaddress.ip_address(str(peer[0]).partition("%")[0])
    except ValueError:
        return str(peer[0])
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped:
            return str(address.ipv4_mapped)
        return str(ipaddress.ip_network((address, 64), strict=False))
    return str(address)
