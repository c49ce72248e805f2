"""Outer middleware: host and origin checks, security headers, compression, metrics."""

from __future__ import annotations

import time
from urllib.parse import urlsplit

from fastapi import FastAPI
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import Message, Receive, Scope, Send

from multihop.server.event_compression import compress_events
from multihop.server.metrics import Metrics
from multihop.server.problems import Problem, response_of
from multihop.server.settings import Settings

PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; manifest-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'"
)
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": PAGE_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
_SAFE = ("GET", "HEAD", "OPTIONS")


class Middleware:
    """The outermost ASGI application; plain ASGI, so that streams and disconnects pass through unchanged."""

    def __init__(self, app: FastAPI, settings: Settings, metrics: Metrics) -> None:
        self.app = app
        self._settings = settings
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        # Lifespan events; WebSockets are not served.
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started, status = time.perf_counter(), 500

        async def send_with_headers(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    # Routes may set their own: reports have another policy, page files are cacheable.
                    headers.setdefault(name, value)
            await send(message)

        try:
            problem = self._check_origin(scope)
            await (self.app if problem is None else response_of(problem))(
                scope, receive, compress_events(scope, send_with_headers)
            )
        finally:
            # Label by route pattern: arbitrary client paths would create unbounded labels.
            route = getattr(scope.get("route"), "path", "other")
            self._metrics.request(_method(scope), route, status, time.perf_counter() - started)

    def _check_origin(self, scope: Scope) -> Problem | None:
        """Return a problem for requests from foreign pages, which could use a browser to reach an open server."""
        headers = Headers(scope=scope)
        if "transfer-encoding" in headers and "content-length" in headers:
            # Request smuggling: a proxy may have believed the other one.
            said = "the request gives both Content-Length and Transfer-Encoding; send one of them"
            return Problem(400, said, {"Connection": "close"})
        host = headers.get("host", "")
        if self._settings.hosts and _host_name(host) not in self._settings.hosts:
            return Problem(421, "unknown host name; this server does not answer to it")
        # With tokens any origin is fine: a foreign page has no token, and browsers do not add one.
        origin = headers.get("origin")
        if origin is None or self._settings.needs_token or scope["method"] in _SAFE or origin in self._settings.origins:
            return None
        if urlsplit(origin).netloc != host:
            return Problem(403, "requests from other origins are not allowed; allow one with --cors-origin")
        return None


def _host_name(host: str) -> str:
    """Strip the port from a Host header."""
    return host.rpartition("]")[0] + "]" if host.startswith("[") else host.partition(":")[0]


def _method(scope: Scope) -> str:
    # Clients may send any method; count unknown ones as one.
    known = ("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH")
    return scope["method"] if scope["method"] in known else "other"
