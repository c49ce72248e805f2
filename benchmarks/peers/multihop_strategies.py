"""Our engine measured as the peers are: one strategy in a process of its own, indexing included.

    python benchmarks/peers/multihop_strategies.py --strategy auto --data datasets --dataset hotpotqa -k 5 \
        --out runs/peers/multihop-auto
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

from peers.measuring import EMBEDDER, Build, Search, measure, task_of, task_options

from multihop import Engine
from multihop.types import Document

STRATEGIES = ("bm25", "dense", "hybrid-rrf", "auto")
"""The first is what the others' times are divided by."""


def building(strategy: str, folder: Path) -> Build:
    """Give the build of a strategy; `bm25` gets an index without vectors, as a user of it alone would make."""

    def build(documents: Sequence[Document]) -> Search:
        embedder = None if strategy == "bm25" else EMBEDDER
        engine = Engine.open(folder / "index.mh", create=True, embedder=embedder)
        engine.add(documents, whole=True)

        def search(question: str, k: int) -> list[str]:
            return [e.passage.document_id for e in engine.retrieve(question, k=k, strategy=strategy).evidence]

        return search

    return build


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    task_options(parser)
    parser.add_argument("--strategy", choices=STRATEGIES, required=True)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        measure(f"multihop {chosen.strategy}", building(chosen.strategy, Path(scratch)), task_of(chosen), chosen.out)
