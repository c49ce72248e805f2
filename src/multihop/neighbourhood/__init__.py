"""The surroundings of a passage in the graph, and how to write them down and draw them."""

from multihop.neighbourhood.formats import FORMATS, written
from multihop.neighbourhood.values import MENTIONS, Edge, Neighbourhood, Node
from multihop.neighbourhood.walking import around

__all__ = ["FORMATS", "MENTIONS", "Edge", "Neighbourhood", "Node", "around", "written"]
