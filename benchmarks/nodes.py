"""What a question costs each node of a Citus cluster on this machine, asked through the coordinator or through all.

What is counted is processor time of the server processes of each node, so that it matters little what else the machine
does. A node with one core answers as many questions a second as fit into one second of its time; the node that is
busiest bounds the cluster. Where readers use all nodes, that bound has to rise with their number.

    python benchmarks/nodes.py --data datasets --folder ~/cluster --server "postgresql://postgres@127.0.0.1:5500/search"
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

import psycopg

from multihop import Engine
from multihop.evaluation.datasets import Dataset, load

_NODES = "SELECT nodename, nodeport FROM pg_dist_node WHERE noderole = 'primary' ORDER BY groupid"
_TICK = os.sysconf("SC_CLK_TCK")
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
    places: Sequence[str], folders: Sequence[Path], dataset: Dataset, strategy: str
) -> tuple[list[list[str]], list[float]]:
    """Ask each question through the next place in turn; give the evidence of each, and what each node spent on one."""
    engines = [Engine.open(place) for place in places]
    try:
        for engine in engines * 2:
            # What a server reads of its catalogs for a new connection is not what a question costs.
            engine.retrieve(dataset.questions[0].text, k=K, strategy=strategy)
        before = [spent(folder) for folder in folders]
        found = [
            [e.passage.id for e in engines[i % len(engines)].retrieve(question.text, k=K, strategy=strategy)]
            for i, question in enumerate(dataset.questions[1:])
        ]
        return found, [(spent(f) - b) / len(found) for f, b in zip(folders, before, strict=True)]
    finally:
        for engine in engines:
            engine.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--dataset", default="hover")
    parser.add_argument("--corpus", default="lite")
    parser.add_argument("--limit", type=int, default=60, help="so many questions")
    parser.add_argument("--strategy", default="auto-fast")
    parser.add_argument("--server", required=True, help="the address of the coordinator, without an index")
    parser.add_argument("--index", default="main")
    parser.add_argument("--folder", type=Path, required=True, help="that of deploy/citus_cluster.py")
    given = parser.parse_args()
    dataset = load(given.dataset, given.data, corpus=given.corpus or None, limit=given.limit)
    with psycopg.connect(given.server) as connection:
        nodes = connection.execute(_NODES).fetchall()
    joined = "&" if "?" in given.server else "?"
    places = [f"{given.server}{joined}host={host}&port={port}&index={given.index}" for host, port in nodes]
    folders = sorted((f for f in (given.folder / "nodes").iterdir() if f.name.isdecimal()), key=lambda f: int(f.name))
    first: list[list[str]] | None = None
    print(
        f"| asked through | {' | '.join(f'node {f.name}, ms' for f in folders)} | questions/s, one core a node | same |"
    )
    print(f"|---{'|---' * (len(folders) + 2)}|")
    for name, some in (("the coordinator", places[:1]), ("all nodes", places)):
        found, each = ask(some, folders, dataset, given.strategy)
        first = first or found
        same = sum(a == b for a, b in zip(first, found, strict=True))
        shown = " | ".join(f"{seconds * 1000:.1f}" for seconds in each)
        print(f"| {name} | {shown} | {1 / max(each):.0f} | {same} of {len(found)} |", flush=True)


if __name__ == "__main__":
    main()
