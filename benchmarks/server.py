"""The HTTP server beside the bare engine in one run: overhead, sustained load, highest throughput, memory.

The server runs in processes of its own, as `multihop serve` starts it; the clients are this process. Aims, at 72k
passages on two cores: at most 5 ms over the bare engine (p50); 50 questions a second for 60 seconds from 16 clients
without an error, p95 at most 6 times the p50 of a single client; memory flat over 10,000 requests.

    python benchmarks/server.py --data datasets                    # everything, about five minutes
    python benchmarks/server.py --data datasets --seconds 10 --requests 1000 --workers 1
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from indexes import index_path, open_index

from multihop import Engine
from multihop.evaluation.datasets import load

WARM = 50
PAGE = 4096
TICKS = 100


@dataclass
class Served:
    """A running server, and what its processes have used."""

    process: subprocess.Popen[str]
    port: int

    def pids(self) -> list[int]:
        """The process itself and the workers it has started."""
        found = Path("/proc").glob(f"{self.process.pid}/task/*/children")
        return [self.process.pid, *(int(pid) for file in found for pid in file.read_text().split())]

    def cpu(self) -> float:
        """Seconds of processor time so far."""
        stats = (Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split() for pid in self.pids())
        return sum(int(s[11]) + int(s[12]) for s in stats) / TICKS

    def memory(self) -> float:
        """Resident MiB of all its processes."""
        return sum(int(Path(f"/proc/{pid}/statm").read_text().split()[1]) for pid in self.pids()) * PAGE / 2**20


@dataclass
class Load:
    """What came of many requests."""

    seconds: list[float] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)
    wall: float = 0.0
    cpu: float = 0.0

    def at(self, quantile: float) -> float:
        ordered = sorted(self.seconds)
        return ordered[min(len(ordered) - 1, int(len(ordered) * quantile))] * 1000

    @property
    def errors(self) -> int:
        return sum(count for status, count in self.statuses.items() if status != 200)

    def row(self, name: str) -> str:
        count = len(self.seconds)
        return (
            f"| {name} | {count} | {count / self.wall:.1f}/s | {self.at(0.5):.1f} ms | {self.at(0.95):.1f} ms "
            f"| {self.at(0.99):.1f} ms | {self.errors} | {self.cpu / count * 1000:.1f} ms |"
        )


@contextmanager
def serving(index: Path, workers: int, concurrent: int | None) -> Iterator[Served]:
    with tempfile.TemporaryDirectory() as state:
        more = [] if concurrent is None else ["--concurrent", str(concurrent)]
        line = [
            sys.executable, "-m", "multihop", "serve", "--index", f"bench={index}", "--port", "0", "--state", state,
            "--workers", str(workers), *more,
        ]  # fmt: skip
        process = subprocess.Popen(line, stdout=subprocess.PIPE, encoding="utf-8")
        try:
            assert process.stdout is not None
            address = re.search(r":(\d+)\s", process.stdout.readline())
            assert address, "the server did not start"
            yield Served(process, int(address.group(1)))
        finally:
            process.terminate()
            process.wait()


def requests(questions: list[str]) -> list[bytes]:
    bodies = (json.dumps({"question": question}).encode() for question in questions)
    head = "POST /v1/indexes/bench/retrieve HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    return [f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body for body in bodies]


class Connection:
    """A client as light as can be: on two cores it must not take the server's time."""

    def __init__(self, port: int) -> None:
        self._port = port

    async def __aenter__(self) -> Connection:
        self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port, limit=2**22)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._writer.close()
        await self._writer.wait_closed()

    async def ask(self, request: bytes) -> int:
        self._writer.write(request)
        head = await self._reader.readuntil(b"\r\n\r\n")
        length = re.search(rb"content-length: (\d+)", head, re.IGNORECASE)
        assert length, head
        await self._reader.readexactly(int(length.group(1)))
        return int(head[9:12])


async def load_of(served: Served, sent: list[bytes], clients: int, count: int, rate: float | None = None) -> Load:
    """Send requests from so many clients, each waiting for its answer; with a rate, not faster than that together."""
    load = Load()
    numbers = iter(range(count))
    cpu, started = served.cpu(), time.perf_counter()

    async def client() -> None:
        async with Connection(served.port) as connection:
            for number in numbers:
                if rate:
                    await asyncio.sleep(max(0.0, started + number / rate - time.perf_counter()))
                begun = time.perf_counter()
                status = await connection.ask(sent[number % len(sent)])
                load.seconds.append(time.perf_counter() - begun)
                load.statuses[status] += 1

    await asyncio.gather(*(client() for _ in range(clients)))
    load.wall, load.cpu = time.perf_counter() - started, served.cpu() - cpu
    return load


async def overhead(served: Served, engine: Engine, questions: list[str]) -> float:
    """Ask the engine and the server in turn, so that noise falls on both alike; give the server's p50 alone."""
    bare, written, over = [], [], []
    before, own = served.cpu(), 0.0
    async with Connection(served.port) as connection:
        for question, request in zip(questions, requests(questions), strict=True):
            used, started = time.process_time(), time.perf_counter()
            result = engine.retrieve(question)
            found, own = time.perf_counter(), own + time.process_time() - used
            result.to_json().encode()
            bare.append(found - started)
            written.append(time.perf_counter() - started)
            started = time.perf_counter()
            await connection.ask(request)
            over.append(time.perf_counter() - started)
    p50 = [statistics.median(times) * 1000 for times in (bare, written, over)]
    count = len(questions)
    cpu = [own / count * 1000, (served.cpu() - before) / count * 1000]
    print(f"\n| {count} questions, one client | bare engine | engine and its JSON | server | server over the engine |")
    print("|---|---|---|---|---|")
    print(f"| p50 | {p50[0]:.1f} ms | {p50[1]:.1f} ms | {p50[2]:.1f} ms | {p50[2] - p50[0]:.1f} ms |")
    print(f"| processor time, mean | {cpu[0]:.1f} ms | | {cpu[1]:.1f} ms | {cpu[1] - cpu[0]:.1f} ms |")
    return p50[2]


async def measured(served: Served, engine: Engine, questions: list[str], options: argparse.Namespace) -> None:
    sent = requests(questions)
    await load_of(served, sent, 8, WARM)
    single = await overhead(served, engine, questions[: options.single])
    print("\n| load | requests | throughput | p50 | p95 | p99 | errors | processor time of the server per request |")
    print("|---|---|---|---|---|---|---|---|")
    steady = await load_of(served, sent, options.clients, int(options.rate * options.seconds), options.rate)
    print(steady.row(f"{options.clients} clients, {options.rate:g}/s for {options.seconds:g} s"), flush=True)
    full = await load_of(served, sent, options.clients, 20 * options.clients)
    print(full.row(f"{options.clients} clients, as fast as they can"), flush=True)
    print(f"\np95 at {options.rate:g}/s is {steady.at(0.95) / single:.1f} times the p50 of a single client (aim: 6)")
    before = served.memory()
    rest = await load_of(served, sent, options.clients, options.requests)
    after = served.memory()
    print(f"memory: {before:.0f} MiB, after {options.requests:,} more requests {after:.0f} MiB; {rest.errors} errors")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="the folder of the datasets")
    parser.add_argument("--indexes", type=Path, default=Path(".benchmarks"), help="where indexes are kept")
    parser.add_argument("--workers", type=int, default=2, help="processes of the server")
    parser.add_argument("--concurrent", type=int)
    parser.add_argument("--clients", type=int, default=16)
    parser.add_argument("--rate", type=float, default=50.0)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--single", type=int, default=300, help="questions of the single client")
    parser.add_argument("--requests", type=int, default=10_000, help="requests of the memory test")
    options = parser.parse_args()
    claims = [load(name, options.data, corpus="lite") for name in ("hover", "exfever")]
    questions = [question.text for dataset in claims for question in dataset.questions]
    with open_index(options.indexes, claims[0], "lite") as engine:
        print(f"{engine.stats().passages:,} passages, {len(questions)} claims, {options.workers} worker(s)")
        for question in questions[:WARM]:
            engine.retrieve(question)
        place = index_path(options.indexes, claims[0], "lite")
        with serving(place, options.workers, options.concurrent) as served:
            asyncio.run(measured(served, engine, questions, options))


if __name__ == "__main__":
    main()
