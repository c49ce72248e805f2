"""What is to be found out, before any search."""

from multihop.planners.aspects import AspectPlanner, GivenAspects
from multihop.planners.profile import ProfilePlanner
from multihop.planners.rules import RulePlanner

__all__ = ["AspectPlanner", "GivenAspects", "ProfilePlanner", "RulePlanner"]
