"""A run in numbers: what every form of the report (table, Markdown, CSV, JSON, page) is made from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from multihop.evaluation.answer_scores import answer_measures
from multihop.evaluation.datasets import Question
from multihop.evaluation.measures import Difference, Estimate, PerQuestion, difference, estimate, per_question, together
from multihop.evaluation.runs import Run
from multihop.evaluation.system_answers import BELOW, NEVER_REACHED, REPLACED, SystemAnswer

FATES = (NEVER_REACHED, BELOW, REPLACED)
_CURVE = (1, 2, 3, 5, 10, 15, 21, 30, 50, 100)


@dataclass(frozen=True, slots=True)
class Lost:
    """Counts of a system's missing gold by cause."""

    counts: Mapping[str, int]
    gold: int
    nearest: tuple[tuple[str, str, int], ...]
    """The misses that came nearest: question id, document, rank."""


@dataclass(frozen=True, slots=True)
class SystemSummary:
    """One system of a run."""

    name: str
    questions: int
    failed: int
    measures: Mapping[str, Estimate]
    values: PerQuestion
    by_hops: Mapping[str, Estimate]
    """all-gold@k by number of hops."""
    by_type: Mapping[str, Estimate]
    curve: tuple[tuple[int, float, float], ...]
    """Budget, all-gold and recall at that budget."""
    p50_ms: float
    p95_ms: float
    stages_ms: Mapping[str, float]
    coverage: tuple[float, ...]
    """Mean coverage of the question's entities after each hop; a question that stopped keeps its last."""
    hops: float
    lm_calls: float
    lm_tokens: float
    lm_failed: float
    """Share of the calls of a language model whose answer could not be used."""
    lost: Lost
    against_first: Difference | None


@dataclass(frozen=True, slots=True)
class Summary:
    """All systems of a run, `bm25` first, then as they were asked for; the others are compared with the first."""

    dataset: str
    split: str
    k: int
    questions: int
    passages: int
    systems: tuple[SystemSummary, ...]

    @property
    def headline(self) -> str:
        return f"all-gold@{self.k}"


def summarize(run: Run) -> Summary:
    """Measure every system of a run."""
    systems: list[SystemSummary] = []
    first: SystemSummary | None = None
    # Lexical search comes first where it was asked for: every gain is shown over our own first stage.
    for name in sorted(run.answers, key=lambda n: n != "bm25"):
        systems.append(_system(run, name, first))
        first = first or systems[0]
    # Systems against the first are several comparisons at once, and enough of them find something by chance.
    compared = together([s.against_first for s in systems if s.against_first])
    systems[1:] = [replace(s, against_first=d) for s, d in zip(systems[1:], compared, strict=True)]
    dataset = run.manifest["dataset"]
    return Summary(
        dataset["name"], dataset["split"], run.k, len(run.questions), run.manifest["index"]["passages"], tuple(systems)
    )


def _system(run: Run, name: str, first: SystemSummary | None) -> SystemSummary:
    k, answers, given = run.k, run.answers[name], list(run.answers[name].values())
    curve = [c for c in _CURVE if c < k]
    values = per_question(run.qrels, run.rankings(name), k, curve)
    headline = values[f"all-gold@{k}"]
    kept = [f"all-gold@{k}", f"recall@{k}", f"precision@{k}", f"ndcg@{k}", f"mrr@{k}"]
    # HippoRAG and those who compare themselves with it report recall@5.
    if k > 5:
        kept[2:2] = ["recall@5"]
    measures = {m: estimate(list(values[m].values())) for m in kept}
    mean = {m: _mean(by_question.values()) for m, by_question in values.items()}
    covered = map(_entity_coverage, given)
    measures["entity coverage"] = estimate([c for c in covered if c is not None])
    # With fewer gold documents than places no system reaches 1: the best possible precision is that ceiling.
    precision = values[f"precision@{k}"]
    shares = [precision[q] * k / min(k, len(gold)) for q, gold in run.qrels.items() if gold]
    measures[f"precision@{k} of ceiling"] = estimate(shares)
    if run.manifest.get("replies"):
        replies = {q: a.reply for q, a in answers.items() if a.reply}
        measures |= {m: estimate(by_question) for m, by_question in answer_measures(run.questions, replies).items()}
    stages = sorted({stage for a in given for stage in a.stages})
    # An answer that was read from a run file took no time here.
    times = [a.seconds * 1000 for a in given if a.seconds and not a.error] or [float("nan")]
    return SystemSummary(
        name=name,
        questions=len(answers),
        failed=sum(bool(a.error) for a in given),
        measures=measures,
        values=values,
        by_hops=_group(run.questions, headline, lambda q: f"{q.hops} hops" if q.hops else ""),
        by_type=_group(run.questions, headline, lambda q: q.type or q.label),
        curve=tuple((c, mean[f"all-gold@{c}"], mean[f"recall@{c}"]) for c in [*curve, k]),
        p50_ms=float(np.median(times)),
        p95_ms=float(np.quantile(times, 0.95)),
        stages_ms={stage: 1000 * _mean(a.stages.get(stage, 0.0) for a in given) for stage in stages},
        coverage=_coverage(given),
        hops=_mean(len(a.coverage) for a in given),
        lm_calls=_mean(a.lm_calls for a in given),
        lm_tokens=_mean(a.lm_tokens for a in given),
        lm_failed=_mean(outcome == "failed" for a in given for _, _, outcome, *_ in a.trace.get("lm", ())),
        lost=_count_lost(run, answers),
        against_first=difference(first.values[f"all-gold@{k}"], headline) if first else None,
    )


def _group(
    questions: Sequence[Question], values: Mapping[str, float], group: Callable[[Question], str]
) -> dict[str, Estimate]:
    groups: dict[str, list[float]] = {}
    for question in questions:
        if key := group(question):
            groups.setdefault(key, []).append(values[question.id])
    return {key: estimate(members) for key, members in sorted(groups.items())} if len(groups) > 1 else {}


def _count_lost(run: Run, answers: Mapping[str, SystemAnswer]) -> Lost:
    counts = Counter(loss.fate for a in answers.values() for loss in a.losses)
    ranked = [(loss.rank, q, loss.document) for q, a in answers.items() for loss in a.losses if loss.rank]
    nearest = tuple((q, document, rank) for rank, q, document in sorted(ranked)[:10])
    return Lost({fate: counts[fate] for fate in FATES}, sum(len(q.gold) for q in run.questions), nearest)


def _coverage(answers: Sequence[SystemAnswer]) -> tuple[float, ...]:
    longest = max((len(a.coverage) for a in answers), default=0)
    # Otherwise the later hops would be means over the hard questions alone.
    kept = [[*a.coverage, *[a.coverage[-1]] * (longest - len(a.coverage))] for a in answers if a.coverage]
    return tuple(round(float(v), 4) for v in np.mean(kept, axis=0)) if kept else ()


def _entity_coverage(answer: SystemAnswer) -> float | None:
    """Share of what the question names that the evidence covers; None where a strategy assesses other things."""
    named = [text for text, kind in answer.trace.get("entities", ()) if kind != "bridge"]
    assessed = dict(answer.trace.get("covered", ()))
    covered = [bool(assessed[name]) for name in named if name in assessed]
    return sum(covered) / len(covered) if covered else None


def _mean(values: Iterable[float]) -> float:
    numbers = list(values)
    return float(np.mean(numbers)) if numbers else 0.0
