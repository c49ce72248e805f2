"""Assessors: how far the evidence covers what was asked."""

from multihop.parts.assessors.aspects import AspectAssessor
from multihop.parts.assessors.entities import EntityAssessor
from multihop.parts.assessors.judged import JudgedAspects

__all__ = ["AspectAssessor", "EntityAssessor", "JudgedAspects"]
