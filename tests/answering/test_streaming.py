"""An answer as a stream of events, read in a thread or in an event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from multihop import Engine
from multihop.answering.streaming import Event
from multihop.errors import InvalidBudget, UnknownName
from multihop.testing.lm import ScriptedLM
from multihop.types import Answer

QUESTION = "Who drew the ship that Amundsen borrowed?"


def test_events_come_in_order_and_end_with_the_answer(sample: Engine) -> None:
    events = list(sample.stream(QUESTION, k=3))
    assert [e.kind for e in events] == ["evidence", "hop", "evidence", "hop", "draft", "answer"]
    assert events[-1].value == sample.answer(QUESTION, k=3)


def test_a_nested_question_has_a_draft_before_its_steps_are_read(sample: Engine) -> None:
    asked = "Where was the man born who drew the ship that Amundsen borrowed?"
    *_, draft, last = sample.stream(asked, k=5)
    assert (draft.kind, last.kind) == ("draft", "answer")
    assert isinstance(draft.value, Answer)
    assert isinstance(last.value, Answer)
    assert (draft.value.text, [note.code for note in draft.value.notes]) == ("Larvik", ["unchecked"])
    assert draft.value.chain.links
    assert (last.value.text, last.value.notes) == ("Larvik", ())


def test_a_model_drafts_and_writes_between(sample: Engine) -> None:
    lm = ScriptedLM({"answer": {"answer": "Colin Archer", "statements": ["Colin Archer drew it [1]"]}})
    kinds = [e.kind for e in Engine(sample.store, lm).stream(QUESTION, k=3, strategy="bm25")]
    assert kinds[-2:] == ["draft", "answer"] or kinds[-3:-1] == ["draft", "words"]


def test_errors_are_raised_where_events_are_read(sample: Engine) -> None:
    with pytest.raises(InvalidBudget, match="got 0"):
        sample.stream(QUESTION, k=0)
    with pytest.raises(UnknownName, match="did you mean 'auto'"):
        next(sample.stream(QUESTION, strategy="autp"))


def test_a_stream_that_is_closed_stops_the_question(sample: Engine) -> None:
    events: Iterator[Event] = sample.stream(QUESTION)
    assert next(events).kind == "evidence"
    events.close()  # type: ignore[attr-defined]  # a generator
    assert next(events, None) is None


def test_the_same_without_blocking(sample: Engine) -> None:
    async def read() -> list[Event]:
        return [event async for event in sample.astream(QUESTION, k=3)]

    assert [e.kind for e in asyncio.run(read())] == ["evidence", "hop", "evidence", "hop", "draft", "answer"]
    verdict = asyncio.run(sample.averdict("Colin Archer came into the world in Larvik in 1832."))
    assert verdict.label == "supported"
