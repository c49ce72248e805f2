"""Collect training data: run `auto` over questions and write down every candidate it considers, with its features.

    python training/pools.py --data datasets --out .training hotpotqa exfever hover musique written:4000

A set is the train split of a labeled dataset, or `written`; `:4000` takes so many of its questions. A question
with the words or the gold of one in a dev split is left out. `--split dev` collects dev splits, to measure on.
`--pairs 56` also writes what a ranker reads of so many candidates, those that the trees and BM25 put first in turn, as
tokens: an excerpt, a long one, and the whole passage for a reader. A set of text_kinds.py is like any other.
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
from multihop.models.ranker import LINK, PASSAGE
from multihop.models.wordpiece import tokens
from multihop.parts.selectors import RankedFusion, unread
from multihop.parts.selectors.pairs import pair
from multihop.parts.selectors.ranked import Described, Trust
from multihop.parts.selectors.reading import QuestionWords, ReadPassage, weigh_words
from multihop.protocols import Context, Embedder, State
from multihop.strategies import AUTO
from multihop.text import words
from multihop.types import Selection

BUDGET = 21
ASKED, LONG, WHOLE = 96, 200, 200
"""Tokens that are kept of a question, of a long excerpt and of a whole passage."""
_ROOM, _OPENING, _LEAST = 900, 200, 60
"""Characters of a long excerpt, of its opening, and of the room that another sentence must find."""
_WHOLE_CHARACTERS = 1500
Tokens = NDArray[np.uint16]
HELD_OUT = ("hotpotqa", "2wiki", "hover", "exfever")
_engine: Engine
_pairs = 0


class Read(NamedTuple):
    """What a ranker reads of the best candidates, as tokens, and which candidates they are."""

    question: Tokens
    passages: list[Tokens]
    longs: list[Tokens]
    wholes: list[Tokens]
    links: list[Tokens]
    places: NDArray[np.int16]
    odds: NDArray[np.float32]


class Pool(NamedTuple):
    """The candidates of one question: their features, which of them are gold, and how many gold there are."""

    question: Question
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
        self.seen[:] = [(state, self.inner.describe_best(state, context))]
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
        question,
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
    places = _in_turn(odds, np.array([r.candidate.scores.get("bm25", 0.0) for r in described.candidates]))[:_pairs]
    question = weigh_words(state.question, _engine.index())
    room = Trust.of([ranked.candidate.passage.title for ranked in described.candidates]).room
    pairs = [pair(question, described.readings, place, described.links[place], room) for place in places.tolist()]
    readings = [described.readings[place] for place in places.tolist()]
    return Read(
        _tokens(state.question, ASKED),
        [_tokens(p.passage, PASSAGE) for p in pairs],
        [_tokens(_titled(r, long_excerpt(question, r)), LONG) for r in readings],
        [_tokens(_titled(r, r.passage.text[:_WHOLE_CHARACTERS]), WHOLE) for r in readings],
        [_tokens(p.link, LINK) for p in pairs],
        places.astype(np.int16),
        odds[places],
    )


def _in_turn(*scores: NDArray[Any]) -> NDArray[np.int64]:
    """Order candidates by several scores in turn, each once: no kind of text is read by one score alone."""
    orders = np.stack([np.argsort(-each, kind="stable") for each in scores], axis=1)
    return np.array(list(dict.fromkeys(orders.ravel().tolist())), np.int64)


def long_excerpt(question: QuestionWords, reading: ReadPassage) -> str:
    """Give a text whole if it is short, else its opening and the sentences that share most with the question."""
    texts = [sentence.text for sentence in reading.sentences]
    if len(reading.passage.text) <= _ROOM or not texts:
        return reading.passage.text[:_ROOM]
    room, taken = _ROOM - min(_OPENING, len(texts[0])), [0]
    for place in sorted(range(1, len(texts)), key=lambda i: (-question.weight(reading.masks[i]), i)):
        if room < _LEAST:
            break
        taken.append(place)
        room -= len(texts[place]) + 1
    opening = texts[0][: _OPENING if len(taken) > 1 else _ROOM]
    return " ".join((opening, *(texts[place] for place in sorted(taken[1:]))))[:_ROOM]


def _titled(reading: ReadPassage, text: str) -> str:
    return f"{reading.passage.title}: {text}" if reading.passage.title else text


def _tokens(text: str, most: int) -> Tokens:
    return np.array(tokens(text, most), np.uint16)


def dataset_of(name: str, data: Path, split: str, corpus: str | None = None) -> tuple[Dataset, str]:
    """Load a set, and say which index holds its corpus; `corpus` chooses that of HoVer and EX-FEVER."""
    if name == "written":
        return load(name, data, split="train", corpus=str(data / "hover" / "corpus.jsonl.zst")), "hover"
    if name in ("hover", "exfever"):
        return load(name, data, split=split, corpus=corpus), f"hover-{corpus}" if corpus else "hover"
    return load(name, data, split=split), name


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
        questions=np.array([p.question.text for p in pools]),
    )


def save_pairs(path: Path, pools: list[Pool]) -> None:
    """Write what a ranker reads, all tokens in a row: numbers of tokens and of candidates say where each begins."""
    read = [(pool, pool.read) for pool in pools if pool.read is not None]
    flat: dict[str, Any] = {}
    for name, texts in (
        ("question", [r.question for _, r in read]),
        ("passage", [t for _, r in read for t in r.passages]),
        ("long", [t for _, r in read for t in r.longs]),
        ("whole", [t for _, r in read for t in r.wholes]),
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
        questions=np.array([pool.question.text for pool, _ in read]),
        answers=np.array([pool.question.answer for pool, _ in read]),
        labels=np.array([pool.question.label for pool, _ in read]),
        ids=np.array([pool.ids[place] for pool, r in read for place in r.places.tolist()]),
        documents=np.array(["\t".join(pool.documents) for pool, _ in read]),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument(
        "sets",
        nargs="+",
        help="hotpotqa, exfever, hover, musique, 2wiki, written or a set of text_kinds.py, with :COUNT",
    )
    parser.add_argument("--data", type=Path, required=True, help="folder with a folder for each set")
    parser.add_argument("--split", default="train")
    parser.add_argument("--corpus", help="variant of HoVer's corpus, for HoVer and EX-FEVER, such as lite")
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
            dataset, index = dataset_of(name, arguments.data, arguments.split, arguments.corpus)
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
