"""How long all four signals over 100,000 passages take, and that they are exact (aim: at most 2 s on two cores).

The corpus is HoVer's. Words, vectors and patterns are worked out once and timed apart; then every question is timed
twice: when its words were never looked for before, and again. A sample of passages is scored one by one by the
definitions, in plain Python, and compared. Indexing, learning words, keeping what the signals work out, and answering
run in a process each, so that the peak of its memory is its own. With `--random-words` the words of the corpus get
vectors of chance instead of learned ones, which saves minutes: neither memory nor time of the rest depends on them.

    python benchmarks/hybrid.py --data datasets [--passages 100000] [--questions 20] [--index FOLDER] [--random-words]
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import resource
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

import numpy as np
from signal_reference import reference_scores

from multihop import Document, Engine, profiles, text
from multihop.evaluation.datasets import load
from multihop.index.embedders import open_embedder
from multihop.profiles.signals import embed, evaluate, parse_question, warm, word2vec as words
from multihop.profiles.signals.corpus import words_of
from multihop.protocols import Context, Index
from multihop.strategies import HYBRID, hybrid

EMBEDDER = "wordllama"
LEAST = 5
"""So often does a word occur that has a vector."""


def build(data: Path, folder: Path, passages: int) -> None:
    started = time.perf_counter()
    with Engine.open(folder, create=True, embedder=open_embedder(EMBEDDER)) as engine:
        engine.add(documents(data, passages), whole=True)
        print(f"indexed {engine.stats().passages:,} passages in {time.perf_counter() - started:.0f} s", end="; ")


def learn_words(folder: Path) -> None:
    started = time.process_time()
    with Engine.open(folder, embedder=open_embedder(EMBEDDER)) as engine:
        trained = words.train(engine.store, settings=words.TrainingSettings(epochs=2, min_count=LEAST))
    print(f"learned {trained.words:,} words in {time.process_time() - started:.0f} s of processor", end="; ")


def random_words(folder: Path) -> None:
    with Engine.open(folder, embedder=open_embedder(EMBEDDER)) as engine:
        if words.stamp(engine.store) is not None:
            print("found words", end="; ")
            return
        counted = Counter(word for p in engine.store.view().scan() for word in text.singulars(words_of(p)))
        often = [(word, count) for word, count in counted.most_common() if count >= LEAST]
        vectors = (
            np.random.default_rng(1)
            .standard_normal((len(often), words.TrainingSettings().dimension))
            .astype(np.float16)
        )
        words.put(engine.store, tuple(w for w, _ in often), np.array([n for _, n in often]), vectors)
    print(f"vectors of chance for {len(often):,} words", end="; ")


def keep(folder: Path) -> None:
    started = time.process_time()
    with Engine.open(folder, embedder=open_embedder(EMBEDDER)) as engine:
        written = warm(engine.store, profiles.load("climate"))
    done = "worked out and kept" if written else "found kept"
    print(f"signals {done} in {time.process_time() - started:.0f} s of processor", end="; ")


def alone(step: Callable[..., None], *given: object) -> None:
    """Take a step in a process of its own, and say how much memory it needed."""
    process = multiprocessing.get_context("spawn").Process(target=_measured, args=(step, *given))
    process.start()
    process.join()
    if process.exitcode:
        raise SystemExit(f"{step.__name__} failed")


def _measured(step: Callable[..., None], *given: object) -> None:
    step(*given)
    print(peak(), flush=True)


def peak() -> str:
    return f"peak of memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB"


def documents(data: Path, passages: int) -> Iterator[Document]:
    return islice(load("hover", data).documents(), passages)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--passages", type=int, default=100_000)
    parser.add_argument("--questions", type=int, default=20)
    parser.add_argument("--random-words", action="store_true", help="do not learn word vectors")
    parser.add_argument("--index", type=Path, help="use this index, or make it there, instead of a temporary one")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = options.index or Path(folder) / "hover.mh"
        if not path.exists():
            alone(build, options.data, path, options.passages)
        claims = Path(folder) / "claims.json"
        alone(read_claims, options.data, claims, options.questions)
        alone(random_words if options.random_words else learn_words, path)
        alone(keep, path)
        alone(answer, path, claims)
        alone(compare, path, claims)


def read_claims(data: Path, to: Path, questions: int) -> None:
    claims = [q.text for q in load("hover", data).questions][:questions]
    to.write_text(json.dumps(claims), encoding="utf-8")
    print(f"{len(claims)} claims", end="; ")


def answer(folder: Path, claims: Path) -> None:
    with Engine.open(folder, embedder=open_embedder(EMBEDDER)) as engine:
        asked_for = json.loads(claims.read_text("utf-8"))
        engine.retrieve(asked_for[0], k=20, strategy="bm25")
        print(f"opened, and one question by words alone: {peak()}", flush=True)
        measure(engine, asked_for)


def measure(engine: Engine, claims: list[str]) -> None:
    climate = profiles.load("climate")
    for name, strategy, questions in (
        ("claims, no profile", HYBRID, claims),
        ("climate profile", hybrid(climate), [q.text for q in climate.questions]),
    ):
        started, worked = time.perf_counter(), time.process_time()
        engine.retrieve(questions[0], k=20, strategy=strategy)
        worked = time.process_time() - worked
        print(f"{name}: first question {time.perf_counter() - started:.1f} s, {worked:.1f} s of processor", flush=True)
        for turn in ("new words", "known words"):
            seconds, worked = [], time.process_time()
            for question in questions[1:]:
                started = time.perf_counter()
                engine.retrieve(question, k=20, strategy=strategy)
                seconds.append(time.perf_counter() - started)
            worked = (time.process_time() - worked) / len(seconds)
            said = f"median {statistics.median(seconds):.3f} s, most {max(seconds):.3f} s, {worked:.3f} s of processor"
            print(f"{name}, {turn}: {said} a question", flush=True)


def compare(folder: Path, claims: Path) -> None:
    """Score every thousandth passage by the definitions and give the greatest difference."""
    asked_too = [q.enhanced for q in profiles.load("climate").questions]
    with Engine.open(folder, embedder=open_embedder(EMBEDDER)) as engine:
        differences(engine, [*json.loads(claims.read_text("utf-8"))[:5], *asked_too])


def differences(engine: Engine, questions: list[str]) -> None:
    view = engine.store.view()
    context = Context(Index.of(view))
    passages = list(islice(view.scan(), 0, None, 1000))
    worst = 0.0
    for place, question in enumerate(questions):
        profile = profiles.load("climate") if place >= 5 else None
        fast = evaluate(parse_question(question, profile), embed(question, context), profile, context)
        rows = {id: row for row, id in enumerate(fast.ids)}
        for passage in passages:
            slow = reference_scores(passage, question, profile, context)
            for name, value in slow.items():
                got = fast.combined if name == "combined" else fast.signals[name]
                worst = max(worst, abs(value - float(got[rows[passage.id]])))
    print(json.dumps({"compared": len(passages) * len(questions), "greatest difference": worst}))


if __name__ == "__main__":
    main()
