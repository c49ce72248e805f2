"""Memory: long conversations, turn by turn, measured by the definitions that others publish figures for.

    multihop eval locomo --data datasets --split test --strategies bm25,auto-fast,auto -k 21 --out runs/locomo
    python benchmarks/memory.py runs/locomo

Prints a Markdown table of a run on LoCoMo or LongMemEval. Of the gold turns of a question:
- recall@k: the share among the first k turns, as LoCoMo's own evaluation computes it;
- hit@k: whether any is among the first k turns;
- all-gold@k: whether all are among the first k turns (LongMemEval: recall_all@k on turns);
- session@k: whether a turn of any session that holds gold is among the first k turns (recall_any@k on sessions).
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable, Iterable
from pathlib import Path

from multihop.evaluation.datasets import Question
from multihop.evaluation.runs import Run, load_run

Measure = Callable[[Question, tuple[str, ...]], float]


def recall(k: int) -> Measure:
    return lambda question, found: len(set(question.gold) & set(found[:k])) / len(set(question.gold))


def hit(k: int) -> Measure:
    return lambda question, found: float(not set(question.gold).isdisjoint(found[:k]))


def all_gold(k: int) -> Measure:
    return lambda question, found: float(set(question.gold) <= set(found[:k]))


def session(k: int) -> Measure:
    return lambda question, found: float(not {*map(session_of, question.gold)}.isdisjoint(map(session_of, found[:k])))


def session_of(turn: str) -> str:
    """Return the session of a turn: conv-26/D3 of conv-26/D3:5, q1/s2 of q1/s2/17."""
    return turn.rpartition(":")[0] or turn.rpartition("/")[0]


MEASURES: dict[str, Measure] = {
    "recall@5": recall(5), "recall@10": recall(10), "hit@5": hit(5), "all-gold@5": all_gold(5),
    "all-gold@10": all_gold(10), "all-gold@21": all_gold(21), "session@10": session(10),
}  # fmt: skip


def row(run: Run, system: str, questions: Iterable[Question], kind: str) -> str:
    rankings = run.rankings(system)
    chosen = [(q, rankings[q.id]) for q in questions if kind in ("all", q.type)]
    means = [f"{statistics.fmean(measure(q, found) for q, found in chosen):.3f}" for measure in MEASURES.values()]
    return f"| {system} | {kind} | {len(chosen)} | {' | '.join(means)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path, help="the folder of a run, with a k of 21 or more")
    run = load_run(parser.parse_args().run)
    if run.k < 21:
        raise SystemExit(f"the run has k = {run.k}; all-gold@21 needs at least 21")
    print(f"| strategy | questions | n | {' | '.join(MEASURES)} |\n{'|---' * (len(MEASURES) + 3)}|")
    for system in run.answers:
        for kind in ("all", *sorted({q.type for q in run.questions})):
            print(row(run, system, run.questions, kind))


if __name__ == "__main__":
    main()
