"""What `as_of` and rights cost: the same questions with and without them, by turns, in processor time.

Every document has a first day, every tenth a last one, and every tenth is for a group that the asker is not in.

    python benchmarks/filters.py corpus.jsonl.zst questions.jsonl [-n 40]
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from multihop import Document, Engine, Rights
from multihop.index.readers import read
from multihop.types import Result

RIGHTS = Rights("jon", ("staff",))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("questions", type=Path, help="rows with a question or claim")
    parser.add_argument("-n", type=int, default=40)
    options = parser.parse_args()
    rows = [json.loads(line) for line in options.questions.read_text(encoding="utf-8").splitlines()]
    asked = [row.get("question") or row["claim"] for row in rows[: options.n]]
    with tempfile.TemporaryDirectory() as folder, Engine.open(Path(folder) / "cost.mh", create=True) as engine:
        engine.add(_documents(options.corpus), whole=True)
        started = time.perf_counter()
        held = engine.restrict(RIGHTS).stats().passages
        print(f"{engine.stats().passages:,} passages; the index of {held:,} permitted ones built in "
              f"{time.perf_counter() - started:.0f} s")  # fmt: skip
        for models in (True, False):
            _measure(engine, asked, models)


def _documents(corpus: Path) -> Iterator[Document]:
    for number, document in enumerate(each for each in read(corpus) if isinstance(each, Document)):
        about = {"valid_from": f"{1990 + number % 30}-01-01", "allow": "group:board" if number % 10 == 5 else "*"}
        yield replace(document, metadata=about | ({"valid_until": "2015-12-31"} if number % 10 == 0 else {}))


def _measure(engine: Engine, questions: list[str], models: bool) -> None:
    ways: dict[str, Callable[[str], Result]] = {
        "alone": partial(engine.retrieve, as_of="any", models=models),
        "as of today": partial(engine.retrieve, as_of="today", models=models),
        "with rights": lambda question: engine.restrict(RIGHTS).retrieve(question, as_of="any", models=models),
        "with both": lambda question: engine.restrict(RIGHTS).retrieve(question, as_of="today", models=models),
    }
    for ask in ways.values():
        ask(questions[0])
    took: dict[str, list[float]] = {way: [] for way in ways}
    for turn, question in enumerate(questions):
        # Each way is first, second, third and fourth equally often.
        for place in range(len(ways)):
            way = list(ways)[(turn + place) % len(ways)]
            started = time.process_time()
            ways[way](question)
            took[way].append(time.process_time() - started)
    alone = statistics.median(took["alone"])
    for way, seconds in took.items():
        median = statistics.median(seconds)
        each = statistics.median(mine / other for mine, other in zip(seconds, took["alone"], strict=True))
        kind = "auto" if models else "without models"
        print(f"{kind}, {way}: {1000 * median:.1f} ms, {median / alone:.2f} times; by question {each:.2f}")


if __name__ == "__main__":
    main()
