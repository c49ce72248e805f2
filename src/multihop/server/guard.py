"""What stands before every route: scope of the token and size of the body, both before anything of the body is read."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any

from fastapi import APIRouter, Depends, Request, Response
from fastapi.routing import APIRoute
from fastapi.security import HTTPBearer
from starlette.types import Message, Receive

from multihop.server.problems import Problem
from multihop.server.schemas import Error
from multihop.server.service import service_of
from multihop.server.tokens import SCOPES

TOO_LARGE = 413
_DISCARDED = 256 * 2**20
_PATIENCE = 10.0

# It only describes what `_check_scope` asks for: that must happen before the body is read, and this happens after.
_TOKEN = HTTPBearer(
    auto_error=False, scheme_name="token", description="Made by `multihop token create`; needed unless served openly."
)
Handler = Callable[[Request], Coroutine[Any, Any, Response]]

REFUSALS: dict[int | str, dict[str, Any]] = {
    code: {"model": Error, "description": said}
    for code, said in {
        400: "the body could not be read",
        401: "no token, or one that is not known",
        403: "the token lacks the scope, or a page elsewhere has asked",
        404: "there is no such thing",
        409: "not possible in the present state",
        413: "the body is too large",
        421: "the server is not known under that host name",
        422: "something in the request is wrong",
        429: "too many questions are waiting",
        502: "a service that this one needs has failed",
        503: "not possible at the moment",
    }.items()
}  # fmt: skip


def router(scope: str, *, upload: bool = False, **options: Any) -> APIRouter:
    """Make a router whose routes need a scope and take bodies up to a limit."""

    class Guarded(APIRoute):
        """A route that asks for the token and watches the size of the body before it reads anything."""

        def get_route_handler(self) -> Handler:
            handle = super().get_route_handler()

            async def guarded(request: Request) -> Response:
                limits = service_of(request).settings.limits
                _check_scope(request, scope)
                most = limits.upload if upload else limits.body
                try:
                    return await handle(Request(request.scope, _at_most(request, most)))
                except Problem as problem:
                    if problem.status_code == TOO_LARGE:
                        await _discard_rest(request)
                    raise

            return guarded

    return APIRouter(route_class=Guarded, responses=REFUSALS, dependencies=[Depends(_TOKEN)], **options)


def _check_scope(request: Request, scope: str) -> None:
    keys = service_of(request).keys
    if keys is None:
        request.state.scopes = SCOPES
        return
    kind, _, secret = request.headers.get("authorization", "").partition(" ")
    token = keys.find(secret.strip()) if kind.lower() == "bearer" else None
    if token is None:
        said = "the token is not known" if secret else "this needs a token"
        raise Problem(401, f"{said}; send one as: Authorization: Bearer TOKEN", {"WWW-Authenticate": "Bearer"})
    if not token.allows(scope):
        raise Problem(403, f"the token lacks the scope {scope!r}")
    request.state.scopes = tuple(each for each in SCOPES if token.allows(each))


def _at_most(request: Request, most: int) -> Receive:
    """Pass the body on while it keeps to the limit."""
    too_large = Problem(TOO_LARGE, f"the body is larger than the {most:,} bytes that this server allows")
    declared = request.headers.get("content-length", "0")
    if declared.isdigit() and int(declared) > most:
        raise too_large
    taken = 0

    async def receive() -> Message:
        nonlocal taken
        message = await request.receive()
        taken += len(message.get("body", b""))
        if taken > most:
            raise too_large
        return message

    return receive


async def _discard_rest(request: Request) -> None:
    """Read on for a while: many clients look for the answer only when all is sent, and never see it otherwise."""
    if "expect" in request.headers:
        return
    taken = 0
    with suppress(TimeoutError):
        async with asyncio.timeout(_PATIENCE):
            while taken < _DISCARDED:
                message = await request.receive()
                taken += len(message.get("body", b""))
                if not message.get("more_body"):
                    return
