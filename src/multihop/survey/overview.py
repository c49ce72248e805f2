"""The overview page of a survey: a heat map of groups and questions to sort, filter, compare and print; opens offline.

Without JavaScript it is a table whose cells open. `heat-table` (script and style) is shared with the server's page.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files

from multihop.profiles.values import Profile
from multihop.rendering.html import Markup, el, join, page, table
from multihop.rendering.phrases import pluralize, shorten
from multihop.survey.answers import GroupAnswers, Survey, SurveyAnswer
from multihop.survey.findings import NOT_FOUND, Finding
from multihop.survey.report import label_of, link_source

_VALUE = 70
"""Characters of a value in a cell; the rest shows when it is opened."""
_PANEL = el("aside", class_="heat-panel", hidden=True, tabindex=-1, aria_label="Details")


def overview(survey: Survey, profile: Profile, names: Mapping[tuple[str, str], str]) -> str:
    """Render the page: the value for every group and question, in a color by confidence."""
    rows = [_row(survey, group, names[group.group, group.method]) for group in survey.groups]
    asked = {q.number: q.text for q in profile.questions}
    columns = (_sortable(f"{n}.\u00a0{label}", asked.get(n, "")) for n, label in survey.questions.items())
    header = [_sortable(survey.field), *columns]
    plural = survey.field[:-1] + "ies" if survey.field.endswith("y") else f"{survey.field}s"
    count = pluralize(len({g.group for g in survey.groups}), survey.field, plural)
    filled = sum(bool(a.findings) for g in survey.groups for a in g.answers)
    answers = sum(len(g.answers) for g in survey.groups)
    about = f"{count}, {pluralize(len(survey.questions), 'question')}: a value in {filled:,} of {answers:,} cells. "
    hint = "A stronger color means higher confidence. Open a cell for the sentence, its document, date and page."
    if any(f.contradicts for g in survey.groups for a in g.answers for f in a.findings):
        hint += " An orange border marks contradicting values, newest first."
    title = f"Survey: {survey.profile}"
    body = el(
        "main", el("h1", title), el("p", about, hint, class_="dim"), *(el("p", n, class_="dim") for n in survey.notes),
        _controls(survey), el("section", class_="heat-compared", hidden=True),
        el("div", table(header, rows, class_="heat"), _PANEL, class_="heat-layout"),
        el("p", _link("survey.xlsx"), " · ", _link("survey.csv"), " · ", _link("passages.csv"), class_="dim"),
    )  # fmt: skip
    style = _asset("overview.css") + _asset("heat-table.css")
    script = _asset("heat-table.js").replace("export function", "function") + "enhance(document);\n"
    return page(title, body, style=style, script=script, class_="wide")


def _asset(name: str) -> str:
    return files("multihop.survey").joinpath(name).read_text("utf-8")


def _link(name: str) -> Markup:
    return el("a", name, href=name)


def _sortable(label: str, title: str = "") -> Markup:
    return el("th", el("button", label, type="button", title=title or None), scope="col")


def _controls(survey: Survey) -> Markup:
    """Render the controls, hidden until the script runs."""
    options = [el("option", f"{n}. {label}", value=n) for n, label in survey.questions.items()]
    kinds = {"": "any answer", "found": "a value", "none": NOT_FOUND, "contradicts": "contradicting values"}
    states = [el("option", label, value=value) for value, label in kinds.items()]
    return el(
        "form",
        el("label", f"{survey.field} ", el("input", type="search", name="name", placeholder="part of a name")),
        el("label", "value contains ", el("input", type="search", name="text", placeholder="2030, conditional …")),
        el("label", "question ", el("select", el("option", "any", value=""), *options, name="question")),
        el("label", "with ", el("select", *states, name="state")),
        el("button", "Compare the marked", type="button", class_="compare"),
        el("button", "Print", type="button", class_="print"),
        el("output"),
        hidden=True, class_="heat-controls",
    )  # fmt: skip


def _row(survey: Survey, group: GroupAnswers, name: str) -> list[object]:
    mark = el("input", type="checkbox", class_="mark", hidden=True, aria_label=f"mark {label_of(group)}")
    link = el("a", label_of(group), href=f"{name}.html", class_="row-name")
    head = el("th", mark, link, scope="row", data_name=label_of(group))
    return [head, *(_cell(group.answer(n), f"{name}.html#q{n}", n) for n in survey.questions)]


def _cell(answer: SurveyAnswer | None, link: str, number: int) -> Markup:
    if answer is None:
        return el("td", "–", class_="none", data_q=number)
    if not answer.findings:
        best = f"{answer.chunks[0].combined_score:.2f}" if answer.chunks else "0"
        said = el("a", NOT_FOUND, href=link, title=f"the closest passage scores {best}")
        return el("td", said, class_="none", data_q=number)
    first, *others = answer.findings
    inside = [_source_line(first), *(_other(f) for f in others)]
    state = "found contradicts" if first.contradicts else "found"
    level = min(9, int(first.confidence * 10))
    more = [" ", el("sup", f"+{len(others)}")] if others else []
    summary = el("summary", shorten(first.text, _VALUE), *more, title=first.text)
    link_to_all = el("p", el("a", "all passages", href=link), class_="dim")
    return el(
        "td", el("details", summary, *inside, link_to_all), class_=f"{state} c{level}", data_q=number,
        data_number=None if first.number is None else f"{first.number:.12g}",
    )  # fmt: skip


def _other(finding: Finding) -> Markup:
    said = "Contradicts: " if finding.contradicts else "Also: "
    return el("div", said, el("strong", finding.text), _source_line(finding), class_="heat-other")


def _source_line(finding: Finding) -> Markup:
    before, words, after = finding.marked
    quote = el("q", before, el("mark", words), after) if words else el("q", before)
    return join([quote, el("p", link_source(finding), class_="dim")])
