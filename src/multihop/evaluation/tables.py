"""A summary as Markdown, CSV or JSON, and the table of what was lost."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator

from multihop.evaluation.measures import Difference, Estimate
from multihop.evaluation.page.numbers import NONE, chance, part, share
from multihop.evaluation.runs import Run
from multihop.evaluation.summary import FATES, Summary
from multihop.rendering.csv import to_csv
from multihop.rendering.markdown import table
from multihop.rendering.xlsx import Cell
from multihop.types import plain


def rows(summary: Summary) -> tuple[list[str], list[list[str]]]:
    """Lay the summary out: a header, and a row for each system, as people read it."""
    first, *others = summary.systems[0].measures
    header = ["system", first, *others, "p50 ms", "p95 ms", f"{summary.headline} against {summary.systems[0].name}"]
    body = [
        [
            s.name, with_interval(s.measures[first]), *(share(s.measures[m].mean) for m in others), _time(s.p50_ms),
            _time(s.p95_ms), against(s.against_first),
        ]
        for s in summary.systems
    ]  # fmt: skip
    if any(s.lm_calls for s in summary.systems):
        header += ["LM calls", "LM tokens", "LM failed"]
        for row, system in zip(body, summary.systems, strict=True):
            row += [f"{system.lm_calls:.1f}", f"{system.lm_tokens:,.0f}", share(system.lm_failed)]
    if any(s.failed for s in summary.systems):
        header.append("failed")
        for row, system in zip(body, summary.systems, strict=True):
            row.append(str(system.failed))
    return header, body


def markdown(summary: Summary) -> str:
    """Write the summary as a Markdown table under one line that says what was measured."""
    lines = [describe_measured(summary), "", *table(*rows(summary))]
    if any(s.by_hops for s in summary.systems):
        groups = sorted({g for s in summary.systems for g in s.by_hops})
        body = [[s.name, *(f"{s.by_hops[g].mean:.3f} (n={s.by_hops[g].n})" for g in groups)] for s in summary.systems]
        lines += ["", *table([f"{summary.headline} by hops", *groups], body)]
    return "\n".join(lines) + "\n"


def comma_separated(summary: Summary) -> str:
    """Write one row for each system and measure: mean, bounds of the interval, number of questions."""
    header = ["dataset", "split", "k", "system", "measure", "mean", "low", "high", "n"]
    return "".join(to_csv(header, _measured_rows(summary)))


def _measured_rows(summary: Summary) -> Iterator[list[Cell]]:
    for system in summary.systems:
        about: list[Cell] = [summary.dataset, summary.split, summary.k, system.name]
        for measure, e in system.measures.items():
            yield [*about, measure, e.mean, e.low, e.high, e.n]
        costs = {"p50 ms": system.p50_ms, "p95 ms": system.p95_ms}
        if system.lm_calls:
            costs |= {"LM calls": system.lm_calls, "LM tokens": system.lm_tokens}
        for name, value in costs.items():
            if not math.isnan(value):
                yield [*about, name, value, "", "", system.questions]


def as_dict(summary: Summary) -> dict[str, object]:
    """Turn the summary into plain values; what is not a number becomes null."""
    return _finite(plain(summary))  # type: ignore[return-value]  # a dataclass becomes a dict


def as_json(summary: Summary) -> str:
    return json.dumps(as_dict(summary), ensure_ascii=False, indent=1) + "\n"


def losses(run: Run, summary: Summary) -> str:
    """Say for every system where the missing gold was lost, and which misses came nearest."""
    body = [[s.name, str(s.lost.gold), *(part(s.lost.counts[f], s.lost.gold) for f in FATES)] for s in summary.systems]
    lines = table(["system", "gold", *FATES], body)
    texts = {q.id: q.text for q in run.questions}
    for system in summary.systems:
        if system.lost.nearest:
            lines += ["", f"nearest misses of {system.name}:", ""]
            lines += [f"- rank {rank}: {document} ({texts[q]})" for q, document, rank in system.lost.nearest]
    return "\n".join(lines) + "\n"


def describe_measured(summary: Summary) -> str:
    """Return what was measured: the set, its size, the budget."""
    compared = len(summary.systems) - 1
    corrected = f", Holm's correction for {compared} comparisons" if compared > 1 else ""
    return (
        f"{summary.dataset} {summary.split}: {summary.questions} questions over {summary.passages:,} passages, "
        f"k = {summary.k}; intervals are 95 % bootstrap, p by paired randomization{corrected}"
    )


def with_interval(value: Estimate) -> str:
    return NONE if math.isnan(value.mean) else f"{value.mean:.3f} [{value.low:.3f}, {value.high:.3f}]"


def against(value: Difference | None) -> str:
    """Write a difference with its interval and p; nothing for the system the others are compared with."""
    if value is None:
        return ""
    return f"{value.mean:+.3f} [{value.low:+.3f}, {value.high:+.3f}], {chance(value.corrected)}"


def _time(value: float) -> str:
    return NONE if math.isnan(value) else f"{value:.1f}"


def _finite(value: object) -> object:
    if isinstance(value, dict):
        return {k: _finite(v) for k, v in value.items()}
    if isinstance(value, list):
        return [_finite(v) for v in value]
    # NaN is no JSON: strict readers refuse the whole file for it.
    return None if isinstance(value, float) and not math.isfinite(value) else value
