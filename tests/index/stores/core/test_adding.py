"""Long streams are added in transactions whose size is counted in passages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pytest

from multihop.index.stores.core import adding
from multihop.protocols import Divided
from multihop.types import Changed, Document, Piece


def documents(*passages: int) -> Iterator[Divided]:
    """Give documents that were cut into so many passages each."""
    for place, count in enumerate(passages):
        yield Document(str(place), "x"), [Piece("", "x")] * count


class Index:
    """Counts what each transaction brings."""

    def __init__(self) -> None:
        self.transactions: list[list[str]] = []
        self.passages = 0

    def apply(self, step: Iterable[Divided]) -> Changed:
        taken = list(step)
        self.transactions.append([document.id for document, _ in taken])
        new = sum(len(pieces) for _, pieces in taken)
        self.passages += new
        return Changed(len(taken), 1, new, len(self.transactions))

    def add(self, stream: Iterable[Divided]) -> Changed:
        return adding.add_in_steps(stream, self.apply, lambda: self.passages)


def test_a_transaction_takes_several_times_as_many_passages_as_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adding, "STEP", 4)
    monkeypatch.setattr(adding, "GROWTH", 2)
    index = Index()
    # Of 4 passages at least; then of 12 and 36, twice as many as are there by then.
    assert index.add(documents(3, 3, 1, 5, 2, 4, 9, 20, 4, 3, 1)) == Changed(11, 4, 55, 4)
    assert index.transactions == [["0", "1"], ["2", "3", "4", "5"], ["6", "7", "8", "9"], ["10"]]


def test_a_transaction_takes_no_more_than_its_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adding, "STEP", 2)
    monkeypatch.setattr(adding, "MOST", 3)
    index = Index()
    index.add(documents(*[1] * 11))
    assert [len(transaction) for transaction in index.transactions] == [2, 3, 3, 3]


def test_an_empty_stream_is_one_empty_transaction() -> None:
    index = Index()
    assert index.add(()) == Changed(0, 1, 0, 1)
    assert index.transactions == [[]]


def test_nothing_is_read_ahead_of_a_transaction(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adding, "STEP", 2)
    read: list[str] = []

    def watched() -> Iterator[Divided]:
        for divided in documents(1, 1, 1):
            read.append(divided[0].id)
            yield divided

    index = Index()
    read_by_then: list[list[str]] = []

    def apply(step: Iterable[Divided]) -> Changed:
        done = index.apply(step)
        read_by_then.append(list(read))
        return done

    adding.add_in_steps(watched(), apply, lambda: 0)
    assert read_by_then == [["0", "1"], ["0", "1", "2"]]
