"""Query writers: the queries of a hop."""

from multihop.parts.query_writers.aspects import AspectQueries
from multihop.parts.query_writers.enhanced import AskEnhanced
from multihop.parts.query_writers.graph import WalkEnhanced, WalkGraph
from multihop.parts.query_writers.micro import MicroQueries
from multihop.parts.query_writers.rules import AskOnce, FollowLinks

__all__ = ["AskEnhanced", "AskOnce", "AspectQueries", "FollowLinks", "MicroQueries", "WalkEnhanced", "WalkGraph"]
