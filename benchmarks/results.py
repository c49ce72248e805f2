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
from multihop.evaluation.runs import execute
from multihop.evaluation.summary import Summary, summarize
from multihop.index.embedders import open_embedder

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

To compare strategies on public datasets, read the tables below; to reproduce them, run
`python benchmarks/results.py --data FOLDER --out docs/results.md`. Every figure comes from that one run.

- Questions are from the **dev** splits. The weights of `auto-fast` were fitted on the **train** splits of HotpotQA
  (446 questions), HoVer (62), EX-FEVER (512) and MuSiQue (109) by `benchmarks/tune.py`, the models of `auto` on these
  and on written questions ([how](auto.md)). 2WikiMultiHopQA was used for nothing else.
- HoVer and EX-FEVER are restricted to questions whose gold articles are all in the corpus, which favors popular
  articles: the figures are not comparable with the whole official dev sets. "lite" corpora hold every gold passage
  and fewer others.
- All-gold@k is the share of questions with every gold document among the k returned.
- Times come from two busy cores and mean little; `make bench` measures time.
- No language model was used; see [what a small model is worth](language-models.md#what-a-small-model-is-worth).
"""


def section(summary: Summary, corpus: str | None, embedder: str | None, lost: str) -> str:
    title = f"## {summary.dataset}{f' ({corpus})' if corpus else ''}, k = {summary.k}"
    title += f", {embedder} vectors" if embedder else ""
    return f"{title}\n\n{tables.markdown(summary)}\nMissing gold by cause:\n\n{lost}\n"


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
        lost = tables.losses(run, summary).split("\n\n")[0]
        parts.append(section(summary, corpus, embedder, lost))
        print(tables.markdown(summary), flush=True)
    parts.append(
        f"Measured with Python {platform.python_version()}; versions and hashes are in the manifest of each run.\n"
    )
    arguments.out.write_text("\n".join(parts), encoding="utf-8")


if __name__ == "__main__":
    main()
