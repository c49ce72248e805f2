"""Fit the confidence of answers and verdicts, and print coefficients for `multihop.answering.confidence`.

    python training/confidence.py --data datasets --published repositories

Answers: questions about reviews, on which the reader in the package was not trained, and others that --unseen names
(with --published: about stories, scenes of a series, papers and sentences, on which it now is), each read beside other
texts of its kind, some without the one that answers it; and the first questions of HotpotQA dev over their corpus, for
what several hops cost. Verdicts: the first claims of EX-FEVER dev by the evidence that is found for them; with
--published, claims of FEVER that its annotators could not decide, by what is found about their subjects; and claims
that reader.py holds out of training, by their own evidence among units of other claims, and by those alone. Logistic
regression by Newton's method, with a small ridge; prints log loss by five-fold cross-validation.
"""

from __future__ import annotations

import argparse
import pickle
import random
import re
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import prose
from contrast import Verdict
from numpy.typing import NDArray
from published import claims_of_fever
from rows import decode, evidence_of, part
from text_kinds import rows

from multihop import Engine, text
from multihop.answering.answers import read
from multihop.answering.claim_evidence import evidence_for
from multihop.answering.claims import judge, judge_parts
from multihop.answering.contexts import ROOM
from multihop.answering.kinds import Expected, expected, is_claim
from multihop.answering.spans import features_of, read_answers
from multihop.evaluation.answer_scores import f1
from multihop.evaluation.datasets import Question, load
from multihop.models.reader import BuiltInReader, BuiltInVerifier, reader, verifier
from multihop.parts.selectors.reading import QuestionWords, ReadPassage
from multihop.types import Chain, Passage, Result

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))
from indexes import open_index

UNSEEN, REVIEWS = ("amazon", "qamr", "series", "stories", "papers"), "squadshifts_amazon.jsonl.xz"
"""Sets of questions, of which the reader is not trained on the first, and the file of that."""
ASKED, AMONG, BESIDE, WITHOUT = 100, 60, 4, 3
"""So many questions of each are read, beside so many other texts: half of them share most words with the question among
a sample, half are drawn. One question in `WITHOUT` is also read without the text that answers it."""
SEVERAL_HOPS, ENOUGH = 100, 0.6
"""So many questions of HotpotQA dev, and the F1 from which an answer is right."""
RETRIEVED, OPEN = 260, 110
"""So many claims of EX-FEVER dev, and so many that FEVER leaves open."""
VERDICTS = ("foolme", "stated", "feverous", "infotabs", "fever")
CLAIMS, NEAR, SHORT = 45, 6, 3
"""So many held-out claims of each source are judged, each beside so many units that share its words; a unit has more
words than `SHORT`."""
RIDGE = 1.0
Array = NDArray[np.float64]
Rows = list[tuple[Question, Result]]


def evidence(arguments: argparse.Namespace, name: str, split: str, corpus: str | None = None) -> tuple[Engine, Rows]:
    """Find the evidence for the questions of a set, once."""
    dataset = load(name, arguments.data, split=split, corpus=corpus)
    engine = open_index(arguments.indexes, dataset, corpus)
    kept = arguments.indexes / f"evidence-{name}-{split}.pickle"
    if not kept.exists():
        kept.write_bytes(pickle.dumps([(question, engine.retrieve(question.text)) for question in dataset.questions]))
    rows: Rows = pickle.loads(kept.read_bytes())
    return engine, rows


def answer_rows(arguments: argparse.Namespace) -> tuple[list[dict[str, float]], list[int]]:
    """Describe the best span of every question, with 1 where it is right."""
    described: list[dict[str, float]] = []
    right: list[int] = []
    checker = built_in_verifier()

    def add(
        asked: QuestionWords, wanted: Expected, readings: Sequence[ReadPassage], chain: Chain, gold: Sequence[str]
    ) -> None:
        seen = read_answers(asked, wanted, readings, chain, built_in_reader(), room=ROOM)
        if not seen.candidates or wanted.kind == "yes or no":
            return
        best = seen.candidates[0]
        described.append(features_of(best, asked, chain, readings, seen.reading.none, checker))
        # A longer or shorter form of the answer is right to whoever asked.
        right.append(int(any(f1(one, best.text) >= ENOUGH for one in gold)))

    for found_of in unseen(arguments).values():
        chance = random.Random(3)
        every = [row for row in found_of if row.get("answers")]
        texts = list(dict.fromkeys(row["context"] for row in every))
        counts = Counter(stem for each in texts for stem in set(text.stems(text.words(each))))
        for number, row in enumerate(chance.sample(every, min(ASKED, len(every)))):
            question, wanted = QuestionWords(row["question"], counts, len(texts)), expected(row["question"])
            drawn = [
                each for each in chance.sample(texts, min(AMONG, len(texts))) if not _overlap(each, row["context"])
            ]
            near = sorted(drawn, key=lambda said: -question.weight(question.mask(text.stems(text.words(said)))))
            others = near[: BESIDE // 2] + chance.sample(near[BESIDE // 2 :], BESIDE // 2)
            gold = [answer["text"] for answer in row["answers"]]
            first = chance.sample([row["context"], others[0]], 2)
            for shown in [[*first, *others[2:]], *([others] if number % WITHOUT == 0 else [])]:
                passages = [Passage(f"{i}#0", str(i), 0, "", each) for i, each in enumerate(shown)]
                readings = [ReadPassage(passage, question, score=0.5) for passage in passages]
                add(question, wanted, readings, Chain(), gold if row["context"] in shown else ())
    engine, found = evidence(arguments, "hotpotqa", "dev")
    with engine:
        index = engine.index()
        for question_of, result in found[:SEVERAL_HOPS]:
            if question_of.answer and not is_claim(result.question):
                asked, along = read(result, index)
                add(asked, expected(result.question), along, result.chain, [question_of.answer])
    return described, right


def unseen(arguments: argparse.Namespace) -> dict[str, list[dict[str, Any]]]:
    """Read the questions of the sets that were asked for, with their contexts; without --published, only reviews."""
    found = prose.questions(arguments.published, random.Random(2)) if arguments.published else {}
    known = {**found, UNSEEN[0]: list(rows(arguments.data / "reading" / REVIEWS))}
    if arguments.published and (missing := [name for name in arguments.unseen if name not in known]):
        raise SystemExit(f"{arguments.published} lacks the repositories of {', '.join(missing)}; see prose.py")
    return {name: known[name] for name in arguments.unseen if name in known}


def _overlap(one: str, other: str) -> bool:
    """Return whether two contexts overlap, as windows of one text."""
    return one[:80] in other or other[:80] in one


def built_in_reader() -> BuiltInReader:
    if (found := reader()) is None:
        raise SystemExit("the reader needs onnxruntime")
    return found


def built_in_verifier() -> BuiltInVerifier:
    if (found := verifier()) is None:
        raise SystemExit("the verifier needs onnxruntime")
    return found


def retrieved_rows(arguments: argparse.Namespace) -> tuple[list[dict[str, float]], list[int]]:
    """Describe claims by the evidence that is found for them, with the labels of `verdict_rows`."""
    checked_by = built_in_verifier()
    described, labels = list[dict[str, float]](), list[int]()

    def add(result: Result, label: int) -> None:
        question, along = read(result, index)
        if evidence_for(question, along, result.chain):
            described.append(judge_parts(result, question, along, checked_by).whole.features)
            labels.append(label)

    engine, found = evidence(arguments, "exfever", "dev", "lite")
    with engine:
        index = engine.index()
        for asked, result in found[:RETRIEVED]:
            add(result, 0 if asked.label.startswith("SUPPORT") else 1)
        every = claims_of_fever(arguments.published, held=True) if arguments.published else []
        claims = [claim.text for claim in every if claim.verdict is Verdict.NEITHER]
        random.Random(2).shuffle(claims)
        most = len(labels) + OPEN
        for claim in claims:
            if len(labels) == most:
                break
            result = engine.retrieve(claim)
            titles = {found.passage.title.lower() for found in result.evidence}
            if any(name.lower() in titles for name, _, _ in text.capitalized_spans(claim)):
                add(result, 2)
    return described, labels


def verdict_rows(path: Path) -> tuple[list[dict[str, float]], list[int]]:
    """Describe held-out claims, with 0 where they are supported, 1 where contradicted, 2 where undecided.

    Each is judged twice: by its own evidence among units of other claims that share its words, and by those alone.
    """
    checked_by = built_in_verifier()
    _, held = part(pickle.loads(path.read_bytes()))
    chance = random.Random(9)
    described, labels = list[dict[str, float]](), list[int]()
    for name in VERDICTS:
        known = [(each, _units(each.evidence.tolist())) for each in held.judged[name]]
        for judged, own in chance.sample(known, min(CLAIMS, len(known))):
            claim = decode(judged.claim.tolist())
            question = QuestionWords(claim, {}, len(known))
            others = [u for other, units in known if evidence_of(other) != evidence_of(judged) for u in units]
            near = sorted(others, key=lambda u: -question.weight(question.mask(text.stems(text.words(u)))))[:NEAR]
            beside = near + chance.sample(others, 2)
            for label, units in ((int(judged.verdict), own[:BESIDE] + beside), (2, beside)):
                passages = [Passage(f"{i}#0", str(i), 0, "", unit) for i, unit in enumerate(units)]
                shown = evidence_for(question, [ReadPassage(p, question, score=0.5) for p in passages], Chain())
                if shown:
                    described.append(judge(claim, shown, checked_by).features)
                    labels.append(label)
    return described, labels


def _units(evidence: Sequence[int]) -> list[str]:
    """Cut evidence into sentences and cells, as tokens say where they end."""
    found = re.split(r" \. | · | \[SEP\] ", decode(evidence))
    return [unit.strip() for unit in found if len(unit.split()) > SHORT]


def fit(x: Array, y: Array) -> Array:
    """Fit the coefficients of classes against the last one, which has none, by Newton's method; a row for each."""
    classes, d = int(y.max()), x.shape[1]
    weights = np.zeros((classes, d))
    ridge = RIDGE * np.eye(d)
    ridge[0, 0] = 0.0  # the bias is free
    for _ in range(50):
        chances = predict(x, weights)
        for k in range(classes):
            p = chances[:, k]
            gradient = x.T @ (p - (y == k)) + ridge @ weights[k]
            hessian = (x * (p * (1 - p))[:, None]).T @ x + ridge + 1e-6 * np.eye(d)
            weights[k] -= np.linalg.solve(hessian, gradient)
            chances = predict(x, weights)
    return weights


def predict(x: Array, weights: Array) -> Array:
    """Give the probability of every class, the last one included."""
    odds = np.exp(np.clip(x @ weights.T, -30, 30))
    chances: Array = np.hstack([odds, np.ones((len(x), 1))]) / (1 + odds.sum(1, keepdims=True))
    return chances


def report(name: str, described: Sequence[dict[str, float]], labels: Sequence[int]) -> None:
    """Print the coefficients fitted on all rows, and how well those of four folds predict the fifth."""
    names = list(described[0])
    x = np.array([[1.0, *row.values()] for row in described])
    y = np.array(labels, dtype=float)
    loss = []
    fold = np.random.default_rng(0).permutation(len(y)) % 5
    for held in range(5):
        chances = predict(x[fold == held], fit(x[fold != held], y[fold != held]))
        loss += list(-np.log(chances[np.arange(len(chances)), y[fold == held].astype(int)]))
    print(f"{name}: {len(described)} rows, classes {np.bincount(y.astype(int)).tolist()}, log loss {np.mean(loss):.3f}")
    for weights in fit(x, y):
        print({key: round(float(value), 3) for key, value in zip(["bias", *names], weights, strict=True)})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, required=True, help="folder with the data sets")
    parser.add_argument("--indexes", type=Path, default=Path(".benchmarks"), help="where indexes are kept between runs")
    parser.add_argument(
        "--examples", type=Path, default=Path(".training/reading.pkl"), help="what the verifier learned"
    )
    parser.add_argument("--published", type=Path, help="folder with copies of public repositories, see published.py")
    parser.add_argument(
        "--unseen",
        nargs="+",
        default=UNSEEN[:1],
        choices=UNSEEN,
        help="sets of questions; the reader in the package was not trained on the first",
    )
    parser.add_argument("--only", choices=("answers", "verdicts"), help="one of the two")
    arguments = parser.parse_args()
    if arguments.only != "verdicts":
        described, right = answer_rows(arguments)
        # The class that has coefficients comes first: right.
        report("answers", described, [1 - value for value in right])
    if arguments.only != "answers":
        parts = retrieved_rows(arguments), verdict_rows(arguments.examples)
        report("verdicts", [row for rows, _ in parts for row in rows], [label for _, kept in parts for label in kept])


if __name__ == "__main__":
    main()
