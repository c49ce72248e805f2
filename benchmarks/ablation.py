"""What each part of `auto` is worth: every part on and off, on every dev set.

    python benchmarks/ablation.py --data datasets

Each row adds one part to the row before. Cells are recall@5 / all-gold@21 from one retrieval with k = 21, and the last
column the median time of a question over the HoVer corpus, beside that of `auto-fast` in the same run. MuSiQue has no
dev split here and its train split fitted the trees: training/folds.py measures it by five folds instead. With --encoder
the indexes hold vectors of the encoder, which takes long to compute for HoVer's corpora.
"""

from __future__ import annotations

import argparse
import statistics
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
from indexes import open_index

from multihop import Engine
from multihop.evaluation.datasets import Dataset, load
from multihop.index.embedders import EncoderEmbedder
from multihop.loop import Strategy
from multihop.parts.query_writers import FollowLinks
from multihop.parts.searchers import Bm25Searcher, LinkWalker, MatchingWalker
from multihop.parts.selectors import RankedFusion, unread
from multihop.strategies import AUTO, AUTO_FAST, BM25

SETS = (("hotpotqa", None), ("2wiki", None), ("hover", "lite"), ("exfever", "lite"), ("hover", None), ("exfever", None))
K = 21
LINKS = replace(
    AUTO_FAST,
    writer=FollowLinks(seeds=8),
    walker=MatchingWalker(Bm25Searcher(), (LinkWalker(names=60, targets=160),)),
)
assert isinstance(AUTO.selector, RankedFusion)
ROWS: tuple[tuple[str, Strategy], ...] = (
    ("`bm25`", BM25),
    ("`auto-fast`: names, links, a weighted sum", AUTO_FAST),
    ("+ more links: 8 passages, 60 names, 160 targets", LINKS),
    ("+ follow-up queries", replace(AUTO, selector=AUTO.selector.fusion)),
    ("+ trees over what the passages say", replace(AUTO, selector=unread(AUTO.selector))),
    ("+ a ranker that reads the best: `auto`", AUTO),
    ("`auto` without follow-up queries", replace(AUTO, walker=LINKS.walker)),
)


def measure(engine: Engine, dataset: Dataset, strategy: Strategy) -> tuple[str, float]:
    recall, complete, seconds = [], [], []
    for question in dataset.questions:
        started = time.perf_counter()
        found = [e.passage.document_id for e in engine.retrieve(question.text, k=K, strategy=strategy)]
        seconds.append(time.perf_counter() - started)
        gold = set(question.gold)
        recall.append(len(gold & set(found[:5])) / len(gold))
        complete.append(gold <= set(found))
    return f"{np.mean(recall):.3f} / {np.mean(complete):.3f}", statistics.median(seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, required=True, help="folder with hotpotqa/, 2wiki/, hover/, exfever/")
    parser.add_argument("--indexes", type=Path, default=Path(".benchmarks"), help="where indexes are kept between runs")
    parser.add_argument("--only", help="one set, such as hotpotqa")
    parser.add_argument("--encoder", action="store_true", help="over indexes with vectors of the encoder")
    parser.add_argument("--rows", default="", help="rows whose label holds this, such as ranker; auto-fast always runs")
    arguments = parser.parse_args()
    chosen = [(label, strategy) for label, strategy in ROWS if arguments.rows in label or strategy is AUTO_FAST]
    cells: dict[str, list[str]] = {label: [] for label, _ in chosen}
    times: dict[str, float] = {}
    heads = []
    embedder = EncoderEmbedder() if arguments.encoder else None
    for name, corpus in SETS:
        if arguments.only not in (None, name):
            continue
        dataset = load(name, arguments.data, corpus=corpus)
        with open_index(arguments.indexes, dataset, corpus, embedder=embedder) as engine:
            heads.append(f"{name}, {engine.stats().passages:,}")
            for label, strategy in chosen:
                cell, seconds = measure(engine, dataset, strategy)
                cells[label].append(cell)
                times[label] = seconds
                print(f"{name} {corpus or ''} {label}: {cell}, {seconds * 1000:.1f} ms", flush=True)
    print(f"\n| | {' | '.join(heads)} | time of a question |")
    print("|---|" + "---|" * (len(heads) + 1))
    fast = times[ROWS[1][0]]
    for label, _ in chosen:
        print(f"| {label} | {' | '.join(cells[label])} | {times[label] / fast:.1f} × |")


if __name__ == "__main__":
    main()
