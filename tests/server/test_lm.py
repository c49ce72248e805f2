"""A server with a language model: it says so, its answers show the calls, and one that fails harms nothing."""

from __future__ import annotations

from dataclasses import dataclass

from multihop.lm import Model
from multihop.testing import sample_questions
from multihop.testing.lm import Faults, ScriptedLM

from ..cli.command import failure
from ..lm.able import able
from .conftest import Serve

QUESTION = {"question": sample_questions()[0].text, "k": 3}


@dataclass(frozen=True)
class Scripted:
    """Opens a model inside the process that answers by script."""

    faults: Faults | None = None

    def open(self) -> Model:
        return Model(ScriptedLM(able, self.faults), sleep=lambda _: None)


def test_questions_use_the_model_and_the_trace_shows_it(serve: Serve) -> None:
    client = serve(lm=Scripted())
    told = client.get("/v1/strategies").json()
    assert told["language_model"] == "scripted/model"
    assert "by a language model" in next(s["description"] for s in told["strategies"] if s["name"] == "auto")
    calls = client.post("/v1/indexes/sample/retrieve", json=QUESTION).json()["trace"]["lm_calls"]
    assert [c["step"] for c in calls] == ["claim_decomposition", "follow_up_queries", "document_reranker"]
    streamed = client.post("/v1/indexes/sample/retrieve/stream", json=QUESTION).text
    assert '"step": "document_reranker"' in streamed


def test_a_model_that_fails_does_not_fail_the_question(serve: Serve) -> None:
    client = serve(lm=Scripted(Faults(("unreachable",))))
    answer = client.post("/v1/indexes/sample/retrieve", json=QUESTION | {"strategy": "gap"})
    assert answer.status_code == 200
    assert len(answer.json()["evidence"]) == 3
    assert all(call["problem"] for call in answer.json()["trace"]["lm_calls"])


def test_without_a_model_that_is_said(serve: Serve) -> None:
    assert serve().get("/v1/strategies").json()["language_model"] is None


def test_a_model_that_cannot_be_opened_stops_the_start() -> None:
    assert "named provider/model" in failure("serve", "--demo", "--lm", "nonsense")
    assert "named provider/model" in failure("mcp", "--demo", "--lm", "nonsense")
    assert "need --lm" in failure("serve", "--demo", "--lm-calls", "3", status=2)


def test_a_model_resolves_follow_up_questions_unless_told_not_to(serve: Serve) -> None:
    client = serve(lm=Scripted())
    turn = {"question": "Who drew the Fram?", "resolved": "Who drew the Fram?", "answer": "Colin Archer",
            "kind": "person", "passages": ["colin-archer#0"]}  # fmt: skip
    body = {"question": "When was he born?", "strategy": "bm25", "k": 3, "turns": [turn]}
    helped, alone = (
        client.post("/v1/indexes/sample/conversation", json=body | {"lm": lm}).json() for lm in (True, False)
    )
    # The scripted model leaves the question as it is; rules put a name in.
    assert helped["turn"]["resolved"] == "When was he born?"
    assert helped["answer"]["result"]["trace"]["lm_calls"][0]["step"] == "standalone_question"
    assert alone["turn"]["resolved"] == "When was Colin Archer born?"
    assert "lm_calls" not in alone["answer"]["result"]["trace"]
