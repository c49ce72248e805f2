"""Collect training data: run `auto` over questions and write down every candidate it considers, with its features.

    python training/pools.py --data datasets --out .training hotpotqa exfever hover musique written:4000

A set is the train split of a labeled dataset, or `written`; `:4000` takes so many of its questions. A question
with the words or the gold of one in a dev split is left out. `--split dev` collects dev splits, to measure on.
`--pairs 48` also writes what a ranker reads of so many candidates, those that the trees put first, as tokens.
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
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from multihop import Engine, loop
from multihop.errors import MultihopError
from multihop.evaluation.datasets import Dataset, load
from multihop.evaluation.datasets.dataset import Question
from multihop.models import boosted_trees
from multihop.models.ranker import LINK, PASSAGE, QUESTION
from multihop.models.wordpiece import tokens
from multihop.parts.selectors import RankedFusion, unread
from multihop.parts.selectors.pairs import pair
from multihop.parts.selectors.ranked import Described
from multihop.parts.selectors.reading import weighed
from multihop.protocols import Context, Embedder, State
from multihop.strategies import AUTO
from multihop.text import words
from multihop.types import Selection

BUDGET = 21
Tokens = NDArray[np.uint16]
HELD_OUT = ("hotpotqa", "2wiki", "hover", "exfever")
_engine: Engine
_pairs = 0


class Read(NamedTuple):
    """What a ranker reads of the candidates that the trees put first, as tokens, and which candidates they are."""

    question: Tokens
    passages: list[Tokens]
    links: list[Tokens]
    places: NDArray[np.int16]
    odds: NDArray[np.float32]


class Pool(NamedTuple):
    """The candidates of one question: their features, which of them are gold, and how many gold there are."""

    question: str
    ids: tuple[str, ...]
    rows: NDArray[np.float16]
    gold: NDArray[np.bool_]
    wanted: int
    reached: int
    """How many gold documents any hop met, whether they were described or not."""
    documents: tuple[str, ...]
    """The gold documents."""
    read: Read | None


@dataclass(frozen=True)
class Watching:
    """A selector that keeps the state and the description of the last hop."""

    inner: RankedFusion
    seen: list[tuple[State, Described]] = field(default_factory=list)

    def select(self, state: State, context: Context) -> Selection:
        self.seen[:] = [(state, self.inner.described(state, context))]
        return self.inner.select(state, context)


def collect(question: Question) -> Pool:
    watching = Watching(unread(AUTO.selector))  # type: ignore[arg-type]  # auto ranks by a RankedFusion
    loop.run(dataclasses.replace(AUTO, selector=watching), question.text, BUDGET, _engine.index())
    state, described = watching.seen[0]
    ids = tuple(r.candidate.passage.document_id for r in described.candidates)
    wanted = set(question.gold)
    reached = {c.passage.document_id for c in state.pool.values()} & wanted
    gold = np.array([id in wanted for id in ids], dtype=bool)
    read = read_by_ranker(state, described) if _pairs else None
    return Pool(
        question.text,
        ids,
        described.rows.astype(np.float16),
        gold,
        len(wanted),
        len(reached),
        tuple(sorted(wanted)),
        read,
    )


def read_by_ranker(state: State, described: Described) -> Read:
    odds = boosted_trees().score(described.rows)
    places = np.argsort(-odds, kind="stable")[:_pairs]
    question = weighed(state.question, _engine.index())
    pairs = [pair(question, described.readings, place, described.links[place]) for place in places.tolist()]
    return Read(
        np.array(tokens(state.question, QUESTION), np.uint16),
        [np.array(tokens(p.passage, PASSAGE), np.uint16) for p in pairs],
        [np.array(tokens(p.link, LINK), np.uint16) for p in pairs],
        places.astype(np.int16),
        odds[places],
    )


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


def build(path: Path, dataset: Dataset, embedder: Embedder | None = None) -> None:
    """Index a corpus once; indexes are kept between runs."""
    if not (path / "complete").exists():
        with Engine.open(path, create=True, embedder=embedder) as engine:
            engine.add(dataset.documents(), whole=dataset.whole)
        (path / "complete").touch()


def open_engine(path: Path, pairs: int) -> None:
    global _engine, _pairs  # one engine for each process of the pool
    _engine, _pairs = Engine.open(path), pairs


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


def save_pairs(path: Path, pools: list[Pool]) -> None:
    """Write what a ranker reads, all tokens in a row: numbers of tokens and of candidates say where each begins."""
    read = [(pool, pool.read) for pool in pools if pool.read is not None]
    flat: dict[str, Any] = {}
    for name, texts in (
        ("question", [r.question for _, r in read]),
        ("passage", [t for _, r in read for t in r.passages]),
        ("link", [t for _, r in read for t in r.links]),
    ):
        flat[name] = np.concatenate(texts)
        flat[f"{name}_lengths"] = np.array([len(text) for text in texts], np.uint16)
    np.savez(
        path,
        **flat,
        sizes=np.array([len(r.places) for _, r in read]),
        places=np.concatenate([r.places for _, r in read]),
        odds=np.concatenate([r.odds for _, r in read]),
        gold=np.concatenate([pool.gold[r.places] for pool, r in read]),
        wanted=np.array([pool.wanted for pool, _ in read]),
        questions=np.array([pool.question for pool, _ in read]),
        ids=np.array([pool.ids[place] for pool, r in read for place in r.places.tolist()]),
        documents=np.array(["\t".join(pool.documents) for pool, _ in read]),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("sets", nargs="+", help="hotpotqa, exfever, hover, musique, 2wiki or written, with :COUNT")
    parser.add_argument("--data", type=Path, required=True, help="folder with a folder for each set")
    parser.add_argument("--split", default="train")
    parser.add_argument("--indexes", type=Path, default=Path(".benchmarks"), help="where indexes are kept between runs")
    parser.add_argument("--out", type=Path, default=Path(".training"))
    parser.add_argument("--pairs", type=int, default=0, help="write what a ranker reads of so many candidates")
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
        with multiprocessing.get_context("spawn").Pool(
            arguments.processes, open_engine, (path, arguments.pairs)
        ) as workers:
            pools = workers.map(collect, questions, chunksize=8)
        save(arguments.out / f"{name}-{arguments.split}.npz", pools)
        if arguments.pairs:
            save_pairs(arguments.out / f"{name}-{arguments.split}-pairs.npz", pools)
        print(f"{report(name, pools)}, {time.perf_counter() - started:.0f} s", flush=True)


if __name__ == "__main__":
    main()
