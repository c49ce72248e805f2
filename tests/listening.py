"""A real HTTP server on this machine that answers as a test says."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread


class Handler(BaseHTTPRequestHandler):
    """Answers as its subclass says, and prints nothing."""

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def listening(handler: type[Handler]) -> Iterator[int]:
    """Serve until the block is left; gives the port."""
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
            thread.join()
