"""Planners: what is to be found out, before any search."""

from multihop.parts.planners.aspects import AspectPlanner, GivenAspects
from multihop.parts.planners.profile import ProfilePlanner
from multihop.parts.planners.rules import RulePlanner

__all__ = ["AspectPlanner", "GivenAspects", "ProfilePlanner", "RulePlanner"]
