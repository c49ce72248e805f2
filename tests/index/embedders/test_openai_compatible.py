from __future__ import annotations

import json
import socket
import threading
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from multihop import Document, Engine
from multihop.errors import EmbeddingError, InvalidInput
from multihop.index.embedders import OpenAICompatibleEmbedder
from multihop.lm import endpoint
from multihop.protocols import Embedder

from ..stores.postgres.server import HALVES
from .contract import OwnEmbedderContract
from .server import DIMENSION, EmbeddingServer, Reply, embedding_server, vector

KEY = "sk-very-secret-key"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[EmbeddingServer]:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with embedding_server() as running:
        yield running


def opened(server: EmbeddingServer, **options: Any) -> OpenAICompatibleEmbedder:
    return OpenAICompatibleEmbedder(server.url, "tiny", **{"backoff": 0.001, "dimensions": DIMENSION} | options)


def unit(text: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    row: np.ndarray[Any, np.dtype[np.float64]] = np.array(vector(text))
    row /= np.linalg.norm(row)
    return row


def embedding(*rows: object) -> str:
    return json.dumps({"data": [{"index": i, "embedding": row} for i, row in enumerate(rows)]})


class TestContract(OwnEmbedderContract):
    @pytest.fixture
    def embedder(self, server: EmbeddingServer) -> Embedder:
        return opened(server, dimensions=None, batch_size=2)


def test_identity_names_the_model_and_not_the_address() -> None:
    near = OpenAICompatibleEmbedder("http://localhost:8080/v1", "m")
    far = OpenAICompatibleEmbedder("https://api.example.org/v1", "m", dimensions=256)
    assert near.identity == "openai:m"
    assert far.identity == "openai:m:256"
    assert near != far


def test_batches_and_order(server: EmbeddingServer) -> None:
    server.reverse = True
    texts = [f"text {i}" for i in range(7)]
    rows = opened(server, batch_size=3).embed(texts)
    assert [request["input"] for request in server.requests] == [texts[:3], texts[3:6], texts[6:]]
    assert set(server.paths) == {"/v1/embeddings"}
    np.testing.assert_allclose(rows, [unit(text) for text in texts], atol=1e-6)


def test_answers_without_index_are_taken_in_order(server: EmbeddingServer) -> None:
    server.without_index = True
    rows = opened(server).embed(["a", "b"])
    np.testing.assert_allclose(rows, [unit("a"), unit("b")], atol=1e-6)


def test_dimension_is_asked_for_once(server: EmbeddingServer) -> None:
    embedder = opened(server, dimensions=None)
    assert embedder.dimension == DIMENSION
    assert embedder.embed([]).shape == (0, DIMENSION)
    embedder.embed(["a"])
    assert len(server.requests) == 2
    assert "dimensions" not in server.requests[0]


def test_dimensions_are_passed_on(server: EmbeddingServer) -> None:
    assert opened(server, dimensions=4).embed(["a"]).shape == (1, 4)
    assert [request["dimensions"] for request in server.requests] == [4]


def test_blank_texts_are_not_sent(server: EmbeddingServer) -> None:
    opened(server).embed(["", "a", " "])
    assert [request["input"] for request in server.requests] == [["a"]]


def test_a_slash_at_the_end_of_the_address(server: EmbeddingServer) -> None:
    OpenAICompatibleEmbedder(server.url + "/", "m", dimensions=DIMENSION).embed(["a"])
    assert server.paths == ["/v1/embeddings"]


# --- asking again ---------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 529])
def test_passing_failures_are_retried(server: EmbeddingServer, status: int) -> None:
    server.replies = [Reply(status), Reply(status, "overloaded")]
    np.testing.assert_allclose(opened(server).embed(["a"]), [unit("a")], atol=1e-6)
    assert len(server.requests) == 3


def test_retry_after_comes_before_our_own_patience(server: EmbeddingServer) -> None:
    server.replies = [Reply(429, headers={"Retry-After": "0.01"})]
    opened(server, backoff=50.0).embed(["a"])
    assert len(server.requests) == 2


def test_retry_after_as_a_date(server: EmbeddingServer) -> None:
    server.replies = [Reply(503, headers={"Retry-After": "Fri, 01 Jan 2021 00:00:00 GMT"})]
    opened(server, backoff=50.0).embed(["a"])
    assert len(server.requests) == 2


def test_retry_after_nonsense_is_ignored(server: EmbeddingServer) -> None:
    server.replies = [Reply(503, headers={"Retry-After": "soon"})]
    opened(server).embed(["a"])
    assert len(server.requests) == 2


def test_an_hour_is_not_waited_for(server: EmbeddingServer) -> None:
    server.replies = [Reply(429, headers={"Retry-After": "3600"})]
    with pytest.raises(EmbeddingError, match=r"answered 429.*asks to wait 3600 s"):
        opened(server).embed(["a"])
    assert len(server.requests) == 1


def test_retries_end(server: EmbeddingServer) -> None:
    server.replies = [Reply(500, '{"error": {"message": "out of memory"}}')] * 9
    with pytest.raises(EmbeddingError, match=r"answered 500: out of memory \(3 attempts\)\.$"):
        opened(server, retries=2).embed(["a"])
    assert len(server.requests) == 3


def test_lost_connections_are_retried(server: EmbeddingServer) -> None:
    server.replies = [Reply(body='{"data": [', cut=True)]
    opened(server).embed(["a"])
    assert len(server.requests) == 2


def test_time_out(server: EmbeddingServer) -> None:
    done = threading.Event()
    server.replies = [Reply(silent_until=done), Reply(silent_until=done)]
    with pytest.raises(EmbeddingError, match=r"did not answer within 0.05 s \(2 attempts\)"):
        opened(server, timeout=0.05, retries=1).embed(["a"])
    done.set()


def test_an_answer_that_drips(server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoint, "WHOLE_ANSWER", 0.01)
    server.replies = [Reply(body=" ", endless=0.01)] * 2
    with pytest.raises(EmbeddingError, match=r"did not finish its answer within 0.3 s \(2 attempts\)"):
        opened(server, timeout=30.0, retries=1).embed(["a"])


# --- failures that another attempt does not mend --------------------------------------------------


def test_connection_refused() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    with pytest.raises(EmbeddingError, match=r"Nothing answers at http.*connection refused.*base_url"):
        OpenAICompatibleEmbedder(url, "m").embed(["a"])


@pytest.mark.parametrize("key", [None, KEY])
def test_unauthorised(server: EmbeddingServer, key: str | None) -> None:
    server.replies = [Reply(401, json.dumps({"error": {"message": f"bad key {KEY}"}}))]
    expected = "The API key was refused" if key else "No API key was given"
    with pytest.raises(EmbeddingError, match=f"answered 401: bad key .*{expected}.*OPENAI_API_KEY") as caught:
        opened(server, api_key=key).embed(["a"])
    assert len(server.requests) == 1
    if key:
        assert KEY not in "".join(traceback.format_exception(caught.value))


def test_the_key_is_sent_and_never_shown(server: EmbeddingServer) -> None:
    embedder = opened(server, api_key=KEY)
    embedder.embed(["a"])
    assert server.headers[0]["Authorization"] == f"Bearer {KEY}"
    assert KEY not in repr(embedder)
    assert KEY not in repr(embedder._endpoint)
    assert KEY not in embedder.identity


def test_redirects_are_not_followed(server: EmbeddingServer) -> None:
    server.replies = [Reply(302, headers={"Location": f"{server.url}/elsewhere"})]
    with pytest.raises(EmbeddingError, match=r"redirects to .*elsewhere, which is not followed: change base_url"):
        opened(server, api_key=KEY).embed(["a"])
    assert len(server.requests) == 1


def test_an_answer_without_end(server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoint, "LARGEST_ANSWER", 100_000)
    server.replies = [Reply(body=" " * 10_000, endless=0.0)]
    with pytest.raises(EmbeddingError, match=r"answered with more than 100,000 bytes\.$"):
        opened(server).embed(["a"])


@pytest.mark.parametrize(("status", "problem"), [(200, "did not return JSON but"), (400, "answered 400")])
def test_an_answer_of_brackets(server: EmbeddingServer, status: int, problem: str) -> None:
    server.replies = [Reply(status, "[" * 100_000)]
    with pytest.raises(EmbeddingError, match=rf"{problem}.*\[\[\["):
        opened(server).embed(["a"])


def test_not_found(server: EmbeddingServer) -> None:
    server.replies = [Reply(404, '{"error": "no such model"}')]
    with pytest.raises(EmbeddingError, match=r"answered 404: no such model\. Check the model and base_url"):
        opened(server).embed(["a"])


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ('{"data": [{"index": 0, "embedd', 'did not return JSON but: ."data"'),
        ("<html>\nhello</html>", "did not return JSON but: <html> hello</html>"),
        ("", "did not return JSON"),
        ("[]", r"answered without embeddings: \[\]"),
        ('{"object": "list"}', "answered without embeddings"),
        ('{"data": [1, 2]}', "answered without embeddings"),
        (embedding([1.0] * DIMENSION), "answered 1 vectors for 2 texts"),
        (embedding(*[[1.0] * DIMENSION] * 3), "answered 3 vectors for 2 texts"),
        (embedding([1.0], [2.0]), "gave vectors of 1 numbers where 8 were expected"),
        (embedding([1.0], [2.0, 3.0]), "unequal length"),
        (embedding("AAAA", "BBBB"), "not a number"),
        (embedding([float("nan")] * DIMENSION, [1.0] * DIMENSION), "NaN"),
        (embedding([None] * DIMENSION, [1.0] * DIMENSION), "NaN"),
        (
            '{"data": [{"index": 1, "embedding": [1]}, {"index": 1, "embedding": [1]}]}',
            r"2 vectors with the indexes \[1, 1\]",
        ),
        ('{"data": [{"index": [], "embedding": [1]}, {"index": "0", "embedding": [1]}]}', "2 vectors with the indexes"),
    ],
)
def test_nonsense_answers(server: EmbeddingServer, body: str, problem: str) -> None:
    server.replies = [Reply(body=body)]
    with pytest.raises(EmbeddingError, match=problem):
        opened(server).embed(["a", "b"])
    assert len(server.requests) == 1


@pytest.mark.parametrize("kind", ["folder", "server"])
@pytest.mark.parametrize(
    "reply",
    [
        Reply(body="[" * 9999),
        Reply(body=embedding([1.0] * (DIMENSION + 1))),
        Reply(body=embedding(["x"] * DIMENSION)),
        Reply(body=embedding()),
        Reply(500, "<html>"),
        Reply(302, headers={"Location": "http://127.0.0.1:9/"}),
    ],
)
def test_an_index_goes_on_while_its_endpoint_answers_wrongly(
    kind: str, reply: Reply, server: EmbeddingServer, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    place = tmp_path / "x.mh" if kind == "folder" else request.getfixturevalue("address")
    with Engine.open(place, create=True, embedder=opened(server, retries=0)) as engine:
        engine.add([Document("fram", "The Fram is a ship.", "Fram"), Document("gjoa", "The Gjøa is a sloop.", "Gjøa")])
        server.replies = [reply] * 9
        with pytest.raises(EmbeddingError):
            engine.add([Document("maud", "The Maud is a ship, too.", "Maud")])
        # Nothing of the change is there, and questions are answered without vectors.
        assert (engine.stats().documents, engine.stats().vectors) == (2, 2)
        result = engine.retrieve("Which sloop is there?", k=1, strategy="auto-fast")
        assert result.evidence[0].passage.id == "gjoa#0"
        assert "embedder-failed" in {note.code for note in result.trace.notes}
        server.replies = []
        engine.add([Document("maud", "The Maud is a ship, too.", "Maud")])
        assert engine.stats().vectors == 3
        if kind == "folder" or HALVES:
            again = engine.retrieve("Which sloop is there?", k=1, strategy="auto-fast")
            assert "embedder-failed" not in {note.code for note in again.trace.notes}


# --- values that cannot work ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "url",
    [
        "localhost:8080/v1",
        "file:///etc/passwd",
        "ftp://host/v1",
        "http://",
        "http:///v1",
        "http://h/v1?x=1",
        "http://h\n/v1",
    ],
)
def test_base_url_that_is_no_address(url: str) -> None:
    with pytest.raises(InvalidInput, match=r"base_url is .*; expected .*http://localhost:8080/v1"):
        OpenAICompatibleEmbedder(url, "m")


def test_base_url_with_a_bad_port() -> None:
    with pytest.raises(InvalidInput, match="not an address"):
        OpenAICompatibleEmbedder("http://h:99999/v1", "m")


def test_base_url_with_a_password() -> None:
    with pytest.raises(InvalidInput, match="pass a secret as api_key") as caught:
        OpenAICompatibleEmbedder(f"http://me:{KEY}@h/v1", "m")
    assert KEY not in str(caught.value)


@pytest.mark.parametrize("key", ["", f"{KEY}\n", f"{KEY} x", f"{KEY}é"])
def test_keys_that_no_header_can_hold(key: str) -> None:
    with pytest.raises(InvalidInput, match="The API key is empty, or contains a space") as caught:
        OpenAICompatibleEmbedder("http://h/v1", "m", api_key=key)
    assert KEY not in str(caught.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"batch_size": 0}, "batch_size is 0; it must be at least 1"),
        ({"retries": -1}, "retries is -1"),
        ({"timeout": 0}, "timeout is 0"),
        ({"dimensions": 0}, "dimensions is 0"),
        ({"backoff": -0.5}, "backoff is -0.5"),
        ({"model": " "}, "model .* is empty"),
    ],
)
def test_options_that_cannot_work(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        OpenAICompatibleEmbedder(**{"base_url": "http://h/v1", "model": "m"} | options)
