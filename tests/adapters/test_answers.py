"""Answers through every adapter: the same as the engine gives, at once and asynchronously."""

from __future__ import annotations

import asyncio

from multihop import Engine
from multihop.adapters import (
    dspy as of_dspy,
    haystack as of_haystack,
    langchain as of_langchain,
    llamaindex as of_llamaindex,
)

BORN = "When was Colin Archer born?"
NONSENSE = "xqzzyv wplk"
UNANSWERED = "What did Colin Archer eat for breakfast?"


def test_langchain(sample: Engine) -> None:
    runnable = of_langchain.answer_runnable(sample, k=5)
    found = runnable.invoke(BORN)
    assert found["text"] == "1832"
    assert found["sentences"][0]["quote"]["passage_id"] in [d.id for d in found["documents"]]
    assert len(found["documents"]) == 5
    assert asyncio.run(runnable.ainvoke(BORN))["sentences"] == found["sentences"]
    assert not runnable.invoke(NONSENSE)["answered"]


def test_llamaindex(sample: Engine) -> None:
    engine = of_llamaindex.MultihopQueryEngine(sample, k=5)
    found = engine.query(BORN)
    assert str(found) == "1832"
    assert len(found.source_nodes) == 5
    assert found.metadata is not None
    assert found.metadata["chain"]["links"]
    assert str(asyncio.run(engine.aquery(BORN))) == "1832"
    assert len(engine.query(of_llamaindex.EvidenceQuery(BORN, k=2)).source_nodes) == 2


def test_llamaindex_without_an_answer(sample: Engine) -> None:
    engine = of_llamaindex.MultihopQueryEngine(sample, k=5)
    assert str(engine.query(NONSENSE)) == "Not sure."
    closest = sample.answer(UNANSWERED, k=5)
    assert not closest.text
    found = engine.query(UNANSWERED)
    assert str(found) == f"Not sure. The closest sentence is: {closest.sentences[0].quote.text}"
    assert found.metadata is not None
    assert not found.metadata["answered"]


def test_haystack(sample: Engine) -> None:
    component = of_haystack.MultihopAnswerer(sample, k=5)
    found = component.run(BORN)
    assert found["reply"] == "1832"
    first = found["answers"][0]
    span = first.document_offset
    assert first.document.content[span.start : span.end] == first.context
    assert 0 < first.score <= 1
    assert asyncio.run(component.run_async(BORN))["reply"] == "1832"
    again = of_haystack.MultihopAnswerer.from_dict(component.to_dict())
    assert again.to_dict() == component.to_dict()


def test_dspy(sample: Engine) -> None:
    module = of_dspy.MultihopAnswer(sample, k=5)
    found = module(question=BORN)
    assert found.answer == "1832"
    assert len(found.passages) == 5
    assert found.confidence == found.sentences[0]["confidence"]
    assert asyncio.run(module.acall(question=BORN)).answer == "1832"
