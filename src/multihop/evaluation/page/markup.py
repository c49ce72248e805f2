"""Markup that escapes whatever it is given, and numbers as the report writes them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from html import escape

from multihop.evaluation.measures import Difference, Estimate

NONE = "–"
_VOID = {"br", "input", "link", "meta"}
_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


class Markup(str):
    """Text that is markup already; every other text is escaped on its way into the page."""

    __slots__ = ()


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
    return Markup(escape(_UNPRINTABLE.sub("\ufffd", str(value)), quote=True))


def _attribute(value: object) -> str:
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else text(value)


def join(parts: Iterable[object], between: str = "") -> Markup:
    """Put pieces of markup one after another."""
    return Markup(text(between).join(p if isinstance(p, Markup) else text(p) for p in parts))


def clip(value: object, most: int) -> str:
    """Shorten a text to at most so many characters."""
    whole = str(value)
    return whole if len(whole) <= most else whole[: most - 1].rstrip() + "…"


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


def share(value: float) -> str:
    """Write a share of one."""
    return NONE if math.isnan(value) else f"{value:.3f}"


def interval(value: Estimate | Difference) -> str:
    """Write the bounds of a 95 % interval."""
    if math.isnan(value.low):
        return ""
    if isinstance(value, Difference):
        return f"{signed(value.low)} to {signed(value.high)}"
    return f"{share(value.low)}–{share(value.high)}"


def signed(value: float) -> str:
    """Write a difference of shares with its sign."""
    return f"{value:+.3f}".replace("-", "−")


def chance(p: float) -> str:
    """Write a p value no more exactly than it is known."""
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def milliseconds(value: float) -> str:
    """Write a time with three figures or so."""
    if math.isnan(value):
        return NONE
    return f"{value:.2f}" if value < 1 else f"{value:.1f}" if value < 100 else f"{value:,.0f}"


def counted(n: int, one: str) -> str:
    """Write a number with its noun."""
    return f"{n:,} {one}" if n == 1 else f"{n:,} {one}s"
