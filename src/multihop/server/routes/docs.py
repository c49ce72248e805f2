"""The OpenAPI description, and a page rendered from it without scripts or network access."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from fastapi import APIRouter, Request, Response

from multihop.rendering.html import Markup, el, page
from multihop.server.service import service_of

routes = APIRouter(include_in_schema=False)

_STYLE = """:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:56rem;margin:2rem auto;
padding:0 1rem}h2{margin:2.5rem 0 .5rem;text-transform:capitalize}details{border-top:1px solid #8886;padding:.5rem 0}
summary{cursor:pointer}code,pre{font:14px/1.45 ui-monospace,monospace}pre{overflow:auto;padding:.75rem;background:#8882}
.method{display:inline-block;min-width:4rem;font-weight:700}.what{opacity:.8}
table{border-collapse:collapse;margin:0 0 1rem}td{padding:.1rem 1rem .1rem 0;vertical-align:top}
td:not(:last-child){white-space:nowrap}"""


@routes.get("/docs")
async def docs(request: Request) -> Response:
    # Inline style only; everything else is forbidden.
    policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'"
    content = await service_of(request).look_up(lambda: _page(request.app.openapi()))
    return Response(content, headers={"Content-Security-Policy": policy}, media_type="text/html; charset=utf-8")


@routes.api_route("/openapi.json", methods=["GET", "HEAD"])
async def openapi(request: Request) -> Response:
    # Not FastAPI's own route, which generates the description in the event loop: everybody would wait for it.
    content = await service_of(request).look_up(lambda: _as_json(request.app.openapi()))
    return Response(content, media_type="application/json")


def _as_json(description: dict[str, Any]) -> str:
    return json.dumps(description, ensure_ascii=False, separators=(",", ":"))


def _page(description: dict[str, Any]) -> str:
    info = description["info"]
    groups: dict[str, list[Markup]] = {}
    for path, methods in description["paths"].items():
        for method, operation in methods.items():
            groups.setdefault(operation["tags"][0], []).append(_operation(path, method, operation, description))
    also = (
        "The same as data: ", el("a", "openapi.json", href="openapi.json"),
        ". Or use ", el("a", "the page", href="./"), ".",
    )  # fmt: skip
    sections = [part for tag, operations in groups.items() for part in (el("h2", tag), *operations)]
    heading = el("h1", f"{info['title']} {info['version']}"), el("p", info["description"])
    return page(f"{info['title']} API", *heading, el("p", *also), *sections, style=_STYLE)


def _operation(path: str, method: str, operation: dict[str, Any], whole: dict[str, Any]) -> Markup:
    address = el("code", el("span", method.upper(), class_="method"), f" {path}")
    parts = [
        el("summary", address, " ", el("span", operation["summary"], class_="what")),
        el("p", operation.get("description", "")),
        _rows(
            (el("code", p["name"]), f"in the {p['in']}", p.get("description", ""))
            for p in operation.get("parameters", ())
        ),
    ]
    for kind, content in operation.get("requestBody", {}).get("content", {}).items():
        name = content["schema"].get("$ref", "").rpartition("/")[2]
        schema = whole["components"]["schemas"][name] if name else content["schema"]
        parts.append(el("p", "Body, ", el("code", kind), ":"))
        parts += [el("pre", json.dumps(each, indent=2, ensure_ascii=False)) for each in schema.get("examples", ())[:1]]
        parts.append(_fields(schema))
    codes = _rows((code, said.get("description", "")) for code, said in operation["responses"].items())
    return el("details", *parts, codes)


def _rows(rows: Iterable[Sequence[object]]) -> Markup:
    return el("table", *(el("tr", *(el("td", cell) for cell in row)) for row in rows))


def _fields(schema: dict[str, Any]) -> Markup:
    required = schema.get("required", ())
    fields = sorted(schema.get("properties", {}).items(), key=lambda field: field[0] not in required)
    return _rows(
        (el("code", name), "required" if name in required else _default(field), _description(field))
        for name, field in fields
    )


def _default(field: dict[str, Any]) -> str:
    default = field.get("default")
    return "" if default in (None, "", []) else f"default {json.dumps(default)}"


def _description(field: dict[str, Any]) -> str:
    """Return the description of a field; that of an optional one is beside its type."""
    return next((each["description"] for each in (field, *field.get("anyOf", ())) if "description" in each), "")
