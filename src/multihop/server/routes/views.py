"""Route for the views of the web page that are available to the caller."""

from __future__ import annotations

from typing import Any

from fastapi import Request
from pydantic import BaseModel

from multihop.server.router import router
from multihop.server.service import service_of
from multihop.server.tokens import SCOPES, token_of

_REQUIRED_ROUTES = {"reports": "/v1/reports", "survey": "/v1/profiles"}
"""Optional views, and the route that each needs."""

routes = router("read", prefix="/v1", tags=["state"])


class ViewsOut(BaseModel):
    """The optional views of this server, whether it stores feedback, and the scopes of the caller's token."""

    views: list[str]
    feedback: bool
    scopes: list[str]


@routes.get("/views", response_model=ViewsOut, summary="List the views of the web page")
async def views(request: Request) -> dict[str, Any]:
    """Return the optional views of the web page that this server supports, and the scopes of the token."""
    known = {route.path for route in request.app.routes}
    token = token_of(request)
    return {
        "views": [view for view, path in _REQUIRED_ROUTES.items() if path in known],
        "feedback": service_of(request).settings.feedback,
        "scopes": [scope for scope in SCOPES if token.allows(scope)],
    }
