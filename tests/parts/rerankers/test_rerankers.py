"""Rerankers: the contract, kept by ours, by a model with `predict` and by an endpoint; and what goes wrong."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from multihop import Engine, text
from multihop.errors import InvalidInput, ReadingError
from multihop.parts.rerankers import BuiltInReranker, EndpointReranker, PredictingReranker, built_in, scores_of
from multihop.protocols import Reranker
from multihop.strategies import AUTO, AUTO_FAST, BM25, with_reranker, without_models
from multihop.testing.contracts import RerankerContract
from multihop.types import Pair

from ...listening import Handler, listening

PAIRS = [Pair("Fram: A ship.", "Amundsen: He borrowed the Fram."), Pair("Tea: A drink.")]


def shared(question: str, said: str) -> float:
    return float(len(set(text.terms(question)) & set(text.terms(said))))


class WordModel:
    """A model as sentence-transformers has them: pairs in, an array out."""

    def predict(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        return np.array([[shared(*pair)] for pair in pairs], np.float32)


@dataclass
class Service:
    """A service with `/rerank`: what it was sent, and the answer it gives in place of the right one."""

    port: int = 0
    asked: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    body: Any = None
    status: int = 200
    form: str = "cohere"

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/rerank"

    def answer(self, given: dict[str, Any]) -> Any:
        if self.body is not None:
            return self.body
        documents = given.get("documents") or given["texts"]
        scores = [(place, shared(given["query"], said)) for place, said in enumerate(documents)]
        # As services do: the best first, each with its place among the documents.
        scores.sort(key=lambda each: (-each[1], each[0]))
        if self.form == "tei":
            return [{"index": place, "score": score} for place, score in scores]
        return {"id": "x", "results": [{"index": place, "relevance_score": score} for place, score in scores]}


@contextmanager
def serving() -> Iterator[Service]:
    service = Service()

    class Answering(Handler):
        def do_POST(self) -> None:
            given = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            service.asked.append(given)
            service.keys.append(self.headers["Authorization"])
            body = json.dumps(service.answer(given)).encode()
            self.send_response(service.status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    with listening(Answering) as service.port:
        yield service


@pytest.fixture
def service() -> Iterator[Service]:
    with serving() as running:
        yield running


@pytest.mark.usefixtures("read_anew")
class TestBuiltInReranker(RerankerContract):
    @pytest.fixture
    def reranker(self) -> Reranker:
        return BuiltInReranker()


class TestPredictingReranker(RerankerContract):
    @pytest.fixture
    def reranker(self) -> Reranker:
        return PredictingReranker(WordModel(), "test:words")


class TestEndpointReranker(RerankerContract):
    @pytest.fixture(params=["cohere", "tei"])
    def reranker(self, request: pytest.FixtureRequest, service: Service) -> Reranker:
        service.form = request.param
        return EndpointReranker(service.url, documents="texts" if request.param == "tei" else "documents")


def test_an_endpoint_gets_question_texts_model_and_key(service: Service) -> None:
    reranker = EndpointReranker(service.url, "rerank-1", api_key="secret")
    assert reranker.score("Which ship was borrowed?", PAIRS) == [2.0, 0.0]
    documents = ["Fram: A ship.\nAmundsen: He borrowed the Fram.", "Tea: A drink."]
    assert service.asked == [{"query": "Which ship was borrowed?", "documents": documents, "model": "rerank-1"}]
    assert service.keys == ["Bearer secret"]
    assert reranker.identity == "endpoint:rerank-1"
    assert EndpointReranker(service.url).identity == "endpoint:127.0.0.1"
    assert "secret" not in repr(reranker)


@pytest.mark.parametrize(
    ("body", "status", "message"),
    [
        ({"results": [{"index": 0, "relevance_score": 1}]}, 200, r"scored the documents \[0\]; expected each index"),
        ({"results": [{"index": "0", "relevance_score": 1}]}, 200, "without index and score: .*relevance_score"),
        ({"results": [{"index": 0}]}, 200, "without index and score"),
        ({"usage": {}}, 200, "answered without scores"),
        ("nothing", 200, "answered without scores: nothing"),
        ({"message": "invalid api token"}, 401, r"answered 401: invalid api token. .* Pass api_key\."),
        ({"error": "no such model"}, 404, "Check the model and url, which often ends in /rerank"),
        ({"error": "overloaded"}, 503, r"answered 503: overloaded \(1 attempts\)"),
    ],
)
def test_what_an_endpoint_does_wrong_is_told(service: Service, body: Any, status: int, message: str) -> None:
    service.body, service.status = body, status
    with pytest.raises(ReadingError, match=message):
        EndpointReranker(service.url, retries=0).score("Who?", PAIRS)


def test_settings_that_cannot_work_are_refused() -> None:
    with pytest.raises(InvalidInput, match=r"url is 'rerank'; expected the whole address"):
        EndpointReranker("rerank")
    with pytest.raises(InvalidInput, match="timeout is 0; it must be more than 0"):
        EndpointReranker("http://localhost/rerank", timeout=0)
    with pytest.raises(InvalidInput, match="retries is -1; it must be at least 0"):
        EndpointReranker("http://localhost/rerank", retries=-1)
    with pytest.raises(InvalidInput, match=r"no method predict\(pairs\)"):
        PredictingReranker(object(), "test:none")


def test_a_wrong_number_of_scores_is_refused() -> None:
    class Short:
        def predict(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
            return [1.0]

    with pytest.raises(ReadingError, match="test:short gave 1 scores for 2 passages"):
        scores_of(PredictingReranker(Short(), "test:short"), "Who?", PAIRS)


def test_ours_needs_onnxruntime(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(built_in, "ranker", lambda: None)
    with pytest.raises(ReadingError, match="onnxruntime is not installed"):
        BuiltInReranker().score("Who?", PAIRS)


def test_a_strategy_reads_with_another_reranker_and_the_trace_names_it(sample: Engine, service: Service) -> None:
    mine = replace(with_reranker(AUTO, EndpointReranker(service.url, "mine", api_key="secret")), name="auto-mine")
    result = sample.retrieve("Who drew the ship that Amundsen borrowed?", k=5, strategy=mine)
    assert len(service.asked) == 1
    assert (result.trace.reranker, result.calibrated) == ("endpoint:mine", False)
    assert "secret" not in result.to_json()
    assert result.trace.strategy["selector"]["RankedFusion"]["reranker"] == {
        "identity": "endpoint:mine", "calibrated": False,
    }  # fmt: skip
    ours = sample.retrieve("Who drew the ship that Amundsen borrowed?", k=5)
    assert (ours.trace.reranker, ours.calibrated) == ("multihop:ranker", True)


def test_a_strategy_that_did_not_read_does_so_at_the_end(sample: Engine) -> None:
    words = PredictingReranker(WordModel(), "test:words")
    result = sample.retrieve("Who drew the Fram?", k=3, strategy=with_reranker(BM25, words))
    assert result.trace.reranker == "test:words"
    assert without_models(with_reranker(BM25, words)) == BM25


def test_without_models_a_strategy_is_what_it_states_to_be() -> None:
    assert without_models(AUTO) == AUTO_FAST
    mine = with_reranker(AUTO, PredictingReranker(WordModel(), "test:words"))
    assert mine == with_reranker(AUTO, PredictingReranker(WordModel(), "test:words"))
    assert mine != AUTO
    assert without_models(mine) == replace(AUTO, selector=without_models(replace(AUTO, name="x")).selector)


def test_a_service_that_is_away_costs_a_note_and_not_the_question(sample: Engine, service: Service) -> None:
    service.body, service.status = {"error": "gone"}, 404
    away = with_reranker(AUTO, EndpointReranker(service.url))
    result = sample.retrieve("Who drew the Fram?", k=3, strategy=away)
    assert len(result.evidence) == 3
    assert (result.trace.reranker, result.calibrated) == ("", True)
    [note] = [note for note in result.trace.notes if note.code == "reranker-failed"]
    assert note.data["reranker"] == "endpoint:127.0.0.1"
    assert "404" in note.text
