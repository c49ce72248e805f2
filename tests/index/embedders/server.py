"""A real HTTP server that speaks `/v1/embeddings`, and can be told to misbehave."""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from ...listening import Handler, listening

DIMENSION = 8


@dataclass
class Reply:
    """One answer in place of the right one; `cut` promises more bytes than are sent.

    With `endless` the body is sent again and again, with so many seconds in between, until nobody listens any more.
    """

    status: int = 200
    body: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    cut: bool = False
    silent_until: threading.Event | None = None
    endless: float | None = None


@dataclass
class EmbeddingServer:
    """What the server was asked, and the replies it will give before it behaves."""

    port: int = 0
    replies: list[Reply] = field(default_factory=list)
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    reverse: bool = False
    without_index: bool = False

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def answer(self, payload: dict[str, Any]) -> dict[str, Any]:
        dimension = payload.get("dimensions", DIMENSION)
        data = [{"index": i, "embedding": vector(text, dimension)} for i, text in enumerate(payload["input"])]
        if self.without_index:
            data = [{"embedding": item["embedding"]} for item in data]
        return {"object": "list", "data": data[::-1] if self.reverse else data, "model": payload["model"]}


def vector(text: str, dimension: int = DIMENSION) -> list[float]:
    digest = hashlib.sha512(text.encode()).digest()
    return [byte - 127.5 for byte in digest[:dimension]]


@contextmanager
def embedding_server() -> Iterator[EmbeddingServer]:
    state = EmbeddingServer()

    class Embeddings(Handler):
        def do_POST(self) -> None:
            payload = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            state.paths.append(self.path)
            state.requests.append(payload)
            state.headers.append(dict(self.headers))
            reply = state.replies.pop(0) if state.replies else Reply(body=json.dumps(state.answer(payload)))
            if reply.silent_until is None:
                self._send(reply)
            else:
                reply.silent_until.wait(5)
                self.close_connection = True

        def _send(self, reply: Reply) -> None:
            body = reply.body.encode()
            self.send_response(reply.status)
            if reply.endless is not None:
                self.end_headers()
                self.close_connection = True
                with suppress(OSError):
                    while True:
                        self.wfile.write(body)
                        time.sleep(reply.endless)
                return
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body) + (100 if reply.cut else 0)))
            self.end_headers()
            self.wfile.write(body)

    with listening(Embeddings) as state.port:
        yield state
