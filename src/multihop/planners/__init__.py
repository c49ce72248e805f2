"""What is to be found out, before any search."""

from multihop.planners.rules import RulePlanner

__all__ = ["RulePlanner"]
