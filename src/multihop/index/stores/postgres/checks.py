"""Counting what is in an index, and checking that what is derived agrees with the passages."""

from __future__ import annotations

from collections.abc import Mapping

from multihop.index.stores.core import search
from multihop.index.stores.core.checks import dangling
from multihop.index.stores.postgres import schema, shards, vectors
from multihop.index.stores.postgres.connections import Snapshot
from multihop.index.stores.postgres.packing import name_parts, unescape_nul
from multihop.index.stores.postgres.statements import Connection, Statement, plain, value
from multihop.protocols import Embedder
from multihop.types import Check, Stats

_COUNTED = {
    name: f"SELECT count(*) FROM ${table} t"
    for name, table in (
        ("documents", "document"), ("passages", "passage"), ("names", "surface"), ("mentions", "mention"),
        ("vectors", "embedding"), ("relations", "relation"),
    )
}  # fmt: skip
_FIELDS = "SELECT field, count(*) FROM (SELECT DISTINCT field, words, value FROM $attribute h) AS held GROUP BY field"
_BYTES = """
    SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint FROM pg_class c
    JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = %s AND c.relname = ANY(%s)"""
# Beside what lies in our own tables, which are empty once they are distributed; shards have names of their own.
_BYTES_CITUS = """
    SELECT coalesce(sum(citus_total_relation_size(d.logicalrelid)), 0)::bigint FROM pg_dist_partition d
    JOIN pg_class c ON c.oid = d.logicalrelid JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = %s"""
_POSTINGS = "SELECT coalesce(sum(cardinality(codes)), 0)::bigint FROM $posting o"
# A passage carries nine bytes for each of its terms: `packing` writes the number of the term and its count.
_AGREEING = {
    "passages of documents": ("SELECT coalesce(sum(passages), 0)::bigint FROM $document", _COUNTED["passages"]),
    "passages counted": ("SELECT value::bigint FROM $meta WHERE key = 'passages'", _COUNTED["passages"]),
    "postings": (_POSTINGS, "SELECT coalesce(sum(octet_length(terms) / 9), 0)::bigint FROM $passage p"),
    "statistics of terms": ("SELECT coalesce(sum(passages), 0)::bigint FROM $term", _POSTINGS),
    "statistics of names": ("SELECT coalesce(sum(spread), 0)::bigint FROM $surface s", _COUNTED["mentions"]),
}
"""Pairs of counts that are equal in a sound index."""
_MENTIONED = "SELECT DISTINCT surface FROM $mention m WHERE surface > %s ORDER BY surface LIMIT 50000"
_NAMES = "SELECT surface FROM $surface s WHERE surface = ANY(%s::bigint[]) AND part = ANY(%s::integer[])"
_COUNT_TERMS = """
    INSERT INTO term (term, passages) SELECT term, sum(cardinality(codes))::integer FROM posting GROUP BY term"""
_COUNT_SPREAD = """
    UPDATE surface SET spread = c.n FROM unnest(%s::bigint[], %s::integer[]) AS c(s, n) WHERE surface.surface = c.s"""


def stats(snapshot: Snapshot, name: str) -> Stats:
    sized: list[Statement] = [Statement(_BYTES, (name, list(shards.BY_PART + shards.BY_ID + schema.EVERYWHERE)))]
    if snapshot.rows(shards.CITUS):
        sized.append(Statement(_BYTES_CITUS, (name,)))
    fields, *sizes = snapshot.many([Statement(_FIELDS), *sized])
    return Stats(
        **_counts(snapshot, _COUNTED), generation=snapshot.generation, format=schema.VERSION,
        embedder=snapshot.meta.get("embedder"), bytes=sum(int(size) for [(size,)] in sizes),
        fields={unescape_nul(field): int(count) for field, count in sorted(fields)},
    )  # fmt: skip


def _counts(snapshot: Snapshot, statements: Mapping[str, str]) -> dict[str, int]:
    """Run statements that count, in one round trip."""
    results = snapshot.many([Statement(sql) for sql in statements.values()])
    return {name: int(rows[0][0]) for name, rows in zip(statements, results, strict=True)}


def verify(snapshot: Snapshot, embedder: Embedder | None) -> list[Check]:
    """Compare what is derived with the passages."""
    missing = _counts(snapshot, schema.DANGLING) | {"mentions of names": _count_unnamed(snapshot)}
    # By statement, so that what stands in two pairs is counted once.
    counts = _counts(snapshot, {sql: sql for pair in _AGREEING.values() for sql in pair})
    pairs = {name: (counts[said], counts[there]) for name, (said, there) in _AGREEING.items()}
    agreeing = [Check(name, said == there, f"{said} of {there}") for name, (said, there) in pairs.items()]
    return [*dangling(missing), *agreeing, _vectors(snapshot, embedder, counts[_COUNTED["passages"]])]


def _count_unnamed(snapshot: Snapshot) -> int:
    """Count the mentions of names that are not there; by batches, since both lie on different nodes of a cluster."""
    last, missing = 0, 0  # names are numbered from 1
    while numbers := [n for (n,) in snapshot.rows(_MENTIONED, (last,))]:
        there = snapshot.rows(_NAMES, (numbers, name_parts(numbers)))
        if gone := sorted(set(numbers).difference(n for (n,) in there)):
            [(count,)] = snapshot.rows("SELECT count(*) FROM $mention m WHERE surface = ANY(%s::bigint[])", (gone,))
            missing += count
        last = numbers[-1]
    return missing


def _vectors(snapshot: Snapshot, embedder: Embedder | None, passages: int) -> Check:
    if embedder is None:
        return Check("vectors", True, "no embedder")
    [(count,)], [(index,)] = snapshot.many(
        [Statement(_COUNTED["vectors"]), Statement("SELECT to_regclass(%s)::text", (vectors.INDEX,))]
    )
    wanted = count > search.EXACT and index is None
    detail = f"{passages - count} missing" + (", no approximate index" if wanted else "")
    return Check("vectors", count == passages and not wanted, detail)


def repair(connection: Connection, embedder: Embedder | None) -> None:
    """Compute the statistics again from postings and mentions in one transaction, then build a missing index."""
    with connection.transaction():
        connection.execute("DELETE FROM term")
        connection.execute(_COUNT_TERMS)
        used = connection.execute("SELECT surface, count(*) FROM mention GROUP BY surface").fetchall()
        # First those of all names: one that no passage mentions any more is not among what was counted.
        connection.execute("UPDATE surface SET spread = 0")
        connection.execute(_COUNT_SPREAD, ([s for s, _ in used], [n for _, n in used]))
        # A generation of its own, so that readers let go of the statistics that they have cached.
        passages, generation = value(connection, plain(_COUNTED["passages"])), schema.generation(connection) + 1
        for key, now in (("passages", passages), ("generation", generation)):
            connection.execute("UPDATE meta SET value = %s WHERE key = %s", (str(now), key))
        schema.stamp(connection, generation)
    build_missing(connection, embedder)


def build_missing(connection: Connection, embedder: Embedder | None) -> None:
    """Build the approximate index once comparing all vectors is slow, where this role may."""
    if embedder is None or vectors.has_index(connection) or not schema.owns(connection):
        return
    if value(connection, plain(_COUNTED["vectors"])) > search.EXACT:
        vectors.build(connection, embedder.dimension)
