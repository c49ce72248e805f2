"""Copying between stores: everything comes over, goes on after an interruption, and is compared in the end."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from multihop import Engine
from multihop.index.copying import Opener, copy, count_contents
from multihop.index.links.mentions import MentionLinker
from multihop.index.stores import EmbeddedStore, open_store
from multihop.index.stores.core import adding
from multihop.index.stores.postgres.connections import Snapshot
from multihop.index.stores.postgres.store import PostgresStore
from multihop.protocols import Divided, Embedder, Progress, Store
from multihop.testing import sample_documents
from multihop.testing.contracts import HashEmbedder
from multihop.types import Changed, Document, Relation

LONG = Document(
    "long", "One part.\n\n" * 400 + "The end of Fram.", "A long text", {"year": 1999, "tags": ("a", "b")}, ("Lg",)
)
RELATION = Relation("fram-ship#0", "roald-amundsen#0", "SUPPORTS", 0.5, "a cue")


def opener(place: str | Path) -> Opener:
    opened: Callable[..., Store] = partial(open_store, place, MentionLinker())
    return opened


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "source.mh"
    with Engine.open(path, create=True, embedder=HashEmbedder()) as engine:
        engine.add([*sample_documents(), LONG])
        engine.store.relate([RELATION])
    return path


def test_there_and_back(folder: Path, address: str, tmp_path: Path) -> None:
    there = copy(opener(folder), opener(address))
    assert (there.copied, there.unchanged, there.removed) == (183, 0, 0)
    assert (there.contents.documents, there.contents.vectors, there.contents.relations) == (
        183,
        there.contents.passages,
        1,
    )
    back = copy(opener(address), opener(tmp_path / "back.mh"))
    assert back.contents == there.contents
    with Engine.open(folder, embedder=HashEmbedder()) as first, Engine.open(address, embedder=HashEmbedder()) as second:
        ids = [p.id for p in first.store.view().scan()]
        np.testing.assert_array_equal(first.store.view().vectors(ids), second.store.view().vectors(ids))
        assert second.document("long") == LONG == first.document("long")
        assert second.store.view().relations_from(["fram-ship#0"]) == [RELATION]
        assert second.store.view().links_from(ids) == first.store.view().links_from(ids)
        assert all(check.ok for check in second.check())


def test_what_was_learned_comes_over(folder: Path, address: str) -> None:
    with Engine.open(folder, embedder=HashEmbedder()) as engine:
        engine.relate(rebuild=True)
        engine.train_word2vec()
        asked = engine.retrieve("Who drew the lines of the ship?", k=5, strategy="hybrid")
    copy(opener(folder), opener(address))
    with Engine.open(address, embedder=HashEmbedder()) as there:
        answered = there.retrieve("Who drew the lines of the ship?", k=5, strategy="hybrid")
        assert [(e.passage.id, e.reason) for e in answered] == [(e.passage.id, e.reason) for e in asked]
        assert "word2vec" in answered.evidence[0].reason
        related = there.relate()
        assert (related.passages, related.rebuilt) == (0, False)


def test_notes_of_relations_from_before_a_change_do_not_hide_it(folder: Path, tmp_path: Path) -> None:
    with Engine.open(folder, embedder=HashEmbedder()) as engine:
        engine.relate(rebuild=True)
        engine.add(Document("new", "The Gjøa was earlier than the Fram.", "New"))
    copy(opener(folder), opener(tmp_path / "copy.mh"))
    with Engine.open(tmp_path / "copy.mh", embedder=HashEmbedder()) as copied:
        assert copied.relate().passages > 0


def test_an_interrupted_copy_goes_on(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adding, "GROWTH", 1)

    class Failing(Exception):
        pass

    steps: list[int] = []

    class Interrupted(EmbeddedStore):
        def add(self, documents: Iterable[Divided], progress: Progress | None = None) -> Changed:
            if len(steps) == 2:
                raise Failing("the cable was pulled")
            steps.append(1)
            return super().add(documents, progress)

    target = folder.parent / "target.mh"

    def open_failing(*, create: bool = False, embedder: Embedder | None = None) -> Store:
        return Interrupted(target, MentionLinker(), create=create, embedder=embedder)

    with pytest.raises(Failing, match="cable"):
        copy(opener(folder), open_failing, step=50)
    done = copy(opener(folder), opener(target))
    # Steps are counted in passages, and one of the documents has three.
    assert (done.copied, done.unchanged) == (85, 98)
    again = copy(opener(folder), opener(target))
    assert (again.copied, again.unchanged, again.contents) == (0, 183, done.contents)


def test_what_is_there_already_is_compared_many_documents_at_once(
    folder: Path, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy(opener(folder), opener(address))
    opened: list[int] = []
    snapshot = PostgresStore._snapshot

    def counting(store: PostgresStore, *kind: type[Snapshot]) -> Snapshot:
        opened.append(1)
        return snapshot(store, *kind)

    monkeypatch.setattr(PostgresStore, "_snapshot", counting)
    assert copy(opener(folder), opener(address)).unchanged == 183
    assert len(opened) < 20


def test_what_changed_is_copied_and_what_went_is_taken_out(folder: Path, address: str) -> None:
    copy(opener(folder), opener(address))
    with Engine.open(folder, embedder=HashEmbedder()) as engine:
        engine.delete("long")
        engine.add(Document("fram-ship", "Another text about the Fram.", "Fram (ship)"))
    done = copy(opener(folder), opener(address))
    assert (done.copied, done.unchanged, done.removed) == (1, 181, 1)
    with Engine.open(folder, embedder=HashEmbedder()) as first, Engine.open(address, embedder=HashEmbedder()) as second:
        assert count_contents(first.store.view()) == count_contents(second.store.view()) == done.contents
