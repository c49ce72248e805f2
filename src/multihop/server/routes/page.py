"""The web page: a folder of files, sent as they are and compressed once, and few files made of its modules.

What the page is made of lies under an address that holds a hash of all its files, so a browser keeps it and asks only
for the page itself. Where no token is needed, that says what the server offers, so that a view can ask for what it
shows before any script of the page has come.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from fastapi import APIRouter, Request, Response

from multihop.errors import MultihopError
from multihop.server.bundle import bundle
from multihop.server.problems import FRAMEWORK_MESSAGES, Problem, documented_methods
from multihop.server.routes.indexes import indexes, strategies
from multihop.server.routes.reports import POLICY, reports
from multihop.server.routes.surveys import known_profiles
from multihop.server.routes.views import views
from multihop.server.service import service_of
from multihop.server.tokens import EVERYBODY

FOLDER = Path(__file__).parent.parent / "page"
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
}
"""What files of the page are sent as; all of them are texts, and others in its folder are not sent at all."""
# The frame that reports are shown in is a sandbox like them, and stands inside the page.
_OWN_HEADERS = {"frame.html": {"Content-Security-Policy": POLICY, "X-Frame-Options": "SAMEORIGIN"}}
_FOREVER = "public, max-age=31536000, immutable"
_VERSION = re.compile("_[0-9a-f]{16}")
_FILE_REFERENCE = re.compile(r'\b(src|href)="([\w/-]+\.(?:js|css|svg))"')
_START = "app.js"
_BUNDLES = "bundle/"
"""Below it lies every module together with all that it imports."""
_VIEWS = 'data-views=""'
_DATA_ELEMENT = '<script type="application/json" id="offered">'
_INITIAL_REQUESTS = {
    "indexes": indexes,
    "strategies": strategies,
    "views": views,
    "profiles": known_profiles,
    "reports": reports,
}
"""What the page asks a server for before it shows anything."""

routes = APIRouter(include_in_schema=False)


class _File(NamedTuple):
    body: bytes
    gzipped: bytes
    tag: str
    type: str


@routes.api_route("/", methods=["GET", "HEAD"])
async def start(request: Request) -> Response:
    return _answer("index.html", request, await _initial_data(request))


@routes.api_route("/{path:path}", methods=["GET", "HEAD"])
async def file(path: str, request: Request) -> Response:
    # This route takes every GET, so the framework never refuses one of the API that only takes others.
    if path.startswith("v1/") and (allowed := documented_methods(request)) and "GET" not in allowed:
        raise Problem(405, FRAMEWORK_MESSAGES[405], {"Allow": ", ".join(allowed)})
    return _answer(path, request, await _initial_data(request) if path == "index.html" else "")


async def _initial_data(request: Request) -> str:
    """Say as JSON what this server offers to everybody; nothing where it takes a token, or fails to be known."""
    if service_of(request).token_store is not None:
        return ""
    # The guard, which notes the token for routes, does not stand before the page.
    request.state.token = EVERYBODY
    try:
        found = {f"v1/{name}": await offer(request) for name, offer in _INITIAL_REQUESTS.items()}
    except (MultihopError, Problem):
        # The page then asks by itself, and shows what is wrong.
        return ""
    # Whatever an index or a report is called, it cannot end the element that it stands in.
    return json.dumps(found, ensure_ascii=False).replace("<", "\\u003c")


def _answer(path: str, request: Request, offered: str = "") -> Response:
    version, _, inside = path.partition("/")
    hashed = _VERSION.fullmatch(version) is not None
    found = _start(offered) if path == "index.html" else _find(inside if hashed else path)
    # An address of an older version leads to what is there now, which must not be kept under it.
    kept = _FOREVER if hashed and version == f"_{_version()}" else "no-cache"
    headers = {"ETag": found.tag, "Cache-Control": kept, "Vary": "Accept-Encoding", **_OWN_HEADERS.get(path, {})}
    # The header may list several tags, of which each has quotes around it.
    if found.tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    if "gzip" in request.headers.get("accept-encoding", ""):
        return Response(found.gzipped, headers=headers | {"Content-Encoding": "gzip"}, media_type=found.type)
    return Response(found.body, headers=headers, media_type=found.type)


def _start(offered: str) -> _File:
    """The page itself, whose files are named with their version, and what the server offers."""
    body = _FILE_REFERENCE.sub(rf'\1="_{_version()}/\2"', _find("index.html").body.decode())
    body = body.replace(_VIEWS, f'{_VIEWS[:-1]}{_views()}"')
    return _make_file(body.replace(_DATA_ELEMENT, f"{_DATA_ELEMENT}{offered}").encode(), ".html")


def _views() -> str:
    """The names of the views, which are the files in their folder."""
    return " ".join(sorted(Path(name).stem for name in _files(FOLDER) if name.startswith("views/")))


def _version() -> str:
    """A hash of all files of the page: another one as soon as one of them changes."""
    tags = "".join(f"{name}{_find(name).tag}" for name in sorted(_files(FOLDER)))
    return hashlib.sha256(tags.encode()).hexdigest()[:16]


def _find(path: str) -> _File:
    """Find a file of the page by comparing names: nothing that a client sends is ever made a path."""
    known = _files(FOLDER)
    place, module = known.get(path), path.removeprefix(_BUNDLES)
    if path.startswith(_BUNDLES) and path.endswith(".js") and module in known:
        return _bundle(module, _version())
    if place is not None:
        return _load(place, place.stat().st_mtime_ns)
    raise Problem(404, f"{'/' + path[:80]!r} not found; the operations are listed at /docs")


# What is not read of the arguments, here and below, keeps what is cached to one version of the files.
@lru_cache(maxsize=100)
def _bundle(module: str, _: str) -> _File:
    body = bundle(module, lambda path: _find(path).body.decode(), _START).encode()
    return _make_file(body, ".js")


@lru_cache(maxsize=4)
def _files(folder: Path) -> dict[str, Path]:
    """The files of the page by name, listed once: a first visit asks for all of them."""
    found = (place for place in folder.rglob("*") if place.suffix in TYPES and place.is_file())
    return {place.relative_to(folder).as_posix(): place for place in found}


@lru_cache(maxsize=200)
def _load(place: Path, _: int) -> _File:
    return _make_file(place.read_bytes(), place.suffix)


def _make_file(body: bytes, suffix: str) -> _File:
    return _File(body, gzip.compress(body, mtime=0), f'"{hashlib.sha256(body).hexdigest()[:32]}"', TYPES[suffix])
