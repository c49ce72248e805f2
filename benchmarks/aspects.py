"""Does the strategy `aspects` stop early, and does it lose anything by it?

Runs the multi-aspect questions of the sample corpus, with and without vectors, and once more through all hops. Prints
one Markdown table: the share that stops before `max_hops`, the share that stops because everything is covered, hops,
recall, and the recall of running all hops.

    python benchmarks/aspects.py
"""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

from multihop import Engine
from multihop.index.embedders import WordLlamaEmbedder
from multihop.parts.stop import AspectStop, FixedHops
from multihop.strategies import ASPECTS
from multihop.testing import SampleQuestion, sample_documents, sample_questions
from multihop.types import Result

LIMIT = AspectStop().max_hops
EVERY_HOP = replace(ASPECTS, stop=FixedHops(LIMIT))


def recall(question: SampleQuestion, result: Result) -> float:
    return len({e.passage.document_id for e in result.evidence} & set(question.gold)) / len(question.gold)


def row(engine: Engine, k: int) -> str:
    questions = [q for q in sample_questions() if q.type == "multi-aspect"]
    stopped = [engine.retrieve(q.text, k=k, strategy=ASPECTS) for q in questions]
    whole = [engine.retrieve(q.text, k=k, strategy=EVERY_HOP) for q in questions]
    n = len(questions)
    early = sum(len(r.trace.hops) < LIMIT for r in stopped) / n
    covered = sum("all core aspects covered" in r.trace.hops[-1].decision.reason for r in stopped) / n
    hops = sum(len(r.trace.hops) for r in stopped) / n
    got = sum(map(recall, questions, stopped)) / n
    all_hops = sum(map(recall, questions, whole)) / n
    vectors = "yes" if engine.embedder else "no"
    return f"| {vectors} | {k} | {early:.0%} | {covered:.0%} | {hops:.1f} | {got:.3f} | {all_hops:.3f} |"


def main() -> None:
    print(f"| vectors | k | stops before hop {LIMIT} | by coverage | hops | recall | recall of all hops |")
    print("|---|---|---|---|---|---|---|")
    for embedder in (None, WordLlamaEmbedder()):
        with (
            tempfile.TemporaryDirectory() as folder,
            Engine.open(Path(folder) / "sample.mh", create=True, embedder=embedder) as engine,
        ):
            engine.add(sample_documents())
            for k in (3, 5, 10):
                print(row(engine, k))


if __name__ == "__main__":
    main()
