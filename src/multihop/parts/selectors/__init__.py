"""What gets a place in the budget."""

from multihop.parts.selectors.appending import Appending
from multihop.parts.selectors.entity_first import EntityFirst, EntityFirstRanker
from multihop.parts.selectors.fusion import LearnedFusion
from multihop.parts.selectors.graph import GraphFusion
from multihop.parts.selectors.ranked import RankedFusion
from multihop.parts.selectors.reread import Reread, model_free, read_by, unread
from multihop.parts.selectors.signals import SignalsOnGraph, TopSignals
from multihop.parts.selectors.top import TopScore

__all__ = [
    "Appending", "EntityFirst", "EntityFirstRanker", "GraphFusion", "LearnedFusion", "RankedFusion", "Reread",
    "SignalsOnGraph", "TopScore", "TopSignals", "model_free", "read_by", "unread",
]  # fmt: skip
