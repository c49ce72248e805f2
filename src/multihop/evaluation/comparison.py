"""Two runs of the same questions, side by side: is the difference real, and which questions make it?"""

from __future__ import annotations

from dataclasses import dataclass

from multihop.errors import InvalidInput, UnknownName, suggestion
from multihop.evaluation.measures import Difference, difference, per_question
from multihop.evaluation.runs import Run


@dataclass(frozen=True, slots=True)
class ChangedQuestion:
    """A question that one run answers with all its gold and the other does not."""

    question: str
    text: str
    better: str
    missing: tuple[str, ...]
    """Gold that the worse run lacks."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """System `a` of one run against system `b` of another; differences are b − a."""

    a: str
    b: str
    k: int
    questions: int
    differences: dict[str, Difference]
    changes: tuple[ChangedQuestion, ...]


def compare(a: Run, b: Run, system_a: str | None = None, system_b: str | None = None) -> Comparison:
    """Compare one system of each run on the same questions, at the smaller of their budgets."""
    name_a, name_b = _pick(a, system_a), _pick(b, system_b)
    _check_same_questions(a, b)
    k = min(a.k, b.k)
    rank_a, rank_b = a.rankings(name_a), b.rankings(name_b)
    values_a = per_question(a.qrels, rank_a, k)
    values_b = per_question(b.qrels, rank_b, k)
    label_a, label_b = (name_a, name_b) if name_a != name_b else (f"{a.folder}:{name_a}", f"{b.folder}:{name_b}")
    changes = []
    for question in a.questions:
        without_a = tuple(g for g in question.gold if g not in rank_a.get(question.id, ())[:k])
        without_b = tuple(g for g in question.gold if g not in rank_b.get(question.id, ())[:k])
        if bool(without_a) != bool(without_b):
            better = label_b if without_a else label_a
            changes.append(ChangedQuestion(question.id, question.text, better, without_a or without_b))
    differences = {m: difference(values_a[m], values_b[m]) for m in values_a}
    return Comparison(label_a, label_b, k, len(a.questions), differences, tuple(changes))


def _pick(run: Run, system: str | None) -> str:
    if system is None:
        if not run.answers:
            raise InvalidInput(f"{str(run.folder)!r} holds no answers yet")
        if len(run.answers) == 1:
            return next(iter(run.answers))
        raise InvalidInput(f"{str(run.folder)!r} holds {', '.join(run.answers)}: name one as {run.folder}:SYSTEM")
    if system not in run.answers:
        raise UnknownName(f"{str(run.folder)!r} has no system {system!r}: {suggestion(system, run.answers)}")
    return system


def _check_same_questions(a: Run, b: Run) -> None:
    ours, theirs = {q.id: q for q in a.questions}, {q.id: q for q in b.questions}
    odd = sorted(set(ours) ^ set(theirs))
    if odd:
        where = a.folder if odd[0] in ours else b.folder
        raise InvalidInput(
            f"the runs answer different questions: {len(odd)} are in one only, "
            f"such as {odd[0]!r} in {where}/questions.jsonl"
        )
    changed = next((q for q in ours if set(ours[q].gold) != set(theirs[q].gold)), None)
    if changed:
        raise InvalidInput(f"the runs have different gold for the question {changed!r}; they cannot be compared")
