"""HTML (and the SVG inside it) as values: whatever is not markup already is escaped on its way in."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape

FOLLOWED = ("http://", "https://", "../", "./")
"""How an address begins that a page or a workbook links to: nothing that runs when it is clicked."""
_VOID = {"br", "input", "link", "meta"}
# What HTML does not allow even as a character reference, and lone surrogates, which UTF-8 cannot hold.
_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


class Markup(str):
    """Text that is markup already; every other text is escaped on its way into the page."""

    __slots__ = ()


# The name is positional only: elements such as meta have an attribute that is called so.
def el(name: str, /, *content: object, **attributes: object) -> Markup:
    """Make an element; `class_` is written `class`, `text_anchor` `text-anchor`; None and False are left out."""
    inside = "".join(c if isinstance(c, Markup) else text(c) for c in content)
    given = "".join(
        f" {k.rstrip('_').replace('_', '-')}" + ("" if v is True else f'="{_attribute(v)}"')
        for k, v in attributes.items()
        if v is not None and v is not False
    )
    return Markup(f"<{name}{given}>" if name in _VOID else f"<{name}{given}>{inside}</{name}>")


def text(value: object) -> Markup:
    """Escape a text; characters that no page may hold are shown as the replacement character."""
    # A form feed ends a page of a document; on a screen it is a line break.
    return Markup(escape(_UNPRINTABLE.sub("\ufffd", str(value).replace("\f", "\n")), quote=True))


def _attribute(value: object) -> str:
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else text(value)


def join(parts: Iterable[object], between: str = "") -> Markup:
    """Put pieces of markup one after another."""
    return Markup(text(between).join(p if isinstance(p, Markup) else text(p) for p in parts))


def table(
    header: Sequence[object], rows: Iterable[Sequence[object]], caption: object = "", class_: str | None = None
) -> Markup:
    """Make a table that scrolls inside its own box; the first cell of a row heads it."""
    head = el("thead", el("tr", *(h if _is_cell(h) else el("th", h, scope="col") for h in header)))
    body = el("tbody", *(el("tr", *(_cell(c, i) for i, c in enumerate(row))) for row in rows))
    inside = el("table", el("caption", caption) if caption else Markup(), head, body, class_=class_)
    # A box that scrolls must be reachable by keyboard.
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
    """Write a whole page that holds all it needs, so that it opens offline; `script` runs at its end."""
    about = el(
        "head", el("meta", charset="utf-8"), *head,
        el("meta", name="viewport", content="width=device-width, initial-scale=1"), el("title", title),
        # Style and script are our own, and would not work if they were escaped.
        el("style", Markup(style)),
    )  # fmt: skip
    scripts = [el("script", Markup(script))] if script else []
    return f"<!doctype html>\n{el('html', about, el('body', *body, *scripts, class_=class_), lang='en')}\n"
