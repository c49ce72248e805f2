"""What all adapters rest on: an index that is given or opened, options, and flat metadata."""

from __future__ import annotations

import asyncio
import dataclasses
import gc
import threading
from pathlib import Path

import pytest

from multihop import Document, Engine
from multihop.adapters.source import Source, evidence_metadata, strategy_name
from multihop.answering.threads import in_thread
from multihop.errors import IndexNotFound, InvalidBudget, InvalidInput
from multihop.strategies import AUTO, BM25

from .conftest import EXPECTED, QUESTION


def test_a_folder_is_opened_at_the_first_question_and_closed(folder: Path, closings: list[Engine]) -> None:
    source = Source(folder)
    assert [e.passage.id for e in source.ask(QUESTION, k=3)] == EXPECTED
    opened = source.engine()
    assert closings == []
    source.close()
    assert closings == [opened]
    assert source.engine() is not opened
    source.close()
    source.close()
    assert len(closings) == 2


def test_a_missing_folder_is_no_matter_until_it_is_asked(tmp_path: Path) -> None:
    source = Source(str(tmp_path / "none.mh"))
    with pytest.raises(IndexNotFound, match=r"none\.mh"):
        source.ask("x")


def test_what_was_opened_is_closed_when_nobody_holds_it(folder: Path, closings: list[Engine]) -> None:
    source = Source(folder)
    opened = source.engine()
    del source
    gc.collect()
    assert closings == [opened]


def test_an_engine_of_the_callers_is_left_open(sample: Engine, closings: list[Engine]) -> None:
    source = Source(sample)
    assert source.engine() is sample
    source.close()
    assert closings == []
    assert source.ask(QUESTION, k=1).evidence


def test_many_threads_open_it_once(folder: Path, closings: list[Engine]) -> None:
    source = Source(folder)
    start = threading.Barrier(8)
    engines: list[Engine] = []

    def ask() -> None:
        start.wait()
        source.ask(QUESTION, k=2)
        engines.append(source.engine())

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(engines) == 8
    assert len(set(map(id, engines))) == 1
    source.close()
    assert len(closings) == 1


def test_a_folder_with_vectors_is_opened_with_its_embedder(sample_with_vectors: Engine) -> None:
    source = Source(Source(sample_with_vectors).path)
    result = source.ask(QUESTION, k=3, strategy="dense")
    assert [e.passage.id for e in result] == [
        e.passage.id for e in sample_with_vectors.retrieve(QUESTION, k=3, strategy="dense")
    ]
    source.close()


def test_asking_asynchronously_gives_the_same(sample: Engine) -> None:
    async def both() -> list[list[str]]:
        source = Source(sample)
        results = await asyncio.gather(*(in_thread(source.ask)(QUESTION, k=3) for _ in range(2)))
        return [[e.passage.id for e in r] for r in results]

    assert asyncio.run(both()) == [EXPECTED, EXPECTED]


@pytest.mark.parametrize("given", [None, 3, b"x.mh"])
def test_what_is_no_index_is_refused(given: object) -> None:
    with pytest.raises(InvalidInput, match=r"the path of its folder or a postgresql:// URL, got"):
        Source(given)  # type: ignore[arg-type]  # that is the point


def test_options_change_only_where_something_is_given(sample: Engine) -> None:
    source = Source(sample, k=5, strategy="bm25", where={"country": "Norway"})
    norway = sample.retrieve(QUESTION, k=2, strategy="bm25", where={"country": "Norway"})
    assert source.ask(QUESTION, k=2, strategy=None) == norway
    assert source.ask(QUESTION, where={}) == sample.retrieve(QUESTION, k=5, strategy="bm25")


def test_invalid_options_are_refused_before_the_first_question(sample: Engine) -> None:
    with pytest.raises(InvalidBudget, match="got 0"):
        Source(sample, k=0)
    with pytest.raises(InvalidInput, match="unknown argument 'asof': did you mean 'as_of'"):
        Source(sample, asof="2024")


def test_a_strategy_is_written_down_by_name() -> None:
    assert strategy_name("replace") == "replace"
    assert strategy_name(AUTO) == "auto"
    with pytest.raises(InvalidInput, match="'auto' is not built in and cannot be saved"):
        strategy_name(dataclasses.replace(AUTO, stop=BM25.stop))


def test_fields_of_a_document_that_bear_our_names_are_kept(tmp_path: Path) -> None:
    with Engine.open(tmp_path / "x.mh", create=True) as engine:
        engine.add(Document("a", "Alpha comes first.", "Alpha", {"rank": 7, "year": 1990, "tags": ("x", "y")}))
        result = engine.retrieve("Alpha", k=1)
    (evidence,) = result
    metadata = evidence_metadata(evidence, result)
    assert (metadata["part"], metadata["led_by"]) == ("chain", "Alpha")
    assert metadata["rank"] == 1
    assert metadata["document.rank"] == 7
    assert metadata["year"] == 1990
    assert metadata["tags"] == ["x", "y"]
    assert (metadata["document_id"], metadata["passage_id"], metadata["title"]) == ("a", "a#0", "Alpha")
    assert (metadata["hop"], metadata["reason"]) == (evidence.hop, evidence.reason)
    assert metadata["scores"].keys() == evidence.scores.keys()
