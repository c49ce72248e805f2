"""The engine beside bm25s in one run: quality, latency, throughput, memory, opening, importing.

Prints one Markdown table per concern. Times are given as they are and as ratios against bm25s (numba) measured on the
same questions, in the same process, turn by turn; only the ratios mean something on a noisy machine.

    python benchmarks/engine.py --data datasets              # everything
    python benchmarks/engine.py --data datasets --only quality
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np
from indexes import index_path, open_index

from multihop import Engine
from multihop.evaluation.datasets import Dataset, load
from multihop.evaluation.systems import Bm25sSystem

STRATEGIES = ("bm25", "auto-fast", "auto")
SETS = (
    ("hover", "lite", 21), ("hover", None, 21), ("exfever", "lite", 21), ("hotpotqa", None, 5), ("2wiki", None, 5),
)  # fmt: skip


def measures(dataset: Dataset, rankings: Iterable[Sequence[str]], k: int) -> tuple[float, float, float]:
    complete, recall, precision = [], [], []
    for question, ranking in zip(dataset.questions, rankings, strict=True):
        found = set(question.gold) & set(ranking[:k])
        complete.append(len(found) == len(set(question.gold)))
        recall.append(len(found) / len(set(question.gold)))
        precision.append(len(found) / k)
    return float(np.mean(complete)), float(np.mean(recall)), float(np.mean(precision))


def ranking(engine: Engine, question: str, k: int, strategy: str) -> list[str]:
    return [e.passage.document_id for e in engine.retrieve(question, k=k, strategy=strategy).evidence]


def quality(data: Path, indexes: Path) -> None:
    print("\n| dev set | passages | questions | system | all-gold@k | recall@k | precision@k | k |")
    print("|---|---|---|---|---|---|---|---|")
    for name, corpus, k in SETS:
        dataset = load(name, data, corpus=corpus)
        with open_index(indexes, dataset, corpus) as engine:
            size = engine.stats().passages
            baseline = Bm25sSystem(dataset)
            rows = {"bm25s": [baseline.search(q.text, k)[0] for q in dataset.questions]}
            for strategy in STRATEGIES:
                rows[strategy] = [ranking(engine, q.text, k, strategy) for q in dataset.questions]
            for system, rankings in rows.items():
                values = " | ".join(f"{v:.3f}" for v in measures(dataset, rankings, k))
                print(f"| {name} | {size:,} | {len(dataset.questions)} | {system} | {values} | {k} |", flush=True)


def latency(data: Path, indexes: Path) -> None:
    print("\n| dev set | passages | system | p50 | p95 | p50 / bm25s p50 | p50 / auto-fast p50 |")
    print("|---|---|---|---|---|---|---|")
    for name, corpus in (("hover", "lite"), ("hover", None)):
        dataset = load(name, data, corpus=corpus)
        with open_index(indexes, dataset, corpus) as engine:
            baseline = Bm25sSystem(dataset)
            times: dict[str, list[float]] = {"bm25s": [], **{strategy: [] for strategy in STRATEGIES}}
            for question in dataset.questions[:20]:
                ranking(engine, question.text, 21, "auto")
            for question in dataset.questions:
                times["bm25s"].append(_timed(baseline.search, question.text, 21))
                for strategy in STRATEGIES:
                    times[strategy].append(_timed(ranking, engine, question.text, 21, strategy))
            p50 = {system: statistics.median(values) * 1000 for system, values in times.items()}
            size = engine.stats().passages
            for system, values in times.items():
                p95 = float(np.quantile(values, 0.95)) * 1000
                ratios = " | ".join(f"{p50[system] / p50[base]:.1f}" for base in ("bm25s", "auto-fast"))
                cells = f"{p50[system]:.1f} ms | {p95:.1f} ms | {ratios}"
                print(f"| {name} | {size:,} | {system} | {cells} |", flush=True)


def _timed(work: Callable[..., object], *arguments: object) -> float:
    started = time.perf_counter()
    work(*arguments)
    return time.perf_counter() - started


def throughput(data: Path, indexes: Path) -> None:
    print("\n| corpus | passages | indexing | passages/s | share of the smaller one's | bytes/passage |")
    print("|---|---|---|---|---|---|")
    first = 0.0
    for corpus in ("lite", None):
        dataset = load("hover", data, corpus=corpus)
        path = index_path(indexes, dataset, corpus)
        shutil.rmtree(path, ignore_errors=True)
        started = time.perf_counter()
        with Engine.open(path, create=True) as engine:
            engine.add(dataset.corpus.read(), whole=True)
        seconds = time.perf_counter() - started
        with Engine.open(path) as engine:
            stats = engine.stats()
        (path / "complete").touch()
        rate = stats.passages / seconds
        first = first or rate
        print(
            f"| hover {corpus or 'full'} | {stats.passages:,} | {seconds:.0f} s | {rate:,.0f} | {rate / first:.0%} "
            f"| {stats.bytes / stats.passages:,.0f} |",
            flush=True,
        )


_COLD = """
import sys, time
started = time.perf_counter()
import multihop
imported = time.perf_counter() - started
engine = multihop.Engine.open(sys.argv[1])
engine.retrieve(sys.argv[2], k=21)
first = time.perf_counter() - started
for question in sys.argv[2:]:
    engine.retrieve(question, k=21)
# Not getrusage: its peak is inherited from the process that started this one.
peak = next(int(line.split()[1]) / 1024 for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(imported, first, peak, "dspy" in sys.modules)
"""


def process(data: Path, indexes: Path) -> None:
    dataset = load("hover", data)
    open_index(indexes, dataset, None).close()
    questions = [q.text for q in dataset.questions]
    done = subprocess.run(
        [sys.executable, "-c", _COLD, str(index_path(indexes, dataset, None)), *questions],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    imported, first, memory, dspy = done.stdout.split()
    print("\n| a process that answers over the whole HoVer corpus | |")
    print("|---|---|")
    print(f"| `import multihop` | {float(imported):.3f} s (imports dspy: {dspy}) |")
    print(f"| cold open to first answer | {float(first):.2f} s |")
    print(f"| memory after {len(questions)} questions | {float(memory):.0f} MB |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, required=True, help="folder with hover/, exfever/, hotpotqa/, 2wiki/")
    parser.add_argument("--indexes", type=Path, default=Path(".benchmarks"), help="where indexes are kept between runs")
    parser.add_argument("--only", choices=["throughput", "quality", "latency", "process"])
    arguments = parser.parse_args()
    for concern in (throughput, quality, latency, process):
        if arguments.only in (None, concern.__name__):
            concern(arguments.data, arguments.indexes)
    print(json.dumps({"python": sys.version.split()[0], "finished": time.strftime("%Y-%m-%d")}))


if __name__ == "__main__":
    main()
