"""Signing in on the page with an OpenID Connect provider: the way there, and the token for the code on the way back.

Nothing is stored here: the page keeps the state and the verifier in its tab until the user comes back.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Request
from pydantic import BaseModel, Field

from multihop.server.problems import Problem
from multihop.server.router import router
from multihop.server.service import service_of

routes = router(None, prefix="/v1/sign-in", include_in_schema=False)
_Short = Annotated[str, Field(min_length=1, max_length=4096)]
_Back = Annotated[str, Field(pattern=r"^https?://[^\s#]+$", max_length=2048)]


class SignIn(BaseModel):
    """What the user came back with, and what the page has kept."""

    code: _Short
    verifier: _Short
    back: _Back


@routes.get("")
async def begin(request: Request, back: Annotated[_Back, Query()]) -> dict[str, str]:
    """Return the URL to send the user to, with the state and the verifier; nothing if there is no provider."""
    service = service_of(request)
    provider = service.oidc
    return {} if provider is None else await service.sign_in(lambda: provider.sign_in(back))


@routes.post("")
async def redeem(request: Request, body: SignIn) -> dict[str, str]:
    """Return the token of the user who came back."""
    service = service_of(request)
    provider = service.oidc
    if provider is None:
        raise Problem(404, "this server has no sign-in provider; use a token")
    return {"token": await service.sign_in(lambda: provider.redeem(body.code, body.verifier, body.back))}
