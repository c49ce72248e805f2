"""The neighborhood of a passage in the graph, and how to write it down and draw it."""

from multihop.index.graph.formats import FORMATS, render
from multihop.index.graph.neighborhood import MENTIONS, Edge, Neighborhood, Node
from multihop.index.graph.walk import MOST_STEPS, around, starts_of

__all__ = ["FORMATS", "MENTIONS", "MOST_STEPS", "Edge", "Neighborhood", "Node", "around", "render", "starts_of"]
