"""The queries of a hop."""

from multihop.query_writers.aspects import AspectQueries
from multihop.query_writers.enhanced import AskEnhanced
from multihop.query_writers.graph import WalkEnhanced, WalkGraph
from multihop.query_writers.micro import MicroQueries
from multihop.query_writers.rules import AskOnce, FollowLinks

__all__ = ["AskEnhanced", "AskOnce", "AspectQueries", "FollowLinks", "MicroQueries", "WalkEnhanced", "WalkGraph"]
