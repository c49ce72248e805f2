"""Answers and verdicts without a language model: how often they are right, and how sure they say they are.

    python benchmarks/reading.py --data datasets
    python benchmarks/reading.py --data datasets --plot docs/images/confidence.svg   # draws the last table, too

Prints Markdown tables. HotpotQA and MuSiQue are scored by exact match and F1 of the answer, and by whether the sentence
that is quoted first holds it; no answer counts as wrong. HoVer and EX-FEVER have two labels: an undecided claim counts
as not supported. Beside their macro-F1 stands what the claim alone gives. The company and the contrasts are those of
the tests. Evidence is found once and kept beside the indexes; --fresh finds it again.
"""

from __future__ import annotations

import argparse
import pickle
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import mean
from typing import NamedTuple

from indexes import open_index

from multihop import Engine
from multihop.answering.answers import answer_of, decide_claim
from multihop.evaluation.answer_scores import contains_answer, exact_match, f1
from multihop.evaluation.datasets import Question, load
from multihop.evaluation.page.axes import WIDTH, Axis, frame, marker
from multihop.evaluation.page.printing import printable
from multihop.models.reader import reader, verifier
from multihop.rendering.html import Markup, el, join
from multihop.rendering.svg import caption, drawing
from multihop.types import Answer, Result, Verdict

ROOT = Path(__file__).parents[1]
QUESTIONS = (("hotpotqa", None, "dev"), ("musique", None, "train"), ("2wiki", None, "dev"))
CLAIMS = (("hover", "lite", "dev"), ("exfever", "lite", "dev"))
BINS = ((0.0, 0.3), (0.3, 0.5), (0.5, 0.7), (0.7, 0.85), (0.85, 1.01))
ENOUGH = 0.6
"""The F1 from which a shorter or longer form of an answer is right, where it is asked how sure the answer was."""
Rows = Sequence[tuple[Question, Result]]


class Outcome(NamedTuple):
    """How sure something was, and whether it was right."""

    confidence: float
    right: bool


Sure = dict[str, Sequence[Outcome]]
"""The outcomes of each set."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, required=True, help="folder with hotpotqa/, musique/, hover/ and exfever/")
    parser.add_argument("--indexes", type=Path, default=Path(".benchmarks"), help="where indexes are kept between runs")
    parser.add_argument("--limit", type=int, help="only so many questions of each set")
    parser.add_argument("--only", nargs="*", default=(), help="only these: a set, company or contrast")
    parser.add_argument("--fresh", action="store_true", help="find the evidence again")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw confidence against the share right, as SVG")
    arguments = parser.parse_args()
    if arguments.plot and not arguments.plot.absolute().parent.is_dir():
        parser.error(f"there is no folder {arguments.plot.parent} to draw into")
    sure: Sure = {}
    of_questions(arguments, sure)
    of_claims(arguments, sure)
    # The sets of the tests are no part of the package.
    sys.path.insert(0, str(ROOT))
    if chosen(arguments, "company"):
        of_company(sure)
    if chosen(arguments, "contrast"):
        of_contrasts(sure)
    heads = ["confidence: right", *(f"{low:g} to {min(high, 1):g}" for low, high in BINS), "mean error"]
    print(table(heads, [calibration(name, outcomes) for name, outcomes in sure.items()]))
    if arguments.plot:
        arguments.plot.write_text(reliability(sure), encoding="utf-8")


def chosen(arguments: argparse.Namespace, name: str) -> bool:
    return not arguments.only or name in arguments.only


def evidence(arguments: argparse.Namespace, name: str, corpus: str | None, split: str) -> tuple[Engine, Rows]:
    """Open the index of a set and find the evidence for its questions, once."""
    dataset = load(name, arguments.data, split=split, corpus=corpus)
    engine = open_index(arguments.indexes, dataset, corpus)
    kept = arguments.indexes / f"evidence-{name}-{split}.pickle"
    if arguments.fresh or not kept.exists():
        kept.write_bytes(pickle.dumps([(question, engine.retrieve(question.text)) for question in dataset.questions]))
    rows: Rows = pickle.loads(kept.read_bytes())
    return engine, rows[: arguments.limit]


def of_questions(arguments: argparse.Namespace, sure: Sure) -> None:
    """Score answers of the data sets."""
    scores: list[list[object]] = []
    for name, corpus, split in QUESTIONS:
        if not chosen(arguments, name):
            continue
        engine, rows = evidence(arguments, name, corpus, split)
        with engine:
            known = [(question, result) for question, result in rows if question.answer]
            answers = [(q, answer_of(result, engine.index(), reader(), verifier())) for q, result in known]
        if not answers:
            print(f"{name} {split}: the questions have no known answers\n")
            continue
        scores.append([f"{name} {split}, {len(answers)} questions", *answer_scores(answers)])
        outcomes = [Outcome(a.confidence, f1(q.answer, a.text) >= ENOUGH) for q, a in answers if a.text]
        sure[f"{name} {split}"] = outcomes
    if scores:
        heads = ("questions", "exact match", "F1", "sentence holds the answer", "answered", "right where answered")
        print(table(heads, scores))


def answer_scores(answers: Sequence[tuple[Question, Answer]]) -> list[str]:
    exact = [exact_match(question.answer, answer.text) for question, answer in answers]
    spans = [(q, a) for q, a in answers if q.answer.lower() not in ("yes", "no")]
    holding = [float(any(contains_answer(q.answer, s.quote.text) for s in a.sentences[:1])) for q, a in spans]
    overlap = [f1(question.answer, answer.text) for question, answer in answers]
    given = [match for match, (_, answer) in zip(exact, answers, strict=True) if answer.text]
    return [
        figure(exact),
        figure(overlap),
        figure(holding),
        figure([float(bool(a.text)) for _, a in answers]),
        figure(given),
    ]


def of_claims(arguments: argparse.Namespace, sure: Sure) -> None:
    """Score verdicts on the claims of the data sets."""
    scores: list[list[object]] = []
    checker = verifier()
    for name, corpus, split in CLAIMS:
        if not chosen(arguments, name) or checker is None:
            continue
        engine, rows = evidence(arguments, name, corpus, split)
        with engine:
            found = [(q, decide_claim(result, engine.index(), engine.reader, checker)) for q, result in rows]
        alone = {}
        for question, _ in rows:
            [bare] = checker.verify(question.text, ["."])
            alone[question.id] = bare.supported >= bare.contradicted
        by_hops: dict[str, list[tuple[Question, Verdict]]] = defaultdict(list)
        for question, verdict in found:
            by_hops["all"].append((question, verdict))
            by_hops[f"{question.hops} hops"].append((question, verdict))
        for hops, some in sorted(by_hops.items()):
            pairs = [(is_supported(q), v.label == "supported") for q, v in some]
            bias = [(is_supported(q), alone[q.id]) for q, _ in some]
            decided = figure([float(v.label != "undecided") for _, v in some])
            scores.append(
                [f"{name} {split}, {hops}, {len(some)}", figure([macro_f1(pairs)]), figure([macro_f1(bias)]), decided]
            )
        outcomes = [
            Outcome(v.confidence, is_supported(q) == (v.label == "supported"))
            for q, v in found
            if v.label != "undecided"
        ]
        sure[f"{name} {split}"] = outcomes
    if scores:
        print(table(("claims", "macro-F1", "claim alone", "decided"), scores))


def is_supported(question: Question) -> bool:
    return question.label.upper() in ("SUPPORTED", "SUPPORT")


def macro_f1(pairs: Sequence[tuple[bool, bool]]) -> float:
    """Average the F1 of both labels, over pairs of gold and given."""
    scores = []
    for label in (True, False):
        hit = sum(gold == given == label for gold, given in pairs)
        total = sum(gold == label for gold, _ in pairs) + sum(given == label for _, given in pairs)
        scores.append(2 * hit / total if total else 0.0)
    return mean(scores)


def of_company(sure: Sure) -> None:
    """Score the questions and claims about the files of a company."""
    from tests.answering.company import claims, indexed, is_right, questions

    by_kind: dict[str, list[tuple[bool, bool]]] = defaultdict(list)
    outcomes: list[Outcome] = []
    checks: list[tuple[str, str, float]] = []
    with (
        tempfile.TemporaryDirectory() as folder,
        indexed(Path(folder) / "files", Path(folder) / "company.mh") as engine,
    ):
        for question in questions():
            found = engine.answer(question.question)
            right = is_right(question, found)
            by_kind[question.kind].append((right, bool(found.text)))
            by_kind[f"– {question.shape}"].append((right, bool(found.text)))
            if found.text:
                outcomes.append(Outcome(found.confidence, right))
        for claim in claims():
            verdict = engine.verdict(claim.claim)
            checks.append((claim.label, verdict.label, verdict.confidence))
    rows = [
        [kind, len(some), sum(r for r, _ in some), sum(a for _, a in some)] for kind, some in sorted(by_kind.items())
    ]
    print(table(("company: questions", "number", "right", "answered"), rows))
    labels = ("supported", "contradicted", "undecided")
    cells = [[gold, *(sum(g == gold and s == said for g, s, _ in checks) for said in labels)] for gold in labels]
    print(table(("company: claims", *(f"found {label}" for label in labels)), cells))
    sure["company, answers"] = outcomes
    sure["company, verdicts"] = [Outcome(c, g == s) for g, s, c in checks if s != "undecided"]


def of_contrasts(sure: Sure) -> None:
    """Score the verifier on claims that differ from a sentence by one edit."""
    from tests.answering.contrast import contrasts, finding

    checker = verifier()
    if checker is None:
        return
    by_edit: dict[str, list[bool]] = defaultdict(list)
    outcomes = []
    for contrast in contrasts():
        [judgement] = checker.verify(contrast.claim, [contrast.evidence])
        said, chance = finding(judgement)
        by_edit[f"{contrast.label}: {contrast.how}"].append(said == contrast.label)
        outcomes.append(Outcome(chance, said == contrast.label))
    rows = [[edit, len(some), figure([float(right) for right in some])] for edit, some in sorted(by_edit.items())]
    print(
        table(
            ("contrast", "claims", "accuracy"),
            [*rows, ["all", len(outcomes), figure([float(o.right) for o in outcomes])]],
        )
    )
    sure["contrasts, verifier alone"] = outcomes


def table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Write a Markdown table."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines) + "\n"


def figure(values: Sequence[float]) -> str:
    return f"{mean(values):.3f}".removeprefix("0") if values else "–"


def binned(outcomes: Sequence[Outcome]) -> list[list[Outcome]]:
    """Sort outcomes into the bins of confidence."""
    return [[outcome for outcome in outcomes if low <= outcome.confidence < high] for low, high in BINS]


def calibration(name: str, outcomes: Sequence[Outcome]) -> list[object]:
    """Write how often what was shown with a confidence was right, and how far the two are apart on average."""
    cells: list[object] = [name]
    apart = 0.0
    for some in binned(outcomes):
        right = sum(outcome.right for outcome in some)
        apart += abs(right - sum(outcome.confidence for outcome in some))
        cells.append(f"{right} of {len(some)}" if some else "–")
    return [*cells, figure([apart / len(outcomes)]) if outcomes else "–"]


def reliability(sure: Sure) -> str:
    """Draw for each set how often what was shown with a confidence was right; on the diagonal both are the same."""
    columns, wide, high = 2, WIDTH / 2, 216.0
    panels = []
    for number, (name, outcomes) in enumerate(sure.items()):
        place = f"translate({number % columns * wide:g} {number // columns * high:g})"
        panels.append(el("g", panel(name, outcomes, wide), transform=place))
    tall = -(-len(panels) // columns) * high
    title = "Confidence against the share that was right"
    return printable(drawing(WIDTH, tall, *panels, title=title, id="confidence")).svg


def panel(name: str, outcomes: Sequence[Outcome], wide: float) -> Markup:
    """Draw one set: a mark for each bin, and beside it how many outcomes it has."""
    ticks = (0.0, 0.5, 1.0)
    x = Axis(0.0, 1.0, 40.0, wide - 30, ticks, "confidence")
    y = Axis(0.0, 1.0, 168.0, 30.0, ticks, f"{name}: share right")
    same = el("line", x1=x.start, x2=x.end, y1=y.start, y2=y.end, class_="base kept")
    parts = [frame(x, y), same]
    points = [(mean(o.confidence for o in some), mean(o.right for o in some), len(some))
              for some in binned(outcomes) if some]  # fmt: skip
    path = "M" + "L".join(f"{x.at(stated):.1f} {y.at(right):.1f}" for stated, right, _ in points)
    parts.append(el("path", d=path, class_="line thin c0"))
    for stated, right, count in points:
        across, up = x.at(stated), y.at(right)
        about = f"{name}: {right:.2f} of {count} right at a confidence of {stated:.2f}"
        # Below the mark, but not on the axis.
        beside = up + 13 if up < y.start - 16 else up - 6
        parts += [marker(0, across, up, about), caption(across + 7, beside, count, kind="value")]
    return join(parts)


if __name__ == "__main__":
    main()
