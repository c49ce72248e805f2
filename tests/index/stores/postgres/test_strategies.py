"""Everything that is asked of an index, on PostgreSQL and in a folder: the same evidence in the same order."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from multihop import Engine
from multihop.errors import EmbeddingError
from multihop.index import graph
from multihop.profiles import load
from multihop.strategies import STRATEGIES, hybrid
from multihop.survey import survey
from multihop.testing import sample_documents, sample_questions
from multihop.types import Result

from .server import Server

QUESTIONS = tuple(q for q in sample_questions() if q.id in ("q01", "q16", "q31", "q43", "q50"))
VECTORS = ("dense", "hybrid-rrf")


@pytest.fixture(scope="module")
def both(postgres: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Engine, Engine]]:
    """The sample corpus with its relations and word vectors, in a folder and on a server."""
    folder = tmp_path_factory.mktemp("both") / "sample.mh"
    with Engine.open(folder, create=True) as here, Engine.open(postgres.address("strategies"), create=True) as there:
        for engine in (here, there):
            engine.add(sample_documents())
            engine.relate()
            engine.train_word2vec()
        yield here, there
    postgres.run("DROP SCHEMA multihop_strategies CASCADE")


def told(result: Result) -> list[tuple[str, int, str]]:
    # Scores are compared elsewhere: those of the embedded store still count what an earlier change has replaced.
    return [(e.passage.id, e.hop, e.reason) for e in result]


@pytest.mark.parametrize("strategy", [name for name in STRATEGIES if name not in VECTORS])
def test_every_strategy_finds_the_same_evidence(both: tuple[Engine, Engine], strategy: str) -> None:
    for question in QUESTIONS:
        here, there = (engine.retrieve(question.text, k=10, strategy=strategy) for engine in both)
        assert told(there) == told(here)
        assert [len(h.found) for h in there.trace.hops] == [len(h.found) for h in here.trace.hops]
        assert here.evidence


@pytest.mark.parametrize("strategy", VECTORS)
def test_what_needs_vectors_says_so(both: tuple[Engine, Engine], strategy: str) -> None:
    for engine in both:
        with pytest.raises(EmbeddingError, match="embedder"):
            engine.retrieve("Who built the Fram?", strategy=strategy)


def test_a_filter_keeps_to_the_same_documents(both: tuple[Engine, Engine]) -> None:
    for strategy in ("auto", "graph", "hybrid", "aspects"):
        here, there = (
            engine.retrieve("Who built the ship?", k=8, strategy=strategy, where={"country": ["Norway", "Italy"]})
            for engine in both
        )
        assert told(there) == told(here)
        assert {e.passage.metadata["country"] for e in there} <= {"Norway", "Italy"}


def test_a_survey_gives_the_same_answers(both: tuple[Engine, Engine]) -> None:
    asked = {"questions": [1, 3], "groups": ["Norway", "Italy"], "hop": True, "top_k": 5}
    here, there = (survey(engine, "climate", **asked) for engine in both)  # type: ignore[arg-type]  # by name
    assert [(g.group, g.method) for g in there.groups] == [(g.group, g.method) for g in here.groups]
    for mine, theirs in zip(here.groups, there.groups, strict=True):
        assert [[c.id for c in a.chunks] for a in theirs.answers] == [[c.id for c in a.chunks] for a in mine.answers]
        assert [a.value for a in theirs.answers] == [a.value for a in mine.answers]
        scores = [[c.combined_score for c in a.chunks] for a in mine.answers]
        for given, known in zip(theirs.answers, scores, strict=True):
            assert [c.combined_score for c in given.chunks] == pytest.approx(known, abs=1e-5)


def test_a_profile_scores_alike(both: tuple[Engine, Engine]) -> None:
    chosen = hybrid(load("climate"), threshold=0.0)
    here, there = (engine.retrieve("What reduces emissions by 2030?", k=10, strategy=chosen) for engine in both)
    assert told(there) == told(here)


def test_relations_and_surroundings_are_the_same(both: tuple[Engine, Engine]) -> None:
    here, there = (engine.stats() for engine in both)
    assert here.relations == there.relations > 0
    found = [graph.around(e.store.view(), ["fram-ship#0"], steps=2, most=20) for e in both]
    assert graph.render(found[1], "json") == graph.render(found[0], "json")
