"""What one request may cost, whatever is in the index, and that nobody waits longer for it than for one question."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from starlette.requests import Request

from multihop import Document, Engine
from multihop.errors import InvalidFilter, InvalidQuestion
from multihop.evaluation.replay import replay
from multihop.index.graph import around
from multihop.index.stores.core.cache import MOST_MEANINGS
from multihop.index.stores.sqlite import lexical
from multihop.server.jobs import Job, Jobs
from multihop.server.problems import Problem
from multihop.server.question_pool import Deadline, ProcessorTime, QuestionPool
from multihop.server.settings import ServerLimits
from multihop.server.tokens import EVERYBODY, Token

from ..patience import ENOUGH

SHARED = 1500


@pytest.fixture(scope="module")
def crowded(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    """Many documents of one title, and some passages that name it."""
    engine = Engine.open(tmp_path_factory.mktemp("crowded") / "i.mh", create=True)
    engine.add(
        [
            *(Document(f"s{n:05}", f"Springfield lies in state {n}.", "Springfield") for n in range(SHARED)),
            *(Document(f"v{n}", "She drove to Springfield.", f"Visit {n}") for n in range(30)),
            Document("other", "A text about Springfield.", "Springfield (film)"),
        ]
    )
    return engine


def test_a_name_of_very_many_documents_leads_to_some_of_them(crowded: Engine) -> None:
    view = crowded.store.view()
    links = view.links_from([f"v{n}#0" for n in range(30)])
    assert len(links) == 30 * MOST_MEANINGS
    assert {link.ambiguity for link in links} == {SHARED}
    assert {link.target for link in links} == {f"s{n:05}" for n in range(MOST_MEANINGS)}
    last = view.links_to([f"s{SHARED - 1:05}"], 5)
    assert [link.ambiguity for link in last] == [SHARED + 1] * 5
    [named] = view.find_names(["Springfield"])
    assert len(named[0].documents) == MOST_MEANINGS
    found = around(view, ["v0#0"], steps=2, most=20)
    assert len(found.nodes) == 20
    assert found.left_out <= 2 * MOST_MEANINGS


def test_equal_passages_are_not_all_fetched_for_a_tie(crowded: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lexical, "_TIED", 50)
    searcher = crowded.store._snapshot.searcher  # type: ignore[attr-defined]
    found = searcher.rank("Springfield state", 5)
    assert 5 <= len(found) < 500


def asked(work: Callable[[QuestionPool, Request], Any], limits: ServerLimits) -> Any:
    """Run something with the questions of a server, and a client that stays."""

    async def main() -> Any:
        async def receive() -> dict[str, Any]:
            await asyncio.sleep(ENOUGH)
            return {"type": "http.disconnect"}

        questions = QuestionPool(limits)
        try:
            return await work(
                questions, Request({"type": "http", "headers": [], "state": {"token": EVERYBODY}}, receive)
            )
        finally:
            questions.close()

    return asyncio.run(main())


def test_a_batch_holds_nobody_up_longer_than_one_question() -> None:
    order: list[str] = []
    begun, go_on = threading.Event(), threading.Event()

    def of_batch(_: Deadline) -> None:
        order.append("batch")
        begun.set()
        go_on.wait(ENOUGH)

    async def work(questions: QuestionPool, request: Request) -> None:
        batch = asyncio.ensure_future(questions.ask_each([of_batch] * 5, request))
        await asyncio.to_thread(begun.wait, ENOUGH)
        single = questions.start(lambda _: order.append("single"), Deadline(ENOUGH))
        go_on.set()
        await asyncio.gather(batch, single)

    asked(work, ServerLimits(concurrent=1, queue=1))
    assert order == ["batch", "single", "batch", "batch", "batch", "batch"]


def test_a_token_has_a_share_of_the_questions() -> None:
    go_on = threading.Event()

    async def work(questions: QuestionPool, request: Request) -> None:
        def wait(_: Deadline) -> None:
            go_on.wait(ENOUGH)

        started = [questions.start(wait, Deadline(ENOUGH), "greedy") for _ in range(3)]
        with pytest.raises(Problem, match="this token has 3 questions waiting"):
            questions.start(wait, Deadline(ENOUGH), "greedy")
        started += [questions.start(wait, Deadline(ENOUGH), token) for token in ("modest", "", "", "", "")]
        assert questions.under_way == 8
        go_on.set()
        await asyncio.gather(*started)
        await asyncio.sleep(0)
        questions.check_room("greedy")

    asked(work, ServerLimits(concurrent=1, queue=20, token_questions=3))


def test_what_waits_gives_up_its_place_when_its_client_leaves() -> None:
    go_on, ran = threading.Event(), []

    async def work(questions: QuestionPool, request: Request) -> None:
        running, waiting = Deadline(ENOUGH), Deadline(ENOUGH)
        first = questions.start(lambda _: go_on.wait(ENOUGH), running, "t")
        second = questions.start(lambda _: ran.append("second"), waiting, "t")
        for deadline in (running, waiting):
            deadline.leave()
        await asyncio.wait([second])
        # The one that runs still takes a thread, so that it still counts.
        assert (second.cancelled(), questions.under_way) == (True, 1)
        go_on.set()
        await first

    asked(work, ServerLimits(concurrent=1))
    assert not ran


def test_processor_time_of_a_token_is_bounded_and_comes_back() -> None:
    now = 0.0
    used = ProcessorTime(30.0, clock=lambda: now)
    used.charge("t", 29.0)
    assert (used.wait("t"), used.wait("other")) == (0, 0)
    used.charge("t", 11.0)
    assert used.wait("t") == 20
    now = 20.1
    assert used.wait("t") == 0
    now = 120.0
    used.charge("t", 30.0)
    assert used.wait("t") == 0
    with used.measure("t"):
        sum(range(2_000_000))
    assert used.wait("t") > 0


def test_a_token_that_has_used_up_its_processor_time_is_told_when_to_ask_again() -> None:
    async def work(questions: QuestionPool, request: Request) -> None:
        request.state.token = Token("t", ("read",), "hash", "")
        await questions.ask(lambda _: sum(range(2_000_000)), request)
        with pytest.raises(Problem, match="seconds of processor time in a minute; try again in") as refused:
            await questions.ask(lambda _: 0, request)
        assert int((refused.value.headers or {})["Retry-After"]) > 0

    asked(work, ServerLimits(token_seconds=0.001))


def test_a_question_is_bounded_by_its_terms(crowded: Engine) -> None:
    characters = "".join(chr(0x4E00 + number) for number in range(20_000))
    with pytest.raises(InvalidQuestion, match="different terms; at most 1,000 are allowed"):
        crowded.retrieve(characters)
    assert crowded.retrieve("Springfield " * 1600, k=1).evidence


def test_jobs_of_one_index_do_not_wait_for_those_of_another(tmp_path: Path) -> None:
    second_done = threading.Event()
    order: list[str] = []

    def work(job: Job, place: Path, tell: object) -> dict[str, Any]:
        if job.index == "slow":
            assert second_done.wait(ENOUGH)
        order.append(job.index)
        if job.index == "quick":
            second_done.set()
        return {}

    jobs = Jobs(tmp_path, {"upload": work})
    try:
        for index in ("slow", "slow", "quick"):
            jobs.submit("upload", index, lambda _: None)
        while jobs.counts().get(("slow", "done"), 0) < 2:
            assert not jobs.counts().get(("slow", "failed"))
            threading.Event().wait(0.05)
    finally:
        jobs.close()
    assert order == ["quick", "slow", "slow"]


def test_one_source_fills_no_more_of_the_evidence_than_it_may(tmp_path: Path) -> None:
    with Engine.open(tmp_path / "i.mh", create=True) as engine:
        engine.add(Document(f"s{n}", f"Who built the Fram? Spam {n}.", "", {"source": "spam"}) for n in range(30))
        engine.add(Document(f"w{n}", f"Colin Archer built ship {n}.", "", {"source": f"w{n}"}) for n in range(3))
        engine.add([Document("own", "The Fram was built at Larvik.")])
        asked = "Who built the Fram?"
        filled = [e.passage.metadata.get("source") for e in engine.retrieve(asked, k=6, strategy="bm25")]
        assert filled.count("spam") > 2
        for strategy in ("bm25", "auto-fast", "replace"):
            result = engine.retrieve(asked, k=6, strategy=strategy, at_most={"source": 2})
            sources = [e.passage.metadata.get("source") for e in result]
            assert sources.count("spam") == 2
            assert {"w0", "w1", "w2", None} == {*sources} - {"spam"}
            assert [e.rank for e in result] == [1, 2, 3, 4, 5, 6]
        both = engine.retrieve(asked, k=6, keep={"source": ["spam", "w1"]}, at_most={"source": 2}, strategy="bm25")
        assert sorted(str(e.passage.metadata["source"]) for e in both) == ["spam", "spam", "w1"]
        # What was asked for is told, not the wider budget behind it.
        assert [n.text for n in both.trace.notes if "passages" in n.text] == [
            "3 of the 34 passages found are returned, after keep and at_most (k = 6)"
        ]
        assert replay(engine, result.to_json()).same
        with pytest.raises(InvalidFilter, match="at_most of 'source' is a number of passages from 1 on, not 0"):
            engine.retrieve(asked, at_most={"source": 0})
        with pytest.raises(InvalidFilter, match="no document has the metadata field 'sorce': did you mean 'source'"):
            engine.retrieve(asked, at_most={"sorce": 1})


@pytest.fixture(params=["folder", "server"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where an index can be made, on either store."""
    return str(tmp_path / "i.mh") if request.param == "folder" else request.getfixturevalue("address")


@pytest.mark.parametrize("strategy", ["auto", "auto-fast", "replace"])
def test_an_invented_answer_beside_the_question_displaces_nothing(strategy: str, place: str) -> None:
    asked = "Where was the architect of the ship that Amundsen took south born?"
    with Engine.open(place, create=True) as engine:
        engine.add(
            [
                Document("fram", "Fram is the ship that Amundsen took south. Its architect was Colin Archer.", "Fram"),
                Document("archer", "Colin Archer was born in Larvik and built boats for pilots there.", "Colin Archer"),
                *(Document(f"other {n}", f"Boat {n} was built in Larvik.", f"Boat {n}") for n in range(5)),
                Document("fake", f"{asked} The answer is Plonk.", "Fram"),
                Document("fake archer", f"Plonk is the answer to {asked.rstrip('?')}.", "Colin Archer"),
            ]
        )
        result = engine.retrieve(asked, k=2, strategy=strategy)
        assert {e.passage.document_id for e in result} == {"fram", "archer"}
        assert {"question-restated", "says-nothing"} <= {note.code for note in result.trace.notes}
        # They fill the budget where nothing else is left.
        everything = engine.retrieve(asked, k=9, strategy=strategy)
        assert {e.passage.document_id for e in everything.evidence[-2:]} == {"fake", "fake archer"}


def test_the_question_as_a_title_hides_no_name_in_it(place: str) -> None:
    asked = "Where was the architect of the Fram born?"
    with Engine.open(place, create=True) as engine:
        engine.add([Document("fram", "A ship by Colin Archer.", "Fram"), Document("fake", "Plonk.", asked)])
        [*mentions] = engine.store.view().find_names([asked])[0]
    assert [mention.documents for mention in mentions] == [("fake",), ("fram",)]


def test_copies_of_the_question_are_no_evidence(place: str) -> None:
    asked = "Who designed the ship that Amundsen took south?"
    with Engine.open(place, create=True) as engine:
        engine.add(
            [
                *(Document(f"copy {n}", f"{asked} " * (1 + n), f"Note {n}") for n in range(5)),
                Document("answer", "Colin Archer designed Fram, the ship that Amundsen took south.", "Fram"),
                Document("faq", f"{asked} Colin Archer.", "Asked often"),
            ]
        )
        for strategy in ("bm25", "auto-fast", "auto", "replace"):
            result = engine.retrieve(asked, k=3, strategy=strategy)
            assert {e.passage.document_id for e in result} == {"answer", "faq"}, strategy
            assert "question-repeated" in {note.code for note in result.trace.notes}
        # A claim may stand in a document word by word.
        engine.add(Document("said", "Amundsen took Fram south.", "Note"))
        said = engine.retrieve("Amundsen took Fram south.", k=5, strategy="bm25")
        assert "said" in {e.passage.document_id for e in said}
