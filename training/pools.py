"""Collect training data: run `auto` over questions and write down every candidate it considers, with its features.

    python training/pools.py --data datasets --out .training hotpotqa exfever hover musique written:4000

A set is the train split of a labeled dataset, or `written`; `:4000` takes so many of its questions. A question
with the words or the gold of one in a dev split is left out. `--split dev` collects dev splits, to measure on.
"""

from __future__ import annotations

import argparse
import dataclasses
import multiprocessing
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from multihop import Engine, loop
from multihop.errors import MultihopError
from multihop.evaluation.datasets import Dataset, load
from multihop.evaluation.datasets.dataset import Question
from multihop.parts.selectors import RankedFusion
from multihop.parts.selectors.ranked import Described
from multihop.protocols import Context, State
from multihop.strategies import AUTO
from multihop.text import words
from multihop.types import Selection

BUDGET = 21
HELD_OUT = ("hotpotqa", "2wiki", "hover", "exfever")
_engine: Engine


class Pool(NamedTuple):
    """The candidates of one question: their features, which of them are gold, and how many gold there are."""

    question: str
    ids: tuple[str, ...]
    rows: NDArray[np.float16]
    gold: NDArray[np.bool_]
    wanted: int
    reached: int
    """How many gold documents any hop met, whether they were described or not."""


@dataclass(frozen=True)
class Watching:
    """A selector that keeps the state and the description of the last hop."""

    inner: RankedFusion
    seen: list[tuple[State, Described]] = field(default_factory=list)

    def select(self, state: State, context: Context) -> Selection:
        self.seen[:] = [(state, self.inner.described(state, context))]
        return self.inner.select(state, context)


def collect(question: Question) -> Pool:
    watching = Watching(AUTO.selector)  # type: ignore[arg-type]  # auto ranks by a RankedFusion
    loop.run(dataclasses.replace(AUTO, selector=watching), question.text, BUDGET, _engine.index())
    state, described = watching.seen[0]
    ids = tuple(r.candidate.passage.document_id for r in described.candidates)
    wanted = set(question.gold)
    reached = {c.passage.document_id for c in state.pool.values()} & wanted
    gold = np.array([id in wanted for id in ids], dtype=bool)
    return Pool(question.text, ids, described.rows.astype(np.float16), gold, len(wanted), len(reached))


def dataset_of(name: str, data: Path, split: str) -> tuple[Dataset, str]:
    """Load a set, and say which index holds its corpus."""
    if name == "written":
        return load(name, data, split="train", corpus=str(data / "hover" / "corpus.jsonl.zst")), "hover"
    return load(name, data, split=split), "hover" if name == "exfever" else name


def unseen(questions: Sequence[Question], data: Path) -> list[Question]:
    """Leave out training questions whose words, or whose gold documents, are those of a question in a dev split."""
    held = [q for name in HELD_OUT if (data / name / "dev.jsonl").exists() for q in load(name, data).questions]
    texts = {tuple(words(q.text)) for q in held}
    golds = {frozenset(q.gold) for q in held}
    return [q for q in questions if tuple(words(q.text)) not in texts and frozenset(q.gold) not in golds]


def build(path: Path, dataset: Dataset) -> None:
    """Index a corpus once; indexes are kept between runs."""
    if not (path / "complete").exists():
        with Engine.open(path, create=True) as engine:
            engine.add(dataset.documents(), whole=dataset.whole)
        (path / "complete").touch()


def open_engine(path: Path) -> None:
    global _engine  # one engine for each process of the pool
    _engine = Engine.open(path)


def report(name: str, pools: list[Pool]) -> str:
    cells = []
    for k in (5, 21, 60, 150):
        found = [pool.gold[:k].sum() / pool.wanted for pool in pools]
        cells.append(f"@{k} {np.mean(found):.3f}/{np.mean([f == 1 for f in found]):.3f}")
    reached = [pool.reached / pool.wanted for pool in pools]
    first = " ".join(cells)
    return f"{name}: {len(pools)} questions, recall/all-gold of the sum {first}, reached {np.mean(reached):.3f}"


def save(path: Path, pools: list[Pool]) -> None:
    np.savez_compressed(
        path,
        rows=np.concatenate([p.rows for p in pools]),
        gold=np.concatenate([p.gold for p in pools]),
        sizes=np.array([len(p.ids) for p in pools]),
        wanted=np.array([p.wanted for p in pools]),
        questions=np.array([p.question for p in pools]),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("sets", nargs="+", help="hotpotqa, exfever, hover, musique, 2wiki or written, with :COUNT")
    parser.add_argument("--data", type=Path, required=True, help="folder with a folder for each set")
    parser.add_argument("--split", default="train")
    parser.add_argument("--indexes", type=Path, default=Path(".benchmarks"), help="where indexes are kept between runs")
    parser.add_argument("--out", type=Path, default=Path(".training"))
    parser.add_argument("--processes", type=int, default=multiprocessing.cpu_count())
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    for wanted in arguments.sets:
        name, _, count = wanted.partition(":")
        started = time.perf_counter()
        try:
            dataset, index = dataset_of(name, arguments.data, arguments.split)
        except MultihopError as error:
            parser.error(str(error))
        path = arguments.indexes / f"{index}.mh"
        build(path, dataset)
        questions = list(dataset.questions)
        if arguments.split == "train":
            questions = unseen(questions, arguments.data)
            print(f"{name}: {len(dataset.questions) - len(questions)} questions left out for a dev split", flush=True)
        random.Random(7).shuffle(questions)  # the same part each time
        questions = questions[: int(count)] if count else questions
        with multiprocessing.get_context("spawn").Pool(arguments.processes, open_engine, (path,)) as workers:
            pools = workers.map(collect, questions, chunksize=8)
        save(arguments.out / f"{name}-{arguments.split}.npz", pools)
        print(f"{report(name, pools)}, {time.perf_counter() - started:.0f} s", flush=True)


if __name__ == "__main__":
    main()
