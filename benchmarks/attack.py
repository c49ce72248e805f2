"""Attacks on a server of one's own on this machine: what it answers, and how long `/health` takes meanwhile.

Every attack is bounded in count and time, and only loopback addresses are attacked. Without `--url` a server is started
over two copies of the sample index, each with a token of its own, so that the boundary between tenants is attacked too,
and that between readers of one index. `--store` puts them into an empty PostgreSQL database.

    python benchmarks/attack.py
    python benchmarks/attack.py --store postgresql://user@host/database
    python benchmarks/attack.py --only cancelled,characters
    python benchmarks/attack.py --url http://127.0.0.1:8000 --index wiki --token mh_…
"""

from __future__ import annotations

import argparse
import asyncio
import io
import ipaddress
import json
import multiprocessing
import re
import subprocess
import sys
import tempfile
import time
import zipfile
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from http.client import HTTPConnection
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx

from multihop import Document, Engine, Rights
from multihop.server.tokens import create, delete
from multihop.testing import sample_documents

SECONDS = 30.0
"""Time limit of one attack."""
QUESTION = "Who drew the ship that carried Nansen?"
SECRET, UNKNOWN = "quorvex", "quorvey"
"""A word that only the private document has, and one that no document has."""
PRIVATE = Document("private", f"The {SECRET} of the Fram is kept in a vault.", SECRET.title(), {"allow": "ann"})
"""What another reader of our index may see, and the reader that is attacked with may not."""
SLOW = 1.0
"""Seconds within which /health is to answer under any attack."""


@dataclass
class Target:
    """The attacked server: an index with its token and, if it is our own, another tenant's."""

    url: str
    index: str
    token: str = ""
    other: str = ""
    tokens: Path | None = None
    reader: str = ""
    """A token that may not see everything in the index."""
    statuses: Counter[str] = field(default_factory=Counter)
    findings: list[str] = field(default_factory=list)

    @property
    def base(self) -> str:
        return f"/v1/indexes/{self.index}"

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"} if self.token else {}

    def client(self, limit: float = SECONDS) -> httpx.AsyncClient:
        bounds = httpx.Limits(max_connections=200)
        return httpx.AsyncClient(base_url=self.url, headers=self.headers, timeout=limit, limits=bounds)

    async def many(self, count: int, method: str, path: str, at_once: int = 100, **options: object) -> None:
        """Send the same request many times, some at once, and count the answers."""
        gate = asyncio.Semaphore(at_once)
        async with self.client() as client:

            async def one() -> None:
                async with gate:
                    try:
                        answer = await client.request(method, path, **options)  # type: ignore[arg-type]
                        self.note(answer.status_code)
                    except httpx.HTTPError as error:
                        self.statuses[type(error).__name__] += 1

            await asyncio.gather(*(one() for _ in range(count)))

    def note(self, status: int) -> None:
        self.statuses[str(status)] += 1
        if status >= 500 and status not in (503, 504):
            self.findings.append(f"status {status}")


Asking = Callable[[httpx.AsyncClient, str], Awaitable[httpx.Response]]
"""Asks for something by its name."""
_TIMES = re.compile(r'"seconds": ?(?:[\d.e-]+|\{[^}]*\})')


# --- load ---


def _raw(target: Target, path: str, body: dict[str, object]) -> bytes:
    data = json.dumps(body).encode()
    headers = {"Host": "localhost", "Content-Type": "application/json", "Content-Length": len(data), **target.headers}
    lines = [f"POST {path} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items())]
    return "\r\n".join([*lines, "", ""]).encode() + data


async def _abandon(target: Target, count: int, path: str, seconds: float) -> None:
    """Send questions and close each connection after a moment."""
    place, request = urlsplit(target.url), _raw(target, target.base + path, {"question": QUESTION, "k": 100})
    gate = asyncio.Semaphore(100)

    async def one() -> None:
        async with gate:
            with suppress(OSError):
                _, writer = await asyncio.open_connection(place.hostname, place.port)
                writer.write(request)
                await writer.drain()
                await asyncio.sleep(seconds)
                writer.close()
                target.statuses["left"] += 1

    await asyncio.gather(*(one() for _ in range(count)))
    # The questions that were begun may still run.
    await asyncio.sleep(3.0)


async def cancelled(target: Target) -> None:
    """1,000 questions whose clients leave at once"""
    await _abandon(target, 1000, "/retrieve", 0.0)


async def streams(target: Target) -> None:
    """300 streams whose clients leave after 0.2 s"""
    await _abandon(target, 300, "/answer/stream", 0.2)


async def characters(target: Target) -> None:
    """20 questions of 20,000 different characters"""
    question = "".join(chr(0x4E00 + number) for number in range(20_000))
    await target.many(20, "POST", f"{target.base}/retrieve", json={"question": question})


async def words(target: Target) -> None:
    """20 questions of 900 different words"""
    question = " ".join(f"w{number:x}q" for number in range(900))
    await target.many(20, "POST", f"{target.base}/answer", json={"question": question})


async def passages(target: Target) -> None:
    """50 questions for 1,000 passages each"""
    await target.many(50, "POST", f"{target.base}/retrieve", json={"question": QUESTION, "k": 1000})


async def batches(target: Target) -> None:
    """10 batches of 100 questions, given up after 5 s"""
    batch = {"questions": [f"{QUESTION} {number}" for number in range(100)]}
    with suppress(TimeoutError):
        async with asyncio.timeout(5.0):
            await target.many(10, "POST", f"{target.base}/retrieve/batch", json=batch)


async def lists(target: Target) -> None:
    """300 searches of the catalog, each another one"""
    async with target.client() as client:
        found = await asyncio.gather(
            *(client.post(f"{target.base}/catalog", json={"search": f"ship {n}", "sort": "title"}) for n in range(300))
        )
    for answer in found:
        target.note(answer.status_code)


async def nested(target: Target) -> None:
    """200 bodies of 100,000 nested brackets"""
    headers = {"Content-Type": "application/json"}
    await target.many(200, "POST", f"{target.base}/retrieve", content="[" * 100_000, headers=headers)


async def slow(target: Target) -> None:
    """200 clients that send a byte a second for 10 s"""
    place, request = urlsplit(target.url), _raw(target, f"{target.base}/retrieve", {"question": QUESTION})

    async def one() -> None:
        with suppress(OSError):
            _, writer = await asyncio.open_connection(place.hostname, place.port)
            for byte in request[:10]:
                writer.write(bytes([byte]))
                await writer.drain()
                await asyncio.sleep(1.0)
            writer.close()
            target.statuses["left"] += 1

    await asyncio.gather(*(one() for _ in range(200)))


async def bombs(target: Target) -> None:
    """9 uploads: archives that unpack to 256 MiB, markup nested 100,000 deep, names that lead out of the folder"""
    packed = io.BytesIO()
    with (
        zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
        archive.open("word/document.xml", "w") as part,
    ):
        for _ in range(256):
            part.write(bytes(2**20))
    files = (("bomb.docx", packed.getvalue()), ("deep.html", b"<div>" * 100_000), ("../../../tmp/out.md", b"# Out\n"))
    async with target.client() as client:
        for name, data in files * 3:
            answer = await client.post(f"{target.base}/uploads", files={"file": (name, data)})
            target.note(answer.status_code)
        # Read one after the other, each in a process with limits.
        jobs: list[dict[str, Any]] = []
        while not jobs or any(job["state"] in ("waiting", "running") for job in jobs):
            await asyncio.sleep(0.5)
            jobs = (await client.get("/v1/jobs")).json()["jobs"]
    target.statuses.update(job["state"] for job in jobs)


# --- boundaries ---


async def tenants(target: Target) -> None:
    """every path of an index that is not ours, and its folders"""
    unknown = "no-such-index"
    asked = [
        ("GET", ""), ("GET", "/documents"), ("GET", "/documents/x"), ("POST", "/retrieve"), ("POST", "/answer"),
        ("POST", "/verdict"), ("POST", "/catalog"), ("POST", "/documents"), ("POST", "/sync"), ("POST", "/graph"),
    ]  # fmt: skip
    bodies = {"/sync": {"folder": "x"}, "/documents": {"documents": [{"id": "x", "text": "x"}]}, "/catalog": {}}
    async with target.client() as client:
        for method, path in asked:
            body = bodies.get(path, {"question": QUESTION}) if method == "POST" else None
            said = []
            for name in (target.other, unknown):
                answer = await client.request(method, f"/v1/indexes/{name}{path}", json=body)
                target.note(answer.status_code)
                said.append((answer.status_code, answer.text.replace(name, "")))
            if said[0] != said[1]:
                target.findings.append(f"{method} {path or '/'} tells that the other index is there")
        for folder in ("private", "zzz", "../private"):
            answer = await client.post(f"{target.base}/sync", json={"folder": folder})
            target.note(answer.status_code)
            if answer.status_code != 404 or "secret" in answer.text:
                target.findings.append(f"the folder {folder!r} of the other index answers {answer.status_code}")


async def _compare_times(
    target: Target, client: httpx.AsyncClient, count: int, ask: Asking, names: Sequence[str]
) -> None:
    """Ask by turns for what is not ours and for what is not there, and compare the answers and their times."""
    times: dict[str, list[float]] = {name: [] for name in names}
    said = set()
    for _ in range(count):
        for name, seen in times.items():
            started = time.perf_counter()
            answer = await ask(client, name)
            seen.append(time.perf_counter() - started)
            target.note(answer.status_code)
            said.add((answer.status_code, _TIMES.sub("", answer.text.replace(name, ""))))
    # The fastest tenth: what else runs on the machine only adds.
    best = [sum(sorted(seen)[: count // 10]) / (count // 10) for seen in times.values()]
    target.statuses[f"{best[0] * 1e6:.0f} and {best[1] * 1e6:.0f} µs"] += 1
    if abs(best[0] - best[1]) > 0.1 * min(best):
        target.findings.append("the time tells what is there")
    if len(said) > 1:
        target.findings.append("the answer tells what is there")


async def timing(target: Target) -> None:
    """400 requests each for an index that is not ours and for none: do their times differ?"""
    async with target.client() as client:
        listed = partial(_get, "/v1/indexes/{}/documents")
        await _compare_times(target, client, 400, listed, (target.other, "no-such-index"))


async def readers(target: Target) -> None:
    """400 requests each for a document that its reader may not see and for none: do their times differ?"""
    async with target.client() as client:
        client.headers["Authorization"] = f"Bearer {target.reader}"
        shown = partial(_get, target.base + "/documents/{}")
        await _compare_times(target, client, 400, shown, (PRIVATE.id, "privatf"))


async def secrets(target: Target) -> None:
    """100 questions each for a word of a document that its reader may not see and for a word of none"""
    async with target.client() as client:
        client.headers["Authorization"] = f"Bearer {target.reader}"

        async def ask(client: httpx.AsyncClient, word: str) -> httpx.Response:
            body = {"question": f"Where is the {word} of the Fram?", "strategy": "auto-fast"}
            return await client.post(f"{target.base}/retrieve", json=body)

        await _compare_times(target, client, 100, ask, (SECRET, UNKNOWN))


async def _get(path: str, client: httpx.AsyncClient, name: str) -> httpx.Response:
    return await client.get(path.format(name))


async def revoked(target: Target) -> None:
    """a token revoked during a batch of 100 questions"""
    assert target.tokens is not None
    secret = create(target.tokens, "revoked", ["read"], [target.index])
    headers = {"Authorization": f"Bearer {secret}"}
    body = {"questions": [f"{QUESTION} {number}" for number in range(100)]}
    async with target.client() as client:
        running = asyncio.ensure_future(client.post(f"{target.base}/retrieve/batch", json=body, headers=headers))
        await asyncio.sleep(1.0)
        delete(target.tokens, "revoked")
        answer = await running
        target.note(answer.status_code)
        if answer.status_code == 200 and '"error"' not in answer.text:
            target.findings.append("a revoked token went on reading")


async def traversal(target: Target) -> None:
    """paths that lead out of the folders of the page and the reports"""
    steps = ("../", "..%2f", "%2e%2e/", "..%5c", "....//", "%252e%252e%252f")
    async with target.client() as client:
        for step in steps:
            for start in ("/", "/reports/", "/page/", "/v1/reports/"):
                answer = await client.get(f"{start}{step * 8}etc/passwd")
                target.note(answer.status_code)
                if "root:" in answer.text:
                    target.findings.append(f"{start}{step} leads to /etc/passwd")


async def smuggled(target: Target) -> None:
    """requests with two lengths, foreign hosts and control characters"""
    place = urlsplit(target.url)
    requests = (
        b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"GET /health HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabc",
        b"GET /health HTTP/1.1\r\nHost: a\x00b\r\n\r\n",
        b"GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n",
        b"\x16\x03\x01" + bytes(64),
    )
    for request in requests * 10:
        with suppress(OSError, TimeoutError):
            reader, writer = await asyncio.open_connection(place.hostname, place.port)
            writer.write(request)
            line = await asyncio.wait_for(reader.readline(), 5.0)
            found = re.match(rb"HTTP/1.1 (\d+)", line)
            target.statuses["closed"] += not found
            if found:
                target.note(int(found[1]))
            writer.close()


Attack = Callable[[Target], Awaitable[None]]
LOADS: tuple[Attack, ...] = (cancelled, streams, characters, words, passages, batches, lists, nested, slow, bombs)
BOUNDARIES: tuple[Attack, ...] = (tenants, timing, readers, secrets, revoked)
"""Those that need a server of our own, with two tenants."""
ATTACKS: tuple[Attack, ...] = (*LOADS, traversal, smuggled, *BOUNDARIES)


# --- measuring ---


def probe(url: str, ends: Connection) -> None:
    """Ask /health ten times a second in a process of its own, until told to stop."""
    place = urlsplit(url)
    seen: list[float] = []
    ends.send("ready")
    while not seen or not ends.poll(0.1):
        started = time.perf_counter()
        connection = HTTPConnection(place.hostname or "", place.port, timeout=SECONDS)
        try:
            connection.request("GET", "/health")
            connection.getresponse().read()
        except OSError:
            pass
        finally:
            connection.close()
        seen.append(time.perf_counter() - started)
    ends.send(seen)


def run(attack: Attack, target: Target) -> bool:
    """Run one attack, print its row, and tell whether the server held."""
    target.statuses.clear()
    target.findings.clear()
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    prober = context.Process(target=probe, args=(target.url, theirs), daemon=True)
    prober.start()
    ours.recv()
    try:
        asyncio.run(asyncio.wait_for(attack(target), SECONDS))
    except TimeoutError:
        target.statuses["given up"] += 1
    except httpx.HTTPError as error:
        target.findings.append(type(error).__name__)
    ours.send(None)
    seen = sorted(ours.recv()) if ours.poll(2 * SECONDS) else [2 * SECONDS]
    prober.join()
    if seen[-1] > SLOW:
        target.findings.append(f"/health took {seen[-1]:.1f} s")
    said = ", ".join(f"{count} × {what}" for what, count in sorted(target.statuses.items()))
    name, about = attack.__name__, (attack.__doc__ or "").strip()
    outcome = "; ".join(dict.fromkeys(target.findings)) or "held"
    print(f"| {name} | {about} | {said} | {seen[len(seen) // 2] * 1000:.0f} | {seen[-1] * 1000:.0f} | {outcome} |")
    sys.stdout.flush()
    return not target.findings


@contextmanager
def serving(store: str) -> Iterator[Target]:
    """Start a server with two tenants."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        places = [
            f"{store}{'&' if '?' in store else '?'}index=attacked_{n}" if store else folder / f"{n}.mh" for n in "ab"
        ]
        for place in places:
            with Engine.open(place, create=True) as engine:
                engine.add([*sample_documents(), PRIVATE])
        (folder / "private").mkdir()
        (folder / "private" / "secret.txt").write_text("The secret of another tenant.")
        tokens = folder / "tokens.json"
        secret = create(tokens, "ours", ["write"], ["a"])
        create(tokens, "theirs", ["write"], ["b"])
        reader = create(tokens, "jon", ["read"], ["a"], Rights("jon"))
        line = [
            sys.executable, "-m", "multihop", "serve", "--index", f"a={places[0]}", "--index",
            f"b={places[1]}", "--folder", f"b:private={folder / 'private'}", "--token-file", str(tokens),
            "--port", "0", "--state", str(folder / "state"),
        ]  # fmt: skip
        process = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, encoding="utf-8")
        try:
            assert process.stdout is not None
            found = re.search(r"http://\S+", process.stdout.readline())
            assert found, "the server did not start"
            yield Target(found[0], "a", secret, "b", tokens, reader)
        finally:
            process.terminate()
            process.wait()


def _loopback(url: str) -> str:
    host = urlsplit(url).hostname or ""
    if host != "localhost" and not ipaddress.ip_address(host).is_loopback:
        raise argparse.ArgumentTypeError(f"{host} is not this machine; attack only servers of your own on loopback")
    return url


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url", type=_loopback, help="a server of your own on a loopback address")
    parser.add_argument("--index", default="sample", help="the name of its index")
    parser.add_argument("--token", default="", help="a token for it")
    parser.add_argument("--store", default="", help="a PostgreSQL database for the indexes that are made")
    parser.add_argument("--only", default="", help="attacks, separated by commas")
    given = parser.parse_args()
    chosen = [attack for attack in ATTACKS if not given.only or attack.__name__ in given.only.split(",")]
    print("| attack | what | answers | `/health` median ms | slowest ms | outcome |\n|---|---|---|---|---|---|")
    if given.url:
        target = Target(given.url, given.index, given.token)
        held = [run(attack, target) for attack in chosen if attack not in BOUNDARIES]
    else:
        with serving(given.store) as target:
            held = [run(attack, target) for attack in chosen]
    sys.exit(not all(held))


if __name__ == "__main__":
    main()
