"""One table: our strategies, measured now, beside what the peers' runs wrote down.

    python benchmarks/peers/table.py --data datasets --dataset hotpotqa -k 5 --out runs/peers

Each strategy runs in a process of its own with the Python that runs this. The peers' rows are those OUT/*/NAME.json
that are there already; all times are also given as ratios to the p50 of our `bm25`.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

from peers.measuring import Measured, Task, read, task_of, task_options
from peers.multihop_strategies import STRATEGIES

_HEAD = ("system", "all-gold@k", "recall@k", "precision@k", "p50", "p95", "p50 ÷ our bm25", "CPU/question", "indexing",
         "peak memory")  # fmt: skip


def measure_ours(task: Task, out: Path) -> None:
    script = Path(__file__).with_name("multihop_strategies.py")
    options = ["--data", str(task.data), "--dataset", task.dataset, "--split", task.split, "-k", str(task.k)]
    options += ["--corpus", task.corpus] if task.corpus else []
    options += ["--limit", str(task.limit)] if task.limit else []
    for strategy in STRATEGIES:
        to = ["--strategy", strategy, "--out", str(out / f"multihop-{strategy}")]
        subprocess.run([sys.executable, str(script), *options, *to], check=True, stdout=sys.stderr)


def table(results: Sequence[Measured]) -> str:
    """Put results on the same task under each other, ours first."""
    ours = [_row_of(results, f"multihop {strategy}") for strategy in STRATEGIES]
    unit = ours[0].p50_ms
    rows = [*ours, *(r for r in results if r not in ours)]
    odd = [r.system for r in rows if r.same != rows[0].same]
    if odd:
        raise SystemExit(f"{', '.join(odd)}: measured on other questions or another corpus; measure again")
    lines = [_HEAD, ["---"] * len(_HEAD), *(_cells(r, unit) for r in rows)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _row_of(results: Sequence[Measured], system: str) -> Measured:
    for result in results:
        if result.system == system:
            return result
    raise SystemExit(f"no result of {system} is there; leave out --merge-only to measure it")


def _cells(result: Measured, unit: float) -> list[str]:
    quality = (f"{value:.3f}" for value in (result.all_gold, result.recall, result.precision))
    times = (f"{result.p50_ms:.1f} ms", f"{result.p95_ms:.1f} ms", f"{result.p50_ms / unit:.1f}×")
    return [result.system, *quality, *times, f"{result.cpu_ms:.1f} ms", f"{result.indexing_s:.1f} s",
            f"{result.peak_mb:,.0f} MB"]  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    task_options(parser)
    parser.add_argument("--merge-only", action="store_true", help="take our strategies as measured before, too")
    arguments = parser.parse_args()
    task = task_of(arguments)
    if not arguments.merge_only:
        measure_ours(task, arguments.out)
    results = [read(file) for file in sorted(arguments.out.glob(f"*/{task.name}.json"))]
    shown = table(results)
    first = results[0]
    print(f"{task.name}: {first.passages:,} passages, {first.questions} questions, k = {task.k}\n\n{shown}\n")
    for result in results:
        print(f"{result.system}: {', '.join(f'{p} {v}' for p, v in result.versions.items())}; load {result.load:.1f}")


if __name__ == "__main__":
    main()
