"""The figures of the report: curves, bars, latency, coverage, where gold was lost and where the time went."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from multihop.evaluation.measures import Estimate
from multihop.evaluation.page.charts import Chart, Series, Spot, bars, legend, lines, spots, stacked_bars
from multihop.evaluation.page.numbers import NONE, interval, milliseconds, part, share
from multihop.evaluation.page.sections import collapsible, number_head, section
from multihop.evaluation.runs import Run
from multihop.evaluation.summary import FATES, Summary, SystemSummary
from multihop.rendering.html import Markup, el, join, table
from multihop.rendering.phrases import pluralize, shorten

STAGES = ("plan", "write", "search", "load", "select", "assess")
"""The stages in the order of the loop; others come after them."""
_GROUPS = 12
_FATES_SAID = (
    "Never reached: no search met it. Ranked below the budget: met, but others came first. Selected, then replaced: it "
    "was in the evidence of an earlier hop. A system without a trace cannot tell these apart; its misses count as "
    "ranked below the budget."
)


def figure(chart: Chart, drawing: Markup, numbers: Markup | None = None) -> Markup:
    """Put a chart under its title, with its numbers to unfold."""
    more = collapsible("numbers", numbers) if numbers else Markup()
    return el("figure", el("figcaption", el("h3", chart.title), el("p", chart.about)), drawing, more)


def budgets(summary: Summary) -> Markup:
    """Draw all-gold and recall over smaller and smaller budgets."""
    if not summary.systems or len(summary.systems[0].curve) < 2:
        return Markup()
    figures = []
    for column, (name, about) in enumerate(
        (("all-gold", "Share of questions with every gold document in the first k."),
         ("recall", "Mean share of a question's gold documents in the first k.")), 1,
    ):  # fmt: skip
        chart = Chart(f"curve{column}", f"{name}@k over the budget", about)
        header = ["k", *(_number(p[0]) for p in summary.systems[0].curve)]
        rows = [[s.name, *(_number(share(p[column])) for p in s.curve)] for s in summary.systems]
        figures.append(figure(chart, _budget(summary, chart, name, column), table(header, rows)))
    return section("budgets", "Recall over the budget", el("div", *figures, class_="figures"))


def _budget(summary: Summary, chart: Chart, name: str, column: int) -> Markup:
    curve = [Series(s.name, i, tuple((float(p[0]), p[column]) for p in s.curve)) for i, s in enumerate(summary.systems)]
    return lines(chart, curve, ("k (log scale)", f"{name}@k"), log=True)


def drawings(summary: Summary) -> dict[str, Markup]:
    """Draw the charts that a paper would print, by their names: over the budget, by hops, against time."""
    charts = {}
    if summary.systems and len(summary.systems[0].curve) > 1:
        charts["budget"] = _budget(summary, Chart("budget", "all-gold@k over the budget", ""), "all-gold", 1)
    if rows := _by_group(summary, [s.by_hops for s in summary.systems])[1]:
        chart = Chart("hops", f"{summary.headline} by number of hops", "Whiskers are 95 % intervals.")
        charts["hops"] = bars(chart, rows, summary.headline)
    if points := _points(summary):
        chart = Chart("time", f"{summary.headline} against the time of a question", "")
        charts["time"] = spots(chart, points, summary.headline)
    return charts


def _number(*content: object) -> Markup:
    return el("td", *content, class_="n")


def groups(summary: Summary) -> Markup:
    """Draw all-gold by number of hops and by type of question."""
    kinds = (
        ("hops", "by number of hops", [s.by_hops for s in summary.systems]),
        ("types", "by type of question", [s.by_type for s in summary.systems]),
    )
    figures = [
        _group_bars(id, f"{summary.headline} {title}", summary, by_kind) for id, title, by_kind in kinds if any(by_kind)
    ]
    return section("groups", "By kind of question", el("div", *figures, class_="figures")) if figures else Markup()


def _group_bars(id: str, title: str, summary: Summary, by_kind: Sequence[Mapping[str, Estimate]]) -> Markup:
    total, rows = _by_group(summary, by_kind)
    kept = list(rows)
    left_out = f" The {len(kept)} largest of {total} groups." if total > len(kept) else ""
    chart = Chart(f"by-{id}", title, f"Whiskers are 95 % intervals; small groups have wide ones.{left_out}")
    numbers = table(
        ["system", *kept],
        [
            [s.name, *(_number(share(by[g].mean), el("small", interval(by[g]))) if g in by else NONE for g in kept)]
            for s, by in zip(summary.systems, by_kind, strict=True)
        ],
    )
    return figure(chart, bars(chart, rows, summary.headline), numbers)


def _by_group(
    summary: Summary, by_kind: Sequence[Mapping[str, Estimate]]
) -> tuple[int, dict[str, list[tuple[str, int, Estimate]]]]:
    """Return how many groups there are, and give the largest, with every system that has questions in them."""
    sizes = {g: e.n for by in by_kind for g, e in by.items()}
    # The largest are chosen, then put into the order of their names: 2 hops before 3 hops.
    kept = sorted(sorted(sizes, key=lambda g: -sizes[g])[:_GROUPS])
    systems = list(enumerate(zip(summary.systems, by_kind, strict=True)))
    return len(sizes), {g: [(s.name, i, by[g]) for i, (s, by) in systems if g in by] for g in kept}


def _points(summary: Summary) -> list[Spot]:
    return [
        Spot(s.name, i, s.p50_ms, s.p95_ms, s.measures[summary.headline])
        for i, s in enumerate(summary.systems)
        if not math.isnan(s.p50_ms)
    ]


def costs(summary: Summary) -> Markup:
    """Draw quality against latency, and where the time went."""
    figures = []
    if points := _points(summary):
        untimed = [s.name for s in summary.systems if math.isnan(s.p50_ms)]
        chart = Chart(
            "latency", f"{summary.headline} against latency",
            "Up and to the left is better. The mark is the median, the dotted line reaches to the 95th percentile, "
            "the upright line is the 95 % interval." + (f" Not timed: {', '.join(untimed)}." if untimed else ""),
        )  # fmt: skip
        figures.append(figure(chart, spots(chart, points, summary.headline)))
    if timed := [s for s in summary.systems if s.stages_ms]:
        figures.append(_stages(timed, [s.name for s in summary.systems if not s.stages_ms]))
    return section("cost", "Time", el("div", *figures, class_="figures")) if figures else Markup()


def _stages(timed: Sequence[SystemSummary], others: Sequence[str]) -> Markup:
    stages = {stage for s in timed for stage in s.stages_ms}
    # In the order of the loop, which a reader knows; a stage that was added later is shown all the same.
    kinds = [s for s in STAGES if s in stages] + sorted(stages - set(STAGES))
    missing = f" {', '.join(others)}: not known by stage." if others else ""
    chart = Chart("stages", "Where the time went", f"Mean milliseconds a question in each stage of the loop.{missing}")
    rows = [(s.name, s.stages_ms, f"{milliseconds(sum(s.stages_ms.values()))} ms") for s in timed]
    numbers = table(
        ["ms", *kinds], [[s.name, *(_number(milliseconds(s.stages_ms.get(k, 0.0))) for k in kinds)] for s in timed]
    )
    drawing = stacked_bars(chart, rows, kinds, milliseconds, "mean ms a question")
    return figure(chart, join([legend(kinds), drawing]), numbers)


def coverage(summary: Summary) -> Markup:
    """Draw how much of what the question names is covered after each hop."""
    curve = [
        Series(s.name, i, tuple((float(h), c) for h, c in enumerate(s.coverage, 1)))
        for i, s in enumerate(summary.systems)
        if s.coverage
    ]
    if not curve:
        return Markup()
    unknown = [s.name for s in summary.systems if not s.coverage]
    chart = Chart(
        "coverage-chart", "Entity coverage after each hop",
        "Mean share of what the questions name that the evidence covers; a question that stopped keeps its last value "
        "(dotted). The axis does not start at 0." + (f" Not known of {', '.join(unknown)}." if unknown else ""),
    )  # fmt: skip
    most = max(len(s.coverage) for s in summary.systems)
    rows = []
    for s in (s for s in summary.systems if s.coverage):
        shown = [*map(share, s.coverage), *[""] * (most - len(s.coverage)), f"{s.hops:.1f}"]
        rows.append([s.name, *map(_number, shown)])
    header = [f"hop {h}" for h in range(1, most + 1)]
    numbers = table(["system", *map(number_head, (*header, "hops used, mean"))], rows)
    drawing = lines(chart, curve, ("hop", "entity coverage"), whole=False)
    return section("coverage", "Coverage over hops", el("div", figure(chart, drawing), numbers, class_="figures"))


def losses(run: Run, summary: Summary, links: Mapping[str, str]) -> Markup:
    """Draw where missing gold was lost, and list the misses that came nearest."""
    if not summary.systems:
        return Markup()
    chart = Chart(
        "lost-chart", "Gold documents that are missing",
        f"Out of {pluralize(summary.systems[0].lost.gold, 'gold document')} over all questions.",
    )  # fmt: skip
    rows = [(s.name, s.lost.counts, part(sum(s.lost.counts.values()), s.lost.gold)) for s in summary.systems]
    drawing = stacked_bars(chart, rows, FATES, lambda v: f"{v:.0f}", "gold documents")
    header = ["system", *map(number_head, ("missing", *FATES))]
    cells = [[s.name, *map(_number, _fates(s))] for s in summary.systems]
    beside = el("div", table(header, cells), *_nearest(run, summary, links))
    return section(
        "lost",
        "Where gold was lost",
        el("p", _FATES_SAID),
        el("div", figure(chart, join([legend(FATES), drawing])), beside, class_="figures"),
    )


def _fates(system: SystemSummary) -> list[str]:
    lost = system.lost
    missing = part(sum(lost.counts.values()), lost.gold)
    # Without a trace only that it is missing is known, not how.
    return [missing, *(part(lost.counts[f], lost.gold) if system.stages_ms or lost.counts[f] else NONE for f in FATES)]


def _nearest(run: Run, summary: Summary, links: Mapping[str, str]) -> list[Markup]:
    asked = {q.id: q.text for q in run.questions}
    nearest = []
    for s in (s for s in summary.systems if s.lost.nearest):
        rows = [
            [_number(rank), shorten(document, 120), _question(asked.get(q, q), links.get(q))]
            for q, document, rank in s.lost.nearest
        ]
        nearest.append(collapsible(f"nearest misses of {s.name}", table(["rank", "gold document", "question"], rows)))
    return nearest


def _question(asked: str, link: str | None) -> Markup:
    shown = shorten(asked, 160)
    return el("a", shown, href=f"#{link}") if link else el("span", shown)
