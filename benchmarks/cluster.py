"""An index on a Citus cluster under stress: readers on every node, a writer, shards that move, nodes that are killed.

Every reader checks that what it sees is of one version: passages, their metadata, what BM25 finds and what names mean.
Every other one reads shards where they lie (direct=yes), the others through Citus.
The writer notes what it was told; in the end the index must hold exactly that. An error of one line is counted, and
is no fault; anything else that is not as it should be is.

    python benchmarks/cluster.py --server postgresql://postgres@127.0.0.1:5500/search --minutes 30 \
        --kill "python deploy/citus_cluster.py kill --folder ~/cluster --node 1" \
        --revive "python deploy/citus_cluster.py start --folder ~/cluster --node 1"
"""

from __future__ import annotations

import argparse
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count

import psycopg

from multihop import Document, Engine, MultihopError
from multihop.protocols import Lookup

INDEX = "stress"
OTHERS = 40
_NODES = "SELECT nodename, nodeport FROM pg_dist_node WHERE noderole = 'primary' ORDER BY groupid"
_SHARDS = f"""
    SELECT s.shardid, n.nodename, n.nodeport FROM pg_dist_shard s JOIN pg_dist_placement p ON p.shardid = s.shardid
    JOIN pg_dist_node n ON n.groupid = p.groupid
    WHERE s.logicalrelid IN ('multihop_{INDEX}.passage'::regclass, 'multihop_{INDEX}.document'::regclass)
    ORDER BY s.shardid"""
Node = tuple[str, int]


class Stress:
    """What happened, counted by kind, and the word to stop."""

    def __init__(self, server: str, minutes: float) -> None:
        self.server = server
        self.counts: Counter[str] = Counter()
        self.faults: list[str] = []
        self.errors: Counter[str] = Counter()
        self._until = time.monotonic() + 60 * minutes
        self._lock = threading.Lock()

    @property
    def over(self) -> bool:
        return time.monotonic() > self._until

    def note(self, what: str) -> None:
        with self._lock:
            self.counts[what] += 1

    def refused(self, error: Exception) -> None:
        with self._lock:
            self.counts["errors of one line"] += 1
            self.errors[str(error)[:160].partition("\n")[0]] += 1

    def fault(self, what: str) -> None:
        with self._lock:
            self.faults.append(what)
            print(f"FAULT: {what}", flush=True)

    def address(self, node: Node | None = None, direct: bool = False) -> str:
        joined = "&" if "?" in self.server else "?"
        through = f"host={node[0]}&port={node[1]}&" if node else ""
        return f"{self.server}{joined}{through}index={INDEX}&pool=3&direct={'yes' if direct else 'no'}"

    def tell(self) -> None:
        with self._lock:
            told = ", ".join(f"{n:,} {what}" for what, n in self.counts.items())
        print(f"{time.strftime('%H:%M:%S')} {told}, {len(self.faults)} faults", flush=True)

    def run(self, statement: str) -> list[tuple[object, ...]]:
        with psycopg.connect(self.server, autocommit=True, connect_timeout=5) as connection:
            cursor = connection.execute(statement)
            return cursor.fetchall() if cursor.description else []


def version(number: int) -> Iterator[Document]:
    """Documents of one version: their number stands in texts, titles and metadata."""
    for i in range(OTHERS):
        parts = "\n\n".join(f"Basalt of version{number}, quarry{i}, part {part}." for part in range(3))
        yield Document(f"d{i}", parts, f"Basalt {number} of {i}", {"version": number})


def look(engine: Engine) -> str | None:
    """Look at the whole index once; say what does not fit together."""
    view = engine.store.view()
    ids = [id for found in view.passages_of([f"d{i}" for i in range(OTHERS)], 10).values() for id in found]
    passages = view.passages(ids)
    versions = {passage.metadata["version"] for passage in passages.values()}
    if len(versions) != 1 or len(passages) != len(ids) or len(ids) != view.size:
        return f"{len(passages)} of {len(ids)} passages, of versions {versions}, where the index counts {view.size}"
    [number] = versions
    of_seven = sum(passage.document_id == "d7" for passage in passages.values())
    for word, wanted in ((f"version{number}", len(ids)), (f"version{int(str(number)) + 1}", 0), ("quarry7", of_seven)):
        if len(found := view.lexical([Lookup(word, 1000)])[0]) != wanted:
            return f"BM25 finds {len(found)} of {wanted} passages with {word}"
    named = view.find_names([f"Basalt {number} of 7"])[0]
    if [mention.documents for mention in named] != [("d7",)]:
        return f"the name of d7 means {named}"
    return None


def reading(stress: Stress, node: Node, direct: bool) -> None:
    while not stress.over:
        try:
            with Engine.open(stress.address(node, direct)) as engine:
                while not stress.over:
                    try:
                        if problem := look(engine):
                            stress.fault(problem)
                        stress.note("looks, direct" if direct else "looks")
                    except MultihopError as error:
                        stress.refused(error)
                        time.sleep(0.5)
        except MultihopError as error:
            stress.refused(error)
            time.sleep(1)


def writing(stress: Stress) -> int:
    """Write one version after another; give the last one that was said to be written."""
    last, number = 0, 0
    while not stress.over:
        try:
            with Engine.open(stress.address()) as engine:
                while not stress.over:
                    number += 1
                    engine.add(version(number))
                    last = number
                    stress.note("changes")
        except MultihopError as error:
            stress.refused(error)
            time.sleep(1)
    return last


def repeating(stress: Stress, work: Callable[[int], None], pause: float) -> None:
    for turn in count():
        time.sleep(pause)
        if stress.over:
            return
        try:
            work(turn)
        except (psycopg.Error, subprocess.CalledProcessError):
            stress.note("moves that failed")


def move(stress: Stress, nodes: list[Node], turn: int) -> None:
    # As an operator has to: a shard that moves before a change is committed on its node leaves the change behind.
    stress.run("SELECT recover_prepared_transactions()")
    if stress.run("SELECT 1 FROM pg_dist_transaction LIMIT 1"):
        stress.note("moves put off")
        return
    shards = stress.run(_SHARDS)
    shard, *source = shards[turn % len(shards)]
    host, port = next(node for node in (nodes[turn % len(nodes)], *nodes) if [*node] != source)
    stress.run(
        f"SELECT citus_move_shard_placement({shard}, '{source[0]}', {source[1]}, '{host}', {port}, "
        "shard_transfer_mode => 'block_writes')"
    )
    stress.note("moves")


def kill(stress: Stress, down: str, up: str) -> None:
    subprocess.run(down, shell=True, check=True, capture_output=True)
    time.sleep(5)
    subprocess.run(up, shell=True, check=True, capture_output=True)
    stress.note("kills")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--server", required=True, help="the address of the coordinator, without an index")
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--readers", type=int, default=2, help="so many on each node")
    parser.add_argument("--kill", help="a command that kills a node")
    parser.add_argument("--revive", help="the command that starts it again")
    parser.add_argument("--every", type=float, default=60, help="seconds between kills")
    parser.add_argument("--pause", type=float, default=1, help="seconds between moves of shards")
    given = parser.parse_args()
    stress = Stress(given.server, given.minutes)
    stress.run(f"DROP SCHEMA IF EXISTS multihop_{INDEX} CASCADE")
    with Engine.open(stress.address(), create=True, distribute=True) as engine:
        engine.add(version(0))
    nodes = [(str(host), int(str(port))) for host, port in stress.run(_NODES)]
    with ThreadPoolExecutor(given.readers * len(nodes) + 4) as pool:
        written = pool.submit(writing, stress)
        done = [pool.submit(reading, stress, node, bool(i % 2)) for i in range(given.readers) for node in nodes]
        done.append(pool.submit(repeating, stress, lambda _: stress.tell(), 30))
        done.append(pool.submit(repeating, stress, lambda turn: move(stress, nodes, turn), given.pause))
        if given.kill and given.revive:
            done.append(pool.submit(repeating, stress, lambda _: kill(stress, given.kill, given.revive), given.every))
        for each in done:
            each.result()
        last = written.result()
    with Engine.open(stress.address(), wait=60) as engine:
        if problem := look(engine):
            stress.fault(problem)
        found = {passage.metadata["version"] for passage in engine.store.view().scan()}
        if found != {last}:
            stress.fault(f"the index holds version {found}, and {last} was the last one said to be written")
        bad = [check for check in engine.check(repair=False) if not check.ok]
        stress.faults += [f"{check.name}: {check.detail}" for check in bad]
    print(f"{given.minutes:g} minutes, {given.readers * len(nodes)} readers:", end=" ")
    stress.tell()
    for error, n in stress.errors.most_common():
        print(f"  {n:,} x {error}")
    print(f"{len(stress.faults)} faults")
    stress.run(f"DROP SCHEMA multihop_{INDEX} CASCADE")
    if stress.faults:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
