"""The surroundings of a passage in the graph, and how to write them down and draw them."""

from multihop.neighbourhood.formats import FORMATS, written
from multihop.neighbourhood.values import MENTIONS, Edge, Neighbourhood, Node
from multihop.neighbourhood.walking import MOST_HOPS, around, starts_of

__all__ = ["FORMATS", "MENTIONS", "MOST_HOPS", "Edge", "Neighbourhood", "Node", "around", "starts_of", "written"]
