"""Names that could stand in a text are found by a few looks into the sorted names; none is missed."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest
from hypothesis import example, given, strategies as st

from multihop.index.links.mentions import MentionLinker
from multihop.index.stores.postgres.name_rows import beginnings
from multihop.index.stores.sqlite import schema
from multihop.index.stores.sqlite.write_rows import names_in

WORDS = st.sampled_from(["a", "ab", "b", "be", "é", "東", "ß", "z1"])
KEYS = st.lists(WORDS, min_size=1, max_size=5).map(" ".join)


@pytest.fixture
def connection() -> Iterator[schema.Connection]:
    opened = sqlite3.connect(":memory:", factory=schema.Connection)
    schema.upgrade(opened)
    yield opened
    opened.close()


@given(st.lists(KEYS, unique=True, max_size=12), st.lists(st.lists(WORDS, max_size=9), max_size=3), st.integers(1, 5))
@example(["a", "a b", "a be"], [["a", "b", "be"]], 5)
@example(["ab a", "a"], [["ab", "b"]], 3)
def test_the_names_found_are_those_that_could_stand_there(
    connection: schema.Connection, keys: list[str], texts: list[list[str]], longest: int
) -> None:
    linker = MentionLinker(longest=longest)
    connection.execute("DELETE FROM surface")
    connection.executemany("INSERT INTO surface (row, key) VALUES (?, ?)", list(enumerate(keys)))
    runs = {run for words in texts for run in linker.runs(words)}
    possible = {
        " ".join(words[i:j]) for words in texts for i in range(len(words)) for j in range(i + 1, i + longest + 1)
    }
    assert set(beginnings(runs)) == possible
    found = names_in(connection, runs)
    assert found == {key: row for row, key in enumerate(keys) if key in possible}
    assert list(found) == sorted(found)
