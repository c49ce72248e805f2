"""Searchers, which answer text queries, and walkers, which follow links and relations from passages."""

from multihop.parts.searchers.bm25 import Bm25Searcher as Bm25Searcher
from multihop.parts.searchers.citations import CitationWalker as CitationWalker
from multihop.parts.searchers.dense import DenseSearcher as DenseSearcher
from multihop.parts.searchers.follow_ups import FollowUpWalker as FollowUpWalker, NextPassageWalker as NextPassageWalker
from multihop.parts.searchers.fusion import (
    MatchingSearcher as MatchingSearcher,
    MatchingWalker as MatchingWalker,
    RankFusion as RankFusion,
)
from multihop.parts.searchers.links import LinkWalker as LinkWalker
from multihop.parts.searchers.names import NameSearcher as NameSearcher
from multihop.parts.searchers.relations import RelationWalker as RelationWalker
from multihop.parts.searchers.signals import SignalSearcher as SignalSearcher, SignalWalker as SignalWalker
