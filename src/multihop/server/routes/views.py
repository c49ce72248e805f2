"""What the web page can offer on this server and to this caller, so that it asks for nothing that it will not get."""

from __future__ import annotations

from typing import Any

from fastapi import Request
from pydantic import BaseModel

from multihop.server.router import router
from multihop.server.service import token_of
from multihop.server.tokens import SCOPES

_REQUIRED_ROUTES = {"reports": "/v1/reports", "survey": "/v1/profiles"}
"""Views that a server may lack, and what each of them asks for."""

routes = router("read", prefix="/v1", tags=["state"])


class ViewsOut(BaseModel):
    """The views beside those that every server has, and what the caller may do: the scopes of its token."""

    views: list[str]
    scopes: list[str]


@routes.get("/views", response_model=ViewsOut, summary="What the web page can show")
async def views(request: Request) -> dict[str, Any]:
    """Name the views of the web page that this server has something for, and the scopes of the token that asks."""
    known = request.app.openapi()["paths"]
    token = token_of(request)
    return {
        "views": [view for view, path in _REQUIRED_ROUTES.items() if path in known],
        "scopes": [scope for scope in SCOPES if token.allows(scope)],
    }
