"""The report: one HTML page that holds all it needs, so that it opens offline and can be kept beside the run."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from importlib.resources import files

from multihop.evaluation.page import figures
from multihop.evaluation.page.cases import find_cases, side_by_side
from multihop.evaluation.page.overview import changed_settings, heading, summary_section, title
from multihop.evaluation.page.reproduce import failures, reproduce
from multihop.evaluation.runs import Run
from multihop.evaluation.summary import Summary
from multihop.rendering.html import el, join, page

MOST_BYTES = 2_800_000
"""The page stays below this; what gives way are questions that systems disagree on."""
_SECTIONS = (
    ("summary", "Summary"), ("changed", "What changed"), ("budgets", "Budget"), ("groups", "Kinds of question"),
    ("cost", "Time"), ("coverage", "Coverage"), ("lost", "Lost gold"), ("cases", "Questions"), ("failed", "Failures"),
    ("reproduce", "Reproduce"),
)  # fmt: skip


def html(run: Run, summary: Summary, settings: Sequence[tuple[str, str, str]] = ()) -> str:
    """Write the report of a run; of two runs made one, `settings` are those in which they differ."""
    before = [
        summary_section(run, summary),
        changed_settings(run, settings),
        figures.budgets(summary),
        figures.groups(summary),
        figures.costs(summary),
        figures.coverage(summary),
    ]
    after = [failures(run), reproduce(run)]
    # With room for what is drawn later: the lost gold, the contents, style and script.
    taken = sum(len(part.encode()) for part in (*before, *after)) + 200_000
    cases, links = side_by_side(run, summary, find_cases(run, summary), MOST_BYTES - taken)
    main = join([*before, figures.losses(run, summary, links), cases, *after])
    # Sections that have nothing to show are left out, so the page itself is asked which there are.
    there = [el("a", name, href=f"#{id}") for id, name in _SECTIONS if f' id="{id}">' in main]
    contents = el("nav", join(there, " "), aria_label="Sections")
    folder = files("multihop.evaluation.page")
    style = folder.joinpath("style.css").read_text(encoding="utf-8")
    script = folder.joinpath("script.js").read_text(encoding="utf-8")
    # Nothing may be fetched, and no script may run but this one: a second lock behind the escaping.
    only = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'sha256-{only}'"
    head = [el("meta", http_equiv="Content-Security-Policy", content=policy), el("link", rel="icon", href="data:,")]
    footer = el("footer", "Made by multihop. This page holds all its data and fetches nothing.")
    body = heading(run, summary), contents, el("main", main), footer
    return page(title(summary), *body, style=style, script=script, head=head)
