"""What happens when it is too much, takes too long, or nobody listens any more: on a real server."""

from __future__ import annotations

import json
import socket
import sys
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace

import httpx
import pytest

from multihop.protocols import Context, State
from multihop.registry import RegistryEntry
from multihop.server.routes import retrieve
from multihop.server.settings import ServerLimits
from multihop.strategies import BM25, STRATEGIES
from multihop.types import Decision, Query

from ..patience import ENOUGH
from .conftest import Listen

RETRIEVE = "/v1/indexes/sample/retrieve"
STRATEGY = BM25
"""What the fixture `door` registers as `slow`, in its place."""
SLOW = {"question": "Who built the Fram?", "k": 1, "strategy": "slow"}


@dataclass(frozen=True)
class Door:
    """A query writer that waits at every hop until it is let in, and a stop rule that never stops."""

    waiting: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0), compare=False)
    open: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0), compare=False)

    def write(self, state: State, context: Context) -> Sequence[Query]:
        self.waiting.release()
        self.open.acquire()
        return [Query(state.question, "to wait")]

    def decide(self, state: State) -> Decision:
        return Decision(state.hop == 5, "five hops")


@pytest.fixture
def door(monkeypatch: pytest.MonkeyPatch) -> Iterator[Door]:
    """The door of the strategy `slow`; it stands open when the test is over."""
    door = Door()
    monkeypatch.setattr(sys.modules[__name__], "STRATEGY", replace(BM25, name="slow", writer=door, stop=door))
    monkeypatch.setitem(STRATEGIES._entries(), "slow", (RegistryEntry("tests", f"{__name__}:STRATEGY"),))
    yield door
    door.open.release(1000)


def under_way(client: httpx.Client) -> float:
    found = [line for line in client.get("/metrics").text.splitlines() if line.startswith("multihop_questions_under")]
    return float(found[0].split()[1])


def outcome(client: httpx.Client, name: str) -> bool:
    return f'outcome="{name}",strategy="slow"' in client.get("/metrics").text


def until_idle(client: httpx.Client) -> None:
    while under_way(client):
        threading.Event().wait(0.01)


def test_beyond_the_queue_questions_are_turned_away(listen: Listen, door: Door) -> None:
    client = listen(limits=ServerLimits(concurrent=1, queue=1))
    with ThreadPoolExecutor(2) as pool:
        running = [pool.submit(client.post, RETRIEVE, json=SLOW) for _ in range(2)]
        door.waiting.acquire()
        while under_way(client) < 2:
            threading.Event().wait(0.01)
        for way in ("", "/stream", "/batch"):
            asked = SLOW if way != "/batch" else {"questions": ["x"]}
            refused = client.post(RETRIEVE + way, json=asked)
            assert (refused.status_code, refused.headers["retry-after"]) == (429, "1")
            assert refused.json()["error"]["message"] == "too many questions are waiting; try again in a moment"
        assert client.get("/health").status_code == client.get("/v1/indexes").status_code == 200
        door.open.release(10)
        assert [future.result().status_code for future in running] == [200, 200]
    until_idle(client)


def test_a_question_that_takes_too_long_is_ended(listen: Listen, door: Door) -> None:
    client = listen(limits=ServerLimits(concurrent=1, seconds=0.2))
    answer = client.post(RETRIEVE, json=SLOW)
    assert (answer.status_code, answer.json()["error"]["message"]) == (
        504,
        "the question took longer than the 0.2 seconds that this server allows",
    )
    assert under_way(client) == 1
    door.open.release(1)
    until_idle(client)
    assert outcome(client, "given up")


def test_a_stream_that_takes_too_long_ends_with_an_error(listen: Listen, door: Door) -> None:
    client = listen(limits=ServerLimits(seconds=1.0))
    door.open.release(1)
    told = client.post(f"{RETRIEVE}/stream", json=SLOW).text
    # On a busy machine the time may be up before the first hop ends.
    *before, last = told.strip().split("\n\n")
    assert [event for event in before if not event.startswith(("event: hop\n", ":"))] == []
    assert last.startswith("event: error\n")
    assert json.loads(last.split("data: ")[1])["error"]["status"] == 504


def test_hops_are_sent_as_they_end(listen: Listen, door: Door) -> None:
    client = listen()
    door.open.release(1)
    with client.stream("POST", f"{RETRIEVE}/stream", json=SLOW) as answer:
        lines = answer.iter_lines()
        for number in range(1, 5):
            assert next(lines) == "event: hop"
            assert json.loads(next(lines).removeprefix("data: "))["number"] == number
            assert next(lines) == ""
            # Only now may the next hop begin: what has come cannot have waited for it.
            door.open.release(1)
        assert [next(lines) for _ in range(4)][3] == "event: result"


def test_a_quiet_stream_says_that_it_lives(listen: Listen, door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retrieve, "_PATIENCE", 0.05)
    monkeypatch.setattr("fastapi.routing._PING_INTERVAL", 0.05)
    client = listen()
    with client.stream("POST", f"{RETRIEVE}/stream", json=SLOW) as answer:
        lines = answer.iter_lines()
        assert [next(lines), next(lines)] == [": ping", ""]
        door.open.release(5)
        assert [line for line in lines if line.startswith("event")] == ["event: hop"] * 5 + ["event: result"]


def test_a_client_that_leaves_ends_its_question(listen: Listen, door: Door) -> None:
    client = listen(limits=ServerLimits(concurrent=1, seconds=600))
    door.open.release(1)
    with client.stream("POST", f"{RETRIEVE}/stream", json=SLOW) as answer:
        assert next(answer.iter_lines()) == "event: hop"
    _post_and_leave(client, door)
    while under_way(client):
        # The second may have begun before the server saw that nobody waits for it; it ends with its next hop.
        door.open.release(1)
        threading.Event().wait(0.01)
    assert outcome(client, "given up")
    assert not outcome(client, "answered")
    assert client.post(RETRIEVE, json=SLOW | {"strategy": "auto"}).status_code == 200


def _post_and_leave(client: httpx.Client, door: Door) -> None:
    """Send a question and hang up while the first one, which nobody reads any more, is still in the way."""
    body = json.dumps(SLOW).encode()
    with socket.create_connection((client.base_url.host, client.base_url.port or 0)) as connection:
        head = f"POST {RETRIEVE} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        connection.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        while under_way(client) < 2:
            threading.Event().wait(0.01)


_STARTS = {
    RETRIEVE: ("application/json", b'{"question": "'),
    "/v1/indexes/sample/uploads": (
        "multipart/form-data; boundary=x",
        b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n',
    ),
}


def _large(start: bytes, size: int) -> Iterator[bytes]:
    yield start
    for _ in range(size // 65_536):
        yield b"x" * 65_536


@pytest.mark.parametrize("declared", [True, False])
@pytest.mark.parametrize("path", _STARTS)
def test_a_hundred_megabytes_are_refused(listen: Listen, path: str, declared: bool) -> None:
    client = listen(limits=ServerLimits(upload=2**20))
    size = 100 * 2**20
    kind, start = _STARTS[path]
    headers = {"Content-Type": kind} | ({"Content-Length": str(size + len(start))} if declared else {})
    answer = client.post(path, content=_large(start, size), headers=headers)
    allowed = "8,388,608" if path == RETRIEVE else "1,048,576"
    assert answer.status_code == 413
    assert answer.json()["error"]["message"] == f"the body is larger than the {allowed} bytes that this server allows"
    assert client.get("/health").status_code == 200


@pytest.mark.parametrize("path", _STARTS)
def test_a_body_that_does_not_arrive_is_not_waited_for(listen: Listen, path: str) -> None:
    client = listen(limits=ServerLimits(arrival=0.2))
    kind, start = _STARTS[path]
    with socket.create_connection((client.base_url.host, client.base_url.port or 0)) as line:
        head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {kind}\r\nContent-Length: 100000\r\n\r\n"
        line.sendall(head.encode() + start)
        line.settimeout(ENOUGH)
        answer = b"".join(iter(lambda: line.recv(65_536), b""))
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert b"the body did not arrive within 0.2 seconds; send it again" in answer
    assert client.get("/health").status_code == 200


def test_own_limits_for_k_questions_and_batches(listen: Listen) -> None:
    client = listen(limits=ServerLimits(k=5, question=10, batch=2))
    for asked, way, said in (
        ({"question": "short", "k": 6}, "", "k is 6; at most 5 passages are allowed"),
        ({"question": "x" * 11, "k": 5}, "/stream", "the question has 11 characters; at most 10 are allowed"),
        ({"questions": ["a", "x" * 11], "k": 5}, "/batch", "the question has 11 characters; at most 10 are allowed"),
        ({"questions": ["a", "b", "c"], "k": 5}, "/batch", "the batch has 3 questions; at most 2 are allowed"),
    ):
        answer = client.post(RETRIEVE + way, json=asked)
        assert (answer.status_code, answer.json()["error"]["message"]) == (422, said)
