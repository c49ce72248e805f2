"""LlamaIndex's hybrid retrieval as its documentation builds it: BM25Retriever and a vector index, fused by rank.

    python benchmarks/peers/llamaindex/hybrid_llamaindex.py --data datasets --dataset hotpotqa -k 5 \
        --out runs/peers/llamaindex
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2]))

from llama_index.core import VectorStoreIndex
from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.llms import MockLLM
from llama_index.core.retrievers import QueryFusionRetriever
from llama_index.core.retrievers.fusion_retriever import FUSION_MODES
from llama_index.core.schema import TextNode
from llama_index.retrievers.bm25 import BM25Retriever
from peers.measuring import DEPTH, EMBEDDER, Search, main, passage_text

from multihop.types import Document as Passage


class SharedEmbedding(BaseEmbedding):
    """Our embedder in LlamaIndex's shape."""

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        return [vector.tolist() for vector in EMBEDDER.embed(texts)]

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._get_text_embeddings([text])[0]

    def _get_query_embedding(self, query: str) -> list[float]:
        return list(EMBEDDER.embed([query], query=True)[0].tolist())

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_query_embedding(query)


def build(passages: Sequence[Passage]) -> Search:
    nodes = [TextNode(id_=passage.id, text=passage_text(passage)) for passage in passages]
    index = VectorStoreIndex(nodes, embed_model=SharedEmbedding(embed_batch_size=256))
    vectors = index.as_retriever(similarity_top_k=DEPTH)
    words = BM25Retriever.from_defaults(nodes=nodes, similarity_top_k=DEPTH)
    fusion = QueryFusionRetriever(
        [vectors, words],
        llm=MockLLM(),
        mode=FUSION_MODES.RECIPROCAL_RANK,
        similarity_top_k=DEPTH,
        num_queries=1,  # the question itself: no language model writes others
        use_async=False,  # both retrievers compute; an event loop around them only adds time
    )

    def search(question: str, k: int) -> list[str]:
        return [found.node.node_id for found in fusion.retrieve(question)[:k]]

    return search


if __name__ == "__main__":
    main("LlamaIndex hybrid", build, ["llama-index-core", "llama-index-retrievers-bm25"])
