"""The picture of a neighborhood, as SVG: boxes in columns, lines colored by kind and as wide as they are sure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from importlib.resources import files

from multihop.index.graph.layout import BOX, HEIGHT, LEFT, GraphLayout, layout
from multihop.index.graph.neighborhood import MENTIONS, Edge, Neighborhood, Node
from multihop.rendering.html import Markup, el, join
from multihop.rendering.phrases import fit, pluralize
from multihop.rendering.svg import caption, drawing

COLORS = {
    "SUPPORTS": "#2e7d32",
    "EXPLAINS": "#1565c0",
    "CONTRADICTS": "#c62828",
    "FOLLOWS": "#6a1b9a",
    "TEMPORAL_FOLLOWS": "#b26a00",
    "CAUSES": "#ad1457",
    MENTIONS: "#90a4ae",
}
_TITLE = 24
"""How many letters of a title fit into a box."""
_SNIPPET = 32
_LEGEND = 60
_STYLE = (files(__package__) / "picture.css").read_text("utf-8")


def picture(neighborhood: Neighborhood) -> str:
    """Draw a neighborhood; whatever is too long for a box is shown when the pointer rests on it."""
    where = layout(neighborhood)
    kinds = [k for k in COLORS if any(e.kind == k for e in neighborhood.edges)]
    # A legend can be wider than a small drawing.
    width = max(where.width, LEFT * 2 + 150 * len(kinds))
    height = where.height + _LEGEND
    parts = [
        el("style", Markup(_STYLE)),
        el("defs", *map(_arrow, kinds)),
        el("rect", width=width, height=height, fill="#fbfcfd"),
        *(
            caption(left, 34, pluralize(distance, "step") if distance else "start", kind="column")
            for distance, left in enumerate(where.columns)
        ),
        *_lines(neighborhood, where),
        *(_box(node, *where.places[node.id]) for node in neighborhood.nodes),
        *(_legend(kind, LEFT + place * 150, height - 22) for place, kind in enumerate(kinds)),
    ]
    return drawing(width, height, *parts, title="passages and the relations between them") + "\n"


def _arrow(kind: str) -> Markup:
    return el(
        "marker", el("path", d="M0 0L10 5L0 10z", fill=COLORS[kind]), id=f"arrow-{kind}", viewBox="0 0 10 10", refX=9,
        refY=5, markerWidth=9, markerHeight=9, markerUnits="userSpaceOnUse", orient="auto",
    )  # fmt: skip


def _lines(neighborhood: Neighborhood, where: GraphLayout) -> Iterator[Markup]:
    """Draw mention links first, so that the relations lie on top of them; edges of one pair side by side."""
    pairs: dict[frozenset[str], list[Edge]] = defaultdict(list)
    for edge in sorted(
        neighborhood.edges, key=lambda e: (e.kind != MENTIONS, e.confidence, e.source, e.target, e.kind)
    ):
        pairs[frozenset((edge.source, edge.target))].append(edge)
    drawn = [(e, place - (len(edges) - 1) / 2) for edges in pairs.values() for place, e in enumerate(edges)]
    drawn.sort(key=lambda item: item[0].kind != MENTIONS)
    for edge, shift in drawn:
        yield _line(edge, shift * 9, where)


def _line(edge: Edge, shift: float, where: GraphLayout) -> Markup:
    (x1, y1), (x2, y2) = where.places[edge.source], where.places[edge.target]
    start_y, end_y = y1 + HEIGHT / 2 + shift, y2 + HEIGHT / 2 + shift
    if x1 == x2:
        # Within a column the line swings out to the right, further the further it goes.
        start_x, end_x = x1 + BOX, x2 + BOX
        bend = 24 + min(70.0, abs(end_y - start_y) / 5)
        control = start_x + bend, end_x + bend
    else:
        start_x, end_x = (x1 + BOX, x2) if x1 < x2 else (x1, x2 + BOX)
        middle = (start_x + end_x) / 2
        control = middle, middle
    way = (
        f"M{start_x:.1f} {start_y:.1f}C{control[0]:.1f} {start_y:.1f} {control[1]:.1f} {end_y:.1f} "
        f"{end_x:.1f} {end_y:.1f}"
    )
    width = 1 + 3.2 * edge.confidence if edge.kind != MENTIONS else 0.8 + edge.confidence
    about = el("title", f"{edge.kind} {edge.confidence:.2f}: {edge.evidence}")
    return el("path", about, class_="edge", d=way, stroke_width=width, **_stroke(edge.kind))


def _stroke(kind: str) -> dict[str, object]:
    return {
        "stroke": COLORS[kind], "stroke_dasharray": "2 4" if kind == MENTIONS else None,
        "marker_end": f"url(#arrow-{kind})",
    }  # fmt: skip


def _box(node: Node, x: float, y: float) -> Markup:
    passage = node.passage
    title = f"{passage.label} #{passage.position}" if passage.position else passage.label
    return el(
        "g",
        el("title", f"{passage.id}: {passage.text}"),
        el("rect", class_="box" if node.distance else "box start", x=x, y=y, width=BOX, height=HEIGHT, rx=7),
        caption(x + 10, y + 19, fit(title, _TITLE), kind="title"),
        caption(x + 10, y + 36, fit(passage.text, _SNIPPET), kind="said"),
    )


def _legend(kind: str, x: float, y: float) -> Markup:
    line = el("path", d=f"M{x:.0f} {y:.0f}h28", stroke_width=3, **_stroke(kind))
    return join([line, caption(x + 34, y + 4, kind.lower().replace("_", " "), kind="legend")])
