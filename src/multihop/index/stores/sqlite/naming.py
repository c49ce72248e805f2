"""Which names of the index could stand in a text: a few looks into the sorted names instead of one for every run."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence

from multihop.index.stores.sqlite import schema
from multihop.protocols import Linker

_LAST = """
    SELECT run.value, (SELECT key FROM surface WHERE key <= run.value ORDER BY key DESC LIMIT 1)
    FROM json_each(?) AS run"""
_KNOWN = "SELECT key, row FROM surface WHERE key IN (?)"
_AT_ONCE = 10_000


def names_in(connection: schema.Connection, linker: Linker, texts: Iterable[Sequence[str]]) -> dict[str, int]:
    """Give the rows of the names that these texts, given as words, could mention; sorted by name.

    A name that begins a run of words also begins every name that sorts between the two. So the last name that does not
    sort after the run tells how far to look: as many words as the two share.
    """
    runs = sorted({run for words in texts for run in linker.runs(words)})
    possible = {name for some in schema.pieces(runs, _AT_ONCE) for name in _beginnings(connection, some)}
    return {str(key): int(row) for key, row in sorted(map(tuple, schema.select_in(connection, _KNOWN, possible)))}


def _beginnings(connection: schema.Connection, runs: Sequence[str]) -> Iterator[str]:
    for run, last in connection.rows(_LAST, (json.dumps(runs),)):
        shared: list[str] = []
        for ours, theirs in zip(run.split(" "), (last or "").split(" "), strict=False):
            if ours != theirs:
                break
            shared.append(ours)
            yield " ".join(shared)
