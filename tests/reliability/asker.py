"""A process that is asked very many different questions: `python asker.py FOLDER QUESTIONS`.

Prints as JSON how much memory it holds after a tenth of the questions and after all of them, in bytes, and how many
got no answer at all. On the way it says now and then on stderr how far it is and what it holds: a million takes long.
"""

from __future__ import annotations

import json
import random
import sys
import time
from pathlib import Path

from multihop.engine import Engine
from multihop.testing import sample_documents

READING = ("auto", "replace", "graph")
"""Strategies that read passages with a model, at a hundred times the price: they are asked now and then."""
PAGE = 4096


def held() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE


def run(folder: Path, questions: int) -> dict[str, int]:
    draw = random.Random(3)
    # So rarely that a million questions are asked in a quarter of an hour, and each of them from the start.
    rarely = max(100, questions // 100)
    with Engine.open(folder / "i.mh", create=True) as engine:
        engine.add(sample_documents())
        words = sorted({word for document in sample_documents() for word in document.text.lower().split()})
        words = draw.sample(words, min(len(words), max(400, questions // 100)))
        words = [word for word in words if engine.retrieve(word, k=1, strategy="bm25").evidence]  # no stop words
        early = empty = 0
        began = time.monotonic()
        for number in range(questions):
            strategy = "auto-fast" if number % 50 == 0 else "bm25"
            if number % rarely < len(READING):
                strategy = READING[number % rarely]
            asked = " ".join((*draw.sample(words, 2), str(number)))
            empty += not engine.retrieve(asked, k=2 + number % 4, strategy=strategy).evidence
            if number == questions // 10:
                early = held()
            if number % 10_000 == 0:
                took = time.monotonic() - began
                told = f"{number:,} questions in {took:.0f} s: {held() // 2**20} MiB, {empty} unanswered"
                print(told, file=sys.stderr, flush=True)  # noqa: T201
        return {"early": early, "late": held(), "empty": empty}


if __name__ == "__main__":
    print(json.dumps(run(Path(sys.argv[1]), int(sys.argv[2]))))  # noqa: T201
