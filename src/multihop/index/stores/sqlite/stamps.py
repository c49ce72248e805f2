"""Which state of the documents a commit of the lexical cache shows.

tantivy numbers its commits. Before each one, what it will show is written down beside what the present one shows; so
whichever of the two is found afterwards is known, also when the writer was killed in between. A document inside the
cache could say the same, but would be counted by BM25, and again for every commit.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import astuple, dataclass
from pathlib import Path

from multihop.rendering.files import write_atomically

FILE = "stamp.json"


@dataclass(frozen=True, slots=True)
class Stamp:
    """The generation of a commit, the last row ever added, and how many rows were removed since the cache was built."""

    generation: int = 0
    last_row: int = 0
    removed: int = 0


def commit_number(folder: Path) -> int:
    """Read the number of the newest commit; 0 where there is none."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        return int(json.loads((folder / "meta.json").read_bytes())["opstamp"])
    return 0


def read_stamp(folder: Path, commit: int) -> Stamp | None:
    """Return what a commit contains, if known: the one present at the last note, or the next one."""
    if not commit:
        return Stamp()
    with suppress(OSError, ValueError, KeyError, TypeError):
        noted = json.loads((folder / FILE).read_bytes())
        if commit >= int(noted["commit"]):
            return Stamp(*map(int, noted["now" if commit == noted["commit"] else "next"]))
    return None


def announce(folder: Path, generation: int, last_row: int, removed: int | None) -> None:
    """Write down what the commit to come will show; None for `removed` says that it is built anew."""
    commit = commit_number(folder)
    now = read_stamp(folder, commit) or Stamp()
    to_come = Stamp(generation, last_row, 0 if removed is None else now.removed + removed)
    noted = {"commit": commit, "now": astuple(now), "next": astuple(to_come)}
    # Were it lost and the commit not, the commit would be taken for the one before.
    write_atomically(folder / FILE, json.dumps(noted), durable=True)
