"""Haystack's hybrid retrieval as its documentation builds it: BM25 and vectors in memory, joined by reciprocal rank.

    python benchmarks/peers/haystack/hybrid_haystack.py --data datasets --dataset hotpotqa -k 5 \
        --out runs/peers/haystack
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "false"
sys.path.append(str(Path(__file__).parents[2]))

from haystack import Document, Pipeline, component
from haystack.components.joiners import DocumentJoiner
from haystack.components.retrievers.in_memory import (
    InMemoryBM25Retriever,
    InMemoryEmbeddingRetriever,
)
from haystack.document_stores.in_memory import InMemoryDocumentStore
from peers.measuring import DEPTH, EMBEDDER, Search, main, passage_text

from multihop.types import Document as Passage


@component
class SharedTextEmbedder:
    """Our embedder as a component, in the place of SentenceTransformersTextEmbedder."""

    @component.output_types(embedding=list[float])
    def run(self, text: str) -> dict[str, list[float]]:
        return {"embedding": EMBEDDER.embed([text], query=True)[0].tolist()}


def build(passages: Sequence[Passage]) -> Search:
    store = InMemoryDocumentStore()
    texts = [passage_text(passage) for passage in passages]
    vectors = EMBEDDER.embed(texts)
    store.write_documents(
        [
            Document(id=passage.id, content=text, embedding=vector.tolist())
            for passage, text, vector in zip(passages, texts, vectors, strict=True)
        ]
    )
    pipeline = Pipeline()
    pipeline.add_component("text_embedder", SharedTextEmbedder())
    pipeline.add_component("embedding_retriever", InMemoryEmbeddingRetriever(store, top_k=DEPTH))
    pipeline.add_component("bm25_retriever", InMemoryBM25Retriever(store, top_k=DEPTH))
    pipeline.add_component("document_joiner", DocumentJoiner(join_mode="reciprocal_rank_fusion"))
    pipeline.connect("text_embedder.embedding", "embedding_retriever.query_embedding")
    pipeline.connect("bm25_retriever", "document_joiner")
    pipeline.connect("embedding_retriever", "document_joiner")

    def search(question: str, k: int) -> list[str]:
        asked = {
            "text_embedder": {"text": question},
            "bm25_retriever": {"query": question},
            "document_joiner": {"top_k": k},
        }
        return [document.id for document in pipeline.run(asked)["document_joiner"]["documents"]]

    return search


if __name__ == "__main__":
    main("Haystack hybrid", build, ["haystack-ai"])
