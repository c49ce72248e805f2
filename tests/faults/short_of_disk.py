"""A process that works on indexes on disks that are too small: `unshare -Urm python short_of_disk.py FOLDER KIND N …`.

In a namespace of its own it may mount what it likes: a disk with room for N files (`inodes`), or for N kilobytes
(`size`), for each N in turn. Prints as JSON, for each of them, how an attempt to make an index and fill it ended, how
many documents are said to be stored, and how many are there once there is room.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from multihop.engine import Engine
from multihop.errors import IndexBehind, IndexNotFound, MultihopError
from multihop.index.stores.core import search
from multihop.testing.contracts import HashEmbedder
from multihop.types import Document

STEPS = [[Document(f"{step}d{n}", f"Letter {n} speaks of Rome.", f"Letter {n}") for n in range(20)] for step in "abc"]
ALL = sum(map(len, STEPS))
ROOM = {"inodes": ("size=64m,nr_inodes={}", "size=64m,nr_inodes=10000"), "size": ("size={}k", "size=64m")}


def attempt(place: Path) -> tuple[str, int]:
    """Say how it ended, and how many documents were acknowledged, or said to be stored."""
    stored = 0
    try:
        with Engine.open(place, create=True, embedder=HashEmbedder()) as engine:
            for documents in STEPS:
                engine.add(documents)
                stored += len(documents)
    except IndexBehind as error:
        return type(error).__name__, stored + len(STEPS[0])
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


def run(disk: Path, kind: str, rooms: list[int]) -> list[tuple[str, int, int]]:
    ended: list[tuple[str, int, int]] = []
    little, enough = ROOM[kind]
    for room in rooms:
        subprocess.run(["mount", "-t", "tmpfs", "-o", little.format(room), "none", str(disk)], check=True)
        try:
            said = attempt(disk / "i.mh")
            subprocess.run(["mount", "-o", f"remount,{enough}", str(disk)], check=True)
            ended.append((*said, there(disk / "i.mh")))
            assert attempt(disk / "i.mh") == ("done", ALL)
            assert there(disk / "i.mh") == ALL
        finally:
            subprocess.run(["umount", "-l", str(disk)], check=True)
    return ended


if __name__ == "__main__":
    search.EXACT = 30  # so that a small index has a vector cache
    folder, kind, *rooms = sys.argv[1:]
    print(json.dumps(run(Path(folder), kind, list(map(int, rooms)))))  # noqa: T201
