"""Models of our own: small, stored as data in the package, run without a deep-learning framework."""

from multihop.models.boosted import BoostedTrees, boosted_trees

__all__ = ["BoostedTrees", "boosted_trees"]
