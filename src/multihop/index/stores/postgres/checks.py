"""Counting what is in an index, and checking that what is derived agrees with the passages."""

from __future__ import annotations

from multihop.index.stores.core import search
from multihop.index.stores.core.checks import dangling
from multihop.index.stores.postgres import schema, shards, vectors
from multihop.index.stores.postgres.connections import Connection, Snapshot
from multihop.index.stores.postgres.packing import name_parts, restored
from multihop.protocols import Embedder
from multihop.types import Check, Stats

_COUNTED = ("document", "passage", "surface", "mention", "embedding", "relation")
_FIELDS = "SELECT field, count(*) FROM (SELECT DISTINCT field, words, value FROM attribute) AS held GROUP BY field"
_BYTES = """
    SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint FROM pg_class c
    JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = %s AND c.relname = ANY(%s)"""
# Beside what lies in our own tables, which are empty once they are distributed; shards have names of their own.
_BYTES_CITUS = """
    SELECT coalesce(sum(citus_total_relation_size(d.logicalrelid)), 0)::bigint FROM pg_dist_partition d
    JOIN pg_class c ON c.oid = d.logicalrelid JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = %s"""
_POSTINGS = "SELECT coalesce(sum(cardinality(codes)), 0)::bigint FROM posting"
_HELD = "SELECT coalesce(sum(passages), 0)::bigint FROM document"
_TERMS = "SELECT coalesce(sum(octet_length(terms) / 9), 0)::bigint FROM passage"
_USED = "SELECT coalesce(sum(passages), 0)::bigint FROM term"
_SPREAD = "SELECT coalesce(sum(spread), 0)::bigint FROM surface"
_MENTIONED = "SELECT DISTINCT surface FROM mention WHERE surface > %s ORDER BY surface LIMIT 50000"
_NAMES = "SELECT surface FROM surface WHERE surface = ANY(%s::bigint[]) AND part = ANY(%s::integer[])"
_COUNT_TERMS = """
    INSERT INTO term (term, passages) SELECT term, sum(cardinality(codes))::integer FROM posting GROUP BY term"""
_COUNT_SPREAD = """
    UPDATE surface SET spread = c.n FROM unnest(%s::bigint[], %s::integer[]) AS c(s, n) WHERE surface.surface = c.s"""


def stats(snapshot: Snapshot, name: str) -> Stats:
    statements = [(f"SELECT count(*) FROM {table}", ()) for table in _COUNTED]
    citus = bool(snapshot.rows("SELECT 1 FROM pg_extension WHERE extname = 'citus'"))
    tables = list(shards.BY_PART + shards.BY_ID + schema.EVERYWHERE)
    sized = [(_BYTES, (name, tables)), *([(_BYTES_CITUS, (name,))] if citus else [])]
    rows = snapshot.many([*statements, (_FIELDS, ()), *sized])
    counts, fields, sizes = rows[: len(_COUNTED)], rows[len(_COUNTED)], rows[len(_COUNTED) + 1 :]
    found = {table: int(rows[0][0]) for table, rows in zip(_COUNTED, counts, strict=True)}
    return Stats(
        documents=found["document"], passages=found["passage"], names=found["surface"], mentions=found["mention"],
        vectors=found["embedding"], generation=snapshot.generation, format=schema.VERSION,
        embedder=snapshot.meta.get("embedder"), bytes=sum(int(size) for [(size,)] in sizes),
        relations=found["relation"],
        fields={restored(field): int(count) for field, count in sorted(fields)},
    )  # fmt: skip


def verify(snapshot: Snapshot, embedder: Embedder | None) -> list[Check]:
    """Compare what is derived with the passages."""
    counts = snapshot.many([(sql, ()) for sql in schema.DANGLING.values()])
    missing = {name: rows[0][0] for name, rows in zip(schema.DANGLING, counts, strict=True)}
    found = [*dangling({**missing, "mentions of names": _unnamed(snapshot)})]
    counted = ("SELECT count(*) FROM passage", _POSTINGS, _TERMS, _USED, "SELECT count(*) FROM mention", _SPREAD, _HELD)
    passages, postings, terms, used, mentions, spread, held = (
        int(rows[0][0]) for rows in snapshot.many([(sql, ()) for sql in counted])
    )
    found.append(Check("passages of documents", held == passages, f"{held} of {passages}"))
    said = int(snapshot.meta["passages"])
    found.append(Check("passages counted", said == passages, f"{said} of {passages}"))
    found.append(Check("postings", postings == terms, f"{postings} of {terms}"))
    found.append(Check("statistics of terms", used == postings, f"{used} of {postings}"))
    found.append(Check("statistics of names", spread == mentions, f"{spread} of {mentions}"))
    return [*found, _vectors(snapshot, embedder, passages)]


def _unnamed(snapshot: Snapshot) -> int:
    """Count the mentions of names that are not there; by batches, since both lie on different nodes of a cluster."""
    last, missing = 0, 0
    while numbers := [n for (n,) in snapshot.rows(_MENTIONED, (last,))]:
        there = snapshot.rows(_NAMES, (numbers, name_parts(numbers)))
        if gone := sorted(set(numbers).difference(n for (n,) in there)):
            [(count,)] = snapshot.rows("SELECT count(*) FROM mention WHERE surface = ANY(%s::bigint[])", (gone,))
            missing += count
        last = numbers[-1]
    return missing


def _vectors(snapshot: Snapshot, embedder: Embedder | None, passages: int) -> Check:
    if embedder is None:
        return Check("vectors", True, "no embedder")
    [(count,)], [(index,)] = snapshot.many(
        [("SELECT count(*) FROM embedding", ()), ("SELECT to_regclass(%s)::text", (vectors.INDEX,))]
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
        connection.execute("UPDATE surface SET spread = 0")
        connection.execute(_COUNT_SPREAD, ([s for s, _ in used], [n for _, n in used]))
        [(passages,)] = connection.execute("SELECT count(*) FROM passage").fetchall()
        connection.execute("UPDATE meta SET value = %s WHERE key = 'passages'", (str(passages),))
        [(generation,)] = connection.execute("SELECT value::bigint + 1 FROM meta WHERE key = 'generation'").fetchall()
        connection.execute("UPDATE meta SET value = %s WHERE key = 'generation'", (str(generation),))
        schema.stamp(connection, generation)
    build_missing(connection, embedder)


def build_missing(connection: Connection, embedder: Embedder | None) -> None:
    """Build the approximate index once comparing all vectors is slow, where this role may."""
    if embedder is not None and not vectors.indexed(connection) and schema.owns(connection):
        [(count,)] = connection.execute("SELECT count(*) FROM embedding").fetchall()
        if count > search.EXACT:
            vectors.build(connection, embedder.dimension)
