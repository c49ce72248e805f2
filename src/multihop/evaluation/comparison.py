"""Comparison of two runs on the same questions: significance, and the questions that differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from multihop.errors import InvalidInput, UnknownName, suggestion
from multihop.evaluation.measures import Difference, difference, per_question, together
from multihop.evaluation.page.numbers import NONE
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
    settings: tuple[tuple[str, str, str], ...]
    """What the runs were made with and do not share: name, value in a, value in b."""
    changes: tuple[ChangedQuestion, ...]


def compare(a: Run, b: Run, system_a: str | None = None, system_b: str | None = None) -> Comparison:
    """Compare one system of each run on the same questions, at the smaller of their budgets."""
    (name_a, name_b), (label_a, label_b) = _match(a, b, system_a, system_b)
    # At the larger budget one of them would have had fewer places to fill.
    k = min(a.k, b.k)
    rankings = a.rankings(name_a), b.rankings(name_b)
    values_a, values_b = (per_question(run.qrels, ranking, k) for run, ranking in zip((a, b), rankings, strict=True))
    changes = []
    for q in a.questions:
        missing_a, missing_b = (tuple(g for g in q.gold if g not in ranking.get(q.id, ())[:k]) for ranking in rankings)
        if bool(missing_a) != bool(missing_b):
            better = label_b if missing_a else label_a
            changes.append(ChangedQuestion(q.id, q.text, better, missing_a or missing_b))
    corrected = together([difference(values_a[m], values_b[m]) for m in values_a])
    in_a, in_b = _settings(a, name_a), _settings(b, name_b)
    names = (name for name in dict.fromkeys([*in_a, *in_b]) if in_a.get(name) != in_b.get(name))
    settings = tuple((name, in_a.get(name, NONE), in_b.get(name, NONE)) for name in names)
    differences = dict(zip(values_a, corrected, strict=True))
    return Comparison(label_a, label_b, k, len(a.questions), differences, settings, tuple(changes))


def beside(a: Run, b: Run, system_a: str | None = None, system_b: str | None = None) -> Run:
    """Combine a system of each run into one run, for a side-by-side report."""
    names, labels = _match(a, b, system_a, system_b)
    chosen = list(zip((a, b), names, labels, strict=True))
    systems = {label: _describe(run, name) for run, name, label in chosen}
    manifest = {**b.manifest, "k": min(a.k, b.k), "systems": systems}
    return Run(b.folder, manifest, b.questions, {label: run.answers[name] for run, name, label in chosen})


def _match(a: Run, b: Run, system_a: str | None, system_b: str | None) -> tuple[tuple[str, str], tuple[str, str]]:
    """Return the names of the two systems and what they are called beside each other; raises if that cannot be done."""
    names = name_a, name_b = _pick(a, system_a), _pick(b, system_b)
    _check_same_questions(a, b)
    if name_a != name_b:
        return names, names
    # Two runs of one strategy are told apart by their folders.
    labels = f"{a.folder}:{name_a}", f"{b.folder}:{name_b}"
    return names, labels if labels[0] != labels[1] else (f"{labels[0]} (first)", f"{labels[1]} (second)")


def _describe(run: Run, system: str) -> Any:
    return run.manifest.get("systems", {}).get(system, {})


def _settings(run: Run, system: str) -> dict[str, str]:
    kept = {name: value for name, value in run.manifest.items() if name != "systems"}
    return dict(_flat({**kept, "system": _describe(run, system)}))


def _flat(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for key, inside in value.items():
            yield from _flat(inside, f"{name}.{key}" if name else str(key))
    # Lists of parts are compared part by part, so that one changed weight is one row; plain lists are one value.
    elif isinstance(value, list | tuple) and any(isinstance(v, Mapping) for v in value):
        for place, inside in enumerate(value):
            yield from _flat(inside, f"{name}[{place}]")
    else:
        yield name, str(value)


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
    # Two versions of a dataset may share their ids: equal questions with other gold are other tasks.
    changed = next((q for q in ours if set(ours[q].gold) != set(theirs[q].gold)), None)
    if changed:
        raise InvalidInput(f"the runs have different gold for the question {changed!r}; they cannot be compared")
