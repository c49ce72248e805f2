"""Damages copies of an index, one byte or page at a time, and tries to use them: `python damage.py FOLDER ROUNDS SEED`.

With 0 rounds it cuts each file in turn while the index is open, and asks on.

It runs in a process of its own: where a library follows wrong bytes, the process dies, and that is what is looked for.
Prints a line of JSON with how the rounds ended; anything else on the way is a failure.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import sys
from collections import Counter
from pathlib import Path

from multihop import Document, Engine
from multihop.errors import FormatError, StoreError
from multihop.index.stores.core import search
from multihop.testing.contracts import HashEmbedder

QUESTIONS = ("granite near the river", "basalt of town 7", "who quarried marble in town 40?")


def make(place: Path) -> None:
    """Make an index that has every kind of file."""
    stones = ("granite", "basalt", "marble", "slate")
    with Engine.open(place, create=True, embedder=HashEmbedder()) as engine:
        engine.add(
            Document(f"t{n}", f"The {stones[n % 4]} of town {n} was quarried near the river.", f"Town {n}")
            for n in range(400)
        )
        engine.delete([f"t{n}" for n in range(300, 310)])


def answers(place: Path) -> list[list[str]]:
    """What the index answers, by words and by vectors."""
    with Engine.open(place, embedder=HashEmbedder()) as engine:
        return asked(engine)


def asked(engine: Engine) -> list[list[str]]:
    return [
        [e.passage.id for e in engine.retrieve(question, k=5, strategy=strategy).evidence]
        for question in QUESTIONS
        for strategy in ("bm25", "dense")
    ]


def damage(file: Path, draw: random.Random) -> str:
    """Do one of three things to a file, and say which."""
    content = bytearray(file.read_bytes())
    kind = draw.choice(("bit", "page", "cut"))
    at = draw.randrange(len(content))
    if kind == "bit":
        content[at] ^= 1 << draw.randrange(8)
    elif kind == "page":
        at -= at % 4096
        content[at : at + 4096] = draw.randbytes(min(4096, len(content) - at))
    else:
        del content[at:]
    file.write_bytes(content)
    return kind


def used(source: Path) -> list[Path]:
    files = sorted(f.relative_to(source) for f in source.rglob("*") if f.is_file() and f.stat().st_size)
    return [f for f in files if "lock" not in f.name and "pid" not in f.name]


def cut_in_use(source: Path) -> dict[str, int]:
    """Cut each file under an open engine, to half and to nothing: it answers as before, or says what is damaged."""
    ended, expected = Counter[str](), answers(source)
    for name in used(source):
        for share in (2, 1_000_000):
            place = source.with_name("cut.mh")
            shutil.copytree(source, place)
            with Engine.open(place, embedder=HashEmbedder()) as engine:
                assert asked(engine) == expected
                os.truncate(place / name, (place / name).stat().st_size // share)
                try:
                    got = asked(engine)
                except FormatError:
                    ended["refused"] += 1
                    assert name.name == "documents.sqlite", f"a cut of {name} stopped the index"
                else:
                    ended["right"] += 1
                    assert got == expected, f"a cut of {name} gave other answers"
            shutil.rmtree(place)
    return dict(ended)


def run(source: Path, rounds: int, seed: int) -> dict[str, int]:
    """Damage and use copies; wrong answers from damaged caches are counted as such, which no run may have."""
    draw, ended = random.Random(seed), Counter[str]()
    expected = answers(source)
    files = used(source)
    for number in range(rounds):
        place = source.with_name(f"round {number}.mh")
        shutil.copytree(source, place)
        name = files[number % len(files)]
        kind = damage(place / name, draw)
        try:
            got = answers(place)
        except StoreError:
            ended["refused"] += 1
            # The caches can always be built again; only damage to the documents may stop an index.
            assert name.name == "documents.sqlite", f"{kind} in {name} stopped the index"
        else:
            right = got == expected
            ended["right" if right else "different"] += 1
            assert right or name.name == "documents.sqlite", f"{kind} in {name} gave other answers"
        shutil.rmtree(place)
    return dict(ended)


if __name__ == "__main__":
    search.EXACT = 100  # so that a small index has a vector cache
    folder = Path(sys.argv[1]) / "whole.mh"
    make(folder)
    assert list(folder.glob("vectors.*.usearch"))
    rounds = int(sys.argv[2])
    print(json.dumps(run(folder, rounds, int(sys.argv[3])) if rounds else cut_in_use(folder)))  # noqa: T201
