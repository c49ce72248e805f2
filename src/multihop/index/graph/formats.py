"""A neighborhood as a file: JSON, GraphML (for Gephi, Cytoscape, yEd, NetworkX), SVG and HTML."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree as ET

from multihop.index.graph.neighborhood import Neighborhood
from multihop.index.graph.page import page
from multihop.index.graph.picture import picture
from multihop.types import plain

_NODE_KEYS = (("label", "string"), ("document", "string"), ("heading", "string"), ("text", "string"),
              ("distance", "int"), ("strength", "double"))  # fmt: skip
_EDGE_KEYS = (("kind", "string"), ("confidence", "double"), ("evidence", "string"), ("method", "string"))
# XML has no way to write these, not even as a number.
_NO_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def as_dict(neighborhood: Neighborhood) -> dict[str, Any]:
    """Write a neighborhood as plain values."""
    nodes = [
        {
            "id": node.id, "label": node.passage.label, "document": node.passage.document_id,
            "heading": node.passage.heading, "text": node.passage.text, "distance": node.distance,
            "strength": node.strength, "via": node.via,
        }
        for node in neighborhood.nodes
    ]  # fmt: skip
    return {"nodes": nodes, "edges": plain(neighborhood.edges), "left_out": neighborhood.left_out}


def as_json(neighborhood: Neighborhood) -> str:
    return json.dumps(as_dict(neighborhood), ensure_ascii=False, indent=2) + "\n"


def as_graphml(neighborhood: Neighborhood) -> str:
    """Write a neighborhood as GraphML; every value is an attribute of its node or edge."""
    values = as_dict(neighborhood)
    root = ET.Element("graphml", xmlns="http://graphml.graphdrawing.org/xmlns")
    for domain, keys in (("node", _NODE_KEYS), ("edge", _EDGE_KEYS)):
        for name, type in keys:
            about = {"id": f"{domain}-{name}", "for": domain, "attr.name": name, "attr.type": type}
            ET.SubElement(root, "key", about)
    graph = ET.SubElement(root, "graph", id="neighborhood", edgedefault="directed")
    for node in values["nodes"]:
        _add_data(ET.SubElement(graph, "node", id=_xml(node["id"])), "node", _NODE_KEYS, node)
    for edge in values["edges"]:
        ends = {"source": _xml(edge["source"]), "target": _xml(edge["target"])}
        _add_data(ET.SubElement(graph, "edge", ends), "edge", _EDGE_KEYS, edge)
    ET.indent(root)
    return "<?xml version='1.0' encoding='utf-8'?>\n" + ET.tostring(root, encoding="unicode") + "\n"


def _add_data(element: ET.Element, domain: str, keys: tuple[tuple[str, str], ...], values: dict[str, Any]) -> None:
    for name, _ in keys:
        ET.SubElement(element, "data", key=f"{domain}-{name}").text = _xml(str(values[name]))


def _xml(text: str) -> str:
    return _NO_XML.sub("\ufffd", text)


FORMATS: dict[str, Callable[[Neighborhood], str]] = {
    "graphml": as_graphml,
    "json": as_json,
    "svg": picture,
    "html": page,
}
"""How to write a neighborhood, by the ending of the file."""


def render(neighborhood: Neighborhood, format: str) -> str:
    """Write a neighborhood in one of the formats."""
    return FORMATS[format](neighborhood)
