"""The surroundings of a passage in the graph, and how to write them down and draw them."""

from multihop.graph.formats import FORMATS, written
from multihop.graph.values import MENTIONS, Edge, Neighbourhood, Node
from multihop.graph.walking import MOST_HOPS, around, starts_of

__all__ = ["FORMATS", "MENTIONS", "MOST_HOPS", "Edge", "Neighbourhood", "Node", "around", "starts_of", "written"]
