"""The top of the report: what was measured, the answer in two sentences, and the table of all systems."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

from multihop.evaluation.notices import notices
from multihop.evaluation.page.axes import key
from multihop.evaluation.page.charts import strip
from multihop.evaluation.page.numbers import NONE, chance, format_difference, interval, milliseconds, share
from multihop.evaluation.page.sections import number_head, section
from multihop.evaluation.runs import Run
from multihop.evaluation.summary import Summary, SystemSummary
from multihop.rendering.html import Markup, el, join, table
from multihop.rendering.phrases import pluralize, shorten

_NOTES = 20
_SETTINGS = 60
_WORDS = {"ndcg": "nDCG", "mrr": "MRR"}


def heading(run: Run, summary: Summary) -> Markup:
    """Return what was measured, on what, and what a reader must know before trusting it."""
    index = run.manifest.get("index", {})
    documents = index.get("documents")
    corpus = pluralize(summary.passages, "passage")
    if documents is not None and documents != summary.passages:
        corpus += f" of {pluralize(documents, 'document')}"
    names = [s.name for s in summary.systems]
    systems = f"{pluralize(len(names), 'system')}: {', '.join(names)}" if names else "no system"
    facts = f"{pluralize(summary.questions, 'question')} · {corpus} · budget k\u00a0=\u00a0{summary.k} · {systems}"
    notes = [shorten(n, 500) for n in run.manifest["dataset"].get("notes", ())][:_NOTES]
    return el(
        "header",
        el("h1", title(summary)),
        el("p", facts, class_="facts"),
        _glance(summary),
        el("ul", *(el("li", n) for n in notes)) if notes else Markup(),
        *(el("p", n, class_="notice") for n in _notices(run)),
    )


def _notices(run: Run) -> Iterator[str]:
    for name, answers in run.answers.items():
        yield from notices(name, answers.values(), len(run.questions))


def title(summary: Summary) -> str:
    return f"{summary.dataset} {summary.split}: evidence retrieval at k = {summary.k}"


def best(summary: Summary) -> SystemSummary:
    """Return the system that finds all gold most often; of equals the one named first."""
    return max(summary.systems, key=lambda s: s.measures[summary.headline].mean)


def _glance(summary: Summary) -> Markup:
    if not summary.systems:
        return el("p", "No system has answered any question yet.", class_="glance")
    top, first = best(summary), summary.systems[0]
    value = top.measures[summary.headline]
    whole = round(sum(top.values[summary.headline].values()))
    parts: list[object] = [
        el("strong", top.name),
        f" found every gold document within k\u00a0=\u00a0{summary.k} for {whole:,} of {pluralize(value.n, 'question')}"
        f" ({summary.headline} {share(value.mean)}, 95 % interval {interval(value)})"
        + ("" if math.isnan(top.p50_ms) else f", in {milliseconds(top.p50_ms)} ms a question at the median")
        + ". ",
    ]
    if top.against_first:
        d = top.against_first
        parts.append(
            f"Against {first.name} ({share(first.measures[summary.headline].mean)}"
            + (")" if math.isnan(first.p50_ms) else f", {milliseconds(first.p50_ms)} ms)")
            + f" that is {format_difference(d.mean)} ({interval(d)}, {chance(d.corrected)}):"
            f" {pluralize(d.wins, 'question')} gained, {d.losses:,} lost."
        )
    # The best is the first, the one that the others are compared with.
    elif len(summary.systems) > 1:
        parts.append("No other system found more.")
    return el("p", *parts, class_="glance")


def summary_section(run: Run, summary: Summary) -> Markup:
    """Lay out every system and measure; the best of each column stands out."""
    if not summary.systems:
        return Markup()
    measures = _measure_columns(summary)
    compared = [_against_column(summary)] if len(summary.systems) > 1 else []
    columns = [*measures[:1], *compared, *measures[1:], *_cost_columns(summary)]
    header = ["system", *(number_head(name) for name, _ in columns)]
    rows = [
        [el("th", key(i), s.name, scope="row"), *(cells[i] for _, cells in columns)]
        for i, s in enumerate(summary.systems)
    ]
    about = "Mean over the questions, with 95 % intervals below. The best of a column stands out."
    explained = (
        f"{summary.headline} is 1 for a question when every gold document is among the first {summary.k}, otherwise 0. "
        "Passages of one document count once. Entity coverage is the share of what the question names that the "
        "evidence covers; it needs no gold. Intervals are percentile bootstrap over questions; p is by paired "
        "randomization, with Holm's correction for all comparisons of the table."
    )
    shown = table(header, rows, about, "wide")
    return section("summary", "Summary", shown, _systems(run, summary), el("p", explained, class_="how"))


def changed_settings(run: Run, settings: Sequence[tuple[str, str, str]]) -> Markup:
    """List the settings in which two runs beside each other differ."""
    if not settings:
        return Markup()
    rows = [[name, shorten(a, 300), shorten(b, 300)] for name, a, b in settings[:_SETTINGS]]
    more = f" The first {_SETTINGS} of {len(settings):,}." if len(settings) > _SETTINGS else ""
    about = f"Settings in which the two runs differ; what is not here is the same.{more}"
    shown = table(["setting", *run.answers], rows, class_="plain")
    return section("changed", "What changed", el("p", about), shown)


def _systems(run: Run, summary: Summary) -> Markup:
    """Describe each system in one line, where the run knows it."""
    known = run.manifest.get("systems", {})
    said = [(i, s.name, known.get(s.name, {}).get("description", "")) for i, s in enumerate(summary.systems)]
    lines = [el("li", key(i), el("strong", name), f": {shorten(about, 300)}") for i, name, about in said if about]
    return el("ul", *lines, class_="systems") if lines else Markup()


def _measure_columns(summary: Summary) -> list[tuple[object, list[Markup]]]:
    columns: list[tuple[object, list[Markup]]] = []
    for measure in summary.systems[0].measures:
        estimates = [s.measures[measure] for s in summary.systems]
        top = _best([share(e.mean) for e in estimates], max)
        headline = measure == summary.headline
        cells = [
            el(
                "td", share(e.mean), el("small", interval(e)), strip(e, i) if headline else Markup(),
                class_="n best" if i in top else "n",
            )
            for i, e in enumerate(estimates)
        ]  # fmt: skip
        name, at, k = measure.partition("@")
        columns.append((_WORDS.get(name, name) + at + k, cells))
    return columns


def _cost_columns(summary: Summary) -> list[tuple[object, list[Markup]]]:
    shown: list[tuple[str, list[str], bool]] = [
        ("p50 ms", [milliseconds(s.p50_ms) for s in summary.systems], True),
        ("p95 ms", [milliseconds(s.p95_ms) for s in summary.systems], True),
    ]
    if any(s.lm_calls for s in summary.systems):
        shown.append(("LM calls", [f"{s.lm_calls:.1f}" for s in summary.systems], True))
    if any(s.lm_tokens for s in summary.systems):
        shown.append(("LM tokens", [f"{s.lm_tokens:,.0f}" for s in summary.systems], True))
    shown.append(("failed", [f"{s.failed:,}" for s in summary.systems], False))
    columns: list[tuple[object, list[Markup]]] = []
    for name, texts, rated in shown:
        top = _best(texts, min) if rated else set()
        columns.append((name, [el("td", t, class_="n best" if i in top else "n") for i, t in enumerate(texts)]))
    return columns


def _best(texts: Sequence[str], pick: Callable[[Sequence[float]], float]) -> set[int]:
    """Return which of the values shown are best; equal as shown is equal, and a lone system is not best of anything."""
    # Read back from what is shown: digits that nobody sees must not decide what is best.
    values = [float("nan") if t == NONE else float(t.replace(",", "")) for t in texts]
    known = [v for v in values if not math.isnan(v)]
    if len(values) < 2 or not known or min(known) == max(known):
        return set()
    return {i for i, v in enumerate(values) if v == pick(known)}


def _against_column(summary: Summary) -> tuple[object, list[Markup]]:
    first = summary.systems[0].name
    cells = []
    for s in summary.systems:
        if d := s.against_first:
            won = f"{d.wins:,} won, {d.losses:,} lost"
            more = el("small", interval(d)), el("small", chance(d.corrected)), el("small", won)
            cells.append(el("td", format_difference(d.mean), *more, class_="n"))
        else:
            cells.append(el("td", NONE, class_="n"))
    return join(["difference", el("br"), f"to {shorten(first, 18)}"]), cells
