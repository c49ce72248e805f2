"""What the engine costs beside the language model: strategies with a scripted one that answers at once.

Needs the HoVer dataset (see docs/datasets.md). Prints a Markdown table: the time of a claim, what of it is DSPy's
formatting and parsing, the time of the processor alone, and the whole beside a bm25 query of the same run, because
times on a busy machine mean little.

    python benchmarks/lm.py --data datasets --corpus lite
"""

from __future__ import annotations

import argparse
import re
import statistics
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from indexes import open_index

from multihop import Engine, loop
from multihop.evaluation import datasets
from multihop.lm import Model
from multihop.strategies import BM25, strategy
from multihop.testing.lm import ScriptedLM

AIMS = {"gap": 80.0, "listwise": 30.0}


def script(step: str, inputs: Mapping[str, str]) -> Any:
    """Answer every step at once, from the words of the claim and of the documents."""
    claim = inputs["claim"]
    names = re.findall(r"(?:[A-Z][\w'.]+ ?){1,3}", claim)[:5] or [claim]
    titles = re.findall(r"\[\d+\] ([^|]+?) \|", inputs.get("documents", ""))
    numbers = list(range(1, len(titles) + 1))
    return {
        "claim_decomposition": {"sub_questions": [f"What is {n}?" for n in names[:3]]},
        "gap_analyzer": {"missing_facts": names, "query": names[-1]},
        "entity_extractor": {"entities": titles[:10], "relationships": titles[:5]},
        "gap_analysis": {"queries": titles[5:8] or names[:3], "missing_information": names},
        "bridging_entity_identifier": {"bridging_entities": titles[3:8] or names},
        "entity_query_decomposition": {"queries": names[:3]},
        "follow_up_queries": {"queries": titles[2:5] or names},
        "document_reranker": {"ranked_ids": numbers[::-1]},
    }[step]


def timed(engine: Engine, name: str, claims: list[str], model: Model | None) -> str:
    """Answer claims turn by turn with bm25, and write the row of the table."""
    chosen = strategy(name, lm=model is not None)
    whole, plain, inside, busy = [], [], [], []
    for claim in claims:
        started, worked = time.perf_counter(), time.process_time()
        result = loop.run(chosen, claim, 21, engine.index(), lm=model)
        between = time.perf_counter()
        busy.append(time.process_time() - worked)
        loop.run(BM25, claim, 21, engine.index())
        whole.append(between - started)
        plain.append(time.perf_counter() - between)
        inside.append(sum(c.seconds for c in result.trace.lm_calls))
    ratio = statistics.median(w / p for w, p in zip(whole, plain, strict=True))
    figures = (statistics.median(whole), statistics.quantiles(whole, n=20)[-1], statistics.median(busy))
    cells = [name, "scripted" if model else "none", *(f"{1000 * f:.1f}" for f in (*figures, statistics.mean(inside)))]
    return "| " + " | ".join((*cells, f"{AIMS[name]:.0f}" if name in AIMS and model else "", f"{ratio:.1f}")) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", type=Path, default=Path("datasets"))
    parser.add_argument("--corpus", default="lite")
    parser.add_argument("--index", type=Path, help="an index of the corpus that is there already")
    parser.add_argument("--indexes", type=Path, default=Path("benchmark-indexes"))
    parser.add_argument("--claims", type=int, default=100)
    options = parser.parse_args()
    dataset = datasets.load("hover", options.data, split="dev", corpus=options.corpus)
    claims = [q.text for q in dataset.questions[: options.claims]]
    with (
        Engine.open(options.index) if options.index else open_index(options.indexes, dataset, options.corpus) as engine
    ):
        loop.run(BM25, claims[0], 21, engine.index())
        print(f"{len(claims)} claims over {engine.stats().passages:,} passages, k = 21\n")
        print(
            "| strategy | model | p50 ms | p95 ms | processor p50 ms | inside DSPy ms | aim ms | times a bm25 query |"
        )
        print("|---|---|---|---|---|---|---|---|")
        for name in ("auto", "gap", "gap-documented", "listwise", "listwise-documented"):
            for model in (None, Model(ScriptedLM(script))):
                print(timed(engine, name, claims, model), flush=True)


if __name__ == "__main__":
    main()
