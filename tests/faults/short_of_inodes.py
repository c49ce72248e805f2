"""A process that works on indexes where hardly any file can be made: `unshare -Urm python short_of_inodes.py FOLDER`.

In a namespace of its own it may mount what it likes. Prints as JSON, for each number of files that the disk has room
for, how an attempt to make an index and fill it ended, how many documents are said to be stored, and how many are
there once there is room.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from multihop.engine import Engine
from multihop.errors import FormatError, IndexBehind, IndexNotFound, MultihopError
from multihop.testing.contracts import HashEmbedder
from multihop.types import Document

FIRST = [Document(f"d{n}", f"Letter {n} speaks of Rome.", f"Letter {n}") for n in range(5)]
MORE = [Document(f"e{n}", f"Letter {n} speaks of Paris.", f"Note {n}") for n in range(5)]


def attempt(place: Path) -> tuple[str, int]:
    """Say how it ended, and how many documents were acknowledged, or said to be stored."""
    stored = 0
    try:
        with Engine.open(place, create=True, embedder=HashEmbedder()) as engine:
            for documents in (FIRST, MORE):
                engine.add(documents)
                stored += len(documents)
    except IndexBehind as error:
        return type(error).__name__, stored + len(FIRST)
    except MultihopError as error:
        return type(error).__name__, stored
    return "done", stored


def there(place: Path) -> int:
    """Say how many documents a sound index holds; -1 where there is none."""
    try:
        with Engine.open(place, embedder=HashEmbedder()) as engine:
            assert [check for check in engine.check(repair=False) if not check.ok] == []
            return engine.stats().documents
    except IndexNotFound:
        return -1
    except FormatError as error:
        # The folder was made, and there was no room for anything in it.
        assert "a folder without an index in it" in str(error)
        return -1


def run(disk: Path) -> list[tuple[str, int, int]]:
    ended: list[tuple[str, int, int]] = []
    for files in range(2, 40):
        mounted = ["mount", "-t", "tmpfs", "-o", f"size=64m,nr_inodes={files}", "none", str(disk)]
        subprocess.run(mounted, check=True)
        try:
            said = attempt(disk / "i.mh")
            subprocess.run(["mount", "-o", "remount,size=64m,nr_inodes=10000", str(disk)], check=True)
            ended.append((*said, there(disk / "i.mh")))
            assert attempt(disk / "i.mh") == ("done", len(FIRST) + len(MORE))
            assert there(disk / "i.mh") == len(FIRST) + len(MORE)
        finally:
            subprocess.run(["umount", "-l", str(disk)], check=True)
    return ended


if __name__ == "__main__":
    print(json.dumps(run(Path(sys.argv[1]))))  # noqa: T201
