"""Forked children, as Gunicorn with preloading and Celery make them: they neither hang nor disturb their parent."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from multihop import Engine
from multihop.errors import StoreError
from multihop.testing import sample_documents

from ..patience import patience

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork"),
    pytest.mark.filterwarnings("ignore:.*use of fork:DeprecationWarning"),
]
QUESTION = "Who drew the ship that Amundsen borrowed?"


def _in_child(work: Callable[[], bool]) -> bool:
    """Do something in a forked child; it counts as failed when it raises or gives False."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            status = 0 if work() else 1
        finally:
            os._exit(status)
    with patience():
        return os.waitpid(child, 0)[1] == 0


@pytest.fixture(params=["folder", "server"])
def asked(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Engine, str]]:
    place = str(tmp_path / "sample.mh") if request.param == "folder" else str(request.getfixturevalue("address"))
    with Engine.open(place, create=True) as engine:
        engine.add(sample_documents())
        yield engine, place


def test_a_child_is_refused_while_threads_of_the_parent_ask(asked: tuple[Engine, str]) -> None:
    engine, _ = asked
    over = threading.Event()
    answers: list[int] = []

    def ask() -> None:
        while not over.is_set():
            answers.append(len(engine.retrieve(QUESTION, k=3).evidence))

    def refused() -> bool:
        for use in (lambda: engine.retrieve(QUESTION), lambda: engine.add([]), engine.stats, lambda: engine.store):
            try:
                use()
            except StoreError as error:
                if "open the index in each process" not in str(error):
                    return False
            else:
                return False
        engine.close()
        return True

    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        while not answers:
            time.sleep(0.01)
        assert all(_in_child(refused) for _ in range(8))
    finally:
        over.set()
        for thread in threads:
            thread.join()
    assert set(answers) == {3}
    assert len(engine.retrieve(QUESTION, k=3).evidence) == 3


def test_a_child_that_opens_the_index_itself_is_answered(asked: tuple[Engine, str]) -> None:
    engine, place = asked
    expected = [each.passage.id for each in engine.retrieve(QUESTION, k=3).evidence]

    def again() -> bool:
        with Engine.open(place) as own:
            return [each.passage.id for each in own.retrieve(QUESTION, k=3).evidence] == expected

    assert _in_child(again)
    assert [each.passage.id for each in engine.retrieve(QUESTION, k=3).evidence] == expected
