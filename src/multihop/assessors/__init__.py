"""How far the evidence covers what was asked."""

from multihop.assessors.entities import EntityAssessor

__all__ = ["EntityAssessor"]
