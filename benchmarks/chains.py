"""What the chain and the answer give and cost: precision and recall of chains, and processor time beyond retrieval.

    python benchmarks/chains.py --data datasets

Chains are compared with the gold documents: of its passages, how many are gold, and of the gold, how many are in it.
Times are those of the processor, since other programs may be running. `multihop eval hotpotqa --answers`
scores answers.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from indexes import open_index

from multihop import Engine
from multihop.answering.answers import answer_of
from multihop.answering.batch import run_batch
from multihop.answering.batch_files import BatchRow
from multihop.answering.chain import chain_of
from multihop.evaluation.datasets import Dataset, load
from multihop.models.reader import reader, verifier

SETS = (("hotpotqa", None, "dev"), ("hover", "lite", "dev"), ("2wiki", None, "dev"))
BATCH = 100


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    started = time.process_time()
    return work(), 1000 * (time.process_time() - started)


def measure(engine: Engine, dataset: Dataset) -> str:
    precision, recall, lengths, chain_ms, answer_ms = [], [], [], [], []
    for question in dataset.questions:
        result = engine.retrieve(question.text)
        index = engine.index()
        chain, spent = timed(partial(chain_of, result, index))
        chain_ms.append(spent)
        answer_ms.append(timed(partial(answer_of, result, index, reader(), verifier()))[1])
        documents = {e.passage.id: e.passage.document_id for e in result.evidence}
        inside, gold = {documents[p] for p in chain.passages}, set(question.gold)
        precision.append(len(inside & gold) / len(inside) if inside else 0.0)
        recall.append(len(inside & gold) / len(gold))
        lengths.append(len(inside))
    means = [statistics.mean(values) for values in (precision, recall, lengths)]
    times = [f"{statistics.median(values):.1f}" for values in (chain_ms, answer_ms)]
    cells = [f"{dataset.name} {dataset.split}, {len(dataset)}", *(f"{mean:.3f}" for mean in means), *times]
    return f"| {' | '.join(cells)} |"


def batch(engine: Engine, dataset: Dataset) -> str:
    """Compare a batch of answers with the retrievals alone, one after the other in both."""
    texts = [q.text for q in dataset.questions[:BATCH]]
    started = time.perf_counter()
    for text in texts:
        engine.retrieve(text)
    alone = time.perf_counter() - started
    rows = [BatchRow(i, text) for i, text in enumerate(texts, 1)]
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        run_batch(engine.answer, rows, Path(folder) / "out.csv", workers=1)
        whole = time.perf_counter() - started
    return f"{len(texts)} answers in a batch took {whole / alone:.2f} times as long as their retrievals alone"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, required=True, help="folder with hotpotqa/, hover/ and 2wiki/")
    parser.add_argument("--indexes", type=Path, default=Path(".benchmarks"), help="where indexes are kept between runs")
    parser.add_argument("--only", help="one set, such as hotpotqa")
    arguments = parser.parse_args()
    heads = ("questions", "precision of the chain", "recall", "passages in it", "chain ms", "answer ms")
    print(f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    said = ""
    for name, corpus, split in SETS:
        if arguments.only not in (None, name):
            continue
        dataset = load(name, arguments.data, split=split, corpus=corpus)
        with open_index(arguments.indexes, dataset, corpus) as engine:
            print(measure(engine, dataset), flush=True)
            said = said or batch(engine, dataset)
    print(f"\n{said}")


if __name__ == "__main__":
    main()
