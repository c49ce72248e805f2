"""What gets a place in the budget."""

from multihop.selectors.fusion import LearnedFusion
from multihop.selectors.top import TopScore

__all__ = ["LearnedFusion", "TopScore"]
