"""What the nodes of a Citus cluster get done, asked through the coordinator alone or through all of them.

Two measurements. The first counts the processor time of the server processes of each node for one question, so that it
matters little what else the machine does; it needs a cluster of deploy/citus_cluster.py on this machine. The second
lets so many reader processes ask for so many seconds and counts the questions, against any cluster or one PostgreSQL.
Where readers use all nodes, as many of them ask through each. Give them processors of their own, otherwise they are
what is measured: deploy/citus_cluster.py start --cores 0-1 2-3 4-5, and this under taskset -c 6-9.

    python benchmarks/nodes.py --data datasets --folder ~/cluster --server "postgresql://postgres@127.0.0.1:5500/search"
    python benchmarks/nodes.py --data datasets --server "postgresql://reader@coordinator/search" --index wiki \
        --dataset exfever --readers 12 --seconds 15 --strategies auto-fast,bm25
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import statistics
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import chain, cycle, islice
from pathlib import Path
from typing import NamedTuple

import psycopg

from multihop import Engine
from multihop.evaluation.datasets import load

_CITUS = "SELECT 1 FROM pg_extension WHERE extname = 'citus'"
_NODES = "SELECT nodename, nodeport FROM pg_dist_node WHERE noderole = 'primary' ORDER BY groupid"
_TICK = os.sysconf("SC_CLK_TCK")
_READY = 120.0
"""Seconds that a reader may take to open the index."""
K = 21


def spent(node: Path) -> float:
    """Sum up the seconds of processor that the processes of a server have used since it began."""
    parent = int((node / "postmaster.pid").read_text().split()[0])
    ticks = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            pid, rest = int(stat.parent.name), stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it has ended meanwhile
        if pid == parent:
            ticks += sum(map(int, rest[11:15]))  # its own, and those of children that have ended
        elif int(rest[1]) == parent:
            ticks += sum(map(int, rest[11:13]))
    return ticks / _TICK


def ask(
    places: Sequence[str], folders: Sequence[Path], texts: Sequence[str], strategy: str
) -> tuple[list[list[str]], list[float]]:
    """Ask each question through the next place in turn; give the evidence of each, and what each node spent on one."""
    engines = [Engine.open(place) for place in places]
    try:
        first = len(texts) // 3
        for engine in engines:
            # What a server reads of its catalogs and plans for a new connection is not what a question costs.
            for text in texts[:first]:
                engine.retrieve(text, k=K, strategy=strategy)
        before = [spent(folder) for folder in folders]
        found = [
            [e.passage.id for e in engines[i % len(engines)].retrieve(text, k=K, strategy=strategy)]
            for i, text in enumerate(texts[first:])
        ]
        return found, [(spent(f) - b) / len(found) for f, b in zip(folders, before, strict=True)]
    finally:
        for engine in engines:
            engine.close()


def costs(
    ways: Sequence[tuple[str, Sequence[str]]], folders: Sequence[Path], texts: Sequence[str], strategy: str
) -> None:
    """Print what a question costs each node. The busiest bounds the cluster: with readers on all, it must do less."""
    first: list[list[str]] | None = None
    names = " | ".join(f"node {f.name}, ms" for f in folders)
    print(f"\n| {strategy}, asked through | {names} | questions/s, one core a node | same |")
    print(f"|---{'|---' * (len(folders) + 2)}|")
    for name, places in ways:
        found, each = ask(places, folders, texts, strategy)
        first = first or found
        same = sum(a == b for a, b in zip(first, found, strict=True))
        shown = " | ".join(f"{seconds * 1000:.1f}" for seconds in each)
        print(f"| {name} | {shown} | {1 / max(each):.0f} | {same} of {len(found)} |", flush=True)


class Told(NamedTuple):
    """What a reader tells in the end: seconds of each question, what it found for each, its own processor time."""

    times: list[float]
    found: dict[str, tuple[str, ...]]
    busy: float


def read(place: str, texts: Sequence[str], start: int, strategy: str, seconds: float, ready: threading.Barrier) -> Told:
    """Ask one question after another for so many seconds, from a place in the list where no other reader begins."""
    times: list[float] = []
    found: dict[str, tuple[str, ...]] = {}
    with Engine.open(place) as engine:
        turn = islice(cycle(texts), start, None)
        for text in islice(turn, 2):
            engine.retrieve(text, k=K, strategy=strategy)
        ready.wait(_READY)
        busy, until = time.process_time(), time.perf_counter() + seconds
        for text in turn:
            if (started := time.perf_counter()) >= until:
                break
            found[text] = tuple(e.passage.id for e in engine.retrieve(text, k=K, strategy=strategy))
            times.append(time.perf_counter() - started)
        return Told(times, found, time.process_time() - busy)


def rates(
    ways: Sequence[tuple[str, Sequence[str]]],
    folders: Sequence[Path],
    texts: Sequence[str],
    strategy: str,
    readers: int,
    seconds: float,
) -> None:
    """Print how many questions a second so many readers get answered, and what that takes of the processors."""
    names = "".join(f" node {f.name}, cores |" for f in folders)
    print(
        f"\n| {strategy}, asked through | questions/s | p50 ms | p95 ms |{names} readers, cores | answers that differ |"
    )
    print(f"|---{'|---' * (len(folders) + 5)}|")
    seen: dict[str, tuple[str, ...]] = {}
    for name, places in ways:
        context = multiprocessing.get_context("spawn")
        with context.Manager() as manager, ProcessPoolExecutor(readers, mp_context=context) as pool:
            ready = manager.Barrier(readers + 1)
            asked = [
                pool.submit(read, places[i % len(places)], texts, i * len(texts) // readers, strategy, seconds, ready)
                for i in range(readers)
            ]
            ready.wait(_READY)
            started, before = time.perf_counter(), [spent(folder) for folder in folders]
            told = [each.result() for each in asked]
            took = time.perf_counter() - started
            cores = [(spent(f) - b) / took for f, b in zip(folders, before, strict=True)]
        differ = sum(seen.setdefault(text, found) != found for each in told for text, found in each.found.items())
        times = sorted(chain.from_iterable(each.times for each in told))
        used = "".join(f" {n:.2f} |" for n in (*cores, sum(each.busy for each in told) / took))
        print(
            f"| {name} | {len(times) / took:.1f} | {statistics.median(times) * 1000:.1f} | "
            f"{statistics.quantiles(times, n=20)[-1] * 1000:.1f} |{used} {differ} of {len(times)} |",
            flush=True,
        )


def through(server: str, index: str) -> list[tuple[str, list[str]]]:
    """Name the ways to ask: through the server that was named, through all nodes of a cluster, and each its own."""
    joined = "&" if "?" in server else "?"
    with psycopg.connect(server) as connection:
        nodes = connection.execute(_NODES).fetchall() if connection.execute(_CITUS).fetchone() else []
    places = [f"{server}{joined}host={host}&port={port}&index={index}" for host, port in nodes]
    ways = [("one node", [f"{server}{joined}index={index}"])]
    if len(places) > 1:
        ways.append(("all nodes", places))
    return [*ways, ("all nodes, directly", [f"{place}&direct=yes" for place in places])] if places else ways


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--dataset", default="hover")
    parser.add_argument("--corpus", default="lite")
    parser.add_argument("--limit", type=int, default=60, help="so many questions for the cost of one; readers ask all")
    parser.add_argument("--strategies", default="auto-fast")
    parser.add_argument("--server", required=True, help="the address of the coordinator, without an index")
    parser.add_argument("--index", default="main")
    parser.add_argument("--folder", type=Path, help="that of deploy/citus_cluster.py, to count what its servers use")
    parser.add_argument("--readers", type=int, default=0, help="so many processes that ask at once")
    parser.add_argument("--seconds", type=float, default=15, help="so long")
    given = parser.parse_args()
    if not (given.folder or given.readers):
        parser.error("give --folder to count what a question costs each node, or --readers to count questions a second")
    texts = [q.text for q in load(given.dataset, given.data, corpus=given.corpus or None).questions]
    ways = through(given.server, given.index)
    nodes = (given.folder / "nodes").iterdir() if given.folder else ()
    folders = sorted((f for f in nodes if f.name.isdecimal()), key=lambda f: int(f.name))
    for strategy in given.strategies.split(","):
        if given.readers:
            rates(ways, folders, texts, strategy, given.readers, given.seconds)
        else:
            costs(ways, folders, texts[: given.limit], strategy)


if __name__ == "__main__":
    main()
