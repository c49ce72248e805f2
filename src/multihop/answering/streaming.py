"""Streams an answer as events: finished hops, drafts before the answer is checked, a model's words, the answer."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple

from multihop.answering.lm import Words
from multihop.types import Answer, Hop, Result


class Event(NamedTuple):
    """One event of a stream, with the value of its kind.

    "evidence" has the result so far and its chain, "hop" the finished hop, "draft" an extractive answer that is still
    being checked (noted as "unchecked") or the one before a language model is asked, "words" the output of the model so
    far, and "answer", the last event, the answer.
    """

    kind: Literal["evidence", "hop", "draft", "words", "answer"]
    value: Hop | Result | Answer | Words


class _Closed(Exception):
    """The consumer has closed the iterator."""


def stream_events(ask: Callable[..., Answer]) -> Iterator[Event]:
    """Run `ask`, which takes the callbacks of `Engine.answer`, in a thread and yield its events.

    Closing the iterator stops the question at its next event. Errors of `ask` are raised here.
    """
    events: queue.SimpleQueue[Event | BaseException] = queue.SimpleQueue()
    closed = threading.Event()

    def send(kind: Literal["evidence", "hop", "draft", "words", "answer"]) -> Callable[..., None]:
        def put(value: Hop | Result | Answer | Words) -> None:
            if closed.is_set():
                raise _Closed
            events.put(Event(kind, value))

        return put

    def work() -> None:
        try:
            answer = ask(
                on_hop=send("hop"), on_evidence=send("evidence"), on_draft=send("draft"), on_words=send("words")
            )
            events.put(Event("answer", answer))
        except _Closed:
            return
        except BaseException as error:  # noqa: BLE001  # raised again in the thread that reads
            events.put(error)

    thread = threading.Thread(target=work, name="stream", daemon=True)
    thread.start()
    try:
        while True:
            event = events.get()
            if isinstance(event, BaseException):
                raise event
            yield event
            if event.kind == "answer":
                return
    finally:
        closed.set()
