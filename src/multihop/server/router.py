"""What stands before every route: what the token opens, and how large and how slow a body may be."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any

from fastapi import APIRouter, Depends, Request, Response
from fastapi.routing import APIRoute
from fastapi.security import HTTPBearer
from starlette.types import Message

from multihop.server.problems import Problem
from multihop.server.schemas import Error
from multihop.server.service import served_index, service_of
from multihop.server.tokens import EVERYBODY, Token

TOO_LARGE = 413
_MAX_DISCARDED = 256 * 2**20
_PATIENCE = 10.0

# It only describes what `_check_token` asks for: that must happen before the body is read, and this happens after.
_TOKEN = HTTPBearer(
    auto_error=False, scheme_name="token", description="Made by `multihop token create`; needed unless served openly."
)
Handler = Callable[[Request], Coroutine[Any, Any, Response]]

ERROR_RESPONSES: dict[int | str, dict[str, Any]] = {
    code: {"model": Error, "description": said}
    for code, said in {
        400: "the body could not be read",
        401: "no token, or one that is not known",
        403: "the token lacks the scope, or a page elsewhere has asked",
        404: "not found",
        408: "the body did not arrive in time",
        409: "not possible in the present state",
        413: "the body is too large",
        421: "the server is not known under that host name",
        422: "something in the request is wrong",
        429: "too many questions are waiting",
        502: "a service that this one needs has failed",
        503: "not possible at the moment",
        507: "the server has no room",
    }.items()
}  # fmt: skip


def router(scope: str, *, upload: bool = False, **options: Any) -> APIRouter:
    """Make a router whose routes need a scope and take bodies up to a limit."""

    class AuthenticatedRoute(APIRoute):
        """A route that asks for the token and watches the size of the body before it reads anything."""

        def get_route_handler(self) -> Handler:
            handle = super().get_route_handler()

            async def handle_checked(request: Request) -> Response:
                limits = service_of(request).settings.limits
                _check_token(request, scope)
                try:
                    body = _Body(request, limits.upload if upload else limits.body, limits.arrival, steadily=upload)
                    return await handle(Request(request.scope, body.receive))
                except Problem as problem:
                    if problem.status_code == TOO_LARGE:
                        await _discard_rest(request)
                    raise

            return handle_checked

    return APIRouter(
        route_class=AuthenticatedRoute, responses=ERROR_RESPONSES, dependencies=[Depends(_TOKEN)], **options
    )


def _check_token(request: Request, scope: str) -> None:
    """Refuse what the token of a request does not open, and note the token for what lists or looks for things."""
    request.state.token = token = _token(request)
    if not token.allows(scope):
        raise Problem(403, f"the token lacks the scope {scope!r}")
    if "index" in request.path_params:
        # Found, or refused, before the body is read; the route asks for it again.
        served_index(request, request.path_params["index"])


def _token(request: Request) -> Token:
    token_store = service_of(request).token_store
    if token_store is None:
        return EVERYBODY
    kind, _, secret = request.headers.get("authorization", "").partition(" ")
    # The name of the scheme is written in any case (RFC 9110).
    token = token_store.find(secret.strip()) if kind.lower() == "bearer" else None
    if token is None:
        said = "the token is not known" if secret else "this needs a token"
        raise Problem(401, f"{said}; send one as: Authorization: Bearer TOKEN", {"WWW-Authenticate": "Bearer"})
    return token


class _Body:
    """Passes a body on while it keeps to its limits; a file may take long, as long as it keeps coming."""

    def __init__(self, request: Request, most: int, seconds: float, *, steadily: bool) -> None:
        self._request = request
        self._left = most
        self._seconds = seconds
        self._steadily = steadily
        self._until = asyncio.get_running_loop().time() + seconds
        self._whole = False
        self._too_large = Problem(TOO_LARGE, f"the body is larger than the {most:,} bytes that this server allows")
        # Where the size is declared, the refusal comes before a byte of the body is read.
        declared = request.headers.get("content-length", "0")
        if declared.isdigit() and int(declared) > most:
            raise self._too_large

    async def receive(self) -> Message:
        if self._whole:
            # Nothing follows the body but the end of the connection, which may come any time.
            return await self._request.receive()
        try:
            async with asyncio.timeout_at(self._until):
                message = await self._request.receive()
        except TimeoutError:
            said = f"the body did not arrive within {self._seconds:g} seconds; send it again"
            raise Problem(408, said, {"Connection": "close"}) from None
        self._left -= len(message.get("body", b""))
        if self._left < 0:
            raise self._too_large
        self._whole = not message.get("more_body")
        if self._steadily:
            self._until = asyncio.get_running_loop().time() + self._seconds
        return message


async def _discard_rest(request: Request) -> None:
    """Read on for a while: many clients look for the answer only when all is sent, and never see it otherwise."""
    # Such a client looks for an answer before it sends the body.
    if "expect" in request.headers:
        return
    taken = 0
    with suppress(TimeoutError):
        async with asyncio.timeout(_PATIENCE):
            while taken < _MAX_DISCARDED:
                message = await request.receive()
                taken += len(message.get("body", b""))
                if not message.get("more_body"):
                    return
