"""The web page: a folder of files, sent as they are, compressed once and revalidated by their hash."""

from __future__ import annotations

import gzip
import hashlib
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from fastapi import APIRouter, Request, Response
from starlette.routing import compile_path

from multihop.server.problems import PLAIN, Problem
from multihop.server.routes.reports import POLICY

FOLDER = Path(__file__).parent.parent / "page"
TYPES = {
    ".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml", ".png": "image/png", ".ico": "image/x-icon", ".woff2": "font/woff2",
    ".json": "application/json", ".webmanifest": "application/manifest+json", ".txt": "text/plain; charset=utf-8",
}  # fmt: skip
# The frame that reports are shown in is a sandbox like them, and stands inside the page.
_OWN = {"frame.html": {"Content-Security-Policy": POLICY, "X-Frame-Options": "SAMEORIGIN"}}
_PACKED = (".html", ".js", ".css", ".svg", ".json", ".txt", ".webmanifest")

routes = APIRouter(include_in_schema=False)


class _File(NamedTuple):
    body: bytes
    packed: bytes
    tag: str
    type: str


@routes.api_route("/", methods=["GET", "HEAD"])
async def start(request: Request) -> Response:
    return _answer("index.html", request)


@routes.api_route("/{path:path}", methods=["GET", "HEAD"])
async def file(path: str, request: Request) -> Response:
    if path.startswith("v1/") and (allowed := _methods_elsewhere(request)):
        raise Problem(405, PLAIN[405], {"Allow": ", ".join(allowed)})
    return _answer(path, request)


def _methods_elsewhere(request: Request) -> list[str]:
    """What may be done at this address, where it is one of the API that cannot be looked at."""
    described = request.app.openapi()["paths"]
    known = (path for path in described if "get" not in described[path])
    here = (path for path in known if compile_path(path)[0].match(request.url.path))
    return [method.upper() for path in here for method in described[path]]


def _answer(path: str, request: Request) -> Response:
    found = _find(path)
    headers = {"ETag": found.tag, "Cache-Control": "no-cache", "Vary": "Accept-Encoding", **_OWN.get(path, {})}
    if found.tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    if found.packed and "gzip" in request.headers.get("accept-encoding", ""):
        return Response(found.packed, headers=headers | {"Content-Encoding": "gzip"}, media_type=found.type)
    return Response(found.body, headers=headers, media_type=found.type)


def _find(path: str) -> _File:
    """Find a file of the page by comparing names: nothing that a client sends is ever made a path."""
    place = _files(FOLDER).get(path)
    if place is not None:
        return _load(place, place.stat().st_mtime_ns)
    raise Problem(404, f"{'/' + path[:80]!r} not found; the operations are listed at /docs")


@lru_cache(maxsize=4)
def _files(folder: Path) -> dict[str, Path]:
    """The files of the page by name, listed once: a first visit asks for all of them."""
    found = (place for place in folder.rglob("*") if place.suffix in TYPES and place.is_file())
    return {place.relative_to(folder).as_posix(): place for place in found}


@lru_cache(maxsize=200)
def _load(place: Path, _: int) -> _File:
    body = place.read_bytes()
    packed = gzip.compress(body, mtime=0) if place.suffix in _PACKED else b""
    return _File(body, packed, f'"{hashlib.sha256(body).hexdigest()[:32]}"', TYPES[place.suffix])
