"""What the tables are like: kept apart by address, and fit to be distributed by Citus as they stand."""

from __future__ import annotations

import inspect
import re

import pytest

from multihop import Document, Engine
from multihop.errors import IndexNotFound, InvalidInput, StoreError
from multihop.stores.postgres import checks, citus, filters, lexical, schema, vectors, view
from multihop.stores.postgres.filters import Passing

from .server import Server

_KEYS = """
    SELECT t.relname, i.relname, array_agg(a.attname::text) FROM pg_index x
    JOIN pg_class t ON t.oid = x.indrelid JOIN pg_class i ON i.oid = x.indexrelid
    JOIN pg_namespace n ON n.oid = t.relnamespace
    JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = ANY(x.indkey)
    WHERE n.nspname = '{}' AND x.indisunique AND t.relkind = 'r' GROUP BY 1, 2"""
_DISTRIBUTED = {**dict.fromkeys(schema.BY_PART, "part"), **dict.fromkeys(schema.BY_ID, "id")}


@pytest.fixture
def made(address: str) -> str:
    """The schema of a new address."""
    Engine.open(address, create=True).close()
    return f"multihop_{address.rpartition('=')[2]}"


def test_every_table_has_its_place(postgres: Server, made: str) -> None:
    tables = {name for (name,) in postgres.run(f"SELECT tablename FROM pg_tables WHERE schemaname = '{made}'")}
    placed = [*schema.BY_PART, *schema.BY_ID, *schema.EVERYWHERE]
    assert tables == set(placed)
    assert len(placed) == len(set(placed))
    assert {f"{made}.{table}" for table in tables} == set(citus.statements(made))


def test_every_unique_key_holds_the_column_of_distribution(postgres: Server, made: str) -> None:
    keys = postgres.run(_KEYS.format(made))
    assert {table for table, _, _ in keys} >= {"passage", "posting", "mention", "relation", "embedding", "document"}
    for table, key, columns in keys:
        assert table not in _DISTRIBUTED or _DISTRIBUTED[table] in columns, key


def test_there_are_no_sequences_foreign_keys_or_triggers(postgres: Server, made: str) -> None:
    within = f"connamespace = '{made}'::regnamespace"
    assert postgres.run(f"SELECT sequencename FROM pg_sequences WHERE schemaname = '{made}'") == []
    assert postgres.run(f"SELECT conname FROM pg_constraint WHERE contype = 'f' AND {within}") == []
    defaults = postgres.run(f"SELECT column_default FROM information_schema.columns WHERE table_schema = '{made}'")
    assert not [text for (text,) in defaults if text and "nextval" in text]


def test_the_statements_that_distribute(made: str) -> None:
    lines = list(citus.statements(made).values())
    assert lines[0] == f"SELECT create_distributed_table('{made}.passage', 'part', colocate_with => 'none')"
    beside = [line for line in lines if f"colocate_with => '{made}.passage'" in line]
    assert len(beside) == len(schema.BY_PART) - 1
    assert f"SELECT create_reference_table('{made}.term')" in lines


def _statements() -> list[str]:
    """Every SELECT that searches, as it is sent: with a filter, because that is the harder case."""
    condition = Passing(("field = 'a' AND value = 1",))
    filled = {"filter": condition.on("m"), "dimension": 3}
    found = [lexical._RANK.format(filter=condition.on("s")), lexical._AMONG, lexical._POSTINGS]
    found += [
        vectors._JOINED.format(t.format(**filled | {"filter": condition.on("v")}))
        for t in (vectors._NEAR, vectors._EXACT)
    ]
    found += [vectors._AMONG, view._PASSAGE, view._DOCUMENTS, view._MENTIONS, view._MEANINGS, view._MEANT]
    found += [view._LINKS_TO.format(**filled), view._SCAN.format(filter=condition.on("p")), *schema.DANGLING.values()]
    return [" ".join(text.split()) for text in found]


@pytest.mark.parametrize("statement", _statements())
def test_searches_join_distributed_tables_by_part_only(statement: str) -> None:
    """Two tables that are distributed may meet only where their parts are equal."""
    used = re.findall(r"(?:FROM|JOIN) (\w+) (?!ON\b|WHERE\b|AS\b)\w+", statement)
    distributed = [table for table in used if table in schema.BY_PART]
    assert len(re.findall(r"\w+\.part = \w+\.part", statement)) >= len(distributed) - 1
    for subquery in re.findall(r"\(([^()]*)\) IN \(SELECT ([^()]*?) FROM attribute", statement):
        assert (
            [name.split(".")[-1] for name in subquery[0].split(", ")] == ["part", "number"] == subquery[1].split(", ")
        )
    assert "WITH " not in statement and "FOR UPDATE" not in statement


def test_what_is_summed_is_grouped_by_part_and_cut_short_where_it_lies() -> None:
    statement = " ".join(lexical._RANK.split())
    assert "GROUP BY part, place" in statement
    assert re.search(r"ORDER BY s\.score DESC, s\.number LIMIT %s \) AS t JOIN passage", statement)


def test_no_rank_of_postgres_and_no_changes_inside_queries() -> None:
    for module in (lexical, vectors, view, filters, checks):
        source = inspect.getsource(module)
        assert "ts_rank" not in source
        assert not re.search(r"WITH \w+ AS \((INSERT|UPDATE|DELETE)", source)


def test_distributing_explains_itself_where_citus_is_missing(address: str) -> None:
    with pytest.raises(StoreError, match=r"has no extension citus.*or leave out --distribute"):
        Engine.open(address, create=True, distribute=True)
    with pytest.raises(IndexNotFound, match="there is no index"):
        Engine.open(address)
    with pytest.raises(InvalidInput, match="only an index on a server"):
        Engine.open("folder.mh", create=True, distribute=True)


def test_indexes_in_one_database_are_kept_apart(address: str) -> None:
    with Engine.open(address, create=True) as one, Engine.open(f"{address}b", create=True) as other:
        one.add(Document("a", "Granite", "Stone", {"year": 1}))
        other.add(Document("b", "Basalt", "Rock", {"month": 1}))
        assert list(one.store.document_ids()) == ["a"]
        assert one.store.view().lexical(["basalt"], 5) == [[]]
        assert other.store.view().named(["Stone and Rock"])[0][0].documents == ("b",)
        with pytest.raises(InvalidInput, match="'year'"):
            other.store.view({"year": 1})


def test_the_approximate_index_finds_what_a_comparison_finds(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from multihop.stores.postgres import store as stores
    from multihop.testing.contracts import HashEmbedder, near

    words = "granite basalt marble slate chalk flint gneiss schist tuff obsidian".split()
    documents = [
        Document(f"{i}", f"{words[i % 10]} {words[i // 10 % 10]} {words[i // 100 % 10]}", metadata={"odd": i % 2 == 1})
        for i in range(600)
    ]
    with Engine.open(address, create=True, embedder=HashEmbedder()) as engine:
        engine.add(documents)
        expected = near(engine.store.view(), "granite slate flint", 5)
        exact = near(engine.store.view({"odd": True}), "granite slate flint", 5)
        for module in (stores, vectors, checks):
            monkeypatch.setattr(module, "EXACT", 100)
        assert [check.detail for check in engine.check(repair=False) if not check.ok] == [
            "0 missing, no approximate index"
        ]
        assert all(check.ok for check in engine.check())
        snapshot = engine.store.view()._snapshot  # type: ignore[attr-defined]  # to look at the plan
        asked = vectors._NEAR.format(filter="", dimension=32)
        # So few vectors are compared faster than looked up.
        snapshot.rows("SELECT set_config('enable_seqscan', 'off', true)")
        plan = str(snapshot.rows(f"EXPLAIN {asked}", ("[" + "1," * 31 + "1]", 5)))
        assert vectors.INDEX in plan
        assert set(near(engine.store.view(), "granite slate flint", 5)) & set(expected)
        assert len(near(engine.store.view({"odd": True}), "granite slate flint", 5)) == 5
        assert set(near(engine.store.view({"odd": True}), "granite slate flint", 5)) & set(exact)
        settings = snapshot.many([("SHOW hnsw.iterative_scan", ()), ("SHOW hnsw.ef_search", ())])
        assert settings == [[("relaxed_order",)], [("100",)]]
