"""The picture of a neighbourhood, as SVG: boxes in columns, lines coloured by kind and as wide as they are sure."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from html import escape

from multihop.graph.layout import BOX, HEIGHT, LEFT, Layout, layout
from multihop.graph.values import MENTIONS, Edge, Neighbourhood, Node

COLOURS = {
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
_STYLE = """
text { font-family: system-ui, "Segoe UI", Helvetica, Arial, sans-serif; }
.title { font-size: 13px; font-weight: 600; fill: #1b2733; }
.said { font-size: 11px; fill: #5b6b7a; }
.column { font-size: 12px; fill: #5b6b7a; font-weight: 600; }
.legend { font-size: 11px; fill: #37474f; }
.box { fill: #ffffff; stroke: #b0bec5; stroke-width: 1.2; }
.start { fill: #fff8e1; stroke: #f9a825; stroke-width: 2; }
.edge { fill: none; stroke-opacity: 0.75; }
.edge:hover { stroke-opacity: 1; stroke-width: 6; }
.label { font-size: 10px; paint-order: stroke; stroke: #fbfcfd; stroke-width: 3px; }
"""


def picture(found: Neighbourhood) -> str:
    """Draw a neighbourhood; whatever is too long for a box is shown when the pointer rests on it."""
    where = layout(found)
    kinds = [k for k in COLOURS if any(e.kind == k for e in found.edges)]
    width = max(where.width, LEFT * 2 + 150 * len(kinds))
    height = where.height + _LEGEND
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
        f'height="{height:.0f}" role="img" aria-label="passages and the relations between them">',
        f"<style>{_STYLE}</style>",
        f"<defs>{''.join(_arrow(kind) for kind in kinds)}</defs>",
        f'<rect width="{width:.0f}" height="{height:.0f}" fill="#fbfcfd"/>',
        *_headings(where),
        *_lines(found, where),
        *(_box(node, *where.places[node.id]) for node in found.nodes),
        *_legend(kinds, height),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _arrow(kind: str) -> str:
    return (
        f'<marker id="arrow-{kind}" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="9" markerHeight="9" '
        f'markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0L10 5L0 10z" fill="{COLOURS[kind]}"/></marker>'
    )


def _headings(where: Layout) -> Iterator[str]:
    for hop, left in enumerate(where.columns):
        said = "start" if hop == 0 else f"hop {hop}"
        yield f'<text class="column" x="{left:.0f}" y="34">{said}</text>'


def _lines(found: Neighbourhood, where: Layout) -> Iterator[str]:
    """Draw mention links first, so that the relations lie on top of them; edges of one pair side by side."""
    pairs: dict[tuple[str, str], list[Edge]] = {}
    for edge in sorted(found.edges, key=lambda e: (e.kind != MENTIONS, e.confidence, e.source, e.target, e.kind)):
        pairs.setdefault((min(edge.source, edge.target), max(edge.source, edge.target)), []).append(edge)
    drawn = [(e, place - (len(edges) - 1) / 2) for edges in pairs.values() for place, e in enumerate(edges)]
    drawn.sort(key=lambda item: item[0].kind != MENTIONS)
    for edge, shift in drawn:
        yield _line(edge, shift * 9, where)


def _line(edge: Edge, shift: float, where: Layout) -> str:
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
    width = 1 + 3.2 * edge.confidence if edge.kind != MENTIONS else 0.8 + edge.confidence
    said = f"{edge.kind} {edge.confidence:.2f}: {edge.evidence}"
    dashes = ' stroke-dasharray="2 4"' if edge.kind == MENTIONS else ""
    return (
        f'<path class="edge" d="M{start_x:.1f} {start_y:.1f}C{control[0]:.1f} {start_y:.1f} {control[1]:.1f} '
        f'{end_y:.1f} {end_x:.1f} {end_y:.1f}" stroke="{COLOURS[edge.kind]}" stroke-width="{width:.1f}"{dashes} '
        f'marker-end="url(#arrow-{edge.kind})"><title>{_safe(said)}</title></path>'
    )


def _box(node: Node, x: float, y: float) -> str:
    passage = node.passage
    title = f"{passage.label} #{passage.position}" if passage.position else passage.label
    kind = "box start" if node.hop == 0 else "box"
    return (
        f"<g><title>{_safe(f'{passage.id}: {passage.text}')}</title>"
        f'<rect class="{kind}" x="{x:.1f}" y="{y:.1f}" width="{BOX}" height="{HEIGHT}" rx="7"/>'
        f'<text class="title" x="{x + 10:.1f}" y="{y + 19:.1f}">{_safe(_cut(title, _TITLE))}</text>'
        f'<text class="said" x="{x + 10:.1f}" y="{y + 36:.1f}">{_safe(_cut(passage.text, _SNIPPET))}</text></g>'
    )


def _legend(kinds: list[str], height: float) -> Iterator[str]:
    for place, kind in enumerate(kinds):
        x, y = LEFT + place * 150, height - 22
        dashes = ' stroke-dasharray="2 4"' if kind == MENTIONS else ""
        yield (
            f'<path d="M{x} {y}h28" stroke="{COLOURS[kind]}" stroke-width="3"{dashes} '
            f'marker-end="url(#arrow-{kind})"/>'
            f'<text class="legend" x="{x + 34}" y="{y + 4:.0f}">{kind.lower().replace("_", " ")}</text>'
        )


def _cut(text: str, letters: int) -> str:
    """Shorten a text to the room there is; letters of wide scripts take two places."""
    line = " ".join(text.split())
    room = 0
    for place, letter in enumerate(line):
        room += 2 if unicodedata.east_asian_width(letter) in "WF" else 1
        if room > letters:
            return line[: max(1, place - 1)].rstrip() + "…"
    return line


def _safe(text: str) -> str:
    kept = "".join(c if c in "\n\t" or (c.isprintable() and not 0xD800 <= ord(c) <= 0xDFFF) else " " for c in text)
    return escape(kept, quote=True)
