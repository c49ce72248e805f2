"""Transports of the MCP server: stdio and streamable HTTP."""

from __future__ import annotations

import hmac
import os
import socket
from collections.abc import Callable
from typing import Any

import uvicorn
from mcp.server.mcpserver import MCPServer
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from multihop.errors import InvalidInput

LOOPBACK = ("127.0.0.1", "localhost", "::1")
PATH = "/mcp"
SHORTEST_TOKEN = 16


def serve_stdio(server: MCPServer[Any]) -> None:
    """Serve over stdin and stdout until stdin is closed."""
    server.run("stdio")


def serve_http(
    server: MCPServer[Any],
    *,
    host: str = LOOPBACK[0],
    port: int = 8765,
    token: str | None = None,
    ready: Callable[[str], None] = lambda _: None,
) -> None:
    """Serve over HTTP until interrupted; `ready` is called with the URL. Port 0 picks any free one.

    With a token, every request must send it; without one, only loopback hosts are allowed.
    """
    if token is not None and len(token) < SHORTEST_TOKEN:
        raise InvalidInput(f"the token has {len(token)} characters; at least {SHORTEST_TOKEN} are needed")
    if token is None and host not in LOOPBACK:
        raise InvalidInput(
            f"the host {host!r} is open to other machines and needs a token; "
            "give one (the command takes it from MULTIHOP_MCP_TOKEN), or serve 127.0.0.1"
        )
    # Calls are independent, so there are no sessions.
    app: ASGIApp = server.streamable_http_app(
        streamable_http_path=PATH, host=host, stateless_http=True, json_response=True
    )
    if token is not None:
        app = _require_token(app, token)
    with _listen(host, port) as listening:
        name = f"[{host}]" if ":" in host else host
        ready(f"http://{name}:{listening.getsockname()[1]}{PATH}")
        uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listening])


def _listen(host: str, port: int) -> socket.socket:
    try:
        # Not left to uvicorn, so that the port picked for 0 is known, and a port in use gives our own error.
        listening = socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        # The message of a failed bind repeats the address; that of a failed lookup has no errno.
        why = os.strerror(error.errno) if error.errno and error.errno > 0 else error.strerror
        raise OSError(f"cannot serve at {host}, port {port}: {why}") from error
    # Inherited by connections; without it the second packet of a response waits for the ACK of the first.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listening


def _require_token(app: ASGIApp, token: str) -> ASGIApp:
    """Wrap an application to require the token."""
    expected = f"Bearer {token}".encode()
    refusal = JSONResponse({"error": "this server needs a bearer token"}, 401, headers={"WWW-Authenticate": "Bearer"})

    async def guard(scope: Scope, receive: Receive, send: Send) -> None:
        # Lifespan events pass through here too, without headers.
        given = dict(scope["headers"]).get(b"authorization", b"") if scope["type"] == "http" else expected
        # Constant-time comparison, against timing attacks.
        await (app if hmac.compare_digest(given, expected) else refusal)(scope, receive, send)

    return guard
