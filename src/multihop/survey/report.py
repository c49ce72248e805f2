"""A survey for people: a page for every group, and one that shows all of them side by side. Pages open offline."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from multihop.profiles.regexes import searchable
from multihop.profiles.values import Profile
from multihop.survey.telling import Signs
from multihop.survey.values import FIELDS, HOP, Answer, Chunk, GroupAnswers, Survey

_SHORT = {
    "combined_score": "score",
    "transformer_similarity": "transformer",
    "word2vec_similarity": "word2vec",
    "regex_score": "patterns",
    "fuzzy_score": "fuzzy",
}
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
    parts = [f"<h1>{_e(answers.group)}</h1>", f'<p class="dim">{_e(_about(answers))}</p>', _contents(answers)]
    for answer in answers.answers:
        signs = Signs.of(profile, answer.question)
        parts.append(f'<h2 id="q{answer.number}">{answer.number}. {_e(answer.question)}</h2>')
        parts += [f'<p class="dim">{_e(note)}</p>' for note in answer.notes]
        if not answer.chunks:
            parts.append("<p>No passage speaks to this question.</p>")
            continue
        parts.append(f"<blockquote>{_marked(signs.telling(answer.chunks[0].content), signs)}</blockquote>")
        shown = [_chunk(c, signs) for c in answer.chunks]
        parts += shown[:_OPEN]
        if shown[_OPEN:]:
            more = "".join(shown[_OPEN:])
            parts.append(f"<details><summary>{len(shown) - _OPEN} more passages</summary>{more}</details>")
    return _page(f"{answers.group}: {profile.name}", "".join(parts))


def markdown(answers: GroupAnswers, profile: Profile) -> str:
    """Write the report of one group as Markdown."""
    lines = [f"# {_plain(answers.group)}", "", _plain(_about(answers)), ""]
    for answer in answers.answers:
        signs = Signs.of(profile, answer.question)
        lines += [f"## {answer.number}. {_plain(answer.question)}", ""]
        lines += [f"*{_plain(note)}*\n" for note in answer.notes]
        if not answer.chunks:
            lines += ["No passage speaks to this question.", ""]
        for chunk in answer.chunks[:_OPEN]:
            lines += [f"{chunk.rank}. **{_plain(_name(chunk))}** ({_scores(chunk)})", ""]
            lines += [f"   > {_plain(signs.telling(chunk.content, 500))}", ""]
        if len(answer.chunks) > _OPEN:
            others = ", ".join(f"{_plain(c.id)} ({c.combined_score:.2f})" for c in answer.chunks[_OPEN:])
            lines += [f"Also: {others}", ""]
    return "\n".join(lines)


def overview(survey: Survey, profile: Profile, names: Mapping[tuple[str, str], str]) -> str:
    """Write the page that shows every group and question: the most telling sentence of the best passage."""
    signs = {q.number: Signs.of(profile, q.text) for q in profile.questions}
    head = "".join(f'<th scope="col">{n}. {_e(label)}</th>' for n, label in survey.questions.items())
    rows = []
    for group in survey.groups:
        name = names[group.group, group.method]
        label = group.group + (" (hop)" if group.method == HOP else "")
        cells = "".join(_cell(group.answer(n), signs[n], f"{name}.html#q{n}") for n in survey.questions)
        rows.append(f'<tr><th scope="row"><a href="{_e(name)}.html">{_e(label)}</a></th>{cells}</tr>')
    count = len({g.group for g in survey.groups})
    about = f"{survey.field}: {count}, questions: {len(survey.questions)}. A cell shows what the best passage says."
    notes = "".join(f'<p class="dim">{_e(n)}</p>' for n in survey.notes)
    table = f"<table><thead><tr><th>{_e(survey.field)}</th>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
    body = f'<h1>Survey: {_e(survey.profile)}</h1><p class="dim">{_e(about)}</p>{notes}'
    return _page(f"Survey: {survey.profile}", f'{body}<div class="scroll" tabindex="0">{table}</div>', wide=True)


def overview_text(survey: Survey, names: Mapping[tuple[str, str], str]) -> str:
    """Write the overview as a Markdown table of best scores."""
    questions = list(survey.questions.items())
    lines = [f"# Survey: {_plain(survey.profile)}", ""]
    lines += [f"| {_plain(survey.field)} | " + " | ".join(f"{n}. {_plain(label)}" for n, label in questions) + " |"]
    lines += ["|---" * (len(questions) + 1) + "|"]
    for group in survey.groups:
        best = [a.chunks[0].combined_score if (a := group.answer(n)) and a.chunks else None for n, _ in questions]
        label = _plain(group.group + (" (hop)" if group.method == HOP else ""))
        cells = " | ".join("–" if b is None else f"{b:.2f}" for b in best)
        lines.append(f"| [{label}]({names[group.group, group.method]}.md) | {cells} |")
    return "\n".join([*lines, "", *(_plain(n) for n in survey.notes), ""])


# --- pieces ---------------------------------------------------------------------------------------


def _about(answers: GroupAnswers) -> str:
    return f"profile {answers.profile}, {answers.method.replace('_', ' ')}, {answers.timestamp.replace('T', ' ')}"


def _contents(answers: GroupAnswers) -> str:
    all_groups = f'<a href="index.html">every {_e(answers.field)}</a>'
    links = (f'<a href="#q{a.number}">{a.number}. {_e(a.label or a.question)}</a>' for a in answers.answers)
    return f"<nav>{' · '.join((all_groups, *links))}</nav>"


def _chunk(chunk: Chunk, signs: Signs) -> str:
    said = "".join(f"<span>{_e(s)}</span>" for s in _scores(chunk).split(", "))
    named = ", ".join(signs.named(f"{chunk.heading} {chunk.content}"))
    why = f'<p class="dim">{_e(chunk.reason)}</p>' if chunk.hop > 1 else ""
    found = f'<p class="dim">signs: {_e(named)}</p>' if named else ""
    return (
        f"<article><strong>{chunk.rank}. {_e(_name(chunk))}</strong><div class='scores'>{said}</div>"
        f"<p>{_marked(searchable(chunk.content), signs)}</p>{found}{why}</article>"
    )


def _cell(answer: Answer | None, signs: Signs, link: str) -> str:
    if answer is None or not answer.chunks:
        return "<td>–</td>"
    best = answer.chunks[0]
    said = _marked(signs.telling(best.content, 180), signs)
    return f'<td>{said} <a class="dim" href="{_e(link)}">{best.combined_score:.2f}</a></td>'


def _marked(line: str, signs: Signs) -> str:
    parts, at = [], 0
    for start, end in signs.spans(line):
        parts.append(f"{_e(line[at:start])}<mark>{_e(line[start:end])}</mark>")
        at = end
    return "".join(parts) + _e(line[at:])


def _scores(chunk: Chunk) -> str:
    known = ((_SHORT[name], getattr(chunk, name)) for name in FIELDS)
    return ", ".join(f"{name} {value:.2f}" for name, value in known if value is not None)


def _name(chunk: Chunk) -> str:
    return " › ".join(part for part in (chunk.title or chunk.document, chunk.heading, chunk.id) if part)


def _page(title: str, body: str, *, wide: bool = False) -> str:
    kind = ' class="wide"' if wide else ""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{_e(title)}</title><style>{_STYLE}</style></head><body{kind}><main>{body}</main></body></html>\n"
    )


def _e(value: object) -> str:
    return escape("".join(c if c.isprintable() or c in "\n\t" else "\ufffd" for c in str(value)), quote=True)


def _plain(value: str) -> str:
    """A text on one line in which nothing is markup."""
    line = " ".join(value.split())
    return "".join(f"\\{c}" if c in "\\`*_[]<>|#" else c for c in line)
