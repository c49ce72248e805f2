from __future__ import annotations

import asyncio
import zlib

from starlette.testclient import TestClient
from starlette.types import Message

from multihop.engine import Engine
from multihop.lm import LmSpec
from multihop.server.event_compression import compress_events
from multihop.testing.lm import Faults, ScriptedLM

from ..lm.able import able, server
from .conftest import Serve
from .test_lm import Scripted
from .test_retrieve import QUESTION, events, untimed

ANSWER = "/v1/indexes/sample/answer"


def test_an_answer_is_that_of_the_engine(client: TestClient, sample: Engine) -> None:
    answer = client.post(ANSWER, json={"question": QUESTION, "k": 8})
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/json")
    assert untimed(answer.json()) == sample.answer(QUESTION, k=8).to_dict(timing=False)


def test_a_stream_tells_each_hop_and_then_the_answer(client: TestClient, sample: Engine) -> None:
    told = events(client.post(f"{ANSWER}/stream", json={"question": QUESTION, "k": 3}).text)
    found = sample.answer(QUESTION, k=3).to_dict(timing=False)
    hops = len(found["result"]["trace"]["hops"])
    assert [name for name, _ in told] == [*["chain", "hop"] * hops, "draft", "answer"]
    assert [note["code"] for note in told[-2][1]["notes"]] == ["unchecked"]
    assert untimed(told[-1][1]) == found
    for _, sofar in told[: 2 * hops : 2]:
        along = [link["target"] for link in sofar["chain"]["links"]]
        assert sorted(along) == sorted(e["passage"]["id"] for e in sofar["evidence"])
        assert sofar["trace"]["plan"] == found["result"]["trace"]["plan"]


def test_events_are_compressed_for_who_takes_it_each_at_once(client: TestClient) -> None:
    asked = {"question": QUESTION, "k": 3}
    plain, small = (
        client.post(f"{ANSWER}/stream", json=asked, headers={"Accept-Encoding": encoding})
        for encoding in ("identity", "gzip")
    )
    assert "content-encoding" not in plain.headers
    assert (small.headers["content-encoding"], "Accept-Encoding" in small.headers["vary"]) == ("gzip", True)
    assert [name for name, _ in events(small.text)] == [name for name, _ in events(plain.text)]
    sent: list[bytes] = []
    scope = {"type": "http", "headers": [(b"accept-encoding", b"gzip")]}

    async def send(message: Message) -> None:
        sent.append(message.get("body", b""))

    async def told() -> None:
        pack = compress_events(scope, send)
        await pack({"type": "http.response.start", "headers": [(b"content-type", b"text/event-stream")]})
        for number in range(3):
            await pack({"type": "http.response.body", "body": b"event: %d\n\n" % number, "more_body": number < 2})

    asyncio.run(told())
    unpacker = zlib.decompressobj(16 + zlib.MAX_WBITS)
    assert [unpacker.decompress(part) for part in sent[1:]] == [b"event: 0\n\n", b"event: 1\n\n", b"event: 2\n\n"]
    assert unpacker.eof


def test_nonsense_is_answered_with_nothing(client: TestClient) -> None:
    found = client.post(ANSWER, json={"question": "xqzzyv wplk"}).json()
    assert (found["answered"], found["text"], found["sentences"]) == (False, "", [])


def test_what_is_wrong_is_said_with_its_status(client: TestClient) -> None:
    for address in (ANSWER, f"{ANSWER}/stream"):
        refused = client.post(address, json={"question": QUESTION, "strategy": "atuo"})
        assert refused.status_code == 422
        assert "did you mean 'auto'?" in refused.json()["error"]["message"]


def test_a_model_answers_after_the_draft(serve: Serve) -> None:
    assert able("cited_answer", {"question": QUESTION})["answer"] == "unknown"
    told = events(serve(lm=Scripted()).post(f"{ANSWER}/stream", json={"question": QUESTION, "k": 3}).text)
    assert [name for name, _ in told if name not in ("chain", "hop")] == ["draft", "draft", "answer"]
    # The first one is before its steps are read, the second before the model is asked.
    assert [[note["code"] for note in draft["notes"]] for name, draft in told if name == "draft"] == [["unchecked"], []]
    # It gives up, and what the sentences say stands.
    assert told[-1][1]["source"] == "sentences"
    assert told[-1][1]["notes"][-1]["code"] == "lm-abstained"


def test_the_words_of_a_model_come_before_its_answer(serve: Serve) -> None:
    lm = ScriptedLM({"cited_answer": {"answer": "Larvik", "statements": ["He was born in Larvik. [1]"]}})
    with server(lm) as (url, _):
        client = serve(lm=LmSpec("openai/scripted", url))
        told = events(client.post(f"{ANSWER}/stream", json={"question": QUESTION, "k": 3}).text)
    names = [name for name, _ in told if name not in ("chain", "hop")]
    assert (names[:2], names[-1], set(names[2:-1])) == (["draft", "draft"], "answer", {"words"})
    assert told[-2][1] == {"text": "Larvik", "statements": ["He was born in Larvik."]}


def test_a_verdict_has_its_reasoning_and_sentences(serve: Serve) -> None:
    found = serve(lm=Scripted()).post("/v1/indexes/sample/verdict", json={"question": QUESTION, "k": 3}).json()
    assert (found["label"], len(found["sentences"])) == ("supported", 2)
    assert found["reasoning"]
    assert 0 < found["confidence"] <= 1


def test_a_verdict_that_could_not_be_had_shows_the_evidence(serve: Serve) -> None:
    client = serve(lm=Scripted(Faults(("unreachable",))))
    found = client.post("/v1/indexes/sample/verdict", json={"question": QUESTION, "k": 3}).json()
    assert found["label"] == "undecided"
    assert found["notes"][0]["code"] == "lm-failed"
    assert "gave no verdict" in found["notes"][0]["text"]
    assert len(found["result"]["evidence"]) == 3


def test_without_a_language_model_the_verdict_is_that_of_the_engine(client: TestClient, sample: Engine) -> None:
    claim = "Colin Archer came into the world in Larvik in 1832."
    found = client.post("/v1/indexes/sample/verdict", json={"question": claim, "k": 3}).json()
    assert untimed(found) == sample.verdict(claim, k=3).to_dict(timing=False)


def test_a_follow_up_is_sent_with_the_turns_before_it(client: TestClient) -> None:
    address = "/v1/indexes/sample/conversation"
    first = client.post(address, json={"question": "When was Colin Archer born?", "k": 5}).json()
    assert first["turn"]["answer"] == first["answer"]["text"] == "1832"
    body = {"question": "And what did he build?", "k": 5, "turns": [first["turn"]], "lm": False}
    second = client.post(address, json=body).json()
    assert second["turn"]["resolved"] == second["answer"]["question"] == "What did Colin Archer build?"
