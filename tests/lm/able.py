"""A scripted model that knows the sample questions, and a server that speaks for it over HTTP."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from multihop.testing import sample_documents, sample_questions
from multihop.testing.lm import ScriptedLM

from ..listening import Handler, listening

TITLES = {d.id: d.title for d in sample_documents()}
QUESTIONS = {q.text: q for q in sample_questions()}


def able(step: str, inputs: Mapping[str, str]) -> Any:
    """Answer as a good model would: it names the documents that the question needs."""
    question = QUESTIONS.get(inputs.get("claim", ""))
    wanted = [TITLES[id] for id in question.gold] if question else []
    return {
        "claim_decomposition": {"sub_questions": [f"What is known of {t}?" for t in wanted[:3]]},
        "gap_analyzer": {"missing_facts": wanted, "query": wanted[-1] if wanted else ""},
        "entity_extractor": {"entities": wanted, "relationships": [f"{t} matters" for t in wanted]},
        "gap_analysis": {"queries": wanted, "missing_information": wanted},
        "bridging_entity_identifier": {"bridging_entities": wanted},
        "entity_query_decomposition": {"queries": wanted},
        "follow_up_queries": {"queries": wanted},
        "document_reranker": {"ranked_ids": ranked(inputs.get("documents", ""), wanted)},
        "standalone_question": {"question": inputs.get("follow_up", "")},
        "cited_answer": {"answer": "unknown", "statements": []},
        "quoted_value": {"value": "55%", "quote": "reduce emissions by 55% by 2030"},
        "claim_verdict": {"verdict": "supported", "deciding": [1, 2]},
    }.get(step)


def ranked(documents: str, wanted: list[str]) -> list[int]:
    """Put the documents with a wanted title first."""
    lines = re.findall(r"\[(\d+)\] ([^|\n]+?) \|", documents)
    first = [int(n) for n, title in lines if title in wanted]
    return [*first, *(int(n) for n, title in lines if title not in wanted)]


@contextmanager
def server(
    lm: ScriptedLM,
    refuse: int = 0,
    *,
    streams: bool = True,
    schemas: bool = True,
    before_last: Callable[[], object] = lambda: None,
) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Serve a scripted model as OpenAI and Ollama do; the first `refuse` requests are told to come back later.

    `before_last` is called when all pieces of a streamed answer but the last ones are sent.
    """
    requests: list[dict[str, Any]] = []

    class Model(Handler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            requests.append({"path": self.path, "key": self.headers.get("authorization"), **body})
            if len(requests) <= refuse:
                self._send(429, {"error": {"message": "slow down", "type": "rate_limit"}})
                return
            if body.get("stream") and not streams:
                self._send(400, {"error": {"message": "this server does not stream", "type": "invalid_request"}})
                return
            if "response_format" in body and not schemas:
                self._send(400, {"error": {"message": "response_format is unknown", "type": "invalid_request"}})
                return
            said = lm(messages=body["messages"])[0]
            if body.get("stream"):
                self._stream(said)
                return
            if self.path == "/api/chat":
                told = {"role": "assistant", "content": said}
                self._send(200, {"model": body["model"], "message": told, "done": True, "done_reason": "stop",
                                 "prompt_eval_count": 70, "eval_count": 30})  # fmt: skip
                return
            message = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": said}}
            usage = {"prompt_tokens": 70, "completion_tokens": 30, "total_tokens": 100}
            self._send(200, {"id": "1", "object": "chat.completion", "created": 1, "model": body["model"],
                             "choices": [message], "usage": usage})  # fmt: skip

        def _stream(self, said: str) -> None:
            """Send an answer as OpenAI streams it, a few letters at a time."""
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.end_headers()
            about = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "scripted"}
            pieces = [said[i : i + 7] for i in range(0, len(said), 7)]
            for place, (piece, end) in enumerate([*((p, None) for p in pieces), ("", "stop")]):
                if place == len(pieces) - 6:
                    before_last()
                choice = {"index": 0, "delta": {"role": "assistant", "content": piece}, "finish_reason": end}
                self.wfile.write(f"data: {json.dumps({**about, 'choices': [choice]})}\n\n".encode())
            self.wfile.write(b"data: [DONE]\n\n")

        def _send(self, status: int, value: object) -> None:
            data = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("retry-after", "0")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    with listening(Model) as port:
        yield f"http://127.0.0.1:{port}/v1", requests
