"""A survey for people: a page for every group, and one that shows all of them side by side. Pages open offline."""

from __future__ import annotations

from collections.abc import Mapping

from multihop.profiles.regexes import searchable
from multihop.profiles.values import Profile
from multihop.rendering.html import Markup, el, join, page, table
from multihop.rendering.markdown import escape
from multihop.rendering.markdown import table as markdown_table
from multihop.rendering.phrases import counted
from multihop.survey.answers import FIELDS, HOP, Chunk, GroupAnswers, Survey, SurveyAnswer
from multihop.survey.excerpts import Signs

_SHORT = {
    "combined_score": "score",
    "transformer_similarity": "transformer",
    "word2vec_similarity": "word2vec",
    "regex_score": "patterns",
    "fuzzy_score": "fuzzy",
}
_NOTHING = "No passage answers this question."
_OPEN = 3
"""So many chunks of an answer are shown open, the others on demand."""
_STYLE = """
:root{color-scheme:light dark;--line:#8884;--mark:#ffe58a;--dim:#777;--bar:#3b7dd8}
@media (prefers-color-scheme:dark){:root{--mark:#6b5600;--dim:#aaa}}
body{font:16px/1.5 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem}
h1{line-height:1.2}h2{margin-top:2.5rem;border-top:1px solid var(--line);padding-top:1rem}
mark{background:var(--mark);color:inherit;border-radius:2px}
.dim{color:var(--dim);font-size:.9rem}
article{border-left:3px solid var(--line);padding:.1rem 1rem;margin:1rem 0}
.scores{display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;font-size:.85rem;color:var(--dim)}
blockquote{margin:.5rem 0;padding-left:1rem;border-left:3px solid var(--bar)}
.wide{max-width:none}.scroll{overflow-x:auto}table{border-collapse:collapse;font-size:.85rem}
th,td{border:1px solid var(--line);padding:.4rem .6rem;text-align:left;vertical-align:top}
td{min-width:14rem}thead th{position:sticky;top:0;background:Canvas}
tbody th{position:sticky;left:0;background:Canvas}
@media (max-width:40rem){body{margin:1rem auto}td{min-width:11rem}}
"""


def html(answers: GroupAnswers, profile: Profile) -> str:
    """Write the page of one group."""
    parts = [el("h1", answers.group), _dim(_about(answers)), _contents(answers)]
    for answer in answers.answers:
        signs = Signs.of(profile, answer.question)
        parts.append(el("h2", f"{answer.number}. {answer.question}", id=f"q{answer.number}"))
        parts += map(_dim, answer.notes)
        if not answer.chunks:
            parts.append(el("p", _NOTHING))
            continue
        parts.append(el("blockquote", _marked(signs.excerpt(answer.chunks[0].content), signs)))
        shown = [_chunk(c, signs) for c in answer.chunks]
        parts += shown[:_OPEN]
        if more := shown[_OPEN:]:
            parts.append(el("details", el("summary", counted(len(more), "more passage")), *more))
    return page(f"{answers.group}: {profile.name}", el("main", *parts), style=_STYLE)


def markdown(answers: GroupAnswers, profile: Profile) -> str:
    """Write the report of one group as Markdown."""
    lines = [f"# {escape(answers.group)}", "", escape(_about(answers)), ""]
    for answer in answers.answers:
        signs = Signs.of(profile, answer.question)
        lines += [f"## {answer.number}. {escape(answer.question)}", ""]
        lines += [f"*{escape(note)}*\n" for note in answer.notes]
        if not answer.chunks:
            lines += [_NOTHING, ""]
        for chunk in answer.chunks[:_OPEN]:
            lines += [f"{chunk.rank}. **{escape(_name(chunk))}** ({', '.join(_scores(chunk))})", ""]
            lines += [f"   > {escape(signs.excerpt(chunk.content, 500))}", ""]
        if len(answer.chunks) > _OPEN:
            others = ", ".join(f"{escape(c.id)} ({c.combined_score:.2f})" for c in answer.chunks[_OPEN:])
            lines += [f"Also: {others}", ""]
    return "\n".join(lines)


def overview(survey: Survey, profile: Profile, names: Mapping[tuple[str, str], str]) -> str:
    """Write the page that shows every group and question: the most telling sentence of the best passage."""
    signs = {q.number: Signs.of(profile, q.text) for q in profile.questions}
    rows = []
    for group in survey.groups:
        name = names[group.group, group.method]
        cells = [_cell(group.answer(n), signs[n], f"{name}.html#q{n}") for n in survey.questions]
        rows.append([el("a", _label(group), href=f"{name}.html"), *cells])
    count = len({g.group for g in survey.groups})
    about = f"{survey.field}: {count}, questions: {len(survey.questions)}. A cell shows what the best passage says."
    shown = table([survey.field, *(f"{n}. {label}" for n, label in survey.questions.items())], rows)
    title = f"Survey: {survey.profile}"
    body = el("main", el("h1", title), _dim(about), *map(_dim, survey.notes), shown)
    return page(title, body, style=_STYLE, class_="wide")


def overview_text(survey: Survey, names: Mapping[tuple[str, str], str]) -> str:
    """Write the overview as a Markdown table of best scores."""
    header = [escape(survey.field), *(f"{n}. {escape(label)}" for n, label in survey.questions.items())]
    rows = []
    for group in survey.groups:
        found = [group.answer(n) for n in survey.questions]
        best = [f"{a.chunks[0].combined_score:.2f}" if a and a.chunks else "–" for a in found]
        rows.append([f"[{escape(_label(group))}]({names[group.group, group.method]}.md)", *best])
    title = f"# Survey: {escape(survey.profile)}"
    return "\n".join([title, "", *markdown_table(header, rows), "", *map(escape, survey.notes), ""])


def _about(answers: GroupAnswers) -> str:
    return f"profile {answers.profile}, {answers.method.replace('_', ' ')}, {answers.timestamp.replace('T', ' ')}"


def _label(group: GroupAnswers) -> str:
    return group.group + (" (hop)" if group.method == HOP else "")


def _dim(text: str) -> Markup:
    return el("p", text, class_="dim")


def _contents(answers: GroupAnswers) -> Markup:
    links = [el("a", f"{a.number}. {a.label or a.question}", href=f"#q{a.number}") for a in answers.answers]
    return el("nav", join([el("a", f"every {answers.field}", href="index.html"), *links], " · "))


def _chunk(chunk: Chunk, signs: Signs) -> Markup:
    named = ", ".join(signs.named(f"{chunk.heading} {chunk.content}"))
    return el(
        "article",
        el("strong", f"{chunk.rank}. {_name(chunk)}"),
        el("div", *(el("span", score) for score in _scores(chunk)), class_="scores"),
        el("p", _marked(searchable(chunk.content), signs)),
        _dim(f"signs: {named}") if named else "",
        _dim(chunk.reason) if chunk.hop > 1 else "",
    )


def _cell(answer: SurveyAnswer | None, signs: Signs, link: str) -> Markup:
    if answer is None or not answer.chunks:
        return el("td", "–")
    best = answer.chunks[0]
    score = el("a", f"{best.combined_score:.2f}", class_="dim", href=link)
    return el("td", _marked(signs.excerpt(best.content, 180), signs), " ", score)


def _marked(line: str, signs: Signs) -> Markup:
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
    return " › ".join(part for part in (chunk.title or chunk.document, chunk.heading, chunk.id) if part)
