"""How the MCP server is reached: over stdin and stdout, or over streamable HTTP."""

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
    """Answer on stdout what is asked on stdin, until that ends."""
    server.run("stdio")


def serve_http(
    server: MCPServer[Any],
    *,
    host: str = LOOPBACK[0],
    port: int = 8765,
    token: str | None = None,
    ready: Callable[[str], None] = lambda _: None,
) -> None:
    """Answer over HTTP until interrupted; `ready` is called with the address. Port 0 takes any free one.

    With a token every request must send it; without one only this machine is served.
    """
    if token is not None and len(token) < SHORTEST_TOKEN:
        raise InvalidInput(f"the token has {len(token)} characters; at least {SHORTEST_TOKEN} are needed")
    if token is None and host not in LOOPBACK:
        raise InvalidInput(
            f"the host {host!r} is open to other machines and needs a token; "
            "give one (the command takes it from MULTIHOP_MCP_TOKEN), or serve 127.0.0.1"
        )
    # Every call stands for itself, so there are no sessions to keep.
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
        # Not left to uvicorn: so the port that 0 takes is known, and one in use is an error in our words.
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        # The message of a failed binding repeats the address; that of a failed lookup has no number of the system's.
        why = os.strerror(error.errno) if error.errno and error.errno > 0 else error.strerror
        raise OSError(f"cannot serve at {host}, port {port}: {why}") from error


def _require_token(app: ASGIApp, token: str) -> ASGIApp:
    """Let a request through only if it sends the token."""
    expected = f"Bearer {token}".encode()
    refusal = JSONResponse({"error": "this server needs a bearer token"}, 401, headers={"WWW-Authenticate": "Bearer"})

    async def guarded(scope: Scope, receive: Receive, send: Send) -> None:
        # Only requests have headers: the start and the end of the server pass here, too.
        given = dict(scope["headers"]).get(b"authorization", b"") if scope["type"] == "http" else expected
        # In constant time, so that how long a refusal takes does not tell how much of a guess was right.
        await (app if hmac.compare_digest(given, expected) else refusal)(scope, receive, send)

    return guarded
