"""The configuration for nginx that ships, in a real nginx: TLS, a path of its own, tokens, streams, limits."""

from __future__ import annotations

import http.client
import http.server
import shutil
import socket
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import httpx
import pytest

from multihop.server.tokens import create

from ..listening import Handler, listening
from ..patience import ENOUGH
from ..server.conftest import Listen, listen, settings

__all__ = ["listen", "settings"]

ROOT = Path(__file__).parents[2]
QUESTION = {"question": "Who drew the ship that Amundsen borrowed?", "k": 3}
Behind = Callable[[int], httpx.Client]

pytestmark = pytest.mark.nginx


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


@pytest.fixture
def behind(tmp_path: Path) -> Iterator[Behind]:
    """Start nginx before a server on a port of this machine; what is given asks it, below its path."""
    program = shutil.which("nginx") or "/usr/sbin/nginx"
    running: list[subprocess.Popen[bytes]] = []

    def start(port: int) -> httpx.Client:
        plain, secure = _free_port(), _free_port()
        certificate, key = tmp_path / "own.crt", tmp_path / "own.key"
        request = "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost"
        files = ["-keyout", str(key), "-out", str(certificate)]
        subprocess.run(["openssl", *request.split(), *files], check=True, capture_output=True)
        site = (ROOT / "deploy" / "nginx.conf").read_text(encoding="utf-8")
        for ours, here in {
            "listen 80;": f"listen 127.0.0.1:{plain};", "listen 443 ssl;": f"listen 127.0.0.1:{secure} ssl;",
            "search.example;": "localhost;", "127.0.0.1:8000": f"127.0.0.1:{port}",
            "/etc/ssl/search.example.crt": str(certificate), "/etc/ssl/search.example.key": str(key),
        }.items():  # fmt: skip
            assert ours in site
            site = site.replace(ours, here)
        folders = "".join(f"{kind}_temp_path {tmp_path}/{kind};" for kind in ("client_body", "proxy", "fastcgi"))
        more = "".join(f"{kind}_temp_path {tmp_path}/{kind};" for kind in ("uwsgi", "scgi"))
        whole = f"daemon off; pid {tmp_path}/pid; error_log {tmp_path}/log; events {{}}\n"
        whole += f"http {{ access_log off; {folders} {more}\n{site} }}"
        (tmp_path / "nginx.conf").write_text(whole, encoding="utf-8")
        line = [program, "-p", str(tmp_path), "-c", str(tmp_path / "nginx.conf"), "-e", str(tmp_path / "log")]
        subprocess.run([*line, "-t"], check=True, capture_output=True)
        running.append(subprocess.Popen(line))
        trusted = ssl.create_default_context(cafile=str(certificate))
        transport = httpx.HTTPTransport(verify=trusted, retries=20)
        return httpx.Client(base_url=f"https://localhost:{secure}/search/", transport=transport, timeout=ENOUGH)

    yield start
    for process in running:
        process.terminate()
        process.wait()


def test_the_server_answers_below_a_path_with_tls_and_tokens(behind: Behind, listen: Listen, tmp_path: Path) -> None:
    file = tmp_path / "tokens.json"
    token = create(file, "page", ["read"])
    client = behind(listen(tokens=file).base_url.port or 0)
    with client:
        assert client.get("").text.startswith("<!doctype html>")
        assert client.get("app.js").status_code == 200
        assert 'href="openapi.json"' in client.get("docs").text
        assert client.get("health").status_code == 200
        assert client.get("v1/indexes").status_code == 401
        client.headers["Authorization"] = f"Bearer {token}"
        titles = [
            each["passage"]["title"]
            for each in client.post("v1/indexes/sample/retrieve", json=QUESTION).json()["evidence"]
        ]
        assert "Colin Archer" in titles
        streamed = client.post("v1/indexes/sample/retrieve/stream", json=QUESTION)
        assert streamed.headers["content-type"].startswith("text/event-stream")
        assert streamed.text.count("event: hop") >= 2
        assert streamed.text.count("event: result") == 1


def test_what_is_too_large_is_refused_before_it_is_sent(behind: Behind, listen: Listen, tmp_path: Path) -> None:
    with behind(listen().base_url.port or 0) as client:
        assert client.get("health").status_code == 200
        trusted = ssl.create_default_context(cafile=str(tmp_path / "own.crt"))
        with closing(http.client.HTTPSConnection("localhost", client.base_url.port, context=trusted)) as connection:
            connection.putrequest("POST", "/search/v1/indexes/sample/uploads")
            connection.putheader("Content-Length", "300000000")
            connection.endheaders()
            assert connection.getresponse().status == 413


class _Slow(Handler):
    """Sends an event, and the next one when it is told to."""

    go_on = threading.Event()

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        self.wfile.write(b"event: hop\n\n")
        self.go_on.wait(ENOUGH)
        self.wfile.write(b"event: result\n\n")


def test_an_event_arrives_while_the_next_is_still_being_worked_on(behind: Behind) -> None:
    with listening(_Slow) as upstream:
        try:
            with behind(upstream) as client, client.stream("GET", "slow") as answer:
                parts = answer.iter_bytes()
                # A proxy that kept it back would wait for the end, which comes only after this.
                assert next(parts) == b"event: hop\n\n"
                _Slow.go_on.set()
                assert b"".join(parts) == b"event: result\n\n"
        finally:
            _Slow.go_on.set()
