"""Write docs/results.md: every set and strategy, with intervals and an error analysis.

    python benchmarks/results.py --data datasets --out docs/results.md

Runs are cached (and resumed) under .benchmarks/runs, so the page can be rewritten without answering again.
"""

from __future__ import annotations

import argparse
import platform
from pathlib import Path

from indexes import open_index

from multihop.evaluation import tables
from multihop.evaluation.datasets import load
from multihop.evaluation.page.numbers import chance, share
from multihop.evaluation.runs import execute
from multihop.evaluation.summary import FATES, Summary, SystemSummary, summarize
from multihop.index.embedders import open_embedder
from multihop.rendering.markdown import table

LEXICAL = ("bm25", "bm25s", "replace", "aspects", "auto-fast", "auto")
VECTORS = ("bm25", "dense", "hybrid-rrf", "auto-fast", "auto")
SETS = (
    ("hover", "lite", 21, LEXICAL, None),
    ("hover", "lite", 5, ("bm25", "replace", "auto-fast", "auto"), None),
    ("hover", None, 21, LEXICAL, None),
    ("exfever", "lite", 21, LEXICAL, None),
    ("exfever", None, 21, LEXICAL, None),
    ("hotpotqa", None, 5, LEXICAL, None),
    ("hotpotqa", None, 21, ("bm25", "replace", "auto-fast", "auto"), None),
    ("hotpotqa", None, 5, VECTORS, "wordllama"),
    ("2wiki", None, 5, LEXICAL, None),
    ("2wiki", None, 21, ("bm25", "replace", "auto-fast", "auto"), None),
    ("2wiki", None, 5, VECTORS, "wordllama"),
)
HEAD = """# Results

To compare strategies on public datasets, read the tables below. To reproduce them, run
`python benchmarks/results.py --data FOLDER --out docs/results.md`; every figure comes from that one run.

- **Columns.** all-gold@k is the share of questions with every gold document among the k returned, with a 95 % bootstrap
  interval; columns such as "2 hops" give it by number of hops. p compares with `bm25` (paired randomization, Holm
  correction). "Missing" counts the gold documents that were not returned: never reached/ranked below the
  budget/selected, then replaced.
- **Splits.** Questions are from the dev splits; 2WikiMultiHopQA was used for evaluation only. The weights of
  `auto-fast` were fitted on the train splits of HotpotQA (446 questions), HoVer (62), EX-FEVER (512) and MuSiQue (109)
  by `benchmarks/tune.py`; [auto.md](auto.md#built-in-models) describes how the models of `auto` were trained.
- **Corpora.** HoVer and EX-FEVER are restricted to questions whose gold articles are all in the corpus, so do not
  compare with the full official dev sets. "lite" corpora hold every gold passage and fewer distractors.
- No language model was used ([what one adds](language-models.md#what-a-small-model-is-worth)). `make bench` measures
  time.
"""


def section(summary: Summary, corpus: str | None, embedder: str | None) -> str:
    """Write a heading and one table: quality, quality by hops, and missing gold by cause."""
    title = f"## {summary.dataset}{f' ({corpus})' if corpus else ''}, k = {summary.k}"
    title += f", {embedder} vectors" if embedder else ""
    counted = f"{summary.questions} questions over {summary.passages:,} passages"
    gold = f"{summary.systems[0].lost.gold:,} gold documents"
    about = f"{summary.dataset} {summary.split}: {counted}, k = {summary.k}, {gold}"
    return f"{title}\n\n{about}\n\n" + "\n".join(table(*rows(summary))) + "\n"


def rows(summary: Summary) -> tuple[list[str], list[list[str]]]:
    first = summary.systems[0]
    shown = [m for m in first.measures if m.startswith("recall@")]
    hops = {group: f"{group} (n={found.n})" for group, found in sorted(first.by_hops.items())}
    header = ["system", summary.headline, "p", *shown, *hops.values(), "missing"]
    body = [
        [
            system.name,
            tables.with_interval(system.measures[summary.headline]),
            _chance(system),
            *(share(system.measures[measure].mean) for measure in shown),
            *(share(system.by_hops[group].mean) for group in hops),
            "/".join(str(system.lost.counts[fate]) for fate in FATES),
        ]
        for system in summary.systems
    ]
    return header, body


def _chance(system: SystemSummary) -> str:
    compared = system.against_first
    return chance(compared.corrected).removeprefix("p ").removeprefix("= ") if compared else ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, required=True, help="folder with hover/, exfever/, hotpotqa/, 2wiki/")
    parser.add_argument("--out", type=Path, required=True, help="the page to write")
    parser.add_argument("--indexes", type=Path, default=Path(".benchmarks"), help="where indexes and runs are kept")
    parser.add_argument("--fresh", action="store_true", help="answer every question anew")
    arguments = parser.parse_args()
    parts = [HEAD]
    for name, corpus, k, systems, embedder in SETS:
        dataset = load(name, arguments.data, corpus=corpus)
        engine = open_index(arguments.indexes, dataset, corpus, embedder=open_embedder(embedder) if embedder else None)
        index = engine.store.path  # type: ignore[attr-defined]  # an embedded store
        engine.close()
        folder = arguments.indexes / "runs" / f"{name}-{corpus or 'full'}-k{k}{'-' + embedder if embedder else ''}"
        run = execute(dataset, index, systems, k, folder, embedder=embedder, fresh=arguments.fresh)
        summary = summarize(run)
        parts.append(section(summary, corpus, embedder))
        print(tables.markdown(summary), flush=True)
    parts.append(
        f"Measured with Python {platform.python_version()}; versions and hashes are in the manifest of each run.\n"
    )
    arguments.out.write_text("\n".join(parts), encoding="utf-8")


if __name__ == "__main__":
    main()
