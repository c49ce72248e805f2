"""Reports of a survey: a page for every group, and the overview as text. Pages open offline."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files

from multihop.profiles.regexes import searchable
from multihop.profiles.values import Profile
from multihop.rendering.html import SAFE_LINK_PREFIXES, Markup, el, join, page
from multihop.rendering.markdown import escape, table as markdown_table
from multihop.rendering.phrases import one_line, pluralize
from multihop.survey.answers import FIELDS, HOP, Chunk, GroupAnswers, Survey
from multihop.survey.excerpts import Signs
from multihop.survey.findings import NOT_FOUND, Finding

_SHORT = {**FIELDS, "combined_score": "score"}
_NOTHING = "No passage answers this question."
_OPEN = 3
"""Number of chunks of an answer that are shown; the others are collapsed."""
_STYLE = (files(__package__) / "report.css").read_text("utf-8")


def html(answers: GroupAnswers, profile: Profile) -> str:
    """Render the page of one group."""
    links = [el("a", f"{a.number}. {a.label or a.question}", href=f"#q{a.number}") for a in answers.answers]
    contents = el("nav", join([el("a", f"every {answers.field}", href="index.html"), *links], " · "))
    parts = [el("h1", answers.group), _dim(_about(answers)), contents]
    for answer in answers.answers:
        signs = Signs.of(profile, answer.question)
        parts.append(el("h2", f"{answer.number}. {answer.question}", id=f"q{answer.number}"))
        parts += map(_dim, answer.notes)
        parts += [_finding_lines(f) for f in answer.findings]
        if not answer.chunks:
            parts.append(el("p", _NOTHING))
            continue
        if not answer.findings:
            said = el("blockquote", _mark_signs(signs.excerpt(answer.chunks[0].content), signs))
            parts += [el("p", el("strong", NOT_FOUND), "; the closest passage says:"), said]
        shown = [_chunk(c, signs) for c in answer.chunks]
        parts += shown[:_OPEN]
        if more := shown[_OPEN:]:
            parts.append(el("details", el("summary", pluralize(len(more), "more passage")), *more))
    return page(f"{answers.group}: {profile.name}", el("main", *parts), style=_STYLE)


def markdown(answers: GroupAnswers, profile: Profile) -> str:
    """Render the report of one group as Markdown."""
    lines = [f"# {escape(answers.group)}", "", escape(_about(answers)), ""]
    for answer in answers.answers:
        signs = Signs.of(profile, answer.question)
        lines += [f"## {answer.number}. {escape(answer.question)}", ""]
        lines += [f"*{escape(note)}*\n" for note in answer.notes]
        for finding in answer.findings:
            lines += [f"**{escape(finding.text)}** ({escape(where(finding))})", "", f"> {escape(finding.sentence)}", ""]
        if not answer.findings:
            lines += [f"**{NOT_FOUND}**", ""]
        if not answer.chunks:
            lines += [_NOTHING, ""]
        for chunk in answer.chunks[:_OPEN]:
            lines += [f"{chunk.rank}. **{escape(_name(chunk))}** ({', '.join(_scores(chunk))})", ""]
            lines += [f"   > {escape(signs.excerpt(chunk.content, 500))}", ""]
        if len(answer.chunks) > _OPEN:
            others = ", ".join(f"{escape(c.id)} ({c.combined_score:.2f})" for c in answer.chunks[_OPEN:])
            lines += [f"Also: {others}", ""]
    return "\n".join(lines)


def overview_text(survey: Survey, names: Mapping[tuple[str, str], str]) -> str:
    """Render the overview as a Markdown table of values."""
    header = [escape(survey.field), *(f"{n}. {escape(label)}" for n, label in survey.questions.items())]
    rows = []
    for group in survey.groups:
        answers = [group.answer(n) for n in survey.questions]
        values = [escape(one_line(a.value, 120)) if a else "–" for a in answers]
        rows.append([f"[{escape(label_of(group))}]({names[group.group, group.method]}.md)", *values])
    title = f"# Survey: {escape(survey.profile)}"
    return "\n".join([title, "", *markdown_table(header, rows), "", *map(escape, survey.notes), ""])


def where(finding: Finding) -> str:
    """Return the source of a value: document, date, page, and its confidence."""
    page = f"p. {finding.page}" if finding.page else ""
    sure = f"confidence {finding.confidence:.2f}"
    mark = "contradicted" if finding.contradicts else ""
    return ", ".join(part for part in (finding.title or finding.document, finding.date, page, sure, mark) if part)


def link_source(finding: Finding) -> Markup:
    """Return the source of a value, as a link to its page if there is one."""
    # A URL comes from the metadata of a document and could be a script.
    if not finding.url.startswith(SAFE_LINK_PREFIXES):
        return el("span", where(finding))
    return el("a", where(finding), href=finding.link)


def _finding_lines(finding: Finding) -> Markup:
    source = el("p", link_source(finding), class_="dim")
    said = el("blockquote", el("strong", finding.text), el("p", finding.sentence), source)
    return el("div", said, class_="found")


def _about(answers: GroupAnswers) -> str:
    return f"profile {answers.profile}, {answers.method.replace('_', ' ')}, {answers.timestamp.replace('T', ' ')}"


def label_of(group: GroupAnswers) -> str:
    return group.group + (" (hop)" if group.method == HOP else "")


def _dim(text: str) -> Markup:
    return el("p", text, class_="dim")


def _chunk(chunk: Chunk, signs: Signs) -> Markup:
    named = ", ".join(signs.names_in(f"{chunk.heading} {chunk.content}"))
    return el(
        "article",
        el("strong", f"{chunk.rank}. {_name(chunk)}"),
        el("div", *(el("span", score) for score in _scores(chunk)), class_="scores"),
        el("p", _mark_signs(searchable(chunk.content), signs)),
        _dim(f"signs: {named}") if named else "",
        _dim(chunk.reason) if chunk.hop > 1 else "",
    )


def _mark_signs(line: str, signs: Signs) -> Markup:
    parts: list[object] = []
    at = 0
    for start, end in signs.spans(line):
        parts += [line[at:start], el("mark", line[start:end])]
        at = end
    return join([*parts, line[at:]])


def _scores(chunk: Chunk) -> list[str]:
    known = ((_SHORT[name], getattr(chunk, name)) for name in FIELDS)
    return [f"{name} {value:.2f}" for name, value in known if value is not None]


def _name(chunk: Chunk) -> str:
    page = f"p. {chunk.page}" if chunk.page else ""
    heading = chunk.heading if chunk.heading != chunk.title else ""
    # A passage without a title has only its id.
    return " › ".join(part for part in (chunk.title or chunk.id, heading, page) if part)
