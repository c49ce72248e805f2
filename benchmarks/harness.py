"""What the evaluation harness costs over the bare engine, per question (aim: at most 1 ms).

Both answer the same questions of the sample corpus, turn by turn, so that noise falls on both alike.

    python benchmarks/harness.py
"""

from __future__ import annotations

import statistics
import tempfile
import time
from pathlib import Path

from multihop import Engine, loop
from multihop.evaluation.datasets import Question
from multihop.evaluation.systems import StrategySystem
from multihop.strategies import AUTO
from multihop.testing import sample_documents, sample_questions


def main() -> None:
    questions = [Question(q.id, q.text, q.gold, q.hops, q.type) for q in sample_questions()]
    with tempfile.TemporaryDirectory() as folder, Engine.open(Path(folder) / "sample.mh", create=True) as engine:
        engine.add(sample_documents())
        system = StrategySystem(engine, AUTO)
        bare, harness = [], []
        with (Path(folder) / "answers.jsonl").open("w", encoding="utf-8") as lines:
            for _ in range(10):
                for question in questions:
                    started = time.perf_counter()
                    loop.run(AUTO, question.text, 21, engine.index())
                    between = time.perf_counter()
                    lines.write(system.answer(question, 21).to_json() + "\n")
                    lines.flush()
                    bare.append(between - started)
                    harness.append(time.perf_counter() - between)
    extra = statistics.median(h - b for h, b in zip(harness, bare, strict=True)) * 1000
    print(f"bare engine p50 {statistics.median(bare) * 1000:.2f} ms, harness over it p50 {extra:.2f} ms a question")


if __name__ == "__main__":
    main()
