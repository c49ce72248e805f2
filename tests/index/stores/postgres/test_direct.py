"""Shards that are read where they lie: tables of one server that are cut up by hand stand for those of a cluster."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from multihop import Engine
from multihop.errors import InvalidInput, StoreError
from multihop.index.stores.core import search
from multihop.index.stores.postgres import address, connections, direct, lexical, schema, shards, statements
from multihop.index.stores.postgres.packing import PART
from multihop.protocols import Lookup
from multihop.strategies import STRATEGIES
from multihop.testing import sample_documents, sample_questions
from multihop.testing.contracts import HashEmbedder

from .server import HALVES, Server

SHARDS = 3
NAME = "direct"


class Cut:
    """Says where shards lie, in place of Citus: on this server, known by two names as if it were two nodes."""

    def __init__(self, other: str = "/") -> None:
        self.looked = 0
        self._other = other

    def layout(self, reader: connections.Connection) -> shards.ShardLayout:
        self.looked += 1
        host, port = shards.place_of(reader)
        found = [
            shards.Shard((host + self._other * (n % 2), port), tuple((table, f"{table}_{n}") for table in group))
            for group in (shards.BY_PART, shards.BY_ID)
            for n in range(SHARDS)
        ]
        everywhere = tuple((table, f"{table}_everywhere") for table in schema.EVERYWHERE)
        return shards.ShardLayout("placed", shards=tuple(found), everywhere=everywhere)

    def stands(self, reader: connections.Connection, seen: shards.ShardLayout) -> bool:
        return True

    def close(self) -> None:
        pass


def _cut(server: Server, name: str) -> None:
    """Copy the tables of an index into shards, each with its stamp."""
    cut = {**dict.fromkeys(shards.BY_PART, "part"), **dict.fromkeys(shards.BY_ID, "abs(hashtext(id))")}
    for table, column in cut.items():
        for n in range(SHARDS):
            server.run(f"CREATE TABLE {name}.{table}_{n} (LIKE {name}.{table} INCLUDING ALL)")
            if table.endswith("_stamp"):
                server.run(f"INSERT INTO {name}.{table}_{n} SELECT {n}, value::bigint FROM {name}.meta"
                           " WHERE key = 'generation'")  # fmt: skip
            else:
                server.run(
                    f"INSERT INTO {name}.{table}_{n} SELECT * FROM {name}.{table} WHERE {column} % {SHARDS} = {n}"
                )
    for table in schema.EVERYWHERE:
        server.run(f"CREATE TABLE {name}.{table}_everywhere AS TABLE {name}.{table}")


@pytest.fixture(scope="module")
def both(postgres: Server) -> Iterator[tuple[Engine, Engine]]:
    """The sample corpus in several parts, read whole and shard by shard; whole tables are gone for the second one."""
    place = postgres.address(NAME)
    documents = list(sample_documents())
    with Engine.open(place, create=True, embedder=HashEmbedder()) as whole:
        for number in range(6):
            whole.add(documents[number::6])
            postgres.run(f"UPDATE multihop_{NAME}.meta SET value = '{(number + 1) * PART}' WHERE key = 'next_passage'")
        whole.relate()
        _cut(postgres, f"multihop_{NAME}")
        with Engine.open(f"{place}&direct=yes", embedder=HashEmbedder()) as cut:
            cut.store._connections.topology = Cut()  # type: ignore[attr-defined]  # only this store
            yield whole, cut
    postgres.run(f"DROP SCHEMA multihop_{NAME} CASCADE")


@pytest.fixture(autouse=True)
def no_citus(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is none here, and a question must not need it."""

    def refuse(snapshot: direct.DirectSnapshot, connection: connections.Connection) -> None:
        raise AssertionError("a statement was left to Citus")

    monkeypatch.setattr(direct.DirectSnapshot, "_reach_citus", refuse)


@pytest.mark.release  # every strategy over two indexes and several filters
@pytest.mark.parametrize("where", [None, {"year": {"lt": 1900}}, {"kind": ["ship", "person"], "year": 1911}])
@pytest.mark.parametrize("few", [True, False], ids=["few postings", "many postings"])
def test_every_strategy_finds_the_same(
    both: tuple[Engine, Engine], where: Any, few: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not few:
        monkeypatch.setattr(lexical, "FEW", 5)
        monkeypatch.setattr(lexical, "FEW_PARTS", 0)
        if HALVES:
            monkeypatch.setattr(search, "EXACT", 5)
    for strategy in STRATEGIES:
        for question in (q.text for q in sample_questions()[:30:15]):
            found = [engine.retrieve(question, k=7, strategy=strategy, where=where) for engine in both]
            told = [[(e.passage, e.score, e.reason) for e in result] for result in found]
            assert told[0] == told[1], (strategy, question)
            assert told[0] or where


def test_everything_a_view_can_be_asked(both: tuple[Engine, Engine]) -> None:
    def asked(engine: Engine) -> list[Any]:
        view = engine.store.view()
        ids = [passage.id for passage in view.scan()]
        return [
            ids, view.size, view.links_from(ids, 5), view.links_to(["fram-ship", "roald-amundsen"], 3),
            view.relations_from(ids), view.relations_to(ids), view.vectors(ids).tolist(), view.passages(ids),
            view.passages_of(["fram-ship", "nobody"], 2), view.find_names(["The Fram sailed with Roald Amundsen"]),
            view.frequencies(["ship", "fram", "nowhere"]), view.lexical([Lookup("ship", 50), Lookup("fram", 3, ids)]),
        ]  # fmt: skip

    whole, cut = map(asked, both)
    assert cut == whole
    assert len(whole[0]) == whole[1] > 150


def test_a_shard_of_another_generation_is_waited_for(
    both: tuple[Engine, Engine], postgres: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, cut = both
    for statement, undone in (
        ("UPDATE multihop_{0}.part_stamp_1 SET generation = generation - 1",
         "UPDATE multihop_{0}.part_stamp_1 SET generation = generation + 1"),
        ("ALTER TABLE multihop_{0}.id_stamp_2 RENAME TO gone", "ALTER TABLE multihop_{0}.gone RENAME TO id_stamp_2"),
        ("UPDATE multihop_{0}.id_stamp_0 SET id = id; DELETE FROM multihop_{0}.id_stamp_0",
         "INSERT INTO multihop_{0}.id_stamp_0 SELECT * FROM multihop_{0}.id_stamp_2"),
    ):  # fmt: skip
        postgres.run(statement.format(NAME))
        looked = cut.store._connections.topology.looked  # type: ignore[attr-defined]
        monkeypatch.setattr(connections, "PATIENCE", 0.2)
        with pytest.raises(StoreError, match="have shown different generations"):
            cut.store.view()
        assert cut.store._connections.topology.looked > looked + 1  # type: ignore[attr-defined]  # each time anew
        monkeypatch.setattr(connections, "PATIENCE", 10.0)
        postgres.run(undone.format(NAME))
        assert cut.store.view().size > 150


def test_a_node_that_cannot_be_reached_is_said_in_one_line(
    both: tuple[Engine, Engine], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, cut = both
    monkeypatch.setattr(cut.store._connections, "topology", Cut("/nowhere"))  # type: ignore[attr-defined]
    with pytest.raises(StoreError, match=r"the server at .* cannot be reached: .*nowhere.*No such file"):
        cut.retrieve("Who built the Fram?", k=5, strategy="bm25")


def test_a_statement_that_does_not_say_how_rows_merge_is_left_to_citus(both: tuple[Engine, Engine]) -> None:
    _, cut = both
    snapshot = cut.store.view()._rows.snapshot  # type: ignore[attr-defined]  # only this store
    with pytest.raises(AssertionError, match="left to Citus"):
        snapshot.rows("SELECT id FROM $document ORDER BY id LIMIT 5000")
    assert (
        direct.with_shard_names("SELECT 1 FROM $passage p JOIN $document d ON true", (("passage", "passage_1"),))
        is None
    )


def test_rows_of_shards_merge_as_their_statements_say() -> None:
    rows: statements.Rows = [(3, 0.5), (1, 0.5), (2, 0.9)]
    assert statements.concatenate(rows, ()) == rows
    assert statements.best_first(rows, ()) == [(2, 0.9), (1, 0.5), (3, 0.5)]
    assert statements.best(rows, ("x", 2)) == [(2, 0.9), (1, 0.5)]
    assert statements.by_number(2)(rows, ()) == [(1, 0.5), (2, 0.9)]
    assert statements.add_up([(2,), (3,)], ()) == [(5,)]
    assert statements.distinct([("a",), ("b",), ("a",)], ()) == [("a",), ("b",)]
    assert statements.first([("a",), ("b",)], ()) == [("a",)]


def test_an_address_is_either_direct_or_partial() -> None:
    assert address.parse_address("postgresql://me@host/db?direct=yes").direct
    assert not address.parse_address("postgresql://me@host/db").direct
    with pytest.raises(InvalidInput, match="direct=maybe must be yes or no"):
        address.parse_address("postgresql://me@host/db?direct=maybe")
    with pytest.raises(InvalidInput, match="do not go together"):
        address.parse_address("postgresql://me@host/db?direct=yes&partial=yes")
