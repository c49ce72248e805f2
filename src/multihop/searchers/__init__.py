"""How passages are found."""

from multihop.searchers.bm25 import Bm25Searcher
from multihop.searchers.dense import DenseSearcher
from multihop.searchers.fusion import RankFusion, Together
from multihop.searchers.links import LinkSearcher
from multihop.searchers.names import NameSearcher
from multihop.searchers.relations import RelationSearcher
from multihop.searchers.signals import SignalSearcher, SignalWalk

__all__ = [
    "Bm25Searcher",
    "DenseSearcher",
    "LinkSearcher",
    "NameSearcher",
    "RankFusion",
    "RelationSearcher",
    "SignalSearcher",
    "SignalWalk",
    "Together",
]
