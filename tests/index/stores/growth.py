"""What both of our stores do with a long stream of documents."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from multihop.index.links.mentions import MentionLinker, MentionMatcher
from multihop.index.stores.core import adding, linking
from multihop.testing.contracts import StoreFactory, divide_each
from multihop.types import Changed, Document


class GrowthContract:
    """Transactions grow with the passages of the index; supply a fixture `store_factory`."""

    def test_a_long_stream_is_committed_in_steps_of_passages(
        self, store_factory: StoreFactory, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(adding, "STEP", 4)
        store = store_factory()
        long = "Granite.\n\nMarble.\n\nSlate."
        documents = [Document(str(i), f"{long}\n\nSee Title {i + 1}.", f"Title {i}") for i in range(7)]
        monkeypatch.setattr(adding, "GROWTH", 2)
        # 4 passages a document: one, two, and the rest, each twice as many passages as were there before.
        assert store.add(divide_each(*documents)) == Changed(7, 0, 28, 3)
        assert store.generation == store.view().generation == 3
        # Names that came in later steps are linked from passages of earlier ones.
        assert [link.target for link in store.view().links_from(["0#3", "1#3", "5#3"])] == ["1", "2", "6"]

    def test_names_are_looked_up_where_they_are_too_many_to_load(
        self, store_factory: StoreFactory, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        documents = [Document(str(i), f"See Title {i + 1}, and Title {i - 1}.", f"Title {i}") for i in range(30)]
        ids = [f"{i}#0" for i in range(30)]
        loading, looking = store_factory(), store_factory()
        loading.add(divide_each(*documents))
        monkeypatch.setattr(linking, "_MOST_NAMES", 0)
        monkeypatch.setattr(adding, "STEP", 4)
        looking.add(divide_each(*documents))
        assert len(loading.view().links_from(ids)) == 58
        assert looking.view().links_from(ids) == loading.view().links_from(ids)

    def test_earlier_passages_are_read_again_in_batches_with_names_that_are_loaded_once(
        self, store_factory: StoreFactory, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        documents = [Document(str(i), f"See Title {i + 1}, and Title {i - 1}.", f"Title {i}") for i in range(30)]
        ids = [f"{i}#0" for i in range(30)]
        at_once, in_steps = store_factory(), store_factory()
        at_once.add(divide_each(*documents))
        loaded: list[int] = []
        matcher = MentionLinker.matcher

        def counted(linker: MentionLinker, keys: Sequence[str]) -> MentionMatcher:
            loaded.append(len(keys))
            return matcher(linker, keys)

        monkeypatch.setattr(MentionLinker, "matcher", counted)
        monkeypatch.setattr(linking, "BATCH", 4)
        monkeypatch.setattr(adding, "STEP", 15)
        in_steps.add(divide_each(*documents))
        assert loaded == [15, 30]
        assert in_steps.view().links_from(ids) == at_once.view().links_from(ids)
