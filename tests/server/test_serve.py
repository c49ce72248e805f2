"""`multihop serve` as a process: how it starts, what it refuses, and how it ends."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from multihop.engine import Engine
from multihop.errors import install_command
from multihop.server import tokens
from multihop.server.settings import Settings
from multihop.testing import sample_documents

from ..cli.command import command, environment, failure
from ..forking import PIPE, Started
from ..listening import Handler, listening
from ..patience import ENOUGH, patience

ASKED = {"question": "Who built the Fram?", "k": 2, "strategy": "auto-fast"}
IMPORTED = ("multihop.cli.serve", "multihop.engine", "multihop.server.launch")
Process = Started | subprocess.Popen[str]
Start = Callable[..., tuple[Process, httpx.Client]]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Start `multihop serve` on a free port, by a new interpreter if told so, and wait until it answers."""
    started: list[tuple[Process, httpx.Client]] = []

    def run(*arguments: str | Path, anew: bool = False, **changes: str) -> tuple[Process, httpx.Client]:
        serving = command("serve", "--port", "0", "--state", tmp_path / "state", *arguments)
        env = environment(**{"TMPDIR": str(tmp_path)} | changes)
        server = (
            subprocess.Popen(serving, env=env, stdout=PIPE, stderr=PIPE, encoding="utf-8")
            if anew
            else Started(serving, env, imports=IMPORTED, stdout=PIPE, stderr=PIPE)
        )
        assert server.stdout is not None
        line = server.stdout.readline()
        address = re.search(r"http://\S+", line)
        assert address, server.communicate()[1]
        client = httpx.Client(base_url=address.group(), timeout=ENOUGH)
        started.append((server, client))
        _until_ready(client)
        return server, client

    yield run
    for server, client in started:
        client.close()
        if server.poll() is None:
            server.kill()
        server.communicate()


def _until_ready(client: httpx.Client) -> None:
    with patience():
        while True:
            try:
                client.get("/ready").raise_for_status()
                return
            except httpx.TransportError:
                time.sleep(0.05)


def _until_models_are_loaded(server: Process) -> None:
    maps = Path(f"/proc/{server.pid}/maps")  # only Linux says what a process has loaded
    with patience():
        while maps.exists() and "onnxruntime" not in maps.read_text():
            time.sleep(0.05)


def _end(server: Process, by: signal.Signals = signal.SIGTERM) -> tuple[int, str]:
    server.send_signal(by)
    said = server.communicate(timeout=ENOUGH)[1]
    return server.wait(), said


@pytest.mark.parametrize("by", [signal.SIGTERM, signal.SIGINT])
def test_the_sample_index_is_served_with_models_loaded_before_the_first_question_and_left_without_a_trace(
    start: Start, tmp_path: Path, by: signal.Signals
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    server, client = start("--demo", anew=True, TMPDIR=str(temporary))
    assert client.get("/v1/indexes").json()["indexes"][0]["name"] == "sample"
    _until_models_are_loaded(server)
    read = client.post("/v1/indexes/sample/retrieve", json=ASKED | {"strategy": "auto"})
    assert len(read.json()["evidence"]) == 2
    assert _end(server, by) == (0, "")
    assert list(temporary.iterdir()) == []


def test_several_indexes_under_names_of_their_own_and_a_log_that_says_when_how_bad_who_and_what(
    start: Start, settings: Settings
) -> None:
    place = settings.indexes[0].place
    server, client = start("--index", place, "--index", f"other={place}", "--max-k", "5", "--read-only")
    assert [i["name"] for i in client.get("/v1/indexes").json()["indexes"]] == ["sample", "other"]
    assert client.post("/v1/indexes/other/retrieve", json=ASKED | {"k": 6}).status_code == 422
    with socket.create_connection((client.base_url.host, client.base_url.port or 0)) as raw:
        raw.sendall(b"nonsense\r\n\r\n")
        assert raw.recv(1000).startswith(b"HTTP/1.1 400")
    status, said = _end(server)
    assert status == 0
    when = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d{4}"
    assert re.fullmatch(rf"{when} WARNING uvicorn\.error: Invalid HTTP request received\.\n", said)


@pytest.mark.parametrize("workers", ["1", "2"])
def test_an_index_on_a_server_of_its_own(start: Start, address: str, tmp_path: Path, workers: str) -> None:
    with Engine.open(address, create=True) as engine:
        engine.add(sample_documents())
    named = f"news={address}&application_name=a%3Db"
    server, client = start("--store", named, "--index", address, "--workers", workers)
    described = client.get("/v1/indexes")
    assert [i["name"] for i in described.json()["indexes"]] == ["news", re.findall(r"index=(\w+)", address)[0]]
    assert "postgresql" not in described.text
    assert len(client.post("/v1/indexes/news/retrieve", json=ASKED).json()["evidence"]) == 2
    put = client.put("/v1/indexes/news/documents/fog", json={"text": "Fog is grey."})
    assert put.json()["documents"] == 1
    assert client.get("/v1/indexes/news/documents/fog").json()["text"] == "Fog is grey."
    stats = client.get("/v1/indexes/news/stats")
    assert (stats.status_code, "postgresql" in stats.text) == (200, False)
    assert _end(server) == (0, "")


@pytest.mark.release  # several processes start, and one ends
def test_several_processes_answer_and_count_together_and_one_that_dies_is_replaced(
    start: Start, settings: Settings
) -> None:
    server, client = start("--index", settings.indexes[0].place, "--workers", "2")
    ready = time.monotonic()
    upload = client.post("/v1/indexes/sample/uploads", files={"file": ("fog.txt", b"Fog is grey.")}).json()
    # Each request on a connection of its own, which any of the processes may take.
    once = httpx.Limits(max_keepalive_connections=0)
    with httpx.Client(base_url=client.base_url, timeout=ENOUGH, limits=once) as fresh:
        asked = [fresh.post("/v1/indexes/sample/retrieve", json=ASKED) for _ in range(12)]
        assert {answer.status_code for answer in asked} == {200}
        counted = re.search(r'multihop_questions_total\{[^}]*"answered"[^}]*\} (\S+)', fresh.get("/metrics").text)
        assert counted
        assert float(counted.group(1)) == 12
        while fresh.get(f"/v1/jobs/{upload['id']}").json()["state"] in ("waiting", "running"):
            time.sleep(0.05)
        found = [fresh.get("/v1/indexes/sample/documents/fog.txt") for _ in range(8)]
        assert {answer.status_code for answer in found} == {200}
        time.sleep(max(0.0, ready + 5.5 - time.monotonic()))  # what dies sooner is not started again
        before = _children(server.pid)
        os.kill(before[0], signal.SIGKILL)
        while len(after := _children(server.pid)) < 2 or after == before:
            time.sleep(0.05)
        assert {fresh.get("/ready").status_code for _ in range(10)} == {200}
    status, said = _end(server)
    assert status == 0
    assert re.fullmatch(r"worker process \d+ exited with -9; restarting it\n", said)


def test_spans_reach_a_collector(start: Start) -> None:
    received: list[ExportTraceServiceRequest] = []

    class Collector(Handler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            received.append(ExportTraceServiceRequest.FromString(body))
            self.send_response(200)
            self.end_headers()

    with listening(Collector) as port:
        address = f"http://127.0.0.1:{port}"
        server, client = start("--demo", "--otel", OTEL_EXPORTER_OTLP_ENDPOINT=address)
        client.post("/v1/indexes/sample/retrieve", json=ASKED).raise_for_status()
        # What has not been sent when the server ends is sent then.
        assert _end(server) == (0, "")
    spans = [
        span.name for r in received for resource in r.resource_spans for s in resource.scope_spans for span in s.spans
    ]
    assert sorted(spans) == ["multihop.hop 1", "multihop.hop 2", "multihop.retrieve"]


def test_processes_do_not_outlive_the_one_that_started_them(start: Start) -> None:
    server, _ = start("--demo", "--workers", "2")
    children = _children(server.pid)
    assert len(children) == 2
    server.kill()
    while any(Path(f"/proc/{child}").exists() for child in children):
        time.sleep(0.05)


def _children(pid: int) -> list[int]:
    """The processes that serve: python starts one more, which watches over what they share."""
    found = [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return [child for child in found if "spawn_main" in Path(f"/proc/{child}/cmdline").read_text()]


def test_questions_under_way_are_answered_before_the_end(start: Start, settings: Settings) -> None:
    server, client = start("--index", settings.indexes[0].place)
    questions = {
        "questions": ["Who drew the ship that Amundsen borrowed?"] * 6,
        "k": 20,
        "strategy": "aspects",
    }
    answers: list[httpx.Response] = []
    asking = threading.Thread(
        target=lambda: answers.append(client.post("/v1/indexes/sample/retrieve/batch", json=questions))
    )
    asking.start()
    with httpx.Client(base_url=client.base_url, timeout=ENOUGH) as watching:
        while "multihop_questions_total{" not in watching.get("/metrics").text:
            time.sleep(0.01)
    assert _end(server) == (0, "")
    asking.join()
    assert [len(r["evidence"]) for r in answers[0].json()["results"]] == [20] * 6


def test_a_killed_server_begins_its_jobs_again(start: Start, settings: Settings) -> None:
    server, client = start("--index", settings.indexes[0].place)
    lines = "".join(f'{{"id": "n{i}", "title": "Number {i}", "text": "Text {i}."}}\n' for i in range(10_000))
    files: Any = {"file": ("many.jsonl", lines.encode())}
    job = client.post("/v1/indexes/sample/uploads", files=files).json()
    while client.get(f"/v1/jobs/{job['id']}").json()["state"] == "waiting":
        time.sleep(0.01)
    server.kill()
    server.communicate()
    _, again = start("--index", settings.indexes[0].place)
    while (after := again.get(f"/v1/jobs/{job['id']}").json())["state"] in ("waiting", "running"):
        time.sleep(0.05)
    assert (after["state"], after["result"]["documents"]) == ("done", 10_000)
    assert again.get("/v1/indexes/sample/documents/n9999").status_code == 200
    assert again.get("/v1/indexes").json()["indexes"][0]["documents"] == 10_182


def test_what_is_reachable_from_elsewhere_needs_tokens(start: Start, tmp_path: Path) -> None:
    token = tokens.create(tmp_path / "tokens.json", "me", ["read"])
    _, client = start("--demo", "--host", "0.0.0.0", "--token-file", tmp_path / "tokens.json")
    assert client.get("/v1/indexes").status_code == 401
    assert client.get("/v1/indexes", headers={"Authorization": f"Bearer {token}"}).status_code == 200


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "give --index, or --demo for the sample index"),
        (["--demo", "--host", "0.0.0.0"], "on 0.0.0.0 others can reach the server: give --token-file"),
        (["--demo", "--no-auth", "--token-file", "x"], "--no-auth cannot be combined with --token-file"),
    ],
)
def test_commands_that_are_not_understood(arguments: list[str], said: str) -> None:
    assert said in failure("serve", *arguments, status=2)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--index", "none.mh"], "there is no index at 'none.mh'"),
        (["--demo", "--token-file", "none.json"], "multihop token create --file none.json --name NAME --rights read"),
        (["--demo", "--reports", "none"], "the folder of reports 'none' does not exist"),
        (["--index", "a/x.mh", "--index", "b/x.mh"], "two indexes have the name 'x'"),
        (["--index", "ü.mh"], "'ü' cannot be used as the name of an index; give another: --index NAME=ü.mh"),
        (["--demo", "--host", "192.0.2.1", "--no-auth"], "cannot listen on 192.0.2.1:"),
    ],
)
def test_what_cannot_be_served(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert said in failure("serve", "--state", "state", *arguments)


def test_a_state_that_cannot_be_kept(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    said = failure("serve", "--demo", "--state", tmp_path / "file")
    assert "the server cannot store its state in" in said
    assert said.endswith("give another folder with --state")


def test_a_port_in_use(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        said = failure("serve", "--demo", "--state", tmp_path, "--port", str(taken.getsockname()[1]))
    assert re.fullmatch(r"cannot listen on 127.0.0.1:\d+: Address already in use[^\n]*", said)


def test_without_the_extra_the_install_command_is_said() -> None:
    code = "import sys; sys.modules['fastapi'] = None; from multihop.cli import main; main()"
    line = [*command()[:3], "-c", code, "serve", "--demo"]
    done = subprocess.run(line, env=environment(), capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 1
    assert done.stderr.strip().endswith(f"Install it with: {install_command('server')}")
