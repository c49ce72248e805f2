"""Serves the web page: static files, compressed once, and bundles of its modules.

Assets are served under a path with a hash of all files, so browsers cache them and request only the page itself. On an
open server, the page embeds the lists of indexes, strategies and so on, so that a view can request its data before any
script has loaded.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

from fastapi import APIRouter, Request, Response

from multihop.errors import MultihopError
from multihop.server.bundle import bundle
from multihop.server.problems import FRAMEWORK_MESSAGES, Problem, documented_methods, not_found
from multihop.server.routes.indexes import indexes, strategies
from multihop.server.routes.reports import POLICY, reports
from multihop.server.routes.surveys import known_profiles
from multihop.server.routes.views import views
from multihop.server.service import service_of
from multihop.server.tokens import EVERYBODY

FOLDER = Path(__file__).parent.parent / "page"
_SURVEY = Path(str(files("multihop.survey")))
_SHARED = {"parts/heat-table.js": _SURVEY / "heat-table.js", "heat-table.css": _SURVEY / "heat-table.css"}
"""Files that the page shares with the reports of surveys."""
_APPENDED = {"style.css": "heat-table.css"}
"""Files that are served as the end of another one."""
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
}
"""Media types of page files by suffix; other files in the folder are not served."""
# The frame for reports is sandboxed like them and may be embedded in the page.
_OWN_HEADERS = {"frame.html": {"Content-Security-Policy": POLICY, "X-Frame-Options": "SAMEORIGIN"}}
_FOREVER = "public, max-age=31536000, immutable"
_VERSION = re.compile("_[0-9a-f]{16}")
_FILE_REFERENCE = re.compile(r'\b(src|href)="([\w/-]+\.(?:js|css|svg))"')
_START = "app.js"
_BUNDLES = "bundle/"
"""Path prefix of bundled modules."""
_VIEWS = 'data-views=""'
_DATA_ELEMENT = '<script type="application/json" id="offered">'
_INITIAL_REQUESTS = {
    "indexes": indexes,
    "strategies": strategies,
    "views": views,
    "profiles": known_profiles,
    "reports": reports,
}
"""The requests that the page makes before it shows anything."""

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
    # This route matches every GET, so the framework never returns 405 for API paths without GET.
    if path.startswith("v1/") and (allowed := documented_methods(request)) and "GET" not in allowed:
        raise Problem(405, FRAMEWORK_MESSAGES[405], {"Allow": ", ".join(allowed)})
    return _answer(path, request, await _initial_data(request) if path == "index.html" else "")


async def _initial_data(request: Request) -> str:
    """Return the page's first requests as JSON; empty if they depend on who asks, or one fails."""
    settings = service_of(request).settings
    if settings.needs_token or settings.user_header:
        return ""
    # Page routes have no token check, which would store the token.
    request.state.token = EVERYBODY
    try:
        responses = {f"v1/{name}": await offer(request) for name, offer in _INITIAL_REQUESTS.items()}
    except (MultihopError, Problem):
        # The page then makes the requests itself and shows the error.
        return ""
    # Escaped, so that no name can close the script element.
    return json.dumps(responses, ensure_ascii=False).replace("<", "\\u003c")


def _answer(path: str, request: Request, offered: str = "") -> Response:
    version, _, inside = path.partition("/")
    hashed = _VERSION.fullmatch(version) is not None
    file = _start(offered) if path == "index.html" else _find(inside if hashed else path)
    # An outdated version serves the current file, which must not be cached under the old path.
    kept = _FOREVER if hashed and version == f"_{_version()}" else "no-cache"
    headers = {"ETag": file.tag, "Cache-Control": kept, "Vary": "Accept-Encoding", **_OWN_HEADERS.get(path, {})}
    # The header may list several quoted tags.
    if file.tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    if "gzip" in request.headers.get("accept-encoding", ""):
        return Response(file.gzipped, headers=headers | {"Content-Encoding": "gzip"}, media_type=file.type)
    return Response(file.body, headers=headers, media_type=file.type)


def _start(offered: str) -> _File:
    """Return index.html with versioned file references and embedded data."""
    body = _FILE_REFERENCE.sub(rf'\1="_{_version()}/\2"', _find("index.html").body.decode())
    body = body.replace(_VIEWS, f'{_VIEWS[:-1]}{_views()}"')
    return _make_file(body.replace(_DATA_ELEMENT, f"{_DATA_ELEMENT}{offered}").encode(), ".html")


def _views() -> str:
    """Return the names of the views, from the files in their folder."""
    return " ".join(sorted(Path(name).stem for name in _files(FOLDER) if name.startswith("views/")))


def _version() -> str:
    """Return a hash of all page files."""
    tags = "".join(f"{name}{_find(name).tag}" for name in sorted(_files(FOLDER)))
    return hashlib.sha256(tags.encode()).hexdigest()[:16]


def _find(path: str) -> _File:
    """Find a page file by name; client input is never used as a path."""
    known = _files(FOLDER)
    place, module = known.get(path), path.removeprefix(_BUNDLES)
    if path.startswith(_BUNDLES) and path.endswith(".js") and module in known:
        return _bundle(module, _version())
    if place is not None:
        parts = [place, *([known[_APPENDED[path]]] if path in _APPENDED else [])]
        return _load(tuple((part, part.stat().st_mtime_ns) for part in parts))
    raise not_found(f"/{path}")


# The unused argument, here and below, ties the cache entry to one version of the files.
@lru_cache(maxsize=100)
def _bundle(module: str, _: str) -> _File:
    body = bundle(module, lambda path: _find(path).body.decode(), _START).encode()
    return _make_file(body, ".js")


@lru_cache(maxsize=4)
def _files(folder: Path) -> dict[str, Path]:
    """List the page files by name, once per process."""
    places = (place for place in folder.rglob("*") if place.suffix in TYPES and place.is_file())
    return {place.relative_to(folder).as_posix(): place for place in places} | _SHARED


@lru_cache(maxsize=200)
def _load(parts: tuple[tuple[Path, int], ...]) -> _File:
    """Load the content of one or more files; their times tie the cache entry to their versions."""
    return _make_file(b"".join(place.read_bytes() for place, _ in parts), parts[0][0].suffix)


def _make_file(body: bytes, suffix: str) -> _File:
    return _File(body, gzip.compress(body, mtime=0), f'"{hashlib.sha256(body).hexdigest()[:32]}"', TYPES[suffix])
