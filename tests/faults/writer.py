"""A process that writes to an index until it is killed: `python writer.py FOLDER`.

For each seed it reads, it forks a child that adds, replaces and deletes documents without end. The child says what it
begins and what is done; everything that is done must survive whatever happens to the child.
"""

from __future__ import annotations

import os
import random
import sys
from pathlib import Path

from multihop.engine import Engine
from multihop.index.stores.core import search
from multihop.testing.contracts import HashEmbedder
from multihop.types import Document

IDS = 30


def document(id: int, version: int) -> Document:
    """Give a version of a document: up to three passages, each with a word of its own and a mention of the next."""
    parts = [
        f"# Part {n}\n\nHere stands unique{id}v{version}n{n}, near Entity{(id + 1) % IDS}x."
        for n in range(1 + version % 3)
    ]
    return Document(str(id), "\n\n".join(parts), f"Entity{id}x", {"version": version, "id": id})


def small_vector_cache() -> None:
    """Let the vector cache be written often, so that a kill has a chance to hit it."""
    search.EXACT = 12


def write(engine: Engine, seed: int) -> None:
    draw = random.Random(seed)
    version = seed * 1000
    while True:
        version += 1
        ids = sorted(draw.sample(range(IDS), draw.randint(1, 4)))
        kind = draw.choice(["add", "add", "delete"])
        say(f"begin {kind} {version} {','.join(map(str, ids))}")
        if kind == "add":
            engine.add(document(id, version) for id in ids)
        else:
            engine.delete(map(str, ids))
        say(f"done {version}")


def say(line: str) -> None:
    os.write(1, f"{line}\n".encode())


def main(folder: Path) -> None:
    small_vector_cache()
    for seed in sys.stdin:
        child = os.fork()
        if not child:
            write(Engine.open(folder, create=True, embedder=HashEmbedder()), int(seed))
        say(f"writing {child}")
        os.waitpid(child, 0)
        say("over")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
