"""Building blocks of the report: sections, collapsible content, column heads."""

from __future__ import annotations

from multihop.rendering.html import Markup, el


def section(id: str, title: str, *content: Markup) -> Markup:
    """Put content under a heading that the list of contents links to."""
    return el("section", el("h2", title, id=id), *content)


def collapsible(title: str, content: Markup) -> Markup:
    """Make a collapsible section."""
    return el("details", el("summary", title), content, class_="more")


def number_head(name: object) -> Markup:
    """Head a column of numbers, which stand at its right edge."""
    return el("th", name, scope="col", class_="n")
