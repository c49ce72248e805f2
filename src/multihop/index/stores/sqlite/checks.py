"""Counting what is in an index, and checking that the caches agree with the documents."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from multihop.errors import FormatError, StoreError, cause
from multihop.index.stores.core.checks import dangling
from multihop.index.stores.sqlite import schema
from multihop.index.stores.sqlite.lexical import LexicalCache
from multihop.index.stores.sqlite.read_rows import Snapshot
from multihop.index.stores.sqlite.vectors import damaged_files
from multihop.types import Check, Stats

LEXICAL = "lexical cache"
VECTORS = "vector cache"
_FIELDS = "SELECT field, count(DISTINCT value) FROM attribute GROUP BY field ORDER BY field"


def count(connection: schema.Connection, table: str) -> int:
    return int(connection.rows(f"SELECT count(*) FROM {table}")[0][0])


def stats(snapshot: Snapshot, folder: Path, embedder: str | None) -> Stats:
    tables = ("document", "passage", "surface", "mention", "vector", "relation")
    counts = {table: count(snapshot.connection, table) for table in tables}
    return Stats(
        documents=counts["document"], passages=counts["passage"], names=counts["surface"], mentions=counts["mention"],
        vectors=counts["vector"], generation=snapshot.generation, format=schema.FORMAT, embedder=embedder,
        fields=dict(snapshot.connection.rows(_FIELDS)), bytes=sum(_file_sizes(folder)), relations=counts["relation"],
    )  # fmt: skip


def _file_sizes(folder: Path) -> Iterator[int]:
    for inner, _, names in os.walk(folder):
        for name in names:
            # A writer may take away a file of its cache while we look.
            with suppress(FileNotFoundError):
                yield Path(inner, name).stat().st_size


def verify(snapshot: Snapshot, lexical: LexicalCache) -> list[Check]:
    """Check the documents and, unless they are damaged, everything that is derived from them."""
    documents = _documents(snapshot)
    if not documents.ok:
        return [documents]
    counts = {name: int(snapshot.connection.rows(sql)[0][0]) for name, sql in schema.DANGLING.items()}
    return [documents, *dangling(counts), _lexical(snapshot, lexical), _vectors(snapshot)]


def _documents(snapshot: Snapshot) -> Check:
    try:
        problems = [str(r[0]) for r in snapshot.connection.rows("PRAGMA quick_check(5)")]
    except FormatError as error:
        problems = [str(error)]
    return Check("documents", problems == ["ok"], "; ".join(problems))


def _lexical(snapshot: Snapshot, lexical: LexicalCache) -> Check:
    stored = {int(r[0]) for r in snapshot.connection.rows("SELECT row FROM passage")}
    try:
        damaged = lexical.damaged_files()
        cached = snapshot.searcher.rows().tolist()
    except (OSError, ValueError, StoreError) as error:
        return Check(LEXICAL, False, cause(error))
    missing, extra = len(stored - set(cached)), len(cached) - len(stored & set(cached))
    detail = f"{len(cached)} passages, {missing} missing, {extra} extra"
    if damaged:
        detail += f", damaged: {', '.join(damaged)}"
    return Check(LEXICAL, not missing and not extra and not damaged, detail)


def _vectors(snapshot: Snapshot) -> Check:
    if snapshot.vectors is None:
        return Check(VECTORS, True, "no embedder")
    missing, stale = snapshot.vectors.compare()
    detail = f"{missing} missing, {stale} stale (passed over when searching)"
    wrong = damaged_files(snapshot.folder)
    return Check(VECTORS, not missing and not wrong, detail + (f", damaged: {', '.join(wrong)}" if wrong else ""))
