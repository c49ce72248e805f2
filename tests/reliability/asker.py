"""A process that is asked very many different questions: `python asker.py FOLDER QUESTIONS`.

Prints as JSON how much memory it holds after a tenth of the questions and after all of them, in bytes, and how many
got no answer at all.
"""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path

from multihop.engine import Engine
from multihop.testing import sample_documents

STRATEGIES = ("bm25",) * 17 + ("auto-fast", "replace", "graph")
PAGE = 4096


def held() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE


def run(folder: Path, questions: int) -> dict[str, int]:
    draw = random.Random(3)
    with Engine.open(folder / "i.mh", create=True) as engine:
        engine.add(sample_documents())
        words = sorted({word for document in sample_documents() for word in document.text.split()})
        titles = [document.title for document in sample_documents()]
        early = empty = 0
        for number in range(questions):
            asked = " ".join((*draw.sample(words, 5), draw.choice(titles), str(number)))
            empty += not engine.retrieve(asked, k=5, strategy=draw.choice(STRATEGIES)).evidence
            if number == questions // 10:
                early = held()
        return {"early": early, "late": held(), "empty": empty}


if __name__ == "__main__":
    print(json.dumps(run(Path(sys.argv[1]), int(sys.argv[2]))))  # noqa: T201
