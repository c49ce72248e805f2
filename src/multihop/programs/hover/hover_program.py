"""The program of entity-aware queries with listwise reranking, and its signatures."""

from multihop.lm.signatures import (
    DocumentReranker as DocumentReranker,
    EntityQueryDecomposition as EntityQueryDecomposition,
)
from multihop.programs.listwise import ListwisePipeline as HoverMultiHop

__all__ = ["DocumentReranker", "EntityQueryDecomposition", "HoverMultiHop"]
