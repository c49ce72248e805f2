"""A process that may read an index and not write to it: `python without_rights.py COMMAND FOLDER`.

As root it becomes another user first, since root may write everywhere. It prints what it sees, as JSON.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from multihop.engine import Engine
from multihop.errors import MultihopError
from multihop.testing.contracts import found, links
from multihop.types import Document

NOBODY = 65534


def read(folder: str) -> list[object]:
    try:
        with Engine.open(folder) as engine:
            view = engine.store.view()
            return [
                *(found(view, "granite"), sorted(links(view, "a#0")), len(list(engine.store.document_ids()))),
                *([check.ok for check in engine.check()].count(False), *attempts(engine)),
            ]
    except MultihopError as error:
        return [f"{type(error).__name__}: {error}"]


def attempts(engine: Engine) -> Iterator[str]:
    for change in (partial(engine.add, Document("c", "x")), partial(engine.delete, "a")):
        try:
            change()
            yield "done"
        except MultihopError as error:
            yield f"{type(error).__name__}: {error}"


def create(folder: str) -> list[object]:
    try:
        with Engine.open(f"{folder}/deeper/index", create=True):
            return ["created"]
    except MultihopError as error:
        return [f"{type(error).__name__}: {error}"]


def follow(folder: str) -> list[object]:
    """Look, wait for a line, and look again."""
    with Engine.open(folder) as engine:
        before = found(engine.store.view(), "granite")
        sys.stdout.write("looking\n")
        sys.stdout.flush()
        sys.stdin.readline()
        return [before, found(engine.store.view(), "granite"), engine.refresh()]


if __name__ == "__main__":
    # Whatever is imported late is imported now: another user may not be allowed to read the interpreter's own files.
    with tempfile.TemporaryDirectory() as scratch:
        Engine.open(Path(scratch) / "index", create=True).close()
        read(str(Path(scratch) / "index"))
    if os.geteuid() == 0:
        os.setgid(NOBODY)
        os.setuid(NOBODY)
    chosen = {c.__name__: c for c in (read, create, follow)}[sys.argv[1]]
    sys.stdout.write(json.dumps(chosen(sys.argv[2])))
