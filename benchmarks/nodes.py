"""What the nodes of a Citus cluster get done, asked through the coordinator alone or through all of them.

Two measurements. The first counts the processor time of the server processes of each node for one question, so that it
matters little what else the machine does; it needs a cluster of deploy/citus_cluster.py on this machine. The second
lets so many reader processes ask for so many seconds and counts the questions, against any cluster or one PostgreSQL;
clusters of one, two and three nodes are compared by naming them all, and take turns. Where readers use all nodes, as
many of them ask through each. Give them processors of their own, otherwise they are what is measured:
deploy/citus_cluster.py start --cores 0-1 2-3 4-5, and this under taskset -c 6-9.

    python benchmarks/nodes.py --data datasets --folder ~/cluster --server "postgresql://postgres@127.0.0.1:5500/search"
    python benchmarks/nodes.py --data datasets --server "postgresql://reader@coordinator/search" --index wiki \
        --dataset exfever --readers 12 --strategies auto-fast,bm25
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
from itertools import chain, cycle, islice, zip_longest
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
WAYS = ("one", "all", "direct")


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


class Case(NamedTuple):
    """A way to ask a cluster: the addresses that readers take in turn, and the folders of its nodes, if known."""

    name: str
    places: Sequence[str]
    folders: Sequence[Path]


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


def costs(cases: Sequence[Case], texts: Sequence[str], strategy: str) -> None:
    """Print what a question costs each node. The busiest bounds the cluster: with readers on all, it must do less."""
    first: list[list[str]] | None = None
    names = " | ".join(f"node {f.name}, ms" for f in cases[0].folders)
    print(f"\n| {strategy}, asked through | {names} | questions/s, one core a node | same |")
    print(f"|---{'|---' * (len(cases[0].folders) + 2)}|")
    for name, places, folders in cases:
        found, each = ask(places, folders, texts, strategy)
        first = first or found
        same = sum(a == b for a, b in zip(first, found, strict=True))
        shown = " | ".join(f"{seconds * 1000:.1f}" for seconds in each)
        print(f"| {name} | {shown} | {1 / max(each):.0f} | {same} of {len(found)} |", flush=True)


class Asked(NamedTuple):
    """What a reader did in one turn: seconds of each question, what it found for each, its own processor time."""

    times: list[float]
    found: dict[str, tuple[str, ...]]
    busy: float


def read(
    places: Sequence[str],
    texts: Sequence[str],
    start: int,
    strategy: str,
    turns: Sequence[int],
    seconds: float,
    ready: threading.Barrier,
) -> list[Asked]:
    """Ask the place of each turn for so many seconds, from a question on where no other reader begins."""
    engines = [Engine.open(place) for place in places]
    asked = []
    try:
        following = islice(cycle(texts), start, None)
        for engine in engines:
            for text in islice(following, 2):
                engine.retrieve(text, k=K, strategy=strategy)
        for turn in turns:
            times: list[float] = []
            found: dict[str, tuple[str, ...]] = {}
            ready.wait(_READY)
            busy, until = time.process_time(), time.perf_counter() + seconds
            while (started := time.perf_counter()) < until:
                text = next(following)
                found[text] = tuple(e.passage.id for e in engines[turn].retrieve(text, k=K, strategy=strategy))
                times.append(time.perf_counter() - started)
            asked.append(Asked(times, found, time.process_time() - busy))
        ready.wait(_READY)  # the end of the last turn
        return asked
    finally:
        for engine in engines:
            engine.close()


def rates(
    cases: Sequence[Case], texts: Sequence[str], strategy: str, readers: int, seconds: float, rounds: int
) -> None:
    """Print how many questions a second so many readers get answered in each case, and what that takes of processors.

    The cases take turns, forwards in one round and backwards in the next, so that a machine that is faster for a while
    is faster for all of them.
    """
    order = list(range(len(cases)))
    turns = [case for number in range(rounds) for case in (order if number % 2 == 0 else order[::-1])]
    took = [0.0] * len(cases)
    spend = [[0.0] * len(case.folders) for case in cases]
    context = multiprocessing.get_context("spawn")
    with context.Manager() as manager, ProcessPoolExecutor(readers, mp_context=context) as pool:
        ready = manager.Barrier(readers + 1)
        pending = [
            pool.submit(
                read,
                [case.places[i % len(case.places)] for case in cases],
                texts,
                i * len(texts) // readers,
                strategy,
                turns,
                seconds,
                ready,
            )
            for i in range(readers)
        ]
        ready.wait(_READY)
        for turn in turns:
            began, before = time.perf_counter(), [spent(folder) for folder in cases[turn].folders]
            ready.wait(_READY)
            took[turn] += time.perf_counter() - began
            for node, (folder, was) in enumerate(zip(cases[turn].folders, before, strict=True)):
                spend[turn][node] += spent(folder) - was
        everyone = [each.result() for each in pending]
    print(
        f"\n| {strategy}, asked through | questions/s | of the first | lowest and highest round | p50 ms | p95 ms | "
        "nodes, cores | readers, cores | answers that differ |"
    )
    print(f"|---{'|---' * 8}|")
    seen: dict[str, tuple[str, ...]] = {}
    first = 0.0
    for i, case in enumerate(cases):
        by_round = [[asked[turn] for asked in everyone] for turn, which in enumerate(turns) if which == i]
        every = [asked for each in by_round for asked in each]
        times = sorted(chain.from_iterable(asked.times for asked in every))
        counts = [sum(len(asked.times) for asked in each) for each in by_round]
        rate = len(times) / took[i]
        first = first or rate
        differ = sum(seen.setdefault(text, found) != found for asked in every for text, found in asked.found.items())
        nodes = ", ".join(f"{seconds_spent / took[i]:.2f}" for seconds_spent in spend[i])
        print(
            f"| {case.name} | {rate:.1f} | {rate / first:.2f} | "
            f"{min(counts) * rounds / took[i]:.1f} to {max(counts) * rounds / took[i]:.1f} | "
            f"{statistics.median(times) * 1000:.1f} | {statistics.quantiles(times, n=20)[-1] * 1000:.1f} | {nodes} | "
            f"{sum(asked.busy for asked in every) / took[i]:.2f} | {differ} of {len(times)} |",
            flush=True,
        )


def through(server: str, index: str, folder: Path | None) -> dict[str, Case]:
    """Name the ways to ask: through the server that was named, through all nodes of a cluster, and each its own."""
    joined = "&" if "?" in server else "?"
    with psycopg.connect(server) as connection:
        nodes = connection.execute(_NODES).fetchall() if connection.execute(_CITUS).fetchone() else []
    running = (folder / "nodes").iterdir() if folder else ()
    folders = sorted((f for f in running if f.name.isdecimal()), key=lambda f: int(f.name))
    places = [f"{server}{joined}host={host}&port={port}&index={index}" for host, port in nodes]
    named = [f"{server}{joined}index={index}"]
    if not places:
        return {"one": Case("one PostgreSQL", named, folders)}
    alone, number = len(places) == 1, f"{len(places)} nodes"
    direct = [f"{place}&direct=yes" for place in places]
    ways = {"one": Case("the only node" if alone else f"one of {number}", named, folders)}
    if not alone:
        ways["all"] = Case(f"all {number}", places, folders)
    return {**ways, "direct": Case(f"{'the only node' if alone else f'all {number}'}, directly", direct, folders)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--dataset", default="hover")
    parser.add_argument("--corpus", default="lite")
    parser.add_argument("--limit", type=int, default=60, help="so many questions for the cost of one; readers ask all")
    parser.add_argument("--strategies", default="auto-fast")
    parser.add_argument(
        "--server", required=True, action="append", help="the address of a coordinator, without an index; repeatable"
    )
    parser.add_argument("--index", default="main")
    parser.add_argument(
        "--folder",
        type=Path,
        action="append",
        default=[],
        help="that of deploy/citus_cluster.py, to count what its servers use; one for each --server, in their order",
    )
    parser.add_argument("--readers", type=int, default=0, help="so many processes that ask at once")
    parser.add_argument("--seconds", type=float, default=5, help="so long in a turn")
    parser.add_argument("--rounds", type=int, default=3, help="so many turns for each way to ask")
    parser.add_argument(
        "--ways",
        default=",".join(WAYS),
        help="one: through the server named; all: readers use every node; direct: every node for its own shards",
    )
    given = parser.parse_args()
    if not (given.folder or given.readers):
        parser.error("give --folder to count what a question costs each node, or --readers to count questions a second")
    if given.folder and len(given.folder) != len(given.server):
        parser.error(f"give a --folder for each --server: {len(given.server)} servers, {len(given.folder)} folders")
    texts = [q.text for q in load(given.dataset, given.data, corpus=given.corpus or None).questions]
    ways = given.ways.split(",")
    if unknown := set(ways).difference(WAYS):
        parser.error(f"--ways: {', '.join(sorted(unknown))} is not known; give some of {', '.join(WAYS)}")
    clusters = list(zip_longest(given.server, given.folder))
    try:
        found = [through(server, given.index, folder) for server, folder in clusters]
    except (psycopg.Error, OSError) as error:
        parser.error(f"a cluster cannot be read: {str(error).strip().splitlines()[0]}")
    every = [[case for way, case in cases.items() if way in ways] for cases in found]
    if not any(every):
        parser.error(f"--ways {given.ways}: no server has such a way; only a Citus cluster has all and direct")
    for strategy in given.strategies.split(","):
        if given.readers:
            rates([*chain(*every)], texts, strategy, given.readers, given.seconds, given.rounds)
        else:
            for cases in filter(None, every):
                costs(cases, texts[: given.limit], strategy)


if __name__ == "__main__":
    main()
