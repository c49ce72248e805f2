"""The operations as a page, made from the OpenAPI description here: it needs neither scripts nor the network."""

from __future__ import annotations

import json
from collections.abc import Iterator
from html import escape
from typing import Any

from fastapi import APIRouter, Request, Response

routes = APIRouter(include_in_schema=False)

_STYLE = """:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:56rem;margin:2rem auto;
padding:0 1rem}h2{margin:2.5rem 0 .5rem;text-transform:capitalize}details{border-top:1px solid #8886;padding:.5rem 0}
summary{cursor:pointer}code,pre{font:14px/1.45 ui-monospace,monospace}pre{overflow:auto;padding:.75rem;background:#8882}
.method{display:inline-block;min-width:4rem;font-weight:700}.what{opacity:.8}table{border-collapse:collapse}
td{padding:.1rem 1rem .1rem 0;vertical-align:top}"""


@routes.get("/docs")
async def docs(request: Request) -> Response:
    page = "".join(_page(request.app.openapi()))
    # The style stands in the page, and nothing else is allowed there.
    policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'"
    return Response(page, headers={"Content-Security-Policy": policy}, media_type="text/html; charset=utf-8")


def _page(description: dict[str, Any]) -> Iterator[str]:
    info = description["info"]
    yield f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{escape(info["title"])} API</title>'
    yield f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style>'
    yield f"<h1>{escape(info['title'])} {escape(info['version'])}</h1><p>{escape(info['description'])}</p>"
    yield '<p>The same as data: <a href="/openapi.json">openapi.json</a>. Or use <a href="/">the page</a>.</p>'
    groups: dict[str, list[str]] = {}
    for path, methods in description["paths"].items():
        for method, operation in methods.items():
            told = "".join(_operation(path, method, operation, description))
            groups.setdefault(operation["tags"][0], []).append(told)
    for tag, operations in groups.items():
        yield f"<h2>{escape(tag)}</h2>" + "".join(operations)


def _operation(path: str, method: str, operation: dict[str, Any], whole: dict[str, Any]) -> Iterator[str]:
    yield f'<details><summary><code><span class="method">{method.upper()}</span> {escape(path)}</code> '
    yield f'<span class="what">{escape(operation["summary"])}</span></summary>'
    yield f"<p>{escape(operation.get('description', ''))}</p>"
    if parameters := operation.get("parameters"):
        rows = (
            f"<tr><td><code>{escape(p['name'])}</code><td>in the {escape(p['in'])}<td>"
            f"{escape(p.get('description', ''))}" for p in parameters
        )  # fmt: skip
        yield f"<table>{''.join(rows)}</table>"
    for kind, content in operation.get("requestBody", {}).get("content", {}).items():
        schema = _resolved(content["schema"], whole)
        yield f"<p>Body, <code>{escape(kind)}</code>:</p><pre>{escape(_shown(schema))}</pre>"
    codes = ((code, said.get("description", "")) for code, said in operation["responses"].items())
    yield "<table>" + "".join(f"<tr><td>{escape(c)}<td>{escape(d)}" for c, d in codes) + "</table></details>"


def _resolved(schema: dict[str, Any], whole: dict[str, Any]) -> dict[str, Any]:
    name = schema.get("$ref", "").rpartition("/")[2]
    return whole["components"]["schemas"][name] if name else schema


def _shown(schema: dict[str, Any]) -> str:
    """Show an example of a body where there is one, else its fields."""
    if examples := schema.get("examples"):
        return json.dumps(examples[0], indent=2, ensure_ascii=False)
    return "\n".join(f"{name}: {field.get('description', '')}" for name, field in schema.get("properties", {}).items())
