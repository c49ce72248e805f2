"""Both stores against a dictionary: whatever is added, replaced, deleted, related and reopened, in any order."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from multihop import Document, Engine
from multihop.types import Relation

from ..index.stores.postgres.server import Server
from .soak import rounds

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


class Model(RuleBasedStateMachine):
    """An engine and the dictionary that it must agree with after every step."""

    open: Callable[[], Engine]
    """Opens the store that is tested, new or again."""
    fresh: Callable[[], None]

    def __init__(self) -> None:
        super().__init__()
        self.fresh()
        self.engine = self.open()
        self.known: dict[str, Document] = {}
        self.related: set[tuple[str, str]] = set()

    @initialize()
    def nothing(self) -> None:
        assert self.engine.stats().documents == 0

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
        self.engine = self.open()

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
        for place in PLACES:
            within = {id for id, d in self.known.items() if d.metadata.get("place") == place}
            held = {id for id in within if WORDS[0] in self.known[id].text.split()}
            if within:
                assert self._found(WORDS[0], place=place) == held

    def _found(self, word: str, **where: str) -> set[str]:
        result = self.engine.retrieve(word, k=20, strategy="bm25", where=where or None)
        return {e.passage.document_id for e in result.evidence}

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


def play(machine: type[Model]) -> None:
    chosen = settings(
        max_examples=rounds(8, 250), stateful_step_count=rounds(12, 40), deadline=None, database=None, derandomize=True,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    run_state_machine_as_test(machine, settings=chosen)


def machine_on(open: Callable[[], Engine], fresh: Callable[[], None]) -> type[Model]:
    members: dict[str, Any] = {"open": staticmethod(open), "fresh": staticmethod(fresh)}
    return type("Played", (Model,), members)


def test_the_embedded_store_is_a_dictionary(tmp_path: Path) -> None:
    numbers, now = count(), [tmp_path]

    def fresh() -> None:
        now[0] = tmp_path / f"{next(numbers)}.mh"

    play(machine_on(lambda: Engine.open(now[0], create=True), fresh))


def test_the_store_on_postgresql_is_a_dictionary(postgres: Server) -> None:
    numbers, now = count(), [""]

    def fresh() -> None:
        now[0] = postgres.address(f"model{next(numbers)}")

    play(machine_on(lambda: Engine.open(now[0], create=True), fresh))
