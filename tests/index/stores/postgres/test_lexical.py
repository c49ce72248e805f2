"""BM25 on the server reads no more than it must, and finds the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from multihop import Document, Engine
from multihop.index.stores.postgres import lexical
from multihop.index.stores.postgres.connections import Snapshot, Statement
from multihop.protocols import Lookup

from .server import Server

PARTS = 3
QUERIES = (
    "cobalt of quarry7", "quarry7 quarry8", "cobalt", "letter", "letter of town3 and quarry1", "nothing at all",
    "town1 town2 town3 town4 town5",
)  # fmt: skip


@pytest.fixture(scope="module")
def parted(postgres: Server) -> Iterator[Engine]:
    """Passages in several parts: a batch that is full begins one of its own."""
    with Engine.open(postgres.address("parted"), create=True) as engine:
        for part in range(PARTS):
            engine.add([_letter(part * 1000 + i) for i in range(1000)])
        # Postings that join those of a part, and some that leave one.
        engine.add([Document("late", "Late in quarry7, quarry7 and quarry7.", "Late", {"odd": True})])
        engine.delete([f"d{i:05}" for i in range(0, 3000, 500)])
        yield engine
    postgres.run("DROP SCHEMA multihop_parted CASCADE")


def _letter(i: int) -> Document:
    rare = "cobalt " * (i % 5) if 1000 <= i < 1030 else ""
    more = "and so on " * (i % 7)
    text = f"Letter number {i} speaks of quarry{i % 97} and town{i % 89}, {rare}{more}"
    return Document(f"d{i:05}", text, f"Letter {i}", {"odd": i % 2 == 1})


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[Sequence[Any]]:
    """The values of every statement that adds postings up on the server."""
    seen: list[Sequence[Any]] = []
    many = Snapshot.many

    def recording(snapshot: Snapshot, statements: Sequence[Statement]) -> Any:
        seen.extend(each.values for each in statements if "CROSS JOIN LATERAL" in each.sql)
        return many(snapshot, statements)

    monkeypatch.setattr(Snapshot, "many", recording)
    return seen


@pytest.mark.parametrize("where", [None, {"odd": True}])
@pytest.mark.parametrize("limit", [1, 10, 40])
def test_bounds_change_nothing(
    parted: Engine, monkeypatch: pytest.MonkeyPatch, where: dict[str, bool] | None, limit: int
) -> None:
    lookups = [Lookup(query, limit) for query in QUERIES]
    monkeypatch.setattr(lexical, "FEW", 0)
    plain = parted.store.view(where).lexical(lookups)
    monkeypatch.setattr(lexical, "FEW_PARTS", 0)
    monkeypatch.setattr(lexical, "_FIRST_AT_LEAST", 1)
    assert parted.store.view(where).lexical(lookups) == plain
    assert all(plain[: len(QUERIES) - 2])


def test_parts_that_cannot_reach_the_best_are_not_read(
    parted: Engine, monkeypatch: pytest.MonkeyPatch, read: list[Sequence[Any]]
) -> None:
    for constant, value in (("FEW", 0), ("FEW_PARTS", 0), ("_FIRST_AT_LEAST", 1)):
        monkeypatch.setattr(lexical, constant, value)
    [found] = parted.store.view().lexical([Lookup("cobalt letter", 5)])
    assert {id for id, _ in found} <= {f"d{i:05}#0" for i in range(1000, 1030)}
    # Of the three parts only the one with the rare word: the frequent one alone reaches nowhere near.
    assert [values[3] for values in read] == [[1]]


def test_no_posting_is_above_the_bounds_of_its_part(parted: Engine, postgres: Server) -> None:
    beyond = (
        "SELECT count(*) FROM multihop_parted.posting p CROSS JOIN LATERAL unnest(p.codes) AS c(code)"
        " WHERE (c.code >> 8) & 255 > p.most OR c.code & 255 < p.least"
    )
    assert postgres.run(beyond) == [(0,)]
    # They are bounds of this part, not of everything.
    assert postgres.run("SELECT count(DISTINCT most) > 2 FROM multihop_parted.posting") == [(True,)]
