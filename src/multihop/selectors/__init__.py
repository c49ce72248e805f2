"""What gets a place in the budget."""

from multihop.selectors.appending import Appending
from multihop.selectors.entity_first import EntityFirst, EntityFirstRanker
from multihop.selectors.fusion import LearnedFusion
from multihop.selectors.graph import GraphFusion
from multihop.selectors.signals import SignalsOnGraph, TopSignals
from multihop.selectors.top import TopScore

__all__ = [
    "Appending",
    "EntityFirst",
    "EntityFirstRanker",
    "GraphFusion",
    "LearnedFusion",
    "SignalsOnGraph",
    "TopScore",
    "TopSignals",
]
