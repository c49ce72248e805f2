"""txtai's hybrid search as its documentation builds it: BM25 and vectors in one index, their scores added.

python benchmarks/peers/txtai/hybrid_txtai.py --data datasets --dataset 2wiki -k 5 --out runs/peers/txtai
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parents[2]))

from peers.measuring import EMBEDDER, Search, main, passage_text
from txtai import Embeddings

from multihop.types import Document as Passage


def transform(texts: list[str]) -> Any:
    """Embed, as a plain function: txtai calls anything else to make one."""
    return EMBEDDER.embed(texts)


def build(passages: Sequence[Passage]) -> Search:
    embeddings = Embeddings(method="external", transform=transform, hybrid=True)
    embeddings.index((passage.id, passage_text(passage), None) for passage in passages)

    def search(question: str, k: int) -> list[str]:
        return [id for id, _score in embeddings.search(question, k)]

    return search


if __name__ == "__main__":
    main("txtai hybrid", build, ["txtai", "faiss-cpu", "torch"])
