"""Both stores against a dictionary: whatever is added, replaced, deleted, related, copied, migrated and reopened."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Callable, Mapping
from contextlib import closing
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, Phase, seed, settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from multihop import Document, Engine
from multihop.errors import InvalidFilter
from multihop.index.copying import copy
from multihop.index.links.mentions import MentionLinker
from multihop.index.stores import open_store
from multihop.index.stores.sqlite import schema
from multihop.testing.contracts import HashEmbedder, near
from multihop.types import Relation

from ..faults.writer import NEWER
from ..index.stores.postgres.server import Server
from .soak import rounds

pytestmark = pytest.mark.release  # long histories of changes

IDS = [f"d{n}" for n in range(8)]
WORDS = ["granite", "basalt", "marble", "slate", "chalk", "flint"]
TITLES = ["Aswan", "Carrara", "Portland", "Lower Saxony", "Delabole"]
PLACES = ["north", "south"]

Documents = st.builds(
    Document,
    id=st.sampled_from(IDS),
    text=st.lists(st.sampled_from([*WORDS, *TITLES]), min_size=1, max_size=6).map(" ".join),
    title=st.sampled_from(["", *TITLES]),
    metadata=st.fixed_dictionaries({}, optional={"place": st.sampled_from(PLACES), "year": st.integers(1990, 1993)}),
    aliases=st.sampled_from([(), (), ("The Quarry",)]),
)

Years = st.integers(1989, 1994)
Places = st.sampled_from([*PLACES, "nowhere"])
Filters: st.SearchStrategy[dict[str, Any]] = st.recursive(
    st.one_of(
        st.fixed_dictionaries({"place": st.one_of(Places, st.lists(Places, min_size=1, max_size=2))}),
        st.fixed_dictionaries({"place": st.fixed_dictionaries({"contains": st.sampled_from(["o", "NORTH", "x"])})}),
        st.fixed_dictionaries({"year": st.dictionaries(st.sampled_from(["gte", "lt", "not"]), Years, min_size=1)}),
        st.fixed_dictionaries({"year": st.fixed_dictionaries({"exists": st.booleans()})}),
    ),
    lambda parts: st.one_of(
        st.fixed_dictionaries({"$or": st.lists(parts, min_size=1, max_size=2)}),
        st.fixed_dictionaries({"$and": st.lists(parts, min_size=1, max_size=2)}),
        st.fixed_dictionaries({"$not": parts}),
    ),
    max_leaves=3,
)
TESTS: dict[str, Callable[[Any, Any], bool]] = {
    "gte": lambda value, bound: value is not None and value >= bound,
    "lt": lambda value, bound: value is not None and value < bound,
    "not": lambda value, other: bool(value != other),
    "exists": lambda value, wanted: (value is not None) == wanted,
    "contains": lambda value, part: value is not None and part.lower() in value.lower(),
}


def passes(metadata: Mapping[str, Any], where: Mapping[str, Any]) -> bool:
    """Tell what a filter means, in the plainest way."""

    def holds(field: str, condition: Any) -> bool:
        if field == "$or":
            return any(passes(metadata, part) for part in condition)
        if field == "$and":
            return all(passes(metadata, part) for part in condition)
        if field == "$not":
            return not passes(metadata, condition)
        value = metadata.get(field)
        if isinstance(condition, dict):
            return all(TESTS[test](value, bound) for test, bound in condition.items())
        return value in (condition if isinstance(condition, list) else [condition])

    return all(holds(field, condition) for field, condition in where.items())


def fields_of(where: Mapping[str, Any]) -> set[str]:
    """Name the fields that a filter is about."""
    found: set[str] = set()
    for field, condition in where.items():
        inner = condition if isinstance(condition, list) else [condition]
        found |= {name for part in inner for name in fields_of(part)} if field.startswith("$") else {field}
    return found


class Model(RuleBasedStateMachine):
    """An engine and the dictionary that it must agree with after every step."""

    places: list[Callable[[], str]]
    """Places for new indexes: of the store that is tested first, then those that it is copied to."""

    def __init__(self) -> None:
        super().__init__()
        self.place = self.places[0]()
        self.known: dict[str, Document] = {}
        self.related: set[tuple[str, str]] = set()
        self.engine = self._open()

    def _open(self) -> Engine:
        return Engine.open(self.place, create=True, embedder=HashEmbedder())

    @initialize(to=st.integers(0, 1))
    def nothing(self, to: int) -> None:
        assert self.engine.stats().documents == 0
        self.other, self.there = self.places[to](), dict[str, Document]()

    @rule(documents=st.lists(Documents, max_size=4, unique_by=lambda d: d.id))
    def add(self, documents: list[Document]) -> None:
        added = self.engine.add(documents)
        assert (added.documents, added.replaced) == (len(documents), sum(d.id in self.known for d in documents))
        self._unrelate({d.id for d in documents})
        self.known |= {d.id: d for d in documents}

    @rule(ids=st.lists(st.sampled_from(IDS), max_size=3))
    def delete(self, ids: list[str]) -> None:
        assert self.engine.delete(ids).documents == len({*ids} & self.known.keys())
        self._unrelate({*ids})
        self.known = {id: d for id, d in self.known.items() if id not in ids}

    @rule(pairs=st.lists(st.tuples(st.sampled_from(IDS), st.sampled_from(IDS)), max_size=3))
    def relate(self, pairs: list[tuple[str, str]]) -> None:
        pairs = [(a, b) for a, b in pairs if a != b and a in self.known and b in self.known]
        self.engine.store.relate(Relation(f"{a}#0", f"{b}#0", "SUPPORTS", 0.5, "said so", "test") for a, b in pairs)
        self.related |= {*pairs}

    def _unrelate(self, ids: set[str]) -> None:
        self.related = {pair for pair in self.related if ids.isdisjoint(pair)}

    @rule()
    def reopen(self) -> None:
        self.engine.close()
        self.engine = self._open()

    @rule()
    def carry(self) -> None:
        """Copy everything over what the other place holds, which is older, and go on there."""
        self.engine.close()
        source, target = (partial(open_store, place, MentionLinker()) for place in (self.place, self.other))
        done = copy(source, target)
        same = sum(self.there.get(id) == document for id, document in self.known.items())
        counted = (len(self.known) - same, same, len(self.there.keys() - self.known.keys()))
        assert (done.copied, done.unchanged, done.removed) == counted
        assert (done.contents.documents, done.contents.relations) == (len(self.known), len(self.related))
        self.place, self.other, self.there = self.other, self.place, dict(self.known)
        self.engine = self._open()

    @rule()
    def migrate(self) -> None:
        self.engine.close()
        make_older(self.place)
        self.engine = self._open()

    @rule(where=Filters, word=st.sampled_from(WORDS))
    def ask(self, where: dict[str, Any], word: str) -> None:
        there = {field for document in self.known.values() for field in document.metadata}
        if not fields_of(where) <= there:
            with pytest.raises(InvalidFilter, match="no document has"):
                self._found(word, where)
            return
        passing = {id for id, document in self.known.items() if passes(document.metadata, where)}
        assert self._found(word, where) == {id for id in passing if word in self.known[id].text.split()}
        assert {d.id for d in self.engine.documents(where=where)} == passing

    @rule()
    def check(self) -> None:
        assert [check for check in self.engine.check() if not check.ok] == []

    @invariant()
    def documents_are_those_that_were_added(self) -> None:
        assert {id: self.engine.document(id) for id in IDS} == {id: self.known.get(id) for id in IDS}
        assert list(self.engine.store.document_ids()) == sorted(self.known)
        assert self.engine.stats().documents == len(self.known)

    @invariant()
    def words_lead_to_the_documents_that_hold_them(self) -> None:
        for word in WORDS:
            assert self._found(word) == {id for id, d in self.known.items() if word in d.text.split()}

    def _found(self, word: str, where: dict[str, Any] | None = None) -> set[str]:
        result = self.engine.retrieve(word, k=20, strategy="bm25", where=where)
        return {e.passage.document_id for e in result.evidence}

    @invariant()
    def every_passage_has_a_vector(self) -> None:
        stats = self.engine.stats()
        assert stats.vectors == stats.passages == len(near(self.engine.store.view(), WORDS[0], 100))

    @invariant()
    def titles_link_to_the_documents_that_have_them(self) -> None:
        view = self.engine.store.view()
        links = {(link.source, link.target) for link in view.links_from([f"{id}#0" for id in self.known])}
        named = {
            (f"{a.id}#0", b.id)
            for a in self.known.values()
            for b in self.known.values()
            if a.id != b.id and b.title and f" {b.title} " in f" {a.title} / {a.text} " and not self._is_stub(b)
        }
        assert links == named

    def _is_stub(self, one: Document) -> bool:
        """Tell whether another document of the title says more than three times as much."""
        same = [d for d in self.known.values() if d.title == one.title]
        said = {d.id: len({*d.text.lower().split()} - {*d.title.lower().split()}) for d in same}
        return 3 * said[one.id] < max(said.values())

    @invariant()
    def relations_are_those_that_were_stated(self) -> None:
        found = self.engine.store.view().relations_from([f"{id}#0" for id in self.known])
        assert {(r.source.split("#")[0], r.target.split("#")[0]) for r in found} == self.related

    def teardown(self) -> None:
        """The same documents in a new index are ranked alike."""
        asked = f"{WORDS[0]} {WORDS[1]} {TITLES[0]}"
        got = {e.passage.id: e.score for e in self.engine.retrieve(asked, k=20, strategy="bm25").evidence}
        with tempfile.TemporaryDirectory() as folder, Engine.open(Path(folder) / "i.mh", create=True) as once:
            once.add(self.known.values())
            result = once.retrieve(asked, k=20, strategy="bm25")
        assert [*got] == [e.passage.id for e in result.evidence]
        # One store computes in single precision.
        assert got == pytest.approx({e.passage.id: e.score for e in result.evidence}, abs=1e-4)
        self.engine.close()


PARTS = range(rounds(1, 5))
"""The long form is played in several parts, which may run side by side; each has histories of its own."""


def play(part: int, *places: Callable[[], str]) -> None:
    chosen = settings(
        max_examples=rounds(6, 50), stateful_step_count=rounds(12, 40), deadline=None, database=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    machine = seed(part)(type("Played", (Model,), {"places": list(places)}))
    run_state_machine_as_test(machine, settings=chosen)


@pytest.fixture(autouse=True)
def _a_version_with_a_migration(monkeypatch: pytest.MonkeyPatch) -> None:
    for change in NEWER:
        monkeypatch.setattr(*change)


def make_older(place: str) -> None:
    """Make the tables of an index that nobody has open those of an older version."""
    if "://" not in place:
        with closing(sqlite3.connect(Path(place) / schema.FILE)) as connection:
            connection.executescript(f"DROP TABLE later; PRAGMA user_version = {schema.FORMAT - 1};")
        return
    name = f"multihop_{place.rpartition('=')[2]}"
    with psycopg.connect(place.rpartition("&")[0], autocommit=True) as connection:
        connection.execute(f"DROP TABLE {name}.later")
        connection.execute(f"DELETE FROM {name}.migration WHERE version = (SELECT max(version) FROM {name}.migration)")


def folders(parent: Path) -> Callable[[], str]:
    numbers = count()
    return lambda: str(parent / f"{next(numbers)}.mh")


@pytest.mark.parametrize("part", PARTS)
def test_the_embedded_store_is_a_dictionary(part: int, tmp_path: Path) -> None:
    folder = folders(tmp_path)
    play(part, folder, folder)


@pytest.mark.parametrize("part", PARTS)
def test_the_store_on_postgresql_is_a_dictionary(part: int, postgres: Server, tmp_path: Path) -> None:
    numbers = count()
    play(part, lambda: postgres.address(f"model{part}_{next(numbers)}"), folders(tmp_path))
