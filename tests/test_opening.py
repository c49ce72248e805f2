"""One policy for the embedder of an index, wherever it is opened."""

from __future__ import annotations

import warnings
from contextlib import closing
from itertools import islice
from pathlib import Path

import pytest

from multihop import Engine
from multihop.errors import UnknownName
from multihop.index.links.mentions import MentionLinker
from multihop.index.stores import index_exists, open_store
from multihop.protocols import Embedder
from multihop.testing import sample_documents
from multihop.testing.contracts import HashEmbedder


@pytest.fixture(scope="module")
def with_wordllama(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("opening") / "words.mh"
    with Engine.open(folder, create=True, embedder="wordllama") as engine:
        engine.add(islice(sample_documents(), 20))
    return folder


@pytest.fixture(scope="module")
def with_foreign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index whose embedder is none of those that can be opened by name."""
    folder = tmp_path_factory.mktemp("opening") / "foreign.mh"
    with Engine.open(folder, create=True, embedder=HashEmbedder()) as engine:
        engine.add(islice(sample_documents(), 20))
    return folder


def test_an_index_is_opened_with_the_embedder_it_was_made_with(with_wordllama: Path) -> None:
    with Engine.open(with_wordllama) as engine:
        assert engine.embedder is not None
        assert engine.embedder.identity == engine.recorded_embedder
        assert engine.retrieve("Who built the Fram?", k=3, strategy="dense").evidence


def test_an_embedder_that_cannot_be_had_is_named_and_the_rest_works(with_foreign: Path) -> None:
    with pytest.warns(UserWarning, match="opened without its embedder: unknown embedder 'hash'"):
        engine = Engine.open(with_foreign)
    with engine:
        assert engine.embedder is None
        assert len(engine.retrieve("Who built the Fram?", k=3).evidence) == 3


def test_whoever_opens_says_how_to_warn(with_foreign: Path) -> None:
    said: list[str] = []
    Engine.open(with_foreign, warn=said.append).close()
    assert [message.split(":")[0] for message in said] == ["opened without its embedder"]


def test_vectors_can_be_required_or_left_alone(with_foreign: Path, with_wordllama: Path) -> None:
    with pytest.raises(UnknownName, match="unknown embedder 'hash'"):
        Engine.open(with_foreign, vectors=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with Engine.open(with_foreign, vectors=False) as engine:
            assert engine.embedder is None
    with Engine.open(with_wordllama, vectors=True) as engine:
        assert engine.embedder is not None


def test_the_embedder_of_an_index_is_loaded_while_it_is_opened(with_foreign: Path) -> None:
    """Opening reads the caches, so it is not done a second time once the embedder is known."""
    asked: list[str] = []

    def load(identity: str) -> Embedder:
        asked.append(identity)
        return HashEmbedder()

    with closing(open_store(with_foreign, MentionLinker(), load_embedder=load)) as store:
        assert asked == [store.recorded_embedder] == [HashEmbedder().identity]
        assert store.embedder == HashEmbedder()
    with closing(open_store(with_foreign, MentionLinker(), load_embedder=lambda _: None)) as store:
        assert store.embedder is None


def test_whether_there_is_an_index_is_known_without_opening_it(with_foreign: Path, tmp_path: Path) -> None:
    assert index_exists(with_foreign)
    assert not index_exists(tmp_path)
    assert not index_exists(tmp_path / "none.mh")
