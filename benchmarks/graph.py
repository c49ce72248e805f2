"""The relationship graph: what it costs to build, what `graph` reaches with it, and the weights it goes by.

    python benchmarks/graph.py --data datasets --growth     # 10,000, 30,000 and 100,000 passages of HoVer
    python benchmarks/graph.py --data datasets --quality    # all-gold@k on dev, beside BM25 and vectors merged by rank
    python benchmarks/graph.py --data datasets --tune       # fit the weights of relations and centrality on train

Growth is measured without vectors: their search compares them all up to 20,000 and only then goes by an index.
"""

from __future__ import annotations

import argparse
import dataclasses
import statistics
import tempfile
import time
from dataclasses import dataclass, field
from itertools import islice, product
from pathlib import Path

import numpy as np
from indexes import open_index
from tune import BUDGETS, Table

from multihop import Engine, loop
from multihop.evaluation.datasets import Dataset, load
from multihop.index.embedders import open_embedder
from multihop.parts.selectors.graph import GRAPH_WEIGHTS, GraphFusion, graph_features
from multihop.protocols import Context, State
from multihop.strategies import GRAPH
from multihop.types import Selection

SETS = (("hotpotqa", None), ("2wiki", None), ("hover", "lite"))
SIZES = (10_000, 30_000, 100_000)
SYSTEMS = ("hybrid-rrf", "auto", "graph")
RELATION = (0.0, 0.1, 0.2, 0.3, 0.5, 0.8)
CENTRALITY = (0.0, 0.15, 0.3, 0.5, 0.8, 1.2)
DAMPING = (0.3, 0.5, 0.85)


def growth(data: Path) -> None:
    print("\n| passages | seconds | ms a passage | relations | a passage | 100 new passages, seconds |")
    print("|---|---|---|---|---|---|")
    dataset = load("hover", data)
    for size in SIZES:
        with tempfile.TemporaryDirectory() as folder, Engine.open(Path(folder) / "x.mh", create=True) as engine:
            documents = list(islice(dataset.documents(), size))
            engine.add(documents[:-100], whole=True)
            seconds, relations = _related(engine)
            engine.add(documents[-100:], whole=True)
            again, _ = _related(engine)
            cells = (
                f"{seconds:.0f} | {seconds / size * 1000:.2f} | {relations:,} | {relations / size:.2f} | {again:.1f}"
            )
            print(f"| {size:,} | {cells} |", flush=True)


def _related(engine: Engine) -> tuple[float, int]:
    started = time.process_time()
    done = engine.relate()
    return time.process_time() - started, done.relations


def _open(name: str, corpus: str | None, split: str, data: Path, indexes: Path) -> tuple[Dataset, Engine]:
    dataset = load(name, data, split=split, corpus=corpus)
    engine = open_index(indexes, dataset, corpus, embedder=open_embedder("wordllama"))
    if not engine.stats().relations:
        engine.relate()
    return dataset, engine


def quality(data: Path, indexes: Path) -> None:
    print("\n| dev set | passages | questions | k | system | all-gold@k | recall@k | p50 |")
    print("|---|---|---|---|---|---|---|---|")
    for name, corpus in SETS:
        dataset, engine = _open(name, corpus, "dev", data, indexes)
        for k, system in product(BUDGETS, SYSTEMS):
            complete, recall, times = [], [], []
            for question in dataset.questions:
                started = time.perf_counter()
                result = engine.retrieve(question.text, k=k, strategy=system)
                times.append(time.perf_counter() - started)
                found = {e.passage.document_id for e in result.evidence} & set(question.gold)
                complete.append(len(found) == len(set(question.gold)))
                recall.append(len(found) / len(set(question.gold)))
            said = f"{np.mean(complete):.3f} | {np.mean(recall):.3f} | {statistics.median(times) * 1000:.1f} ms"
            size = f"{engine.stats().passages:,}"
            print(f"| {name} | {size} | {len(dataset.questions)} | {k} | {system} | {said} |", flush=True)
        engine.close()


@dataclass(frozen=True)
class _Remembering:
    """A selector that keeps the last state it was asked about, and where it was."""

    inner: GraphFusion
    seen: list[tuple[State, Context]] = field(default_factory=list)

    def select(self, state: State, context: Context) -> Selection:
        self.seen[:] = [(state, context)]
        return self.inner.select(state, context)


def _tables(dataset: Dataset, engine: Engine) -> dict[float, Table]:
    """Describe the last candidates of every question, once for each damping."""
    names = tuple(GRAPH_WEIGHTS)
    rows: dict[float, list[tuple[list[list[float]], list[bool], int]]] = {d: [] for d in DAMPING}
    for question in dataset.questions:
        spy = _Remembering(GraphFusion())
        loop.run(dataclasses.replace(GRAPH, selector=spy), question.text, max(BUDGETS), engine.index())
        state, context = spy.seen[0]
        gold = [met.passage.document_id in question.gold for met in state.pool.values()]
        for damping in DAMPING:
            described = graph_features(state, context, GraphFusion(damping=damping))
            values = [[described[id].get(n, 0.0) for n in names] for id in state.pool]
            rows[damping].append((values, gold, len(question.gold)))
    return {damping: _table(found, len(names)) for damping, found in rows.items()}


def _table(rows: list[tuple[list[list[float]], list[bool], int]], features: int) -> Table:
    widest = max(len(gold) for _, gold, _ in rows)
    shape = len(rows), widest
    table = Table(
        np.zeros((*shape, features), np.float32), np.zeros(shape, bool), np.zeros(shape, bool),
        np.array([wanted for *_, wanted in rows]),
    )  # fmt: skip
    for i, (values, gold, _) in enumerate(rows):
        table.features[i, : len(gold)] = values
        table.gold[i, : len(gold)] = gold
        table.real[i, : len(gold)] = True
    return table


def tune(data: Path, indexes: Path) -> None:
    """Try a grid over what relations and centrality are worth; all other weights stay as `auto` has them."""
    tables: list[dict[float, Table]] = []
    for name, corpus in (("hotpotqa", None), ("hover", "lite")):
        dataset, engine = _open(name, corpus, "train", data, indexes)
        tables.append(_tables(dataset, engine))
        engine.close()
    tried = []
    for damping, relation, central in product(DAMPING, RELATION, CENTRALITY):
        named = {**GRAPH_WEIGHTS, "relation": relation, "centrality": central}
        weights = np.array(list(named.values()), np.float32)
        scores = [[table[damping].scores(weights, k) for k in BUDGETS] for table in tables]
        tried.append((float(np.mean(scores)), damping, relation, central, scores))
    tried.sort(key=lambda t: -t[0])
    for value, damping, relation, central, scores in [*tried[:10], *(t for t in tried if t[2] == t[3] == 0.0)]:
        said = "  ".join(f"{complete:.3f}/{recall:.3f}" for of_set in scores for complete, recall in of_set)
        print(f"{value:.4f} damping {damping} relation {relation} centrality {central}: {said}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, required=True, help="folder with hover/, hotpotqa/, 2wiki/")
    parser.add_argument("--indexes", type=Path, default=Path(".benchmarks"), help="where indexes are kept between runs")
    for part in ("growth", "quality", "tune"):
        parser.add_argument(f"--{part}", action="store_true")
    arguments = parser.parse_args()
    if arguments.growth:
        growth(arguments.data)
    if arguments.quality:
        quality(arguments.data, arguments.indexes)
    if arguments.tune:
        tune(arguments.data, arguments.indexes)


if __name__ == "__main__":
    main()
