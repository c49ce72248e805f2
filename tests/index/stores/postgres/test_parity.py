"""The same question on the same data gets the same answer from both stores, with every strategy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from multihop import Document, Engine
from multihop.index.embedders import WordLlamaEmbedder
from multihop.index.stores.postgres import lexical
from multihop.protocols import Lookup
from multihop.strategies import STRATEGIES
from multihop.testing import sample_documents, sample_questions

from .server import Server

QUERIES = [question.text for question in sample_questions()[::2]]
WHERE = {"year": {"lt": 1900}}


def lookups(
    queries: Sequence[str], limit: int, within: Sequence[str] | None = None, rough: bool = False
) -> list[Lookup]:
    return [Lookup(query, limit, within, rough) for query in queries]


@pytest.fixture(scope="module")
def there(postgres: Server) -> Iterator[Engine]:
    """The sample corpus on the server, in several changes: what comes later is linked to what was there."""
    address = postgres.address("parity")
    with Engine.open(address, create=True, embedder=WordLlamaEmbedder()) as engine:
        documents = list(sample_documents())
        engine.add(documents[100:])
        engine.add(documents[:120])
        yield engine
    postgres.run("DROP SCHEMA multihop_parity CASCADE")


@pytest.fixture
def here(sample_with_vectors: Engine) -> Engine:
    return sample_with_vectors


def test_lexical_ranking(here: Engine, there: Engine) -> None:
    for rough, where in ((False, None), (True, None), (False, WHERE)):
        ours, theirs = (engine.store.view(where).lexical(lookups(QUERIES, 50, rough=rough)) for engine in (here, there))
        for query, expected, found in zip(QUERIES, ours, theirs, strict=True):
            assert [id for id, _ in found] == [id for id, _ in expected], query
            np.testing.assert_allclose([s for _, s in found], [s for _, s in expected], rtol=1e-5)


def test_titles_of_nothing_but_stopwords_rank_alike(address: str, tmp_path: Path) -> None:
    titles = ("The Who", "Who (film)", "It", "To Be or Not to Be (1942 film)", "Being")
    documents = [*(Document(title, f"About {title}.", title) for title in titles), *sample_documents()]
    queries = ["The Who", "Who is it?", "to be or not to be", "of the"]
    with Engine.open(tmp_path / "x.mh", create=True) as here, Engine.open(address, create=True) as there:
        here.add(documents)
        there.add(documents)
        ours, theirs = here.store.view().lexical(lookups(queries, 9)), there.store.view().lexical(lookups(queries, 9))
    assert [[id for id, _ in hits] for hits in theirs] == [
        ["The Who#0", "Who (film)#0"], ["It#0", "Who (film)#0"], ["To Be or Not to Be (1942 film)#0", "Being#0"], [],
    ]  # fmt: skip
    for expected, found in zip(ours, theirs, strict=True):
        assert [id for id, _ in found] == [id for id, _ in expected]
        np.testing.assert_allclose([s for _, s in found], [s for _, s in expected], rtol=1e-5)


def test_lexical_ranking_is_the_same_wherever_it_is_summed(there: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    view = there.store.view()
    expected = view.lexical(lookups(QUERIES, 7))
    monkeypatch.setattr(lexical, "FEW", 0)
    found = view.lexical(lookups(QUERIES, 7))
    assert [[id for id, _ in hits] for hits in found] == [[id for id, _ in hits] for hits in expected]
    within = [p.id for p in view.scan()]
    among = view.lexical(lookups(QUERIES, 7, within=within))
    assert [[id for id, _ in hits] for hits in among] == [[id for id, _ in hits] for hits in expected]


def test_an_index_that_has_changed_often_ranks_like_a_new_one(here: Engine, address: str) -> None:
    documents = list(sample_documents())
    with Engine.open(address, create=True) as engine:
        engine.add(Document(d.id, f"{d.text} Once more: {d.text}", f"{d.title} again", d.metadata) for d in documents)
        engine.delete([d.id for d in documents[::3]])
        for start in range(0, len(documents), 50):
            engine.add(documents[start : start + 50])
        found, expected = (each.store.view().lexical(lookups(QUERIES, 50)) for each in (engine, here))
        assert [[id for id, _ in hits] for hits in found] == [[id for id, _ in hits] for hits in expected]
        ids = sorted(p.id for p in here.store.view().scan())
        assert engine.store.view().links_from(ids) == here.store.view().links_from(ids)
        assert all(check.ok for check in engine.check())


def test_nearest(here: Engine, there: Engine) -> None:
    assert here.embedder is not None
    vectors = here.embedder.embed(QUERIES, query=True)
    for where in (None, WHERE):
        ours, theirs = here.store.view(where).nearest(vectors, 20), there.store.view(where).nearest(vectors, 20)
        assert theirs == ours


def test_links_names_and_passages(here: Engine, there: Engine) -> None:
    ours, theirs = here.store.view(), there.store.view()
    ids = sorted(p.id for p in ours.scan())
    documents = list(here.store.document_ids())
    assert documents == list(there.store.document_ids())
    assert theirs.passages(ids) == ours.passages(ids)
    assert theirs.links_from(ids) == ours.links_from(ids)
    assert theirs.links_from(ids, 3) == ours.links_from(ids, 3)
    assert theirs.links_to(documents, 5) == ours.links_to(documents, 5)
    assert theirs.find_names(QUERIES) == ours.find_names(QUERIES)
    assert theirs.passages_of(documents, 2) == ours.passages_of(documents, 2)
    np.testing.assert_array_equal(theirs.vectors(ids), ours.vectors(ids))


@pytest.mark.parametrize("strategy", sorted(STRATEGIES))
def test_every_strategy_answers_alike(here: Engine, there: Engine, strategy: str) -> None:
    for question in QUERIES[::8]:
        ours = here.retrieve(question, k=7, strategy=strategy)
        theirs = there.retrieve(question, k=7, strategy=strategy)
        assert [e.passage for e in theirs] == [e.passage for e in ours]
        assert [e.reason for e in theirs] == [e.reason for e in ours]
