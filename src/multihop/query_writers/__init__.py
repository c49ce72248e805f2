"""The queries of a hop."""

from multihop.query_writers.micro import MicroQueries
from multihop.query_writers.rules import AskOnce, FollowLinks

__all__ = ["AskOnce", "FollowLinks", "MicroQueries"]
