"""HTML and inline SVG as values: everything that is not already markup is escaped."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape

SAFE_LINK_PREFIXES = ("http://", "https://", "../", "./")
"""Prefixes of URLs that pages and workbooks may link to; excludes schemes that run code, such as javascript:."""
_VOID = {"br", "input", "link", "meta"}
# Characters that HTML does not allow even as references, and lone surrogates, which UTF-8 cannot encode.
_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


class Markup(str):
    """Text that is already markup; all other text is escaped when it is inserted."""

    __slots__ = ()


# Positional only: elements such as meta have an attribute called name.
def el(name: str, /, *content: object, **attributes: object) -> Markup:
    """Make an element; `class_` is written as `class`, `text_anchor` as `text-anchor`; None and False are omitted."""
    inside = "".join(c if isinstance(c, Markup) else text(c) for c in content)
    given = "".join(
        f" {k.rstrip('_').replace('_', '-')}" + ("" if v is True else f'="{_attribute(v)}"')
        for k, v in attributes.items()
        if v is not None and v is not False
    )
    return Markup(f"<{name}{given}>" if name in _VOID else f"<{name}{given}>{inside}</{name}>")


def text(value: object) -> Markup:
    """Escape text; forbidden characters become the replacement character."""
    # A form feed ends a page of a document; on screen it is a line break.
    return Markup(escape(_UNPRINTABLE.sub("\ufffd", str(value).replace("\f", "\n")), quote=True))


def _attribute(value: object) -> str:
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else text(value)


def join(parts: Iterable[object], between: str = "") -> Markup:
    """Join pieces of markup."""
    return Markup(text(between).join(p if isinstance(p, Markup) else text(p) for p in parts))


def table(
    header: Sequence[object], rows: Iterable[Sequence[object]], caption: object = "", class_: str | None = None
) -> Markup:
    """Make a table that scrolls inside its own box; the first cell of each row is its header."""
    head = el("thead", el("tr", *(h if _is_cell(h) else el("th", h, scope="col") for h in header)))
    body = el("tbody", *(el("tr", *(_cell(c, i) for i, c in enumerate(row))) for row in rows))
    inside = el("table", el("caption", caption) if caption else Markup(), head, body, class_=class_)
    # A scrollable box must be reachable by keyboard.
    return el("div", inside, class_="scroll", tabindex=0)


def _cell(content: object, column: int) -> Markup:
    if isinstance(content, Markup) and _is_cell(content):
        return content
    return el("td", content) if column else el("th", content, scope="row")


def _is_cell(content: object) -> bool:
    return isinstance(content, Markup) and content.startswith(("<td", "<th"))


def page(
    title: str, *body: object, style: str, script: str = "", head: Iterable[Markup] = (), class_: str | None = None
) -> str:
    """Write a self-contained page that works offline; `script` runs at the end of the body."""
    about = el(
        "head", el("meta", charset="utf-8"), *head,
        el("meta", name="viewport", content="width=device-width, initial-scale=1"), el("title", title),
        # Style and script are trusted and would break if they were escaped.
        el("style", Markup(style)),
    )  # fmt: skip
    scripts = [el("script", Markup(script))] if script else []
    return f"<!doctype html>\n{el('html', about, el('body', *body, *scripts, class_=class_), lang='en')}\n"
