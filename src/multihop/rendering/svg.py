"""SVG drawings with an accessible title, and labels."""

from __future__ import annotations

from multihop.rendering.html import Markup, el
from multihop.rendering.phrases import shorten


def drawing(width: float, height: float, *content: Markup, title: str, id: str = "", about: str = "") -> Markup:
    """Make a drawing. With an `id` it is inline in a page, labeled by `title` and described by `about`."""
    box = f"0 0 {width:.0f} {height:.0f}"
    # A standalone file needs the namespace and a size; in a page the parser and the style sheet supply them.
    if not id:
        return el(
            "svg", *content, xmlns="http://www.w3.org/2000/svg", viewBox=box, width=f"{width:.0f}",
            height=f"{height:.0f}", role="img", aria_label=title,
        )  # fmt: skip
    names = el("title", title, id=f"{id}-t"), el("desc", about, id=f"{id}-d")
    return el(
        "svg", *names, *content, viewBox=box, role="img", aria_labelledby=f"{id}-t {id}-d", class_="chart"
    )  # fmt: skip


def caption(x: float, y: float, text: object, anchor: str = "start", kind: str | None = None) -> Markup:
    """Write a label; a long one is shortened, with the full text in its tooltip."""
    shown = shorten(str(text), 40)
    inside = (shown, el("title", text)) if shown != str(text) else (shown,)
    return el("text", *inside, x=x, y=y, text_anchor=None if anchor == "start" else anchor, class_=kind)
