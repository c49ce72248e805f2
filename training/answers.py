"""Fit what answers without a language model: trees that score sentences and spans, and their calibration.

    python training/answers.py --data datasets --indexes .benchmarks --out src/multihop/answering/data/answers.npz

Trained on the train splits of HotpotQA and MuSiQue. So that the trees learn to say nothing, the questions of each set
are also asked of the corpus of the other, where nothing answers them. Written questions, many of one hop, weigh little,
and only those count whose answer stands in the evidence. The calibration is fitted to sentences of questions that the
trees had not seen (five folds). Figures of dev splits are printed; nothing is fitted to them.
Needs LightGBM: pip install --group training
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import lightgbm
import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parent))
from boost import SETTINGS, arrays
from pools import build, dataset_of, unseen

from multihop import Engine
from multihop.answering import features, spans
from multihop.answering.extract import READ
from multihop.answering.features import Candidate, describe
from multihop.answering.kinds import Expected, expected
from multihop.answering.scoring import AnswerModel
from multihop.answering.spans import describe_spans
from multihop.evaluation.answer_scores import contained, f1
from multihop.evaluation.datasets import load
from multihop.evaluation.datasets.dataset import Question
from multihop.parts.selectors.reading import Reading, weighed

SETS = ("hotpotqa", "musique")
FOLDS = 5
TREES = 120
SENTENCES = {**SETTINGS, "num_leaves": 10, "max_depth": 5, "learning_rate": 0.05, "min_data_in_leaf": 30,
             "feature_fraction": 0.5}  # fmt: skip
SPANS = {**SENTENCES, "min_data_in_leaf": 20}
UNANSWERABLE = 0.3
"""What a question that nothing answers weighs beside one with an answer."""
WRITTEN, WRITTEN_WEIGHT = 1600, 0.15
CALIBRATED = 3
"""So many of the first sentences of each question are used for the calibration: those that are shown first."""
GIVEN_UP = 0.1
"""The share of answerable questions that may go without an answer; most of them would get a wrong one."""


@dataclass(frozen=True)
class Read:
    """A question whose evidence has been read."""

    question: Question
    wanted: Expected
    weighed: Any
    readings: Sequence[Reading]
    rows: NDArray[np.float32]
    candidates: Sequence[Candidate]
    gold: NDArray[np.bool_]
    """Which sentences hold the answer."""
    taught: NDArray[np.bool_]
    """Which of them stand in a gold document, where any does: the others hold it by chance."""


def read(engine: Engine, questions: Sequence[Question], answerable: bool) -> list[Read]:
    """Retrieve the evidence of questions and describe its sentences."""
    index = engine.index()
    found = []
    for question in questions:
        if question.answer.lower() in ("", "yes", "no"):
            continue
        weighted, wanted = weighed(question.text, index), expected(question.text)
        result = engine.retrieve(question.text, k=21)
        readings = [Reading(e.passage, weighted, score=e.score, whole_title=True) for e in result.evidence[:READ]]
        rows, candidates = describe(weighted, question.text, wanted, readings, result.chain)
        texts = [readings[c.passage].sentences[c.sentence].text for c in candidates]
        gold = np.array([answerable and contained(question.answer, t) for t in texts], dtype=bool)
        sure = gold & np.array(
            [readings[c.passage].passage.document_id in question.gold for c in candidates], dtype=bool
        )
        taught = sure if sure.any() else gold
        found.append(Read(question, wanted, weighted, readings, rows, candidates, gold, taught))
    return found


def fit(reads: Sequence[tuple[Sequence[Read], float]]) -> lightgbm.Booster:
    rows = np.concatenate([r.rows for part, _ in reads for r in part])
    gold = np.concatenate([r.taught for part, _ in reads for r in part])
    weights = np.concatenate([np.full(len(r.rows), weight) for part, weight in reads for r in part])
    data = lightgbm.Dataset(rows, gold.astype(np.int8), weight=weights, feature_name=list(features.FEATURES))
    return lightgbm.train(dict(SENTENCES), data, TREES)


def unseen_odds(
    known: Sequence[Read], unknown: Sequence[Read], written: Sequence[Read]
) -> tuple[list[NDArray[Any]], list[NDArray[Any]]]:
    """Score each question by trees that were fitted to the other folds."""
    draw = np.random.default_rng(3)
    folds = draw.integers(0, FOLDS, len(known)), draw.integers(0, FOLDS, len(unknown))
    odds: tuple[list[NDArray[Any]], list[NDArray[Any]]] = ([np.zeros(0)] * len(known), [np.zeros(0)] * len(unknown))
    for fold in range(FOLDS):
        seen = [
            [r for r, f in zip(reads, of, strict=True) if f != fold]
            for reads, of in zip((known, unknown), folds, strict=True)
        ]
        booster = fit([(seen[0], 1.0), (seen[1], UNANSWERABLE), (written, WRITTEN_WEIGHT)])
        for reads, of, scores in zip((known, unknown), folds, odds, strict=True):
            for place in np.flatnonzero(of == fold).tolist():
                if len(reads[place].rows):
                    scores[place] = np.asarray(booster.predict(reads[place].rows, raw_score=True))
    return odds


def calibrate(reads: Sequence[Read], odds: Sequence[NDArray[Any]]) -> tuple[float, float]:
    """Fit a slope and an offset (Platt 1999) by Newton's method to the first sentences of each question."""
    first = [np.argsort(-o, kind="stable")[:CALIBRATED] for o in odds]
    x = np.concatenate([o[i] for o, i in zip(odds, first, strict=True)])
    y = np.concatenate([r.gold[i] for r, i in zip(reads, first, strict=True)]).astype(float)
    design = np.stack([x, np.ones_like(x)], axis=1)
    weights = np.array([1.0, 0.0])
    for _ in range(30):
        p = 1 / (1 + np.exp(-design @ weights))
        gradient = design.T @ (y - p)
        hessian = (design * (p * (1 - p))[:, None]).T @ design + 1e-6 * np.eye(2)
        weights = weights + np.linalg.solve(hessian, gradient)
    return float(weights[0]), float(weights[1])


def fit_spans(reads: Sequence[Read], odds: Sequence[NDArray[Any]]) -> lightgbm.Booster:
    """Fit the trees over spans to the sentences that come first for questions the trees over sentences had not seen."""
    rows, gold = [], []
    for each, score in zip(reads, odds, strict=True):
        best = [
            (each.candidates[i], 1 / (1 + np.exp(-score[i])))
            for i in np.argsort(-score, kind="stable")[: CALIBRATED + 2]
        ]
        described, found = describe_spans(each.weighed, each.question.text, each.wanted, each.readings, best)
        rows.append(described)
        gold.append([f1(each.question.answer, f.span.text) >= 0.8 for f in found])
    data = lightgbm.Dataset(
        np.concatenate(rows), np.concatenate(gold).astype(np.int8), feature_name=list(spans.FEATURES)
    )
    return lightgbm.train(dict(SPANS), data, TREES)


def report(name: str, reads: Sequence[Read], odds: Sequence[NDArray[Any]], model: AnswerModel) -> str:
    order = [np.argsort(-o, kind="stable") for o in odds]
    first = [bool(r.gold[i[:1]].any()) for r, i in zip(reads, order, strict=True)]
    three = [bool(r.gold[i[:3]].any()) for r, i in zip(reads, order, strict=True)]
    sure = np.array([model.confidence(float(o.max())) if len(o) else 0.0 for o in odds])
    bins = []
    for low in (0.0, 0.2, 0.4, 0.6, 0.8):
        inside = (sure >= low) & (sure < low + 0.2)
        if inside.any():
            bins.append(f"{low:.1f}–{low + 0.2:.1f}: {np.mean(np.array(first)[inside]):.2f} of {inside.sum()}")
    silent = np.mean(sure < model.threshold)
    return (
        f"{name}: {len(reads)} questions, answer in the first sentence {np.mean(first):.3f}, in the first three "
        f"{np.mean(three):.3f}, no answer given {silent:.3f}; right by confidence: {'; '.join(bins)}"
    )


def collected(names: Sequence[str], data: Path, indexes: Path, split: str) -> tuple[list[Read], list[Read]]:
    """Read the questions of sets in their own corpus, and in that of another set."""
    known, unknown = [], []
    corpora = {}
    for name in SETS:
        dataset = load(name, data, split="train")
        corpora[name] = indexes / f"{name}.mh"
        build(corpora[name], dataset)
    for name in names:
        questions = list(load(name, data, split=split).questions)
        questions = unseen(questions, data) if split == "train" else questions
        with Engine.open(corpora[name]) as engine:
            known += read(engine, questions, True)
        with Engine.open(corpora[next(n for n in SETS if n != name)]) as engine:
            unknown += read(engine, questions, False)
        print(f"{name} {split} read", flush=True)
    return known, unknown


def read_written(data: Path, indexes: Path) -> list[Read]:
    """Read written questions with an answer that the evidence holds; none where the data has no such set."""
    if not (data / "written").exists():
        return []
    dataset, index = dataset_of("written", data, "train")
    build(indexes / f"{index}.mh", dataset)
    questions = [q for q in dataset.questions if q.answer]
    random.Random(5).shuffle(questions)
    with Engine.open(indexes / f"{index}.mh") as engine:
        return [r for r in read(engine, questions[:WRITTEN], True) if r.gold.any()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, required=True, help="folder with hotpotqa/, musique/ and written/")
    parser.add_argument("--indexes", type=Path, default=Path(".benchmarks"), help="where indexes are kept between runs")
    parser.add_argument("--out", type=Path, help="write the model to this .npz file")
    arguments = parser.parse_args()
    known, unknown = collected(SETS, arguments.data, arguments.indexes, "train")
    written = read_written(arguments.data, arguments.indexes)
    odds, odds_unknown = unseen_odds(known, unknown, written)
    slope, offset = calibrate(known, odds)
    booster = fit([(known, 1.0), (unknown, UNANSWERABLE), (written, WRITTEN_WEIGHT)])
    span_booster = fit_spans(known, odds)
    best = sorted(float(o.max()) if len(o) else -9.0 for o in odds)
    threshold = 1 / (1 + np.exp(-(slope * best[int(len(best) * GIVEN_UP)] + offset)))
    stored: dict[str, NDArray[Any]] = {"calibration": np.array([slope, offset, threshold])}
    for name, trees, columns in (("sentences", booster, features.FEATURES), ("spans", span_booster, spans.FEATURES)):
        stored |= {f"{name} {k}": v for k, v in {**arrays(trees), "features": np.array(columns)}.items()}
    model = AnswerModel.of(stored)
    print(f"confidence = sigmoid({slope:.3f} × log-odds + {offset:.3f}), threshold {threshold:.3f}")
    print(report("train, five folds", known, odds, model))
    print(report("train, of another corpus", unknown, odds_unknown, model))
    if arguments.out:
        arguments.out.parent.mkdir(parents=True, exist_ok=True)
        np.savez_compressed(arguments.out, allow_pickle=False, **stored)
        print(f"wrote {arguments.out}, {arguments.out.stat().st_size:,} bytes", flush=True)
    dev, dev_unknown = collected(("hotpotqa",), arguments.data, arguments.indexes, "dev")
    for name, reads in (("hotpotqa dev", dev), ("hotpotqa dev, of another corpus", dev_unknown)):
        print(
            report(name, reads, [model.sentences.score(r.rows) if len(r.rows) else np.zeros(0) for r in reads], model)
        )


if __name__ == "__main__":
    main()
