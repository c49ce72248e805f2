"""A neighborhood as a page of its own: the picture, and a table of what joins the passages."""

from __future__ import annotations

from importlib.resources import files

from multihop.index.graph.neighborhood import Neighborhood
from multihop.index.graph.picture import COLORS, picture
from multihop.rendering.html import Markup, el, page as html_page, table
from multihop.rendering.phrases import pluralize

_STYLE = (files(__package__) / "page.css").read_text("utf-8")
_HEADER = ("from", "kind", "to", "confidence", "evidence", "found by")


def page(neighborhood: Neighborhood) -> str:
    """Write the picture and a table of all edges, the surest first, as one HTML file that needs no other."""
    labels = {node.id: node.passage.label for node in neighborhood.nodes}
    title = "Around " + ", ".join(node.passage.label for node in neighborhood.nodes if not node.distance)
    rows = [
        [
            el("td", labels[e.source]), el("td", e.kind, style=f"color:{COLORS[e.kind]}"), labels[e.target],
            el("td", f"{e.confidence:.2f}", class_="number"), e.evidence, e.method,
        ]
        for e in sorted(neighborhood.edges, key=lambda e: (-e.confidence, e.source, e.target, e.kind))
    ]  # fmt: skip
    more = f", {pluralize(neighborhood.left_out, 'more passage')} left out" if neighborhood.left_out else ""
    size = f"{pluralize(len(neighborhood.nodes), 'passage')}, {pluralize(len(neighborhood.edges), 'edge')}{more}"
    drawing = el("div", Markup(picture(neighborhood)), class_="scroll")
    return html_page(title, el("h1", title), el("p", size), drawing, table(_HEADER, rows), style=_STYLE)
