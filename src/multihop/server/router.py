"""Authentication and body limits for every route."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import replace
from typing import Any

from fastapi import APIRouter, Depends, Request, Response
from fastapi.routing import APIRoute
from fastapi.security import HTTPBearer
from starlette.types import Message

from multihop.server.problems import Problem
from multihop.server.schemas import Error
from multihop.server.service import service_of
from multihop.server.tokens import EVERYBODY, Token, token_of
from multihop.types import Rights

TOO_LARGE = 413
_MAX_DISCARDED = 256 * 2**20
_PATIENCE = 10.0
_SIGNED = 2
"""Dots in a signed token (JWT); ours have none."""

# Documents the check in OpenAPI only: `check_token` must run before the body is read, and this runs after.
_TOKEN = HTTPBearer(
    auto_error=False,
    scheme_name="token",
    description="Made by `multihop token create` or by the sign-in provider; required unless the server is open.",
)
Handler = Callable[[Request], Coroutine[Any, Any, Response]]

_ERROR = {"$ref": f"#/components/schemas/{Error.__name__}"}
ERROR_RESPONSES: dict[int | str, dict[str, Any]] = {
    # By reference, not as a model: FastAPI would make one for every code of every route, a sixth of a second in all.
    code: {"content": {"application/json": {"schema": _ERROR}}, "description": said}
    for code, said in {
        400: "the body could not be read",
        401: "missing or unknown token",
        403: "the token lacks the right, or the request is from another origin",
        404: "not found",
        408: "the body did not arrive in time",
        409: "not possible in the current state",
        413: "the body is too large",
        421: "unknown host name",
        422: "invalid request",
        429: "too many questions are waiting, or the share of the token is used up",
        502: "an upstream service failed",
        503: "temporarily unavailable",
        507: "no space left on the server",
    }.items()
}  # fmt: skip


def router(scope: str | None, *, upload: bool = False, asks: bool = False, **options: Any) -> APIRouter:
    """Create a router whose routes limit the body and require a scope, or no token at all without one.

    Routes that ask questions need room for one.
    """

    class AuthenticatedRoute(APIRoute):
        """A route that checks the token and limits the body before anything is read."""

        def get_route_handler(self) -> Handler:
            handle = super().get_route_handler()

            async def handle_checked(request: Request) -> Response:
                service = service_of(request)
                limits = service.settings.limits
                if scope is not None:
                    await _verify(request)
                    check_token(request, scope)
                    await _find_index(request)
                if asks:
                    # Before the body is read and checked: a flood of questions is refused at little cost.
                    service.questions.check_room(token_of(request).sha256)
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


def check_token(request: Request, scope: str) -> None:
    """Raise if the token does not allow the request, and store the token on the request."""
    request.state.token = token = _of_user(request, _token(request))
    if not token.allows(scope):
        raise Problem(403, f"the token lacks the right {scope!r}")
    if "index" in request.path_params:
        # Raises for unknown indexes before the body is read.
        service_of(request).indexes.require_covered(request.path_params["index"], token)


async def _find_index(request: Request) -> None:
    """Store the index on the request as its asker may see it; in a thread, as it may have to be built first."""
    service, token = service_of(request), token_of(request)
    name = request.path_params.get("index")
    if name is not None and service.indexes.is_derived(name, token):
        request.state.served = await service.look_up(lambda: service.indexes.get(name, token))


async def _verify(request: Request) -> None:
    """Verify a token of the sign-in provider in a thread, as its keys may have to be fetched; the result is cached."""
    provider, secret = service_of(request).oidc, _secret(request)
    if provider is not None and secret.count(".") == _SIGNED:
        await service_of(request).look_up(lambda: provider.token(secret))


def _secret(request: Request) -> str:
    kind, _, secret = request.headers.get("authorization", "").partition(" ")
    # The scheme is case-insensitive (RFC 9110).
    return secret.strip() if kind.lower() == "bearer" else ""


def _token(request: Request) -> Token:
    service, secret = service_of(request), _secret(request)
    if not service.settings.needs_token:
        return EVERYBODY
    if service.oidc is not None and secret.count(".") == _SIGNED:
        return service.oidc.token(secret)
    token = service.token_store.find(secret) if service.token_store is not None else None
    if token is None:
        given = request.headers.get("authorization", "").partition(" ")[2]
        said = "the token is not known" if given else "this needs a token"
        raise Problem(401, f"{said}; send one as: Authorization: Bearer TOKEN", {"WWW-Authenticate": "Bearer"})
    return service.indexes.with_wholes(token)


def _of_user(request: Request, token: Token) -> Token:
    """Limit a token to what the user may see whom a trusted proxy names; without a name, to what everybody may."""
    settings = service_of(request).settings
    if not settings.user_header:
        return token
    user, groups = "", ""
    if request.client is not None and request.client.host in settings.proxies:
        user = request.headers.get(settings.user_header, "").strip()
        groups = request.headers.get(settings.groups_header, "") if settings.groups_header else ""
    named = tuple(group.strip() for group in groups.split(",") if group.strip()) if user else ()
    where = token.rights.where if token.rights else {}
    # On an open server nobody is known well enough to write.
    scopes = tuple(scope for scope in token.scopes if scope != "memory") if token is EVERYBODY else token.scopes
    return replace(token, scopes=scopes, rights=Rights(user, named, where))


class _Body:
    """Forwards a body within its limits; an upload may take long, as long as data keeps arriving."""

    def __init__(self, request: Request, most: int, seconds: float, *, steadily: bool) -> None:
        self._request = request
        self._left = most
        self._seconds = seconds
        self._steadily = steadily
        self._until = asyncio.get_running_loop().time() + seconds
        self._whole = False
        self._too_large = Problem(TOO_LARGE, f"the body is larger than the {most:,} bytes that this server allows")
        # If the size is declared, refuse before reading any of the body.
        declared = request.headers.get("content-length", "0")
        if declared.isdigit() and int(declared) > most:
            raise self._too_large

    async def receive(self) -> Message:
        if self._whole:
            # Only the disconnect can follow the body, at any time.
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
    """Keep reading for a while: many clients read the response only after sending everything."""
    # With Expect, the client waits for a response before sending the body.
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
