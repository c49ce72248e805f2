"""Every statement that is sent stays within what Citus can distribute; no package carries Citus to try it on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import psycopg
import pytest

from multihop import Document, Engine
from multihop.errors import IndexNotFound, InvalidInput, StoreError
from multihop.index.copying import copy
from multihop.index.stores.core import search
from multihop.index.stores.postgres import citus, connections, lexical, packing, schema, shards, vectors
from multihop.index.stores.postgres.statements import Statement, plain, tables_of
from multihop.protocols import Lookup
from multihop.strategies import STRATEGIES
from multihop.testing import sample_documents, sample_questions
from multihop.testing.contracts import HashEmbedder
from multihop.types import Relation

from ...test_copying import opener
from .rules import PLACES, broken, tables
from .server import HALVES, Server

_KEYS = """
    SELECT t.relname, i.relname, array_agg(a.attname::text) FROM pg_index x
    JOIN pg_class t ON t.oid = x.indrelid JOIN pg_class i ON i.oid = x.indexrelid
    JOIN pg_namespace n ON n.oid = t.relnamespace
    JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = ANY(x.indkey)
    WHERE n.nspname = '{}' AND x.indisunique AND t.relkind = 'r' GROUP BY 1, 2"""
_numbers = count()


@pytest.fixture
def made(address: str) -> str:
    """The schema of a new address."""
    Engine.open(address, create=True).close()
    return f"multihop_{address.rpartition('=')[2]}"


# --- statements ---


@pytest.fixture(scope="module")
def life(postgres: Server, tmp_path_factory: pytest.TempPathFactory) -> tuple[list[str], list[Statement]]:
    """Everything sent in a life of an index (made, filled, changed, asked in every way, copied, checked, repaired),
    and what of it was read through snapshots."""
    name = f"citus{next(_numbers)}"
    seen: dict[str, None] = {}
    read: dict[str, Statement] = {}
    many = connections.Snapshot.many

    def recording_many(snapshot: connections.Snapshot, statements: Sequence[Statement]) -> list[connections.Rows]:
        read.update({each.sql: each for each in statements})
        return many(snapshot, statements)

    def recording(method: Callable[..., Any]) -> Callable[..., Any]:
        def record(cursor: Any, statement: Any, *given: Any, **options: Any) -> Any:
            seen[" ".join(str(statement).split())] = None
            return method(cursor, statement, *given, **options)

        return record

    with pytest.MonkeyPatch.context() as patch:
        for method in ("execute", "executemany", "copy"):
            patch.setattr(psycopg.Cursor, method, recording(getattr(psycopg.Cursor, method)))
        patch.setattr(connections.Snapshot, "many", recording_many)
        # So few that what is meant for many passages is tried as well.
        patch.setattr(lexical, "FEW", 50)
        if HALVES:
            patch.setattr(search, "EXACT", 50)
        patch.setattr(lexical, "FEW_PARTS", 0)
        _live(postgres.address(name), tmp_path_factory.mktemp("citus"), postgres, f"multihop_{name}")
    postgres.run(f"DROP SCHEMA multihop_{name} CASCADE")
    return list(seen), list(read.values())


@pytest.fixture(scope="module")
def sent(life: tuple[list[str], list[Statement]]) -> list[str]:
    return life[0]


@pytest.fixture(scope="module")
def read(life: tuple[list[str], list[Statement]]) -> list[Statement]:
    return life[1]


def _live(address: str, folder: Path, postgres: Server, name: str) -> None:
    documents = list(sample_documents())
    with Engine.open(address, create=True, embedder=HashEmbedder()) as engine:
        engine.add(documents[:100])
        engine.add(documents[80:])
        engine.add(
            Document("new", "The Fram sailed to Lynmouth.\n\nAnd back.", "Anew", {"year": 1900, "tags": ("a", "b")})
        )
        engine.delete("new")
        engine.relate(rebuild=True)
        engine.train_word2vec()
        engine.store.relate([Relation("fram-ship#0", "roald-amundsen#0", "SUPPORTS", 0.5, "a cue")])
        _ask(engine)
        postgres.run(f"UPDATE {name}.term SET passages = 7 WHERE term = 'fram'")
        assert all(check.ok for check in engine.check())
        engine.stats()
        engine.store.nodes()  # type: ignore[attr-defined]  # only this store has nodes
    copy(opener(address), opener(folder / "copy.mh"))
    with Engine.open(folder / "copy.mh", embedder=HashEmbedder()) as copied:
        copied.delete("fram-ship")
    copy(opener(folder / "copy.mh"), opener(address))


def _ask(engine: Engine) -> None:
    question = sample_questions()[0].text
    for where in (None, {"year": {"lt": 1900}}, {"kind": ["ship", "person"], "year": 1911}):
        for strategy in STRATEGIES:
            engine.retrieve(question, k=5, strategy=strategy, where=where)
        view = engine.store.view(where)
        ids = [passage.id for passage in view.scan()]
        view.lexical([Lookup(question, 5, ids)])
        view.links_from(ids, 5)
        view.links_to(["fram-ship", "roald-amundsen"], 5)
        view.relations_from(ids)
        view.relations_to(ids)
        view.vectors(ids)
        view.passages_of(["fram-ship"], 2)
    assert engine.document("fram-ship") is not None
    list(engine.store.document_ids())
    engine.store.documents("", "f", 5)


def test_no_statement_breaks_a_rule(sent: list[str]) -> None:
    used = set().union(*map(tables, sent))
    assert used == set(PLACES)
    assert len(sent) > 60
    assert {s: found for s in sent if (found := broken(s))} == {}


@pytest.mark.parametrize(
    ("statement", "found"),
    [
        (lexical._RANK, True), (lexical.POSTINGS, True), (vectors._NEAR, True), ("SELECT 1 FROM $document", True),
        ("SELECT key, value FROM $meta", False), (lexical._COUNTS, False),
    ],
)  # fmt: skip
def test_what_is_read_from_shards_is_known_by_its_statement(statement: str, found: bool) -> None:
    """After such a statement it is asked whether a shard has moved."""
    assert shards.reads_shards(Statement(statement)) is found


def test_every_statement_says_which_of_our_tables_it_reads(read: list[Statement]) -> None:
    assert len(read) > 30
    assert {each.sql for each in read if tables(plain(each.sql)) != tables_of(each.sql)} == set()


def test_every_statement_of_a_question_can_be_kept_to_some_parts(read: list[Statement]) -> None:
    """As is done while nodes are away; what stays whole asks for documents, by their ids."""
    distributed = [each for each in read if shards.reads_shards(each)]
    kept = {plain(each.sql): shards.restrict_to_parts([1, 2], each).sql for each in distributed}
    assert {s for s, k in kept.items() if s == k} == {s for s in kept if not tables(s) - {"document"}}
    assert {k: found for k in kept.values() if (found := broken(k))} == {}
    # Every list of parts in it is cut down, and nothing else.
    for each in distributed:
        lists = [isinstance(value, packing.Parts) for value in each.values]
        assert lists == [before.endswith("part = ANY(") for before in each.sql.split("%s")[:-1]]
    joined = "SELECT 1 FROM $mention m JOIN $passage p ON p.part = m.part WHERE m.number = ANY(%s) AND p.part = ANY(%s)"
    both, values, _ = shards.restrict_to_parts([1, 2], Statement(joined, [[7, 8], packing.Parts([2, 3])]))
    assert both.count("WHERE part = ANY('{1,2}'::integer[])") == 2
    assert both.endswith(") p ON p.part = m.part WHERE m.number = ANY(%s) AND p.part = ANY(%s)")
    assert values == [[7, 8], [2]]
    nowhere = Statement(joined, [[7, 8], packing.Parts([3])])
    assert shards.restrict_to_parts([1, 2], nowhere).values == [[7, 8], [1]]


def test_questions_are_answered_from_the_parts_that_are_there(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    documents = list(sample_documents())
    question = sample_questions()[0].text
    with Engine.open(address, create=True) as engine:
        engine.add(documents)
        expected = [[e.passage.id for e in engine.retrieve(question, k=5, strategy=s)] for s in ("bm25", "auto-fast")]
        there = list(range(packing.NAME_PARTS))
        began = connections.Snapshot._began

        def with_one_away(snapshot: connections.Snapshot, connection: connections.Connection) -> bool:
            done = began(snapshot, connection)
            snapshot._layout, snapshot._parts = shards.ShardLayout(away=("node2:5432",)), there
            return done

        monkeypatch.setattr(connections.Snapshot, "_began", with_one_away)
        monkeypatch.setattr(connections.Snapshot, "documents_there", lambda _, ids: list(ids))
        for strategy, ids in zip(("bm25", "auto-fast"), expected, strict=True):
            result = engine.retrieve(question, k=5, strategy=strategy)
            assert [e.passage.id for e in result] == ids
            all_ = f"{len(documents)} of {len(documents)} passages were searched"
            assert result.trace.notes[0].text == f"nodes of the cluster are away (node2:5432): only {all_}"
            assert engine.retrieve(question, k=5, strategy=strategy, where={"kind": "person"}).evidence
        there.clear()
        nothing = engine.retrieve(question, k=5, strategy="auto-fast")
        assert nothing.evidence == ()
        assert f"only 0 of {len(documents)} passages were searched" in nothing.trace.notes[0].text
        with pytest.raises(StoreError, match=r"are away: node2:5432"):
            engine.stats()
        with pytest.raises(StoreError, match=r"are away: node2:5432"):
            engine.check()
        with pytest.raises(StoreError, match=r"the text of document 'fram-ship' lies on a node that is away"):
            engine.document("fram-ship")


def test_stamps_agree_when_there_is_one_of_every_node_and_all_are_of_one_generation() -> None:
    layout = shards.ShardLayout("1:0 2:1", parts=(0, 3), ids=("5",))
    assert [sql.split()[3] for sql, _ in layout.stamps] == ["part_stamp", "id_stamp"]
    assert shards.agree(7, layout, [[(7,), (7,)], [(7,)]])
    assert not shards.agree(7, layout, [[(7,), (6,)], [(7,)]])
    assert not shards.agree(7, layout, [[(7,)], [(7,)]])
    # One server has none of them.
    assert shards.ShardLayout().stamps == ()
    assert shards.agree(7, shards.ShardLayout(), [])


@pytest.mark.parametrize(
    ("statement", "rule"),
    [
        ("SELECT 1 FROM passage p JOIN mention m ON m.number = p.number", "not joined by part"),
        ("SELECT 1 FROM passage p, embedding v WHERE v.number = p.number", "not joined by part"),
        ("SELECT 1 FROM document d JOIN passage p ON p.document = d.id", "different columns"),
        ("SELECT 1 FROM term t LEFT JOIN posting o ON o.term = t.term", "outer side"),
        ("SELECT 1 FROM passage WHERE number IN (SELECT number FROM attribute)", "compare the part first"),
        ("SELECT max(n) FROM (SELECT surface, count(*) AS n FROM mention GROUP BY surface) AS c", "without the part"),
        ("SELECT row_number() OVER (ORDER BY number) FROM passage", "partitioned by part"),
        ("SELECT 1 FROM passage p WHERE EXISTS (SELECT 1 FROM mention m WHERE m.number = p.number)", "EXISTS"),
        ("SELECT 1 FROM passage WHERE number = %s FOR UPDATE", "FOR UPDATE is refused"),
        ("SELECT 1 FROM passage p JOIN pg_class c ON c.relname = p.title", "catalog"),
        ("SELECT 1 FROM surface s, LATERAL (SELECT 1 FROM mention m LIMIT 1) AS x", "LATERAL"),
        ("UPDATE passage SET title = %s WHERE number = %s", "update of a distributed table"),
        ("UPDATE surface SET spread = m.n FROM (SELECT count(*) AS n FROM mention) AS m", "another table"),
        ("DELETE FROM mention WHERE surface IN (SELECT surface FROM surface)", "another table"),
        ("INSERT INTO mention (number, surface) VALUES (%s, %s)", "does not name part"),
        ("INSERT INTO relation (part, source) VALUES (%s, %s) ON CONFLICT (source) DO NOTHING", "ON CONFLICT without"),
        ("INSERT INTO term (term) SELECT * FROM unnest(%s::text[]) ON CONFLICT (term) DO NOTHING", "SELECT with"),
        ("INSERT INTO kept (name, generation) VALUES (%s, nextval('s'))", "nextval"),
        ("CREATE TEMP TABLE x (y int)", "TEMP is refused"),
    ],
)  # fmt: skip
def test_the_rules_find_what_breaks_them(statement: str, rule: str) -> None:
    assert rule in "; ".join(broken(statement))


def test_tables_are_made_of_what_citus_distributes() -> None:
    for text in (*schema.MIGRATIONS, vectors._BUILD.format(dimension=3)):
        assert broken(text) == []


def test_what_is_summed_is_grouped_by_part_and_cut_short_where_it_lies() -> None:
    statement = " ".join(lexical._RANK.split())
    assert "GROUP BY part, place" in statement
    assert statement.endswith("ORDER BY s.score DESC, s.number LIMIT %s")
    # What is joined behind a LIMIT is sent out to every shard once more; ids are looked up afterwards.
    for searched in (statement, vectors._NEAR, vectors._EXACT):
        assert "JOIN passage" not in searched


def test_settings_reach_every_node_within_the_transaction(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with Engine.open(address, create=True) as engine:
        begin = (connections.BEGIN, *connections.LOCAL)
        monkeypatch.setattr(engine.store._connections, "begin", begin)  # type: ignore[attr-defined]
        snapshot = engine.store.view()._rows.snapshot  # type: ignore[attr-defined]  # to look at its settings
        names = ("transaction_isolation", "transaction_read_only", "hnsw.ef_search", "hnsw.iterative_scan", "jit")
        shown = [rows[0][0] for rows in snapshot.many([Statement(f"SHOW {name}") for name in names])]
        assert shown == ["repeatable read", "on", "100", "relaxed_order", "off"]
        others = ("citus.multi_shard_modify_mode", "citus.propagate_set_commands")
        assert [snapshot.rows(f"SHOW {name}")[0][0] for name in others] == ["sequential", "local"]


# --- tables ---


def test_every_table_has_its_place(postgres: Server, made: str) -> None:
    held = {name for (name,) in postgres.run(f"SELECT tablename FROM pg_tables WHERE schemaname = '{made}'")}
    placed = [*shards.BY_PART, *shards.BY_ID, *schema.EVERYWHERE]
    assert held == set(placed)
    assert len(placed) == len(set(placed))
    assert {f"{made}.{table}" for table in held} == set(citus.statements(made))


def test_every_unique_key_holds_the_column_of_distribution(postgres: Server, made: str) -> None:
    keys = postgres.run(_KEYS.format(made))
    assert {table for table, _, _ in keys} >= {"passage", "posting", "mention", "relation", "embedding", "document"}
    for table, key, columns in keys:
        assert not PLACES[table] or PLACES[table] in columns, key


def test_there_are_no_sequences_foreign_keys_or_triggers(postgres: Server, made: str) -> None:
    within = f"connamespace = '{made}'::regnamespace"
    assert postgres.run(f"SELECT sequencename FROM pg_sequences WHERE schemaname = '{made}'") == []
    assert postgres.run(f"SELECT conname FROM pg_constraint WHERE contype = 'f' AND {within}") == []
    assert postgres.run(f"SELECT tgname FROM pg_trigger WHERE tgrelid = '{made}.passage'::regclass") == []
    defaults = postgres.run(f"SELECT column_default FROM information_schema.columns WHERE table_schema = '{made}'")
    assert not [text for (text,) in defaults if text and "nextval" in text]


def test_the_statements_that_distribute(made: str) -> None:
    lines = list(citus.statements(made).values())
    assert lines[0] == f"SELECT create_distributed_table('{made}.passage', 'part', colocate_with => 'none')"
    beside = [line for line in lines if f"colocate_with => '{made}.passage'" in line]
    assert len(beside) == len(shards.BY_PART) - 1
    assert f"SELECT create_reference_table('{made}.term')" in lines


def test_shards_are_counted_by_node_and_index(postgres: Server, made: str, address: str) -> None:
    """Over tables with the columns of those in which Citus notes where shards lie."""
    other = f"{made}2"
    Engine.open(f"{address}2", create=True).close()
    with psycopg.connect(f"postgresql://postgres@/postgres?host={postgres.folder}", autocommit=True) as connection:
        for statement in (
            "CREATE TABLE pg_temp.pg_dist_node (groupid int, nodename text, nodeport int, noderole text)",
            "CREATE TABLE pg_temp.pg_dist_shard (logicalrelid regclass, shardid bigint)",
            "CREATE TABLE pg_temp.pg_dist_placement (shardid bigint, groupid int)",
            "INSERT INTO pg_temp.pg_dist_node VALUES (1, 'one', 5432, 'primary'), (2, 'two', 5432, 'primary'),"
            " (2, 'spare', 5432, 'secondary')",
            f"INSERT INTO pg_temp.pg_dist_shard VALUES ('{made}.passage', 1), ('{made}.passage', 2),"
            f" ('{made}.term', 3), ('{other}.passage', 4)",
            "INSERT INTO pg_temp.pg_dist_placement VALUES (1, 1), (2, 2), (3, 1), (3, 2), (4, 1)",
        ):
            connection.execute(statement)
        rows = connection.execute(citus._NODES, (made,)).fetchall()
    assert rows == [("one", 5432, 2), ("two", 5432, 2)]
    postgres.run(f"DROP SCHEMA {other} CASCADE")


# --- where it is missing ---


def test_distributing_explains_itself_where_citus_is_missing(address: str) -> None:
    with pytest.raises(StoreError, match=r"has no extension citus.*or leave out --distribute"):
        Engine.open(address, create=True, distribute=True)
    with pytest.raises(IndexNotFound, match="there is no index"):
        Engine.open(address)
    with pytest.raises(InvalidInput, match="only an index on a server"):
        Engine.open("folder.mh", create=True, distribute=True)


@pytest.mark.parametrize(
    ("version", "old"), [("10.2-5", True), ("11.1-1", True), ("11.2-1", False), ("12.1-1", False), ("13", False)]
)
def test_versions_of_citus(version: str, old: bool) -> None:
    assert citus.too_old(version) is old
