"""SVG: a drawing with a title for those who do not see it, and labels in it."""

from __future__ import annotations

from multihop.rendering.html import Markup, el
from multihop.rendering.phrases import shorten


def drawing(width: float, height: float, *content: Markup, title: str, id: str = "", about: str = "") -> Markup:
    """Put a drawing together. With an `id` it is part of a page, named by its title and described by `about`."""
    box = f"0 0 {width:.0f} {height:.0f}"
    # A file of its own needs the namespace and a size; in a page the parser knows the one, the style sheet the other.
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
    """Write a label; a long one is cut, and whole in its tooltip."""
    shown = shorten(str(text), 40)
    inside = (shown, el("title", text)) if shown != str(text) else (shown,)
    return el("text", *inside, x=x, y=y, text_anchor=None if anchor == "start" else anchor, class_=kind)
