"""How every system of this folder is measured: same passages, same questions, same numbers written down.

A system gives a `build` that indexes passages and returns a `search`. `main` loads the dataset, times both, and writes
OUT/NAME.run (TREC) and OUT/NAME.json (measures, timings, versions), where NAME says dataset, split, k and limit.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.metadata
import json
import os
import platform
import resource
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from multihop.evaluation.answers import SystemAnswer
from multihop.evaluation.datasets import Dataset, load
from multihop.evaluation.measures import per_question
from multihop.evaluation.trec import write_run
from multihop.index.embedders import WordLlamaEmbedder
from multihop.protocols import Embedder
from multihop.types import Document

DEPTH = 100
"""How many passages each retriever hands to the fusion: that of our `hybrid-rrf`, for every system."""
EMBEDDER: Embedder = WordLlamaEmbedder()
"""The vectors of every system."""
Search = Callable[[str, int], list[str]]
"""Question and k → ids of at most k documents, best first."""
Build = Callable[[Sequence[Document]], Search]
_SHARED = ("numpy", "wordllama", "tantivy", "usearch", "bm25s", "PyStemmer")


@dataclass(frozen=True, slots=True)
class Task:
    """What is asked: one dataset, one budget."""

    data: Path
    dataset: str
    split: str
    corpus: str | None
    limit: int | None
    k: int

    @property
    def name(self) -> str:
        parts = (self.dataset, self.corpus, self.split, f"k{self.k}", self.limit and f"first{self.limit}")
        return "-".join(str(part) for part in parts if part)

    def load(self) -> Dataset:
        return load(self.dataset, self.data, split=self.split, corpus=self.corpus, limit=self.limit)


@dataclass(frozen=True, slots=True)
class Measured:
    """One system on one task, as the JSON file holds it."""

    system: str
    task: str
    k: int
    passages: int
    questions: int
    same: str
    """Hash of corpus and questions: only results that agree in it may stand in one table."""
    all_gold: float
    recall: float
    precision: float
    p50_ms: float
    p95_ms: float
    cpu_ms: float
    """CPU time of a question, mean: it suffers less than the clock from what else the machine does."""
    indexing_s: float
    peak_mb: float
    load: float
    """Load average of the machine when the measuring began."""
    versions: dict[str, str]
    seconds: dict[str, float]
    """Time of each question, by its id."""

    def line(self) -> str:
        quality = f"all-gold@{self.k} {self.all_gold:.3f}  recall@{self.k} {self.recall:.3f}"
        quality += f"  precision@{self.k} {self.precision:.3f}"
        speed = f"p50 {self.p50_ms:.1f} ms  p95 {self.p95_ms:.1f} ms  CPU {self.cpu_ms:.1f} ms"
        return f"{self.system}: {quality}  {speed}  indexing {self.indexing_s:.1f} s  peak {self.peak_mb:,.0f} MB"


def passage_text(document: Document) -> str:
    """Give the text to index and to embed: what our engine embeds, title first."""
    return ". ".join(part for part in (document.title, document.text) if part)


def task_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data", type=Path, required=True, help="folder that holds hotpotqa/, 2wiki/, hover/ …")
    parser.add_argument("--dataset", required=True)
    parser.add_argument("--split", default="dev")
    parser.add_argument("--corpus", help="a variant of the corpus, such as lite")
    parser.add_argument("--limit", type=int, help="the first questions only; the corpus stays whole")
    parser.add_argument("-k", type=int, default=5)
    parser.add_argument("--out", type=Path, required=True, help="folder for the run and the timings")


def task_of(arguments: argparse.Namespace) -> Task:
    a = arguments
    return Task(a.data, a.dataset, a.split, a.corpus, a.limit, a.k)


def main(system: str, build: Build, packages: Sequence[str]) -> None:
    """Measure the system that the command line asks about."""
    parser = argparse.ArgumentParser(description=f"Measure {system} on a dataset.")
    task_options(parser)
    arguments = parser.parse_args()
    measure(system, build, task_of(arguments), arguments.out, packages)


def measure(system: str, build: Build, task: Task, out: Path, packages: Sequence[str] = ()) -> None:
    """Index, ask every question, write the run and the numbers, and print them."""
    load_average = os.getloadavg()[0]
    dataset = task.load()
    if not dataset.whole:
        raise SystemExit(f"{task.name}: its documents are not passages yet, and each system would cut them differently")
    documents = list(dataset.documents())
    started = time.perf_counter()
    search = build(documents)
    indexing = time.perf_counter() - started
    search("warm up", task.k)
    started_cpu = time.process_time()
    answers = [_asked(search, question.id, question.text, task.k) for question in dataset.questions]
    cpu = (time.process_time() - started_cpu) / len(answers)
    times = [a.seconds * 1000 for a in answers]
    measured = Measured(
        system=system, task=task.name, k=task.k, passages=len(documents), questions=len(answers),
        same=_fingerprint(dataset), **_quality(dataset, answers, task.k), p50_ms=float(np.median(times)),
        p95_ms=float(np.quantile(times, 0.95)), cpu_ms=cpu * 1000, indexing_s=indexing, peak_mb=_peak_mb(),
        load=load_average, versions=_versions((*packages, *_SHARED)), seconds={a.question: a.seconds for a in answers},
    )  # fmt: skip
    out.mkdir(parents=True, exist_ok=True)
    write_run(out / f"{task.name}.run", system.replace(" ", "-"), answers)
    (out / f"{task.name}.json").write_text(json.dumps(asdict(measured), indent=1) + "\n", encoding="utf-8")
    print(measured.line(), flush=True)


def _quality(dataset: Dataset, answers: Sequence[SystemAnswer], k: int) -> dict[str, float]:
    values = per_question({q.id: q.gold for q in dataset.questions}, {a.question: a.documents for a in answers}, k)
    wanted = {"all_gold": f"all-gold@{k}", "recall": f"recall@{k}", "precision": f"precision@{k}"}
    return {name: float(np.mean(list(values[measure].values()))) for name, measure in wanted.items()}


def _asked(search: Search, id: str, text: str, k: int) -> SystemAnswer:
    started = time.perf_counter()
    found = search(text, k)
    seconds = time.perf_counter() - started
    return SystemAnswer(id, tuple(found), seconds=round(seconds, 6))


def read(file: Path) -> Measured:
    """Read back what `measure` wrote."""
    return Measured(**json.loads(file.read_text(encoding="utf-8")))


def _fingerprint(dataset: Dataset) -> str:
    asked = "\0".join(f"{q.id}\0{q.text}" for q in dataset.questions)
    return hashlib.blake2b(f"{dataset.corpus_hash()}\0{asked}".encode(), digest_size=8).hexdigest()


def _peak_mb() -> float:
    # Linux counts in KiB, macOS in bytes.
    unit = 1024**2 if platform.system() == "Darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


def _versions(packages: Sequence[str]) -> dict[str, str]:
    found = {"python": platform.python_version()}
    for package in packages:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found
