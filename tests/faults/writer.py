"""A process that works on an index until it is killed: `python writer.py PLACE EXACT`, a folder or an address.

EXACT vectors are compared one by one; where there are more, a cache or an index of them is written.
For each line it reads, it forks a child: `write SEED` adds, replaces, deletes and relates documents without end,
`copy SOURCE TARGET` copies an index in small steps, `migrate PLACE` opens an index of an older format and adds to it,
`create PLACE` makes an index and adds to it.
The child says what it begins and what is done; what is done must survive whatever happens to the child.
"""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Callable
from functools import partial

from multihop.engine import Engine
from multihop.errors import StoreError
from multihop.index.copying import copy
from multihop.index.links.mentions import MentionLinker
from multihop.index.stores import open_store
from multihop.index.stores.core import search
from multihop.index.stores.postgres import schema as postgres
from multihop.index.stores.sqlite import schema as sqlite
from multihop.testing.contracts import HashEmbedder
from multihop.types import Document, Relation

IDS = 30
LATER = "CREATE TABLE later (id text PRIMARY KEY);"
NEWER = (
    (sqlite, "MIGRATIONS", (*sqlite.MIGRATIONS, LATER)),
    (sqlite, "FORMAT", sqlite.FORMAT + 1),
    (postgres, "MIGRATIONS", (*postgres.MIGRATIONS, LATER)),
    (postgres, "VERSION", postgres.VERSION + 1),
)
"""What to set to get a version of multihop whose indexes hold a table more."""
STEP = 4
"""Passages of one transaction of a copy."""


def document(id: int, version: int) -> Document:
    """Give a version of a document: up to three passages, each with a word of its own and a mention of the next."""
    parts = [
        f"# Part {n}\n\nHere stands unique{id}v{version}n{n}, near Entity{(id + 1) % IDS}x."
        for n in range(1 + version % 3)
    ]
    return Document(str(id), "\n\n".join(parts), f"Entity{id}x", {"version": version, "id": id})


def write(place: str, seed: str) -> None:
    draw = random.Random(int(seed))
    version = int(seed) * 1000
    with Engine.open(place, create=True, embedder=HashEmbedder()) as engine:
        while True:
            version += 1
            ids = sorted(draw.sample(range(IDS), draw.randint(1, 4)))
            kind = draw.choice(["add", "add", "delete", "relate"])
            if kind == "relate":
                # Between documents that are there, in both directions or one, as chance will have it.
                there = sorted(map(int, engine.store.document_ids()))
                ids = draw.sample(there, 2) if len(there) > 1 else []
            say(f"begin {kind} {version} {','.join(map(str, ids))}")
            if kind == "add":
                engine.add(document(id, version) for id in ids)
            elif kind == "delete":
                engine.delete(map(str, ids))
            elif ids:
                engine.store.relate([Relation(f"{ids[0]}#0", f"{ids[1]}#0", "SUPPORTS", 0.5, "said so", "test")])
            say(f"done {version}")


def copied(source: str, target: str) -> None:
    say("begin copy 0 0")
    copy(partial(open_store, source, MentionLinker()), partial(open_store, target, MentionLinker()), step=STEP)
    say("done 0")


def migrate(place: str) -> None:
    for change in NEWER:
        setattr(*change)
    say("begin add 1 0")
    with Engine.open(place, create=True, embedder=HashEmbedder()) as engine:
        engine.add(document(0, 1))
    say("done 1")


def create(place: str) -> None:
    say("begin add 1 0")
    with Engine.open(place, create=True, embedder=HashEmbedder()) as engine:
        engine.add(document(0, 1))
    say("done 1")


def say(line: str) -> None:
    os.write(1, f"{line}\n".encode())


def main(place: str, exact: str) -> None:
    search.EXACT = int(exact)
    commands: dict[str, Callable[..., None]] = {
        "write": partial(write, place), "copy": copied, "migrate": migrate, "create": create
    }  # fmt: skip
    for line in sys.stdin:
        command, *given = line.split()
        child = os.fork()
        if not child:
            try:
                commands[command](*given)
            except StoreError as error:
                say(f"failed {error}")
            finally:
                os._exit(0)
        say(f"writing {child}")
        os.waitpid(child, 0)
        say("over")


if __name__ == "__main__":
    main(*sys.argv[1:])
