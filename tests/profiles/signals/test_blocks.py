"""Passages in blocks: the same scores as in one piece, and memory for one block."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from multihop import Document, Engine, profiles
from multihop.errors import StoreError
from multihop.profiles.signals import (
    Scores,
    arrays,
    block_cache,
    blocks,
    embed,
    evaluate,
    parse_question,
    scoring,
    spool,
    warm,
    word2vec,
)
from multihop.profiles.signals.spool import Spool
from multihop.profiles.signals.word2vec import QuestionVectors, TrainingSettings, train
from multihop.protocols import Context
from multihop.testing.contracts.corpus import HashEmbedder
from multihop.types import Where

CLIMATE = profiles.load("climate")
QUESTIONS = (CLIMATE.questions[0].text, "Which gases does the target of country 7 cover by 2030?")
SMALL = TrainingSettings(dimension=8, min_count=1, epochs=1)


def documents(count: int = 40) -> Iterator[Document]:
    for n in range(count):
        said = f"Country {n} will reduce its emissions by {n}% below {1990 + n % 20} levels by 2030. " * (1 + n % 3)
        yield Document(str(n), said, f"Target of {n}", metadata={"odd": n % 2})


@pytest.fixture(params=["folder", "postgres"])
def location(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    place = str(tmp_path / "x.mh") if request.param == "folder" else str(request.getfixturevalue("address"))
    with Engine.open(place, create=True, embedder=HashEmbedder()) as engine:
        engine.add(documents())
        train(engine.store, settings=SMALL)
    return place


def scored(location: str, where: Where | None = None) -> list[Scores]:
    with Engine.open(location, embedder=HashEmbedder()) as engine:
        context = Context(engine.index(where))
        given = [(question, profile) for question in QUESTIONS for profile in (None, CLIMATE)]
        found = [evaluate(parse_question(q, profile), embed(q, context), profile, context) for q, profile in given]
        # The second time everything is read from what was put aside.
        for (q, profile), before in zip(given, found, strict=True):
            assert_same([evaluate(parse_question(q, profile), embed(q, context), profile, context)], [before])
        return found


def assert_same(found: list[Scores], wanted: list[Scores]) -> None:
    for one, other in zip(found, wanted, strict=True):
        assert list(one.ids) == list(other.ids)
        assert one.ids[:] == list(other.ids)
        assert one.signals.keys() == other.signals.keys() == {"transformer", "word2vec", "patterns", "fuzzy"}
        for name in one.signals:
            assert np.array_equal(one.signals[name], other.signals[name]), name
        assert np.array_equal(one.combined, other.combined)
        assert one.best(5, 0.1) == other.best(5, 0.1)


def in_small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of seven passages, all of them in a file; a model in blocks of five words."""
    monkeypatch.setattr(blocks, "PASSAGES", 7)
    monkeypatch.setattr(spool, "HELD", 0)
    monkeypatch.setattr(word2vec, "_WORDS", 5)


def test_blocks_score_as_one_does(location: str, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, odd = scored(location), scored(location, {"odd": 1})
    in_small_blocks(monkeypatch)
    assert_same(scored(location), whole)
    assert_same(scored(location, {"odd": 1}), odd)
    with Engine.open(location, embedder=HashEmbedder()) as engine:
        assert warm(engine.store, CLIMATE)
        assert not warm(engine.store, CLIMATE)
    assert_same(scored(location), whole)
    assert_same(scored(location, {"odd": 1}), odd)


def test_what_is_kept_of_an_older_generation_is_taken_over_row_by_row(
    location: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_small_blocks(monkeypatch)
    with Engine.open(location, embedder=HashEmbedder()) as engine:
        warm(engine.store, CLIMATE)
        engine.delete(["0", "11", "39"])
        engine.add(
            [Document("20", "Country 20 has another target now, of 99%."), Document("new", "Emissions of waste.")]
        )
        found = scored(location)
        before = block_cache.head(engine.store, scoring.WORDS, "1")
        assert before is not None
        assert sum(before.sizes) == 40
    monkeypatch.undo()
    with Engine.open(location, embedder=HashEmbedder()) as engine:
        for name in (scoring.WORDS, scoring.PATTERNS, scoring.WORD_VECTORS, scoring.VECTORS, scoring.CONTENTS[0]):
            engine.store.put_blob(name, b"")
            engine.store.put_blob(f"{name}.climate", b"")
    assert_same(found, scored(location))


def test_what_is_kept_of_this_very_index_is_answered_from_without_reading_a_passage(
    location: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = scored(location)
    with Engine.open(location, embedder=HashEmbedder()) as engine:
        warm(engine.store, CLIMATE)
    monkeypatch.setattr(arrays, "BLOCK", 10)  # so that these are many
    monkeypatch.setattr(blocks.Blocks, "read", None)
    monkeypatch.setattr(blocks._Reading, "passages", None)
    assert_same(scored(location), wanted)


def test_fewer_blocks_than_before_leave_nothing_behind(location: str, monkeypatch: pytest.MonkeyPatch) -> None:
    in_small_blocks(monkeypatch)
    with Engine.open(location, embedder=HashEmbedder()) as engine:
        warm(engine.store, CLIMATE)
        last = f"{scoring.WORDS}.5"
        assert (engine.store.get_blob(last) or (0, b""))[1]
        engine.delete([str(n) for n in range(30)])
        assert warm(engine.store, CLIMATE)
        assert engine.store.get_blob(last) == (engine.store.generation, b"")


def test_a_block_that_was_made_by_something_else_is_not_taken_over(location: str) -> None:
    with Engine.open(location, embedder=HashEmbedder()) as engine:
        warm(engine.store, CLIMATE)
        view, name = engine.store.view(), scoring.CONTENTS[0]
        assert block_cache.load(view, name, "1") is not None
        other = engine.store.get_blob(f"{scoring.WORD_VECTORS}.0")
        assert other is not None
        engine.store.put_blob(f"{name}.0", other[1])
        assert block_cache.load(view, name, "1") is None


def test_a_question_has_the_vector_that_the_whole_model_gives_it(
    location: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(word2vec, "_WORDS", 5)
    with Engine.open(location, embedder=HashEmbedder()) as engine:
        train(engine.store, settings=TrainingSettings(dimension=6, min_count=1, epochs=1))
        view = engine.store.view()
        model, known = word2vec.load(view), word2vec.stamp(view)
        assert model is not None
        assert known is not None
        divided = QuestionVectors(view, known[1])
        engine.store.put_blob(word2vec.BLOCKS, b"")
        undivided = QuestionVectors(view, known[1])
        for question in (*QUESTIONS, "unheard of", ""):
            [wanted] = model.embed([question])
            assert np.array_equal(divided.embed(question), wanted)
            assert np.array_equal(undivided.embed(question), wanted)


def test_memory_of_a_question_does_not_grow_with_the_passages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "PASSAGES", 100)
    monkeypatch.setattr(spool, "HELD", 0)
    peaks = []
    for count in (200, 1200):
        with Engine.open(tmp_path / f"{count}.mh", create=True) as engine:
            engine.add(documents(count))
            context = Context(engine.index())
            evaluate(parse_question(QUESTIONS[0], CLIMATE), embed(QUESTIONS[0], context), CLIMATE, context)
            tracemalloc.start()
            evaluate(parse_question(QUESTIONS[0], CLIMATE), embed(QUESTIONS[0], context), CLIMATE, context)
            peaks.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
    # What is left is a few numbers for each passage: its signals, their mean, and what it is multiplied by.
    assert peaks[1] - peaks[0] < 100 * 1000


def test_a_folder_without_room_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(spool, "HELD", 0)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    assert spool.folder() == str(tmp_path)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "gone"))
    with pytest.raises(StoreError, match=r"temporary file in '.*gone': No such file.*TMPDIR"):
        Spool().put({"rows": np.zeros(3)})
