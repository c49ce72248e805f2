"""What entity-first ranking and replacement cost: 100 chunks ranked, and the selection of a hop of `replace`.

python benchmarks/ranking.py                          # ranking, and selection over the sample corpus
python benchmarks/ranking.py --data datasets    # selection over HoVer lite too
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

from indexes import open_index

from multihop import Engine, EntityFirstRanker
from multihop.evaluation.datasets import load
from multihop.testing import sample_documents, sample_questions


def ranking() -> None:
    ranker = EntityFirstRanker()
    chunks = [{"content": f"content {i}", "id": i} for i in range(100)]
    times = []
    for _ in range(200):
        started = time.perf_counter()
        ranker.rank_by_entity_coverage(chunks, ["SEAL-RAG", "CRAG", "DPR"], top_k=10)
        times.append(time.perf_counter() - started)
    print(f"ranking 100 chunks: first {times[0] * 1000:.2f} ms, p50 {statistics.median(times) * 1000:.2f} ms")


def selection(name: str, engine: Engine, questions: Iterable[str], k: int) -> None:
    hops = [h for q in questions for h in engine.retrieve(q, k=k, strategy="replace").trace.hops]
    times = sorted(h.seconds["select"] * 1000 for h in hops)
    p95 = times[int(len(times) * 0.95)]
    middle = statistics.median(times)
    print(f"selection of a hop, {name}, k = {k}: p50 {middle:.2f} ms, p95 {p95:.2f} ms ({len(times)} hops)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, help="folder with hover/")
    parser.add_argument("--indexes", type=Path, default=Path(".benchmarks"), help="where indexes are kept between runs")
    arguments = parser.parse_args()
    ranking()
    with tempfile.TemporaryDirectory() as folder, Engine.open(Path(folder) / "sample.mh", create=True) as engine:
        engine.add(sample_documents())
        selection("sample corpus", engine, [q.text for q in sample_questions()], 5)
    if arguments.data:
        dataset = load("hover", arguments.data, corpus="lite")
        with open_index(arguments.indexes, dataset, "lite") as engine:
            for k in (5, 21):
                selection("HoVer lite", engine, [q.text for q in dataset.questions], k)


if __name__ == "__main__":
    main()
