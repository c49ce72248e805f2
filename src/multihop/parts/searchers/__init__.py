"""How passages are found."""

from multihop.parts.searchers.bm25 import Bm25Searcher
from multihop.parts.searchers.dense import DenseSearcher
from multihop.parts.searchers.fusion import RankFusion, Together
from multihop.parts.searchers.links import LinkSearcher
from multihop.parts.searchers.names import NameSearcher
from multihop.parts.searchers.relations import RelationSearcher
from multihop.parts.searchers.signals import SignalSearcher, SignalWalk

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
