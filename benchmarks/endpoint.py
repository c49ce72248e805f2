"""What a language model is worth: every strategy made for one, with it and without, on your own endpoint.

    python benchmarks/endpoint.py --data datasets --lm openai/qwen2.5-1.5b --lm-base http://localhost:8000/v1 --limit 50

Runs HoVer dev (the claims of three hops, and all) and HotpotQA dev with answers, resumes when interrupted, and prints
one Markdown table: evidence, answers, calls, tokens and failures, the rows without a model beside those with one.
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path

from indexes import index_path, open_index

from multihop.evaluation.datasets import load
from multihop.evaluation.runs import execute
from multihop.evaluation.summary import SystemSummary, summarize
from multihop.lm import Limits, LmSpec

K = 21
WITH_MODEL = ("auto", "gap", "gap-documented", "listwise", "listwise-documented")
WITHOUT = ("bm25", *WITH_MODEL)
SETS: tuple[tuple[str, str | None, int | None], ...] = (
    ("hover", "lite", 3),
    ("hover", "lite", None),
    ("hotpotqa", None, None),
)
MEASURES = (
    f"all-gold@{K}", f"recall@{K}", "answer EM", "answer F1", "in first sentence", "in first three",
    "citation precision", "citation recall", "answered",
)  # fmt: skip


def row(name: str, questions: str, model: str, system: SystemSummary) -> str:
    means = [system.measures[m].mean if m in system.measures else math.nan for m in MEASURES]
    cells = [f"{mean:.3f}" if math.isfinite(mean) else "" for mean in means]
    cost = [
        f"{system.lm_calls:.1f}",
        f"{system.lm_tokens:,.0f}",
        f"{system.lm_failed:.1%}",
        f"{system.p50_ms / 1000:.2f}",
    ]
    return f"| {questions} | {name} | {model} | {' | '.join([*cells, *cost])} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, required=True, help="folder with hover/ and hotpotqa/")
    parser.add_argument("--lm", required=True, help="a LiteLLM name; the key comes from the environment")
    parser.add_argument("--lm-base", help="the address of an endpoint of your own")
    parser.add_argument("--lm-seconds", type=float, default=600.0, help="how long a question may wait for the model")
    parser.add_argument("--strategies", default=",".join(WITH_MODEL))
    parser.add_argument("--limit", type=int, help="only the first N questions of each set")
    parser.add_argument("--indexes", type=Path, default=Path(".benchmarks"), help="where indexes are kept between runs")
    parser.add_argument("--out", type=Path, default=Path("runs"), help="where the runs are kept, to go on later")
    arguments = parser.parse_args()
    asked = tuple(arguments.strategies.split(","))
    spec = LmSpec(arguments.lm, arguments.lm_base, Limits(seconds=arguments.lm_seconds))
    short = "".join(c if c.isalnum() else "-" for c in arguments.lm)
    lines = []
    for name, corpus, hops in SETS:
        dataset = load(name, arguments.data, corpus=corpus, hops=hops, limit=arguments.limit)
        open_index(arguments.indexes, dataset, corpus).close()
        path = index_path(arguments.indexes, dataset, corpus)
        questions = f"{name} dev{f', {hops} hops' if hops else ''}, {len(dataset)}"
        replies = any(q.answer for q in dataset.questions)
        for model, systems in ((None, [s for s in WITHOUT if s == "bm25" or s in asked]), (spec, list(asked))):
            folder = arguments.out / f"endpoint-{name}-{hops or 'all'}-{short if model else 'rules'}"
            run = execute(dataset, path, systems, K, folder, lm=model, replies=replies)
            for system in summarize(run).systems:
                lines.append(row(system.name, questions, arguments.lm if model else "none", system))
                print(lines[-1], flush=True)
    heads = ["questions", "strategy", "model", *MEASURES, "LM calls", "LM tokens", "LM failed", "p50 s"]
    print(f"\n| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
