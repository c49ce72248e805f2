"""What a language model is worth: every strategy made for one, with it and without, on your own endpoint.

    python benchmarks/endpoint.py --data datasets --lm openai/qwen2.5-1.5b --lm-base http://localhost:8000/v1 --limit 50

Runs HoVer dev (the claims of three hops, and all) and HotpotQA dev with answers, resumes when interrupted, and prints
one Markdown table: evidence, answers, calls, tokens and failures, the rows without a model beside those with one.
"""

from __future__ import annotations

import argparse
import math
import sys
from dataclasses import replace
from pathlib import Path

from indexes import index_path, open_index

from multihop.errors import MultihopError
from multihop.evaluation.datasets import load
from multihop.evaluation.runs import Run, execute
from multihop.evaluation.summary import SystemSummary, summarize
from multihop.lm import Limits, LmSpec
from multihop.strategies import strategy

K = 21
WITH_MODEL = ("auto", "gap", "gap-documented", "listwise", "listwise-documented")
WITHOUT = ("bm25", *WITH_MODEL)
SETS: dict[str, str | None] = {"hover": "lite", "hotpotqa": None}
"""Each with the name of its corpus."""
MEASURES = (
    f"all-gold@{K}", f"recall@{K}", "answer EM", "answer F1", "in first sentence", "in first three",
    "citation precision", "citation recall", "answered",
)  # fmt: skip


def row(name: str, questions: str, model: str, system: SystemSummary) -> str:
    means = [system.measures[m].mean if m in system.measures else math.nan for m in MEASURES]
    first_five = next(recall for budget, _, recall in system.curve if budget == 5)
    cells = [f"{mean:.3f}" if math.isfinite(mean) else "" for mean in (first_five, *means)]
    cost = [
        f"{system.lm_calls:.1f}",
        f"{system.lm_tokens:,.0f}",
        f"{system.lm_failed:.1%}",
        f"{system.p50_ms / 1000:.2f}",
    ]
    return f"| {questions} | {name} | {model} | {' | '.join([*cells, *cost])} |"


def of_hops(run: Run, hops: int) -> Run:
    """Only the questions of so many hops."""
    questions = tuple(q for q in run.questions if q.hops == hops)
    ids = {q.id for q in questions}
    answers = {name: {id: a for id, a in given.items() if id in ids} for name, given in run.answers.items()}
    return replace(run, questions=questions, answers=answers)


def main() -> None:
    """Print the table, or one line that says what is wrong with what was given."""
    try:
        measure()
    except MultihopError as error:
        sys.exit(f"error: {error}")


def measure() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, required=True, help="folder with hover/ and hotpotqa/")
    parser.add_argument("--lm", required=True, help="a LiteLLM name; the key comes from the environment")
    parser.add_argument("--lm-base", help="the address of an endpoint of your own")
    parser.add_argument("--lm-seconds", type=float, default=600.0, help="how long a question may wait for the model")
    parser.add_argument("--strategies", default=",".join(WITH_MODEL))
    parser.add_argument("--lm-cache", type=Path, help="a file that keeps the model's answers")
    parser.add_argument("--only-model", action="store_true", help="leave the rows without a model out")
    parser.add_argument("--workers", type=int, default=1, help="so many processes ask at the same time")
    parser.add_argument("--sets", default=",".join(SETS), help="which sets, separated by commas")
    parser.add_argument("--limit", type=int, help="only the first N questions of each set")
    parser.add_argument("--indexes", type=Path, default=Path(".benchmarks"), help="where indexes are kept between runs")
    parser.add_argument("--out", type=Path, default=Path("runs"), help="where the runs are kept, to go on later")
    arguments = parser.parse_args()
    asked = tuple(arguments.strategies.split(","))
    for name in asked:
        strategy(name)  # one that is not there is refused before anything is run
    sets = arguments.sets.split(",")
    if unknown := set(sets) - set(SETS):
        parser.error(f"--sets knows {', '.join(SETS)}, not {', '.join(sorted(unknown))}")
    spec = LmSpec(arguments.lm, arguments.lm_base, Limits(seconds=arguments.lm_seconds), arguments.lm_cache)
    short = "".join(c if c.isalnum() else "-" for c in arguments.lm)
    lines = []
    for name in sets:
        corpus = SETS[name]
        dataset = load(name, arguments.data, corpus=corpus, limit=arguments.limit)
        open_index(arguments.indexes, dataset, corpus).close()
        path = index_path(arguments.indexes, dataset, corpus)
        replies = any(q.answer for q in dataset.questions)
        rules = [s for s in WITHOUT if s == "bm25" or s in asked]
        for model, systems in (((None, rules),) if not arguments.only_model else ()) + ((spec, list(asked)),):
            folder = arguments.out / f"endpoint-{name}-{short if model else 'rules'}"
            run = execute(dataset, path, systems, K, folder, lm=model, replies=replies, workers=arguments.workers)
            parts = {f"{name} dev": run} | ({f"{name} dev, 3 hops": of_hops(run, 3)} if name == "hover" else {})
            for label, part in parts.items():
                for system in summarize(part).systems:
                    shown = f"{label}, {len(part.questions)}"
                    lines.append(row(system.name, shown, arguments.lm if model else "none", system))
                    print(lines[-1], flush=True)
    heads = ["questions", "strategy", "model", "recall@5", *MEASURES, "LM calls", "LM tokens", "LM failed", "p50 s"]
    print(f"\n| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
