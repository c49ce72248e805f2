"""LinearRAG: a graph of passages, sentences and entities, searched by personalized PageRank, without a language model.

    LINEARRAG=folder python benchmarks/peers/linearrag/graph_linearrag.py --data datasets --dataset 2wiki -k 5 \
        --out runs/peers/linearrag

LINEARRAG names a checkout of github.com/DEEP-PolyU/LinearRAG. Its license is the GPL, so it is run from there and no
line of it is here. Settings are those of its own script for HotpotQA and 2WikiMultiHopQA.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parents[2]))

import numpy as np
from peers.entities import spacy_model
from peers.measuring import EMBEDDER, Search, main, passage_text

from multihop.types import Document as Passage

SETTINGS: dict[str, Any] = {
    "max_iterations": 3, "iteration_threshold": 0.4, "passage_ratio": 0.05, "top_k_sentence": 1, "max_workers": 16,
}  # fmt: skip


class SentenceTransformerShape:
    """The embedder of all systems, called as LinearRAG calls a SentenceTransformer."""

    def encode(self, texts: str | list[str], **_how: object) -> Any:
        return EMBEDDER.embed([texts])[0] if isinstance(texts, str) else EMBEDDER.embed(texts)


def build(passages: Sequence[Passage]) -> Search:
    checkout = os.environ.get("LINEARRAG", "")
    if not (Path(checkout) / "src" / "LinearRAG.py").is_file():
        raise SystemExit("set LINEARRAG to a checkout of github.com/DEEP-PolyU/LinearRAG")
    sys.path.insert(0, checkout)
    from src.config import LinearRAGConfig
    from src.LinearRAG import LinearRAG

    folder = tempfile.mkdtemp()
    config = LinearRAGConfig(
        dataset_name="peer", embedding_model=SentenceTransformerShape(), spacy_model=spacy_model(), working_dir=folder,
        **SETTINGS,
    )  # fmt: skip
    Path(folder, "peer").mkdir()
    system = LinearRAG(global_config=config)
    ids = {passage_text(passage): passage.id for passage in passages}
    system.index(list(ids))
    # It makes arrays of its lists of vectors for every call; copying an array is the cheapest that this can be.
    for store in (system.passage_embedding_store, system.entity_embedding_store, system.sentence_embedding_store):
        store.embeddings = np.array(store.embeddings)

    def search(question: str, k: int) -> list[str]:
        config.retrieval_top_k = k
        [found] = system.retrieve([{"question": question, "answer": ""}])
        return [ids[text] for text in found["sorted_passage"]]

    return search


if __name__ == "__main__":
    main("LinearRAG", build, ["spacy", "igraph", "torch"])
