"""What Citus can do with a statement, as rules over its parsed text.

Taken from what the documentation of Citus says of queries that touch more than one node: which joins, subqueries and
changes it can send to the nodes, and what it refuses.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import sqlglot
from sqlglot import exp

from multihop.index.stores.postgres import schema, shards

PLACES = {
    **dict.fromkeys(shards.BY_PART, "part"), **dict.fromkeys(shards.BY_ID, "id"),
    **dict.fromkeys(schema.EVERYWHERE, ""),
}  # fmt: skip
"""Our tables, each with the column that it is distributed by; empty for those that are on every node."""
_AS_A_WHOLE = {"part_stamp", "id_stamp", "posting", "surface", "name"}
"""Changed as a whole, which every shard does by itself."""
_REFUSED = re.compile(
    r"\b(FOR (?:UPDATE|SHARE|NO KEY)|TABLESAMPLE|WITH RECURSIVE|GROUPING SETS|ROLLUP|CUBE|CURRENT OF|DECLARE|TEMP|"
    r"TEMPORARY|UNLOGGED|TRIGGER|SEQUENCE|SERIAL|BIGSERIAL|REFERENCES|PARTITION OF|CREATE VIEW|CREATE FUNCTION|"
    r"CREATE RULE|LOCK TABLE|ts_rank|nextval|random\(\)|SAVEPOINT)\b|LATERAL (?!unnest\()",
    re.IGNORECASE,
)
_CHANGING = re.compile(r"\b(now|clock_timestamp|random|nextval|gen_random_uuid)\(", re.IGNORECASE)


def broken(statement: str) -> list[str]:
    """Say which rules a statement breaks."""
    plain = _plain(statement)
    found = [f"{match.group().strip()} is refused" for match in _REFUSED.finditer(plain)]
    if re.match(r"(SELECT|INSERT|UPDATE|DELETE|WITH)\b", plain, re.IGNORECASE):
        tree: exp.Expression = sqlglot.parse_one(plain, dialect="postgres")  # type: ignore[assignment]
        found += [*_mixed(tree), *_changes(tree, plain)]
        for select in tree.find_all(exp.Select):
            found += [*_joins(select), *_subqueries(select), *_windows(select)]
    return found


def _plain(statement: str) -> str:
    """Write a statement as the parser knows it: without parameters, and with an operator of pgvector that it knows."""
    return " ".join(statement.replace("%s", "NULL").replace("<#>", "<->").split())


def tables(statement: str) -> set[str]:
    """Name our tables that a statement uses."""
    if copied := re.match(r"COPY (\w+)", statement):
        return {copied.group(1)}
    try:
        tree = sqlglot.parse_one(_plain(statement), dialect="postgres")
    except sqlglot.ParseError:
        return set()
    return {t.name for t in tree.find_all(exp.Table) if t.name in PLACES}


def _mixed(tree: exp.Expression) -> Iterator[str]:
    used = {t.name for t in tree.find_all(exp.Table)}
    kinds = {PLACES[name] for name in used if PLACES.get(name)}
    if len(kinds) > 1:
        yield "tables distributed by different columns meet"
    if kinds and any(name.startswith("pg_") for name in used):
        yield "a distributed table meets one of the catalog"


# --- joins ---


def _sources(select: exp.Select) -> dict[str, exp.Expression]:
    """What stands in FROM and JOIN, by the name it goes by."""
    from_ = select.args.get("from_") or select.args.get("from")
    joined = [from_.this] if from_ else []
    joined += [join.this for join in select.args.get("joins") or ()]
    return {source.alias_or_name: source for source in joined}


def _spread(source: exp.Expression) -> bool:
    """Tell whether the rows of a source lie on several nodes when they are joined."""
    if isinstance(source, exp.Table):
        return bool(PLACES.get(source.name))
    if isinstance(source, exp.Subquery):
        return not _apart(source.this) and any(PLACES.get(t.name) for t in source.find_all(exp.Table))
    return False


def _apart(query: exp.Expression) -> bool:
    """Tell whether a subquery is worked out first, on its own, and its rows then sent to every node."""
    return bool(query.args.get("limit") or query.args.get("distinct"))


def _joins(select: exp.Select) -> Iterator[str]:
    sources = _sources(select)
    spread = [name for name, source in sources.items() if _spread(source)]
    group = {name: name for name in spread}
    for equal in select.find_all(exp.EQ):
        left, right = equal.left, equal.right
        if isinstance(left, exp.Column) and isinstance(right, exp.Column) and left.name == right.name == "part":
            a, b = group.get(left.table), group.get(right.table)
            if a and b:
                group = {name: a if g == b else g for name, g in group.items()}
    if len(set(group.values())) > 1:
        yield f"{', '.join(spread)} are distributed and not joined by part"
    for join in select.args.get("joins") or ():
        outer = sources[next(iter(sources))]
        if join.side and _spread(join.this) and not _spread(outer):
            yield "the outer side of an outer join is not the distributed one"
        if join.side in ("RIGHT", "FULL"):
            yield f"a {join.side} join"


def _subqueries(select: exp.Select) -> Iterator[str]:
    for within in select.find_all(exp.In):
        query = within.args.get("query")
        if query is None or not any(PLACES.get(t.name) for t in query.find_all(exp.Table)):
            continue
        inner = query.this if isinstance(query, exp.Subquery) else query
        asked = within.this.expressions if isinstance(within.this, exp.Tuple) else [within.this]
        if [c.name for c in asked[:1]] != ["part"] or [c.alias_or_name for c in inner.expressions[:1]] != ["part"]:
            yield "IN (SELECT …) of a distributed table does not compare the part first"
    if select.find_ancestor(exp.Select) and select.args.get("group") and not _apart(select):
        names = [c.name for c in select.args["group"].expressions]
        if any(PLACES.get(t.name) for t in select.find_all(exp.Table)) and "part" not in names:
            yield f"a subquery is grouped by {names} without the part"
    if list(select.find_all(exp.Exists)):
        yield "EXISTS (SELECT …)"


def _windows(select: exp.Select) -> Iterator[str]:
    for window in select.find_all(exp.Window):
        if "part" not in [c.name for c in window.args.get("partition_by") or ()]:
            yield "a window function that is not partitioned by part"


# --- changes ---


def _changes(tree: exp.Expression, text: str) -> Iterator[str]:
    if not isinstance(tree, exp.Insert | exp.Update | exp.Delete):
        return
    target = tree.this.this if isinstance(tree.this, exp.Schema) else tree.this
    column = PLACES[target.name]
    if _CHANGING.search(text):
        yield "a function that gives something else each time, inside a change"
    if tree.args.get("returning"):
        yield "RETURNING"
    if isinstance(tree, exp.Insert):
        yield from _insertion(tree, column)
    elif column and isinstance(tree, exp.Update) and target.name not in _AS_A_WHOLE and not _given(tree):
        yield "an update of a distributed table by something else than what was given"
    elif len([t for t in tree.find_all(exp.Table) if t.name]) > 1:
        yield "a change by what another table holds"


def _given(tree: exp.Expression) -> bool:
    """Tell whether a change is one of rows whose new values were sent along, which every shard finds among its own."""
    return bool(list(tree.find_all(exp.Unnest)))


def _insertion(tree: exp.Insert, column: str) -> Iterator[str]:
    named = [c.name for c in tree.this.expressions] if isinstance(tree.this, exp.Schema) else []
    if column and column not in named:
        yield f"an insertion that does not name {column}"
    conflict = tree.args.get("conflict")
    if conflict is not None:
        if column and column not in [c.name for c in conflict.args.get("conflict_keys") or ()]:
            yield f"ON CONFLICT without {column}"
        if isinstance(tree.expression, exp.Select):
            yield "INSERT … SELECT with ON CONFLICT"
    if column and isinstance(tree.expression, exp.Select):
        yield "INSERT … SELECT into a distributed table"
