"""The same documents give the same answers, however and in whatever order they came in."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from multihop import Document, Engine
from multihop.evaluation.replay import replay
from multihop.index.stores.sqlite.lexical import LexicalCache, LexicalSearcher
from multihop.index.stores.sqlite.statistics import round_lengths
from multihop.testing import sample_documents, sample_questions
from multihop.types import Evidence

pytestmark = pytest.mark.release  # everything is indexed and asked several times

History = Callable[[Engine, list[Document]], None]


def in_batches(engine: Engine, documents: list[Document]) -> None:
    for start in range(0, len(documents), 17):
        engine.add(documents[start : start + 17])


def shuffled(engine: Engine, documents: list[Document]) -> None:
    order = random.Random(5).sample(documents, len(documents))
    for start in range(0, len(order), 40):
        engine.add(order[start : start + 40])


def with_deletes(engine: Engine, documents: list[Document]) -> None:
    engine.add(documents)
    engine.add([Document(f"extra {n}", "The Fram sailed north. " * (n + 3), "Extra") for n in range(4)])
    engine.delete([f"extra {n}" for n in range(4)])


def with_replacements(engine: Engine, documents: list[Document]) -> None:
    engine.add([replace(d, text="Something else about ships and Norway entirely.") for d in documents[:6]])
    engine.add(documents[3:])
    engine.add(documents[:40])
    engine.delete([d.id for d in documents[50:54]])
    engine.add(documents[50:54])


@pytest.fixture(scope="module", params=[in_batches, shuffled, with_deletes, with_replacements])
def grown(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """The sample corpus with a past."""
    history: History = request.param
    with Engine.open(tmp_path_factory.mktemp("grown") / "i.mh", create=True) as engine:
        history(engine, list(sample_documents()))
        yield engine


@pytest.fixture(scope="module")
def expected(sample: Engine) -> dict[str, list[tuple[Evidence, ...]]]:
    """What the corpus without a past gives: the same for every past that it is compared with."""
    texts = [question.text for question in sample_questions()[::4]]
    return {
        strategy: [sample.retrieve(text, k=10, strategy=strategy).evidence for text in texts]
        for strategy in ("bm25", "auto", "replace")
    }


@pytest.mark.parametrize("strategy", ["bm25", "auto", "replace"])
def test_answers_do_not_depend_on_the_history(
    expected: dict[str, list[tuple[Evidence, ...]]], grown: Engine, strategy: str
) -> None:
    for question, without_a_past in zip(sample_questions()[::4], expected[strategy], strict=True):
        got = grown.retrieve(question.text, k=10, strategy=strategy).evidence
        assert [e.passage.id for e in got] == [e.passage.id for e in without_a_past], question.text
        assert [e.score for e in got] == pytest.approx([e.score for e in without_a_past], rel=1e-5)


WORDS = [f"w{i}" for i in range(60)]


def bags(count: int, seed: int) -> list[list[str]]:
    draw = random.Random(seed)
    return [draw.choices(WORDS, [1 / (n + 1) for n in range(60)], k=draw.randint(1, 90)) for _ in range(count)]


def opened(cache: LexicalCache) -> LexicalSearcher:
    searcher = cache.searcher()
    assert searcher is not None
    return searcher


@pytest.mark.parametrize("limit", [1, 10, 100])
def test_removed_passages_count_for_nothing(tmp_path: Path, limit: int) -> None:
    """Also those that tantivy has merged away, where it only estimates how long the others are."""
    kept, gone = bags(900, 1), bags(600, 2)
    fresh, changed = LexicalCache(tmp_path / "fresh"), LexicalCache(tmp_path / "changed")
    writer = fresh.writer()
    for row, words in enumerate(kept, 1):
        writer.add(row, words)
    writer.commit(1, 900)
    for part in range(12):
        writer = changed.writer()
        for row in range(part * 75 + 1, part * 75 + 76):
            writer.add(row, kept[row - 1])
        for row in range(part * 50, part * 50 + 50):
            writer.add(10_000 + row, gone[row])
        writer.remove(range(10_000 + part * 50 - 60, 10_000 + part * 50 - 10))
        writer.commit(part + 1, 10_000 + part * 50)
    writer = changed.writer()
    writer.remove(range(10_000, 10_600))
    writer.commit(13, 10_600)
    expected, got = opened(fresh), opened(changed)
    assert (got.size, got.stamp.removed > 0, expected.stamp.removed) == (900, True, 0)
    assert got.frequencies(WORDS) == expected.frequencies(WORDS)
    allowed = np.array(range(1, 900, 3), dtype=np.int64)
    for n in range(30):
        query = " ".join(random.Random(n).choices(WORDS, k=1 + n % 6))
        for within in (None, allowed):
            for rough in (False, True):
                first = expected.rank(query, limit, within, rough)
                second = got.rank(query, limit, within, rough)
                assert sorted(r for r, _ in second) == sorted(r for r, _ in first)
                scores = [dict(second)[row] for row, _ in first]
                assert scores == pytest.approx([score for _, score in first], rel=1e-5)


def test_lengths_are_rounded_as_the_cache_keeps_them() -> None:
    lengths = np.array([0, 1, 23, 24, 39, 40, 41, 42, 55, 57, 59, 200, 1000], dtype=np.float64)
    assert round_lengths(lengths).tolist() == [0, 1, 23, 24, 39, 40, 40, 42, 54, 56, 56, 200, 984]


def test_a_cache_that_much_was_removed_from_is_built_anew(tmp_path: Path) -> None:
    with Engine.open(tmp_path / "i.mh", create=True) as engine:
        engine.add(Document(str(n), f"Granite number {n}.") for n in range(40))
        engine.delete(["1", "2"])
        store = engine.store
        assert store._snapshot.searcher.stamp.removed == 2  # type: ignore[attr-defined]
        engine.delete([str(n) for n in range(3, 8)])
        assert store._snapshot.searcher.stamp.removed == 0  # type: ignore[attr-defined]
        assert len(engine.retrieve("granite", k=50, strategy="bm25").evidence) == 33
        assert all(check.ok for check in engine.check())


def test_a_cache_of_which_nobody_knows_what_it_shows_is_built_anew(tmp_path: Path) -> None:
    """As those are that were made before there were stamps beside them."""
    with Engine.open(tmp_path / "i.mh", create=True) as engine:
        engine.add([Document("a", "Granite from Aswan.")])
    (tmp_path / "i.mh" / "lexical" / "stamp.json").unlink()
    with Engine.open(tmp_path / "i.mh") as engine:
        assert len(engine.retrieve("granite", k=5, strategy="bm25").evidence) == 1
        assert all(check.ok for check in engine.check())


def test_answers_do_not_depend_on_the_process(tmp_path: Path) -> None:
    folder = tmp_path / "i.mh"
    with Engine.open(folder, create=True) as engine:
        engine.add(sample_documents())
    question = "In which town was the naval architect born who drew the ship that Roald Amundsen borrowed?"
    command = [sys.executable, "-m", "multihop", "ask", question, "--index", str(folder), "-k", "8", "--json"]
    told = []
    for seed in ("1", "2"):
        done = subprocess.run(command, env=os.environ | {"PYTHONHASHSEED": seed}, capture_output=True, check=True)
        told.append(json.loads(done.stdout))
    with Engine.open(folder) as engine:
        found = replay(engine, json.dumps(told[0]))
    assert found.same and told[0]["evidence"] == told[1]["evidence"] and told[0]["chain"] == told[1]["chain"]
