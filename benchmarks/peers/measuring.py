"""How every system of this folder is measured: same passages, same questions, same numbers written down.

A system gives a `build` that indexes passages and returns a `search`. `main` loads the dataset, times both, and writes
OUT/NAME.run (TREC) and OUT/NAME.json (measures, timings, versions), where NAME says dataset, split, k and limit.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.metadata
import itertools
import json
import os
import platform
import resource
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from multihop.evaluation.datasets import Dataset, load
from multihop.evaluation.measures import per_question
from multihop.evaluation.system_answers import SystemAnswer
from multihop.evaluation.trec import write_run
from multihop.index.embedders import open_embedder
from multihop.protocols import Embedder
from multihop.types import Document

if TYPE_CHECKING:
    from multihop.protocols import Vectors

DEPTH = 100
"""How many passages each retriever hands to the fusion: that of our `hybrid-rrf`, for every system."""


class SharedEmbedder:
    """The vectors of every system; counts what it was asked to embed."""

    def __init__(self, spec: str) -> None:
        self.use(spec)

    def use(self, spec: str) -> None:
        """Embed with another model from now on."""
        self._embedder: Embedder = open_embedder(spec)
        self.words = 0

    @property
    def identity(self) -> str:
        return self._embedder.identity

    @property
    def dimension(self) -> int:
        return self._embedder.dimension

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        self.words += sum(len(text.split()) for text in texts)
        return self._embedder.embed(texts, query=query)


EMBEDDER = SharedEmbedder("encoder")
Search = Callable[[str, int], list[str]]
"""Question and k → ids of at most k documents, best first."""
Build = Callable[[Sequence[Document]], Search]
_SHARED = ("numpy", "onnxruntime", "wordllama", "tantivy", "usearch", "bm25s", "PyStemmer")


@dataclass(frozen=True, slots=True)
class Task:
    """What is asked: one dataset, one budget."""

    data: Path
    dataset: str
    split: str
    corpus: str | None
    limit: int | None
    k: int
    embedder: str
    others: int | None
    """How many passages that are no gold stay in the corpus; None for all."""

    @property
    def name(self) -> str:
        parts = (self.dataset, self.corpus, self.split, f"k{self.k}", self.limit and f"first{self.limit}",
                 self.others and f"others{self.others}", self.embedder)  # fmt: skip
        return "-".join(str(part).replace(":", "-") for part in parts if part)

    @property
    def options(self) -> list[str]:
        """The task as options of a command, for a process of its own."""
        given = {"--corpus": self.corpus, "--limit": self.limit, "--others": self.others}
        chosen = [str(part) for name, value in given.items() if value for part in (name, value)]
        asked = ["--data", str(self.data), "--dataset", self.dataset, "--split", self.split, "-k", str(self.k)]
        return [*asked, "--embedder", self.embedder, *chosen]

    def documents(self, dataset: Dataset) -> list[Document]:
        """Give the passages: all, or the gold and the first others in an order that depends on their content only."""
        if self.others is None:
            return list(dataset.documents())
        gold = {id for question in dataset.questions for id in question.gold}
        rest = itertools.count(1)
        return [d for d in dataset.documents() if d.id in gold or next(rest) <= self.others]

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
    embedded_words: int
    """Words that the embedder read while indexing. No system here uses a language model for that."""
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
    parser.add_argument("--others", type=int, help="keep so many passages that are no gold, for a smaller corpus")
    parser.add_argument("--embedder", default="encoder", help="encoder, wordllama …: the vectors of every system")
    parser.add_argument("--out", type=Path, required=True, help="folder for the run and the timings")


def task_of(arguments: argparse.Namespace) -> Task:
    a = arguments
    return Task(a.data, a.dataset, a.split, a.corpus, a.limit, a.k, a.embedder, a.others)


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
    documents = task.documents(dataset)
    EMBEDDER.use(task.embedder)
    EMBEDDER.embed(["warm up"])  # loading the model is not indexing
    EMBEDDER.words = 0
    started = time.perf_counter()
    search = build(documents)
    indexing, words = time.perf_counter() - started, EMBEDDER.words
    search("warm up", task.k)
    started_cpu = time.process_time()
    answers = [_asked(search, question.id, question.text, task.k) for question in dataset.questions]
    cpu = (time.process_time() - started_cpu) / len(answers)
    times = [a.seconds * 1000 for a in answers]
    measured = Measured(
        system=system, task=task.name, k=task.k, passages=len(documents), questions=len(answers),
        same=_fingerprint(dataset, documents), **_quality(dataset, answers, task.k), p50_ms=float(np.median(times)),
        p95_ms=float(np.quantile(times, 0.95)), cpu_ms=cpu * 1000, indexing_s=indexing,
        embedded_words=words, peak_mb=_peak_mb(), load=load_average, versions=_versions((*packages, *_SHARED)),
        seconds={a.question: a.seconds for a in answers},
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


def _fingerprint(dataset: Dataset, documents: Sequence[Document]) -> str:
    asked = "\0".join(f"{q.id}\0{q.text}" for q in dataset.questions)
    return hashlib.blake2b(f"{dataset.corpus_hash()}\0{len(documents)}\0{asked}".encode(), digest_size=8).hexdigest()


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
