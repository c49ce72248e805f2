"""`multihop mcp` as assistants meet it: a process of its own, asked by the SDK's client over both transports."""

from __future__ import annotations

import asyncio
import json
import os
import pty
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import httpx2
import pytest
from mcp import Client, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

import multihop
from multihop import Engine
from multihop.testing import sample_documents

from ..cli.command import failure
from ..forking import PIPE, Started, run
from .conftest import EXPECTED, QUESTION

SOURCE = str(Path(multihop.__file__).parents[1])
IMPORTED = ("multihop.cli.mcp", "multihop.adapters.mcp.transport")
TOKEN = "a-token-of-good-length"


def command(*arguments: str | Path) -> list[str]:
    return [sys.executable, "-W", "error", "-m", "multihop", "mcp", *map(str, arguments)]


def environment(**changes: str) -> dict[str, str]:
    return dict(os.environ) | {"PYTHONPATH": SOURCE} | changes


def over_stdio(*arguments: str | Path) -> Any:
    program, *rest = command(*arguments)
    return stdio_client(StdioServerParameters(command=program, args=rest, env=environment()))


@pytest.fixture(scope="module")
def shared(sample_index: Path) -> Iterator[str]:
    """The address of a server that several tests ask; what they send must not harm it."""
    with over_http("--index", sample_index) as (address, running):
        yield address
        assert running.poll() is None


@contextmanager
def over_http(
    *arguments: str | Path, anew: bool = False, **changes: str
) -> Iterator[tuple[str, Started | subprocess.Popen[str]]]:
    """Run the server on a free port, by a new interpreter if told so; gives its address, said when it is ready."""
    line = command(*arguments, "--http", "--port", "0")
    env = environment(**changes)
    with (
        subprocess.Popen(line, stderr=PIPE, text=True, env=env)
        if anew
        else Started(line, env, imports=IMPORTED, stderr=PIPE)
    ) as running:
        try:
            assert running.stderr is not None
            said = running.stderr.readline()
            address = re.search(r"http://\S+", said)
            assert address, said + running.stderr.read()
            yield address[0], running
        finally:
            running.kill()


async def conversation(client: Client) -> None:
    """Ask every tool once."""
    assert client.server_info is not None
    assert (client.server_info.name, client.server_info.version) == ("multihop", multihop.__version__)
    assert client.instructions is not None
    assert "retrieve_evidence" in client.instructions
    listed = [tool.name for tool in (await client.list_tools()).tools]
    assert listed == [
        "retrieve_evidence", "answer_question", "explain_evidence", "search", "grep", "read", "missing", "research",
        "list_indexes", "metadata_values",
    ]  # fmt: skip
    found = await asked(client, "retrieve_evidence", question=QUESTION, k=3, full=True)
    assert [e["passage"] for e in found["evidence"]] == EXPECTED
    told = await asked(client, "explain_evidence", question=QUESTION, k=3, passage="colin-archer#0")
    assert told["passage"]["rank"] == 3
    document = await asked(client, "read", id=found["evidence"][2]["document"])
    assert document["text"].startswith("Colin Archer came into the world in Larvik")
    hits = await asked(client, "search", query="rescue cutters", k=1, where={"country": "Norway"})
    assert hits["evidence"][0]["passage"] == "colin-archer#0"
    exact = await asked(client, "grep", pattern="rescue cutters")
    assert [m["passage"] for m in exact["matches"]] == ["colin-archer#0"]
    assert "ship" in (await asked(client, "missing", question=QUESTION, passages=[]))["words"]
    assert [i["documents"] for i in (await asked(client, "list_indexes"))["indexes"]] == [182]
    wrong = await client.call_tool("retrieve_evidence", {"question": QUESTION, "k": 0})
    assert wrong.is_error
    at_once: dict[str, Any] = {"question": QUESTION, "k": 3, "strategy": "auto-fast"}
    alone = await asked(client, "retrieve_evidence", **at_once)
    assert sorted(e["passage"] for e in alone["evidence"]) == sorted(EXPECTED)
    many = await asyncio.gather(*(asked(client, "retrieve_evidence", **at_once) for _ in range(3)))
    assert all(each == alone for each in many)


async def asked(client: Client, tool: str, **arguments: Any) -> Any:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    return result.structured_content


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_stdio(folder: Path, mode: str) -> None:
    async def talk() -> None:
        async with Client(over_stdio("--index", folder), mode=mode) as client:
            await conversation(client)

    asyncio.run(talk())


def test_http(folder: Path) -> None:
    async def talk(address: str, mode: Literal["auto", "legacy"]) -> None:
        async with Client(address, mode=mode) as client:
            await conversation(client)

    with over_http("--index", f"wiki={folder}", anew=True) as (address, running):
        assert address.startswith("http://127.0.0.1:")
        asyncio.run(talk(address, "auto"))
        asyncio.run(talk(address, "legacy"))
        running.send_signal(signal.SIGTERM)
        assert running.wait() == 128 + signal.SIGTERM
        assert running.stderr is not None
        assert running.stderr.read() == ""


def test_the_demo_and_an_index_side_by_side(folder: Path) -> None:
    async def talk(address: str) -> Any:
        async with Client(address) as client:
            return await asked(client, "list_indexes"), await asked(client, "search", query="Fram", index="sample")

    with over_http("--demo", "--index", f"mine={folder}") as (address, _):
        listed, found = asyncio.run(talk(address))
    assert [i["name"] for i in listed["indexes"]] == ["mine", "sample"]
    assert found["evidence"][0]["passage"] == "fram-ship#0"


def test_an_index_on_a_server(address: str) -> None:
    with Engine.open(address, create=True) as engine:
        engine.add(sample_documents())

    async def talk(server: str) -> tuple[Any, Any]:
        async with Client(server) as client:
            found = await asked(client, "retrieve_evidence", question=QUESTION, k=3, full=True)
            return await asked(client, "list_indexes"), found

    with over_http("--store", f"news={address}") as (server, _):
        listed, found = asyncio.run(talk(server))
    assert [i["name"] for i in listed["indexes"]] == ["news"]
    assert "postgresql" not in json.dumps((listed, found))
    assert [e["passage"] for e in found["evidence"]] == EXPECTED


def test_a_token_is_asked_of_every_request(folder: Path) -> None:
    async def talk(address: str, token: str) -> Any:
        headers = {"Authorization": f"Bearer {token}"}
        async with (
            httpx2.AsyncClient(headers=headers) as http,
            Client(streamable_http_client(address, http_client=http)) as client,
        ):
            return await asked(client, "search", query="Fram", k=1)

    with over_http("--index", folder, MULTIHOP_MCP_TOKEN=TOKEN) as (address, _):
        assert asyncio.run(talk(address, TOKEN))["evidence"]
        for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": TOKEN}):
            refused = httpx2.post(address, json={}, headers=headers)
            assert refused.status_code == 401
            assert refused.headers["www-authenticate"] == "Bearer"
            assert refused.json() == {"error": "this server needs a bearer token"}


def test_nonsense_over_http_is_refused_and_harms_nothing(shared: str) -> None:
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}

    async def talk() -> Any:
        async with Client(shared) as client:
            return await asked(client, "search", query="Fram", k=1)

    for body in (b"\xff" * 100, b"{}", b"[" * 10_000, b""):
        refused = httpx2.post(shared, content=body, headers=headers)
        assert refused.status_code == 400
        assert SOURCE not in refused.text
    assert httpx2.post(shared, content=b" " * 5_000_000, headers=headers).status_code == 413
    assert asyncio.run(talk())["evidence"]


def test_a_page_of_another_site_is_refused(shared: str) -> None:
    """A browser that was lured to a name that resolves to this machine sends that name, and gets nothing."""
    for headers in ({"Host": "evil.example"}, {"Origin": "http://evil.example"}):
        assert httpx2.post(shared, json={}, headers=headers).status_code in (403, 421)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_while_it_waits_for_stdin(tmp_path: Path, number: signal.Signals) -> None:
    """What the demo wrote is removed."""
    env = environment(TMPDIR=str(tmp_path))
    with Started(command("--demo"), env, imports=IMPORTED, stdin=PIPE, stdout=PIPE, stderr=PIPE) as running:
        try:
            assert running.stdin is not None
            assert running.stdout is not None
            assert running.stderr is not None
            running.stdin.write('{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n')
            running.stdin.flush()
            running.stdout.readline()
            assert list(tmp_path.iterdir())
            running.send_signal(number)
            assert running.wait() == 128 + number
            assert running.stderr.read() == ""
        finally:
            running.kill()
    assert list(tmp_path.iterdir()) == []


def test_a_person_at_a_terminal_is_told_what_it_waits_for(folder: Path) -> None:
    ours, theirs = pty.openpty()
    with Started(
        command("--index", folder), environment(), imports=IMPORTED, stdin=theirs, stdout=PIPE, stderr=PIPE
    ) as running:
        try:
            assert running.stderr is not None
            assert running.stderr.readline().startswith("waiting for an assistant on stdin; ")
        finally:
            running.kill()
    os.close(ours)
    os.close(theirs)


def test_nonsense_over_stdio_harms_nothing(folder: Path) -> None:
    def request(id: int, query: str) -> bytes:
        call = {"name": "search", "arguments": {"query": query, "k": 1}}
        return json.dumps({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": call}).encode() + b"\n"

    client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    hello = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": client}
    lines = (
        json.dumps(hello).encode() + b'\n{"jsonrpc": "2.0", "method": "notifications/initialized"}\n',
        b"\xff\xfe garbage\n{}\n\n" + b"[" * 10_000 + b"\n",
        request(1, "\ud800 Fram"),
        request(2, "x" * 3_000_000),
        request(3, "Fram\x00\x1b[31m"),
    )
    with Started(command("--index", folder), environment(), imports=IMPORTED, stdin=PIPE, stdout=PIPE) as running:
        try:
            assert running.stdin is not None
            assert running.stdout is not None
            with open(running.stdin.fileno(), "wb", closefd=False) as raw:
                raw.write(b"".join(lines))
            answers = {}
            while 3 not in answers:
                answer = json.loads(running.stdout.readline())
                answers[answer.get("id")] = answer.get("result")
            running.stdin.close()
            assert running.wait() == 0
        finally:
            running.kill()
    assert answers[2]["isError"]
    assert answers[2]["content"][0]["text"].startswith("query: string should have at most 4000 characters, got 'xxx")
    assert answers[3]["structuredContent"]["evidence"][0]["passage"] == "fram-ship#0"


def test_it_ends_with_stdin(folder: Path) -> None:
    done = run(command("--index", folder), environment(), imports=IMPORTED)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_taken_port_is_one_line(folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        said = failure("mcp", "--index", folder, "--http", "--port", str(port))
    assert said == f"cannot serve at 127.0.0.1, port {port}: Address already in use"
