"""Questions on which systems disagree or that all of them miss: gold, evidence and hops of each side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from multihop.evaluation.datasets import Question
from multihop.evaluation.page.axes import COLORS, key
from multihop.evaluation.page.sections import section
from multihop.evaluation.runs import Run
from multihop.evaluation.summary import Summary
from multihop.evaluation.system_answers import Loss, SystemAnswer
from multihop.rendering.html import Markup, el, join
from multihop.rendering.phrases import capitalize, one_line, pluralize, shorten
from multihop.rendering.trace import Entry, describe_hop
from multihop.types import Coverage, Decision, Found, Hop, Query

# Bounds of what is drawn: runs of any size, with traces of any length, give a page that still opens.
MOST = 60
_TOP, _GOLD, _ENTERED, _QUERIES, _HOPS = 10, 20, 8, 8, 8


@dataclass(frozen=True, slots=True)
class Case:
    """A question, and which systems (by their place) found all of its gold."""

    question: Question
    winners: tuple[int, ...]

    @property
    def pattern(self) -> str:
        return ",".join(map(str, self.winners)) or "none"


def find_cases(run: Run, summary: Summary) -> list[Case]:
    """Return the questions that not all systems solve: those on which they disagree, and those that all miss."""
    values = [s.values[summary.headline] for s in summary.systems]
    cases = (Case(q, tuple(i for i, of in enumerate(values) if of.get(q.id) == 1.0)) for q in run.questions)
    return [case for case in cases if len(case.winners) < len(values)]


def choose_cases(cases: Sequence[Case], most: int = MOST) -> list[Case]:
    """Choose which to show: in turn from every pattern of winners, so that the rare ones are there too."""
    waiting: dict[str, list[Case]] = {}
    for case in cases:
        waiting.setdefault(case.pattern, []).append(case)
    picked: list[Case] = []
    depth = 0
    while len(picked) < min(most, len(cases)):
        picked += [row[depth] for row in waiting.values() if depth < len(row)]
        depth += 1
    # Rare ones first: a question that only the weaker system solves is the one to look at.
    return sorted(picked[:most], key=lambda c: len(waiting[c.pattern]))


def side_by_side(run: Run, summary: Summary, cases: Sequence[Case], room: int) -> tuple[Markup, Mapping[str, str]]:
    """Lay out the section within a number of bytes; return it, and the link of every question shown."""
    shown: list[tuple[Case, Markup]] = []
    for n, case in enumerate(choose_cases(cases), 1):
        drawn = _case(run, summary, case, n)
        # Counted in bytes, as the limit is: texts in other scripts take three bytes a letter.
        room -= len(drawn.encode())
        if room < 0:
            break
        shown.append((case, drawn))
    alone = len(summary.systems) == 1
    title = "Questions with missing gold" if alone else "Where the systems disagree, and what all of them miss"
    about = el("p", _describe_counts(summary, cases, len(shown)))
    chooser = _filter(summary, cases, [c for c, _ in shown]) if shown else Markup()
    laid_out = section("cases", title, about, chooser, *(drawn for _, drawn in shown))
    return laid_out, {case.question.id: f"q{n}" for n, (case, _) in enumerate(shown, 1)}


def _describe_counts(summary: Summary, cases: Sequence[Case], shown: int) -> str:
    total, by_none = len(cases), sum(not c.winners for c in cases)
    if len(summary.systems) == 1:
        said = f"{summary.systems[0].name} misses gold in {total:,} of {pluralize(summary.questions, 'question')}."
    else:
        said = (
            f"In {total - by_none:,} of {pluralize(summary.questions, 'question')} some systems have every gold "
            f"document within k = {summary.k} and others do not; in {by_none:,} no system has."
        )
    if shown < total:
        said += f" {shown:,} are shown, taken in turn from every combination of winners."
    if shown and len(summary.systems) > 1:
        said += " The rarest combinations come first."
    return said + (" Open one to see what each system did." if shown else "")


def _filter(summary: Summary, cases: Sequence[Case], shown: Sequence[Case]) -> Markup:
    patterns, of = {c.pattern: c.winners for c in shown}, Counter(c.pattern for c in cases)
    options = [
        el("option", f"{_who(summary, winners)} ({of[p]:,})", value=p)
        for p, winners in sorted(patterns.items(), key=lambda item: (-of[item[0]], item[0]))
    ]
    who = el("label", "Found by", el("select", el("option", f"any ({len(cases):,})", value=""), *options, name="who"))
    words = el("label", "Containing", el("input", name="words", type="search", autocomplete="off"))
    button = el("button", "open or close all", type="button", id="open")
    count = el("span", "", id="count", role="status", class_="soft")
    # With one pattern there is nothing to choose, but the script reads the field all the same.
    if len(options) < 2:
        who = el("input", type="hidden", name="who", value="")
    # Only with a script does it do anything, so the script shows it.
    return el("form", who, words, button, count, id="filter", hidden=True)


def _who(summary: Summary, winners: Sequence[int]) -> str:
    names = [s.name for s in summary.systems]
    if len(winners) == 1:
        return f"only {names[winners[0]]}"
    if len(names) - len(winners) == 1 and len(names) > 3:
        return "all but " + next(n for i, n in enumerate(names) if i not in winners)
    return ", ".join(names[i] for i in winners) or "none"


def _case(run: Run, summary: Summary, case: Case, n: int) -> Markup:
    question = case.question
    yes, no = el("span", "✓", class_="yes"), el("span", "✗", class_="no")
    won = [el("span", key(i), s.name, " ", yes if i in case.winners else no) for i, s in enumerate(summary.systems)]
    hops = f"{question.hops} hops" if question.hops else ""
    about = " · ".join(filter(None, (hops, question.type, question.label, question.id)))
    sides = [
        _side(i, s.name, run.answers.get(s.name, {}).get(question.id), question) for i, s in enumerate(summary.systems)
    ]
    asked = el("span", shorten(question.text, 1000), class_="asked", dir="auto")
    answer = f" · answer: {shorten(question.answer, 200)}" if question.answer else ""
    more = el("p", el("small", shorten(about, 200), answer))
    return el(
        "details",
        el("summary", asked, el("span", *won, class_="won")),
        el("div", more, el("div", *sides, class_="sides"), class_="inside-case"),
        class_="case",
        id=f"q{n}",
        data_who=case.pattern,
    )


def _side(color: int, name: str, answer: SystemAnswer | None, question: Question) -> Markup:
    inside: list[Markup] = [el("h3", key(color), name)]
    if answer is None:
        inside.append(el("p", "no answer in this run", class_="no"))
    elif answer.error:
        inside.append(el("p", f"failed: {shorten(answer.error, 500)}", class_="no"))
    else:
        inside += [el("h4", "Gold documents"), _golds(answer, question)]
        inside += [el("h4", "Evidence"), _evidence(answer, question)]
        inside += _named_coverage(answer.trace)
        inside += _hops(answer.trace, question)
    return el("div", *inside, class_=f"side c{color % COLORS}")


def _golds(answer: SystemAnswer, question: Question) -> Markup:
    lost = {loss.document: loss for loss in answer.losses}
    items = []
    for gold in question.gold[:_GOLD]:
        if gold in answer.documents:
            mark, fate = el("span", "✓ ", class_="yes"), f"rank {answer.documents.index(gold) + 1}"
        else:
            loss = lost.get(gold, Loss(gold, "not found"))
            mark, fate = el("span", "✗ ", class_="no"), loss.fate
            fate += f", at rank {loss.rank}" if loss.rank else ""
            fate += f", met in hop {loss.hop}" if loss.hop else ""
        items.append(el("li", mark, f"{shorten(gold, 120)} ", el("small", fate)))
    return join([el("ul", *items, class_="golds"), _and_more(len(question.gold) - _GOLD)])


def _and_more(n: int) -> Markup:
    return el("small", f"and {n:,} more") if n > 0 else Markup()


def _evidence(answer: SystemAnswer, question: Question) -> Markup:
    """List the first passages, and behind them the gold that stands lower."""
    items = []
    for rank, (document, label, why) in enumerate(_passages(answer), 1):
        is_gold = document in question.gold
        if rank <= _TOP or is_gold:
            mark = el("span", "✓ ", class_="yes") if is_gold else Markup()
            items.append(
                el("li", mark, shorten(label, 120), el("small", shorten(why, 240)) if why else Markup(), value=rank,
                   class_="gold" if is_gold else None)
            )  # fmt: skip
    return el("ol", *items) if items else el("p", "none", class_="soft")


def _passages(answer: SystemAnswer) -> Iterator[tuple[str, str, str]]:
    traced = answer.trace.get("evidence", ())
    for id, label, hop, reason in traced:
        yield _document(id), label or _document(id), f"hop {hop} · {reason}"
    if not traced:
        for document in answer.documents:
            yield document, document, ""


def _document(passage_id: str) -> str:
    return passage_id.rpartition("#")[0] or passage_id


def _named_coverage(trace: Mapping[str, Any]) -> list[Markup]:
    """Return which of what the question names the evidence covers."""
    covered = trace.get("covered", ())
    if not covered:
        return []
    items = [
        el("span", el("span", "✓ " if by else "✗ ", class_="yes" if by else "no"), shorten(name, 80))
        for name, by in covered[:_GOLD]
    ]
    return [el("h4", "What the question names"), el("p", join(items, " · "))]


def _hops(trace: Mapping[str, Any], question: Question) -> list[Markup]:
    hops = trace.get("hops", ())
    if not hops:
        return [el("p", "no trace", class_="soft")]
    parts = [el("h4", pluralize(len(hops), "hop"))]
    parts += [_hop(n, hop, question) for n, hop in enumerate(hops[:_HOPS], 1)]
    parts.append(_and_more(len(hops) - _HOPS))
    if notes := trace.get("notes"):
        parts.append(el("p", el("small", shorten("; ".join(str(note["text"]) for note in notes), 300))))
    return parts


def _hop(n: int, hop: Mapping[str, Any], question: Question) -> Markup:
    outline = describe_hop(_read_hop(n, hop))
    queries = [_query(e, question) for e in outline.below if e.kind == "query"]
    moved = [_entry_line(e, question) for e in outline.below if e.kind == "moved" and e.passages]
    why = el("em", shorten(hop["decision"], 200))
    return el(
        "div",
        el("p", el("strong", capitalize(outline.label))),
        el("ul", *queries[:_QUERIES]),
        _and_more(len(queries) - _QUERIES),
        *moved,
        el("p", el("small", f"{pluralize(hop['pool'], 'candidate')}. ", why)),
        class_="hop",
    )


def _read_hop(n: int, hop: Mapping[str, Any]) -> Hop:
    """Read a hop back from what a run keeps of it."""
    queries = tuple(Found(Query(text, purpose), {"found": n}, (), new) for text, purpose, n, new in hop["queries"])
    moved = tuple(hop["entered"]), tuple(hop["left"])
    # Read back into the type, so that the terminal and this page tell a hop by the same code.
    return Hop(n, queries, (), *moved, (), Coverage(), Coverage(), Decision(False, hop["decision"]), hop["pool"])


def _query(entry: Entry, question: Question) -> Markup:
    purpose, counts, _ = (below.content() for below in entry.below)
    # Most queries repeat the question; its words are above.
    repeats = entry.text.strip("“…”") in one_line(question.text)
    return el("li", shorten(purpose, 200), "" if repeats else f": {entry.text}", el("small", counts))


def _entry_line(entry: Entry, question: Question) -> Markup:
    documents = list(dict.fromkeys(map(_document, entry.passages)))
    # Gold first: that is what the reader looks for.
    ordered = sorted(documents, key=lambda d: d not in question.gold)
    names = [
        el("strong", f"✓ {shorten(d, 80)}") if d in question.gold else el("span", shorten(d, 80))
        for d in ordered[:_ENTERED]
    ]
    more = f" and {len(documents) - _ENTERED:,} more" if len(documents) > _ENTERED else ""
    return el("p", el("small", f"{entry.label}: ", join(names, ", "), more))
