"""Train the reader and verifier: a large teacher and a small student learn from examples, then the student from both.

    python training/reader.py --examples .training/reading.pkl --pools .training --teacher bases/mpnet
        --student bases/bge-small --out .training/reader

Reads what training/reading_examples.py wrote, and questions and claims with what retrieval found (training/pools.py
--pairs, of HotpotQA, MuSiQue, HoVer and EX-FEVER; their dev splits to measure on). One network has three heads: where
an answer begins and ends, what kind of answer it is, and a verdict. The student learns the labels alone, then the
labels and the teacher's distributions (Hinton et al. 2015), in the last third with the rounding of the exported model.
With --start an earlier student goes on from where it was, and learns from the teacher at once. Without a student only
the teacher is trained; with --taught one that was trained before teaches.
Figures are of examples whose texts were not trained on. Needs a GPU for a full run (about 25 minutes on one H200), and:
pip install --group training-gpu
"""

from __future__ import annotations

import argparse
import math
import pickle
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from bert import DEVICE, Batch, Learning, Network, restore, save, tensors, to_device
from numpy.typing import NDArray
from quantized import set_rounding
from ranker import Pairs, find_pairs
from reading_examples import Examples, Kind
from rows import (
    READ,
    Pooled,
    Row,
    Sources,
    compose,
    decode,
    draw_claim,
    draw_question,
    judged_row,
    part,
    pooled_claim,
    pooled_verdict,
)
from torch.nn.functional import cross_entropy, log_softmax, softmax
from torch.utils.data import DataLoader, IterableDataset

from multihop.evaluation.answer_scores import exact_match, f1
from multihop.models.wordpiece import tokens

HEADS = {"span": 2, "kind": 4, "verdict": 3}
QUESTIONS, CLAIMS = ("hotpotqa", "musique"), ("hover", "exfever")
KIND_WEIGHT, VERDICT_WEIGHT, SOFT = 0.7, 1.2, 0.5
WARM_UP = 150
NEVER = math.inf
MASKED = -1e4
LONGEST_ANSWER = 25
HELD_RETRIEVED = 120


class Stage(NamedTuple):
    """One stretch of training."""

    name: str
    rate: float
    steps: int
    seconds: float
    """The stage ends after so many steps or so long, whichever comes first."""
    rounded: float
    """The share of the stage after which weights and activations are rounded; above 1: never."""


class Outputs(NamedTuple):
    """The logits of a batch: of span and kind for questions, of the verdict for claims."""

    span: Any
    kind: Any
    verdict: Any


class Examined(NamedTuple):
    """What is measured on, by source."""

    examples: Examples
    questions: Mapping[str, Sequence[Pooled]]
    claims: Mapping[str, Sequence[Pooled]]


def pooled(path: Path) -> list[Pooled]:
    """Read questions with their first candidates by the trees, and the other gold ones."""
    pairs, found = Pairs.load(path), []
    for question in pairs.asked:
        gold, first = pairs.gold(question), int(pairs.first[question])
        order = np.argsort(-pairs.odds(question), kind="stable").tolist()
        kept = order[:READ] + [place for place in order[READ:] if gold[place]]
        documents = [(np.array(pairs.tokens("whole", first + p), np.uint16), bool(gold[p])) for p in kept]
        asked = np.array(pairs.tokens("question", question), np.uint16)
        answer, label = (str(pairs.stored[name][question]) for name in ("answers", "labels"))
        found.append(Pooled(asked, documents, answer, label))
    return found


class Batches(IterableDataset[tuple[Batch, Batch]]):
    """Endless batches of questions and of claims, each with its targets."""

    def __init__(self, sources: Sources, questions: int, claims: int) -> None:
        self.sources, self.questions, self.claims = sources, questions, claims

    def __iter__(self) -> Iterator[tuple[Batch, Batch]]:
        worker = torch.utils.data.get_worker_info()
        chance = random.Random(5 + 77 * (worker.id if worker else 0))
        while True:
            asked = [draw_question(self.sources, chance) for _ in range(self.questions)]
            judged = [draw_claim(self.sources, chance) for _ in range(self.claims)]
            read = padded([row for row, _ in asked])
            marks = torch.zeros(*read["input_ids"].shape, 2)
            for number, (row, _) in enumerate(asked):
                for first, last in row.spans:
                    marks[number, first, 0] = marks[number, last, 1] = 1
            kinds, verdicts = torch.tensor([k for _, k in asked]), torch.tensor([v for _, v in judged])
            claims = padded([row for row, _ in judged])
            yield {**read, "marks": marks, "target": kinds}, {**claims, "target": verdicts}


def padded(rows: Sequence[Row]) -> Batch:
    """Pad rows to the same length."""
    return tensors([(row.ids, row.second) for row in rows])


def run(model: Network, questions: Batch, claims: Batch) -> Outputs:
    with torch.autocast(DEVICE, torch.bfloat16):
        span, kind = read(model, questions)
        return Outputs(span, kind, model.first("verdict", model(**_inputs(claims))[-1]))


def read(model: Network, questions: Batch) -> tuple[Any, Any]:
    hidden = model(**_inputs(questions))[-1]
    span = model.span(hidden).float().masked_fill(questions["attention_mask"][..., None] == 0, MASKED)
    return span, model.first("kind", hidden)


def _inputs(batch: Batch) -> dict[str, Any]:
    return {name: batch[name] for name in ("input_ids", "attention_mask", "token_type_ids")}


def loss_of(found: Outputs, taught: Outputs | None, questions: Batch, claims: Batch) -> Any:
    """Compare with the labels, any of the marked places being right, and with the teacher where there is one."""
    marks = questions["marks"]
    answered = (marks.sum((1, 2)) > 0).float()
    count = answered.sum().clamp(min=1)
    marked = log_softmax(found.span, 1).masked_fill(marks == 0, MASKED)
    places = -(torch.logsumexp(marked, 1).sum(-1) * answered).sum() / count
    kind = cross_entropy(found.kind, questions["target"])
    verdict = cross_entropy(found.verdict, claims["target"], label_smoothing=0.02)
    hard = places + KIND_WEIGHT * kind + VERDICT_WEIGHT * verdict
    if taught is None:
        return hard
    places = (_disagreement(found.span, taught.span, 1).sum(-1) * answered).sum() / count
    kind, verdict = (_disagreement(found[i], taught[i], -1).mean() for i in (1, 2))
    return (1 - SOFT) * hard + SOFT * (places + KIND_WEIGHT * kind + VERDICT_WEIGHT * verdict)


def _disagreement(found: Any, taught: Any, over: int) -> Any:
    return -(softmax(taught, over) * log_softmax(found, over)).sum(over)


def train(model: Network, teacher: Network | None, sources: Sources, stage: Stage, arguments: Any) -> None:
    learning, losses = Learning(model, stage.rate, stage.steps, WARM_UP, stage.seconds), []
    data = Batches(sources, *arguments.batch)
    waiting = iter(DataLoader(data, batch_size=None, num_workers=arguments.workers, pin_memory=DEVICE == "cuda"))
    while learning.done < 1:
        set_rounding(model, learning.done >= stage.rounded)
        questions, claims = (to_device(batch) for batch in next(waiting))
        taught = None
        if teacher is not None:
            with torch.no_grad():
                taught = run(teacher, questions, claims)
        loss = loss_of(run(model, questions, claims), taught, questions, claims)
        learning.step(loss)
        losses.append(loss.detach())
        if learning.taken % 250 == 0 or learning.done == 1:
            mean = torch.stack(losses[-250:]).mean().item()
            print(f"{stage.name} step {learning.taken}, {learning.spent:.0f} s, loss {mean:.3f}", flush=True)
    save(model, arguments.out / f"{stage.name}.pt")


@torch.no_grad()
def answers(model: Network, rows: Sequence[Row]) -> list[str]:
    """Answer with the likeliest span, or with yes or no where that is likelier."""
    found = []
    for start in range(0, len(rows), 128):
        part = rows[start : start + 128]
        with torch.autocast(DEVICE, torch.bfloat16):
            spans, kinds = read(model, to_device(padded(part)))
        for row, span, kind in zip(part, spans.cpu(), kinds.cpu(), strict=True):
            begin, end = (span[row.second : len(row.ids), side] for side in (0, 1))
            sums = begin[:, None] + end[None]
            allowed = torch.triu(torch.ones_like(sums)) - torch.triu(torch.ones_like(sums), LONGEST_ANSWER)
            first, last = divmod(int(sums.masked_fill(allowed == 0, -np.inf).argmax()), len(begin))
            best = Kind(int(kind[: Kind.NONE].argmax()))
            text = decode(row.ids[row.second + first : row.second + last + 1])
            found.append(text if best is Kind.SPAN else best.name.lower())
    return found


@torch.no_grad()
def verdicts(model: Network, rows: Sequence[Row]) -> NDArray[np.float32]:
    found = []
    for start in range(0, len(rows), 256):
        with torch.autocast(DEVICE, torch.bfloat16):
            hidden = model(**to_device(padded(rows[start : start + 256])))[-1]
            found.append(softmax(model.first("verdict", hidden), -1).cpu().numpy())
    return np.concatenate(found)


def measure(name: str, model: Network, examined: Examined) -> None:
    """Print exact match and F1 of answers, and how often verdicts are right."""
    model.eval()
    set_rounding(model, name != "teacher")
    chance = random.Random(1)

    def say(what: str, rows: Sequence[Row], gold: Sequence[Sequence[str]]) -> None:
        said = answers(model, rows)
        scores = [[max(score(g, s) for g in golds) for s, golds in zip(said, gold, strict=True)] for score in MEASURES]
        print(f"{name}: {what}, {len(rows)} questions, EM {np.mean(scores[0]):.3f} F1 {np.mean(scores[1]):.3f}")

    for source, asked in examined.questions.items():
        every = [p for p in asked if p.answer]
        gold = [[decode(tokens(p.answer, 40))] for p in every]
        for count in (4, 6, 8) if every else ():
            say(f"{source}, first {count}", [_first(p, [d for d, _ in p.documents[:count]]) for p in every], gold)
        if source != "retrieved" and every:  # what is gold there is only guessed
            say(f"{source}, gold", [_first(p, [d for d, g in p.documents if g][:4]) for p in every], gold)
    documents = examined.examples.documents
    for source, held in examined.examples.asked.items():
        rows, gold = [], []
        for each in (each for each in held if each.kind is not Kind.NONE):
            others = [chance.choice(held).documents[0] for _ in range(2)]
            rows.append(compose(each.question, [(documents[n], ()) for n in (*each.documents, *others)]))
            spans = [decode(documents[n][a : b + 1].tolist()) for n, at in each.spans.items() for a, b in at]
            gold.append(spans if each.kind is Kind.SPAN else [each.kind.name.lower()])
        if rows:
            say(f"held out of {source}", rows, gold)
    for source, judged in examined.examples.judged.items():
        found, right = verdicts(model, [judged_row(j) for j in judged]), np.array([j.verdict for j in judged])
        print(f"{name}: verdicts on {source}, {len(judged)} claims, right {np.mean(found.argmax(1) == right):.3f}")
    for source, claims in examined.claims.items():
        right = np.array([pooled_verdict(p) for p in claims])
        for count in (3, 4, 5):
            found = verdicts(model, [pooled_claim(p, count) for p in claims])[:, :2].argmax(1)
            print(
                f"{name}: verdicts on {source}, first {count}, {len(claims)} claims, macro F1 {macro(found, right):.3f}"
            )


MEASURES: tuple[Callable[[str, str], float], ...] = (exact_match, f1)


def _first(pooled: Pooled, documents: Sequence[Any]) -> Row:
    return compose(pooled.question, [(text, ()) for text in documents])


def macro(found: NDArray[Any], right: NDArray[Any]) -> float:
    """The mean of the F1 of both verdicts."""
    both = [(found == v, right == v) for v in (0, 1)]
    return float(np.mean([2 * (f & r).sum() / max(1, f.sum() + r.sum()) for f, r in both]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument(
        "--examples", type=Path, default=Path(".training/reading.pkl"), help="what reading_examples.py wrote"
    )
    parser.add_argument("--pools", type=Path, nargs="+", default=[Path(".training")], help="where pools.py wrote")
    parser.add_argument("--retrieved", type=Path, help="what retrieved.py wrote")
    parser.add_argument("--teacher", type=Path, help="folder of a large base, such as all-mpnet-base-v2; none: labels")
    parser.add_argument("--taught", type=Path, help="the teacher as it was trained before, to teach at once")
    parser.add_argument("--student", type=Path, help="folder of a small base, such as bge-small-en-v1.5")
    parser.add_argument("--start", type=Path, help="a student trained before, as .pt or exported, to go on with")
    parser.add_argument("--out", type=Path, default=Path(".training/reader"))
    parser.add_argument(
        "--steps", type=int, nargs=3, default=(1200, 2600, 5400), help="teacher, student by labels, student by both"
    )
    parser.add_argument(
        "--seconds", type=float, nargs=3, default=(math.inf,) * 3, help="end the same stages after so long"
    )
    parser.add_argument("--batch", type=int, nargs=2, default=(64, 96), help="questions and claims in one step")
    parser.add_argument("--workers", type=int, default=5)
    arguments = parser.parse_args()
    if arguments.teacher is None and (arguments.taught or not arguments.student):
        parser.error("give a --teacher to train or that was trained, a --student, or both")
    torch.manual_seed(1)
    seen, held = part(pickle.loads(arguments.examples.read_bytes()))
    found = {name: pooled(path) for name, path in find_pairs(arguments.pools).items()}
    asked, claimed = ([p for n in names for p in found.get(f"{n}-train", ())] for names in (QUESTIONS, CLAIMS))
    retrieved: Sequence[Pooled] = ()
    stated: Sequence[Pooled] = ()
    if arguments.retrieved:
        retrieved, stated = pickle.loads(arguments.retrieved.read_bytes())
    kept = [each[HELD_RETRIEVED:] for each in (retrieved, stated)]
    sources = Sources(seen, [p for p in asked if p.answer], claimed, *kept)
    dev = [{n: found[n] for s in sets if (n := f"{s}-dev") in found} for sets in ((*QUESTIONS, "2wiki"), CLAIMS)]
    if retrieved:
        dev[0]["retrieved"], dev[1]["retrieved"] = list(retrieved[:HELD_RETRIEVED]), list(stated[:HELD_RETRIEVED])
    examined = Examined(held, *dev)
    teaching, learning, again = zip(arguments.steps, arguments.seconds, strict=True)
    teacher = None
    if arguments.teacher is not None:
        teacher = Network(arguments.teacher, HEADS)
        if arguments.taught is not None:
            restore(teacher, arguments.taught)
            teacher.to(DEVICE).eval()
        else:
            train(teacher, None, sources, Stage("teacher", 5e-5, *teaching, NEVER), arguments)
            measure("teacher", teacher, examined)
    if arguments.student is None:
        return
    student = Network(arguments.student, HEADS, quantizable=True)
    rate = 1.6e-4
    if arguments.start is not None:
        restore(student, arguments.start)
        measure("start", student.to(DEVICE), examined)
        rate = 1.1e-4
    else:
        train(student, None, sources, Stage("student", 2e-4, *learning, NEVER), arguments)
        measure("student", student, examined)
    train(student, teacher, sources, Stage("reader", rate, *again, 0.66), arguments)
    measure("reader", student, examined)


if __name__ == "__main__":
    main()
