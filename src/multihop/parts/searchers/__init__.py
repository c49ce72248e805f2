"""How passages are found: searchers answer text queries, walkers follow what leads on from passages."""

from multihop._moved import renamed
from multihop.parts.searchers.bm25 import Bm25Searcher
from multihop.parts.searchers.dense import DenseSearcher
from multihop.parts.searchers.follow_ups import FollowUpWalker, NextPassageWalker
from multihop.parts.searchers.fusion import MatchingSearcher, MatchingWalker, RankFusion, Together
from multihop.parts.searchers.links import LinkWalker
from multihop.parts.searchers.names import NameSearcher
from multihop.parts.searchers.relations import RelationWalker
from multihop.parts.searchers.signals import SignalSearcher, SignalWalker

__all__ = [
    "Bm25Searcher",
    "DenseSearcher",
    "FollowUpWalker",
    "LinkWalker",
    "MatchingSearcher",
    "MatchingWalker",
    "NameSearcher",
    "NextPassageWalker",
    "RankFusion",
    "RelationWalker",
    "SignalSearcher",
    "SignalWalker",
    "Together",
]

__getattr__ = renamed(
    __name__, {"LinkSearcher": "LinkWalker", "RelationSearcher": "RelationWalker", "SignalWalk": "SignalWalker"}
)
