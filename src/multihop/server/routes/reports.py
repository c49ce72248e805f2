"""Routes for evaluation and survey reports: self-contained pages in a folder.

A subfolder named like an index holds reports on that index; a token limited to some indexes sees only theirs.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import quote

from fastapi import Request, Response

from multihop.server.problems import Problem
from multihop.server.router import router
from multihop.server.schemas import ReportName, ReportsOut
from multihop.server.service import service_of
from multihop.server.tokens import Token, token_of

# Reports contain scripts and styles, so they are sandboxed and cannot act on behalf of this server.
POLICY = (
    "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "img-src data:; frame-ancestors 'self'"
)

_TITLE = re.compile("<title>(.*?)</title>", re.IGNORECASE | re.DOTALL)
_START = 4096

routes = router("reports", tags=["reports"])


@routes.get("/v1/reports", response_model=ReportsOut, summary="List the reports")
async def reports(request: Request) -> dict[str, Any]:
    """List the reports of this server, newest first."""
    service, token = service_of(request), token_of(request)
    return {"reports": await service.look_up(lambda: _list(service.settings.reports, token))}


@routes.get(
    "/reports/{name:path}",
    response_class=Response,
    responses={200: {"content": {"text/html": {"schema": {"type": "string"}}}, "description": "The report."}},
    summary="Get a report",
)
async def report(name: ReportName, request: Request) -> Response:
    """Return a report: a self-contained HTML page."""
    service, token = service_of(request), token_of(request)

    def work() -> bytes:
        place = _visible_reports(service.settings.reports, token).get(name)
        if place is None:
            raise Problem(404, f"there is no report {name[:80]!r}")
        return place.read_bytes()

    headers = {"Content-Security-Policy": POLICY, "X-Frame-Options": "SAMEORIGIN", "Cache-Control": "no-cache"}
    return Response(await service.look_up(work), headers=headers, media_type="text/html; charset=utf-8")


def _list(folder: Path | None, token: Token) -> list[dict[str, Any]]:
    rows = []
    for name, place in _visible_reports(folder, token).items():
        status = place.stat()
        modified = datetime.fromtimestamp(status.st_mtime, UTC).isoformat(timespec="seconds")
        address = f"/reports/{quote(name)}"
        about = {"bytes": status.st_size, "modified": modified}
        rows.append({"name": name, "title": _title(place), "address": address, **about})
    return sorted(rows, key=lambda row: (row["modified"], row["name"]), reverse=True)


def _title(place: Path) -> str:
    """Read the title of a report from its head."""
    with place.open("rb") as file:
        start = file.read(_START).decode("utf-8", "replace")
    title = _TITLE.search(start)
    return " ".join(unescape(title.group(1)).split())[:200] if title else ""


def _visible_reports(folder: Path | None, token: Token) -> dict[str, Path]:
    """List visible reports by name; client input is never used as a path."""
    if folder is None:
        return {}
    root = folder.resolve()
    files = ((f, f.resolve()) for f in sorted(folder.rglob("*.html")))
    # Ignore symbolic links that lead out of the folder.
    shown = {f.relative_to(folder): f for f, real in files if real.is_relative_to(root) and real.is_file()}
    return {
        name.as_posix(): place
        for name, place in shown.items()
        if token.indexes is None or (len(name.parts) > 1 and token.covers(name.parts[0]))
    }
