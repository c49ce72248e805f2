"""A neighbourhood as a page of its own: the picture, and a table of what joins the passages."""

from __future__ import annotations

from html import escape

from multihop.graph.picture import COLOURS, picture
from multihop.graph.values import Neighbourhood

_STYLE = """
body { font-family: system-ui, "Segoe UI", Helvetica, Arial, sans-serif; margin: 2rem; color: #1b2733; }
body { background: #fbfcfd; }
h1 { font-size: 1.3rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 0.9rem; }
th, td { text-align: left; padding: 0.35rem 0.7rem; border-bottom: 1px solid #dfe5ea; vertical-align: top; }
th { color: #5b6b7a; font-weight: 600; }
td.number { font-variant-numeric: tabular-nums; }
"""


def page(found: Neighbourhood) -> str:
    """Write the picture and a table of all edges, the surest first, as one HTML file that needs no other."""
    labels = {node.id: node.passage.label for node in found.nodes}
    starts = ", ".join(escape(node.passage.label) for node in found.nodes if node.hop == 0)
    rows = "\n".join(
        f'<tr><td>{escape(labels[e.source])}</td><td style="color:{COLOURS[e.kind]}">{escape(e.kind)}</td>'
        f'<td>{escape(labels[e.target])}</td><td class="number">{e.confidence:.2f}</td>'
        f"<td>{escape(e.evidence)}</td><td>{escape(e.method)}</td></tr>"
        for e in sorted(found.edges, key=lambda e: (-e.confidence, e.source, e.target, e.kind))
    )
    more = f", {found.left_out} more passages left out" if found.left_out else ""
    return f"""<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Around {starts}</title><style>{_STYLE}</style></head>
<body>
<h1>Around {starts}</h1>
<p>{len(found.nodes)} passages, {len(found.edges)} edges{more}</p>
<div class="scroll">{picture(found)}</div>
<table>
<thead><tr><th>from</th><th>kind</th><th>to</th><th>confidence</th><th>evidence</th><th>found by</th></tr></thead>
<tbody>
{rows}
</tbody>
</table>
</body>
</html>
"""
