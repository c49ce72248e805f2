"""Several indexes as one: what an index gives that holds the documents of all."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from multihop import Engine
from multihop.errors import IndexReadOnly, InvalidInput
from multihop.testing.contracts import HashEmbedder
from multihop.types import Document, Rights

from ..reliability.soak import rounds
from .stores.postgres.server import Server
from .test_permitted import NAMES, STRATEGIES, WORDS, corpus, everything

Factory = Callable[[str], Engine]
SHIP = Document("k", "Kittiwake is a ship. Its engineer is Pia Holm.", "Kittiwake")
PIA = Document("k", "Pia Holm was born in Sandnes.", "Pia Holm")


@pytest.fixture
def folders(tmp_path: Path) -> Factory:
    return lambda name: Engine.open(tmp_path / f"{name}.mh", create=True, embedder=HashEmbedder())


def renamed(documents: list[Document], name: str) -> list[Document]:
    return [replace(d, id=f"{name}/{d.id}", metadata={**d.metadata, "index": name}) for d in documents]


def test_they_give_what_one_index_of_all_gives(folders: Factory) -> None:
    for seed in range(rounds(5, 200)):
        chance = random.Random(seed)
        held = {name: corpus(chance) for name in ("one", "two")}
        question = f"Which {chance.choice(WORDS)} {chance.choice(NAMES)} {chance.choice(WORDS)}?"
        strategy = chance.choice(STRATEGIES)
        with folders(f"one{seed}") as one, folders(f"two{seed}") as two, folders(f"all{seed}") as alone:
            one.add(held["one"])
            two.add(held["two"])
            for name, documents in held.items():
                alone.add(renamed(documents, name))
            together = Engine.combine({"one": one, "two": two})
            expected = everything(alone, question, strategy)
            assert everything(together, question, strategy) == expected, (seed, strategy)


def test_a_chain_leads_from_one_index_to_another(folders: Factory) -> None:
    with folders("ships") as ships, folders("people") as people:
        ships.add(SHIP)
        people.add([PIA, Document("x", "The harbor freezes in winter.", "Harbor")])
        together = Engine.combine({"ships": ships, "people": people})
        found = together.retrieve("Where was the engineer of Kittiwake born?", k=2, models=False)
        assert [e.passage.id for e in found] == ["ships/k#0", "people/k#0"]
        assert [e.passage.metadata["index"] for e in found] == ["ships", "people"]
        assert (found.chain.links[-1].source, found.chain.links[-1].target) == ("ships/k#0", "people/k#0")
        only = together.retrieve("Where was the engineer of Kittiwake born?", where={"index": "people"}, models=False)
        assert {e.passage.metadata["index"] for e in only} == {"people"}


def test_changes_of_each_arrive(folders: Factory) -> None:
    with folders("ships") as ships, folders("people") as people:
        ships.add(SHIP)
        people.add(PIA)
        together = Engine.combine({"ships": ships, "people": people})
        people.add(Document("j", "Jon Berg was born in Bergen.", "Jon Berg"))
        ships.add(Document("k", "Kittiwake is a ship. Its engineer is Jon Berg.", "Kittiwake"))
        people.delete("k")
        assert [d.id for d in together.documents()] == ["people/j", "ships/k"]
        changed = together.document("ships/k")
        assert changed is not None
        assert "Jon Berg" in changed.text
        with pytest.raises(IndexReadOnly, match="derived from others"):
            together.add(SHIP)


def test_rights_hold_in_all_of_them(folders: Factory) -> None:
    with folders("ships") as ships, folders("people") as people:
        ships.add([SHIP, Document("pay", "Pia Holm earns 90,000 crowns.", "Pay", {"allow": "group:hr"})])
        people.add(replace(PIA, metadata={"allow": "jon"}))
        together = Engine.combine({"ships": ships, "people": people})
        assert [d.id for d in together.restrict(Rights("eva")).documents()] == ["ships/k"]
        assert [d.id for d in together.restrict(Rights("jon")).documents()] == ["people/k", "ships/k"]
        assert [d.id for d in together.restrict(Rights("eva", ("hr",))).documents()] == ["ships/k", "ships/pay"]


def test_a_document_supersedes_by_id_in_its_own_index_alone(folders: Factory) -> None:
    new = Document("new", "Kittiwake is led by Jon.", "Kittiwake 2024", {"valid_from": "2024", "supersedes": "k"})
    with folders("ships") as ships, folders("people") as people:
        ships.add([SHIP, new])
        people.add(PIA)
        together = Engine.combine({"ships": ships, "people": people})
        found = together.retrieve("Kittiwake Pia Holm", models=False)
        assert {e.passage.document_id for e in found} == {"ships/new", "people/k"}


def test_vectors_of_one_embedder_are_used_and_others_not(folders: Factory, tmp_path: Path) -> None:
    with folders("ships") as ships, folders("people") as people, Engine.open(tmp_path / "no.mh", create=True) as plain:
        for engine, document in ((ships, SHIP), (people, PIA), (plain, PIA)):
            engine.add(document)
        same = Engine.combine({"ships": ships, "people": people})
        assert same.stats().vectors == 2
        assert same.retrieve("Pia Holm", strategy="dense").evidence
        mixed = Engine.combine({"ships": ships, "plain": plain})
        assert (mixed.stats().vectors, mixed.embedder) == (0, None)


def test_a_folder_and_a_server(folders: Factory, postgres: Server) -> None:
    with (
        folders("ships") as ships,
        Engine.open(postgres.address("combined"), create=True, embedder=HashEmbedder()) as people,
    ):
        ships.add(SHIP)
        people.add(PIA)
        asked = "Where was the engineer of Kittiwake born?"
        first = Engine.combine({"ships": ships, "people": people}).retrieve(asked, models=False)
        second = Engine.combine({"people": people, "ships": ships}).retrieve(asked, models=False)
        assert [e.passage.id for e in first] == [e.passage.id for e in second] == ["ships/k#0", "people/k#0"]


def test_what_cannot_be_combined_is_refused(folders: Factory) -> None:
    with folders("ships") as ships:
        for given, said in (
            ({"ships": ships}, "two or more"),
            ({"ships": ships, "again": ships}, "'ships' and 'again' are the same index"),
            ({"a/b": ships, "again": ships}, "without slashes"),
        ):
            with pytest.raises(InvalidInput, match=said):
                Engine.combine(given)
