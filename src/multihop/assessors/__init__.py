"""How far the evidence covers what was asked."""

from multihop.assessors.aspects import AspectAssessor
from multihop.assessors.entities import EntityAssessor
from multihop.assessors.judged import JudgedAspects

__all__ = ["AspectAssessor", "EntityAssessor", "JudgedAspects"]
