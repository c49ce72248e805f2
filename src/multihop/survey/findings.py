"""Extracts the values that answer a question from passages, with a confidence each, and ranks them.

The score of a value comes from the cues around it: 1 − Π (1 − weight) over the cues for it, times 1 − weight for each
cue against it, times the match of its passage with the question. Several sentences of a document raise the confidence.
If documents differ, the newer one comes first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from multihop.profiles.regexes import MARKER, compile_cue, compile_pattern, searchable
from multihop.profiles.values import QUESTION, Cue, ProfileQuestion, ValueRule
from multihop.survey.candidates import ValueCandidate, candidates
from multihop.text import sentence_spans

RULES, MODEL, BOTH = "rules", "language model", "rules and language model"
NOT_FOUND = "not found"
_AROUND = 160
"""Characters on either side of a value that are searched for cues."""
_SENTENCE = 420
_TOGETHER = 3
"""Maximum number of sentences of a document that add to the confidence in a value."""
_NEAR = 0.6
"""Minimum score of other values that are shown, as a share of the best."""
_ALIKE = 0.85
"""Minimum score of a contradicting value of the same document, as a share of the better one."""
_SHOWN = 4
_PAGES = 3
"""Pages after the first page of a passage that are searched for its sentences."""
_QUOTED = 0.6
"""Weight, as of a cue, for a value that a language model quotes."""
_OPTIONAL = re.compile(r"\[([^\[\]]*)\]")
_PART = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class ValueSource:
    """A passage that may contain a value, with the metadata of its document."""

    id: str
    content: str
    score: float
    document: str = ""
    title: str = ""
    date: str = ""
    url: str = ""
    page: int | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """A value that answers a question, its sentence, and the source."""

    value: str
    text: str
    """The value with its details: "46% below 2013 by 2030"."""
    sentence: str
    confidence: float
    passage: str
    document: str
    title: str = ""
    date: str = ""
    url: str = ""
    page: int | None = None
    number: float | None = None
    unit: str = ""
    details: Mapping[str, str] = field(default_factory=dict)
    contradicts: bool = False
    """Whether another value is reported for the same details."""
    found_by: str = RULES
    words: str = ""
    """The value as written in the sentence."""

    @property
    def marked(self) -> tuple[str, str, str]:
        """The sentence in three parts: before the value, the value as written, and after it."""
        before, words, after = self.sentence.partition(self.words) if self.words else (self.sentence, "", "")
        # A value that is the whole sentence is not marked.
        return (before, words, after) if words and len(words) < len(self.sentence) - 1 else (self.sentence, "", "")

    @property
    def link(self) -> str:
        """URL of the source, with the page if known."""
        return f"{self.url}#page={self.page}" if self.url and self.page and "#" not in self.url else self.url

    def to_dict(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__} | {"details": dict(self.details)}


@dataclass(frozen=True, slots=True)
class _Stated:
    """A value as stated in one passage."""

    rule: ValueRule
    candidate: ValueCandidate
    score: float
    sentence: str
    details: Mapping[str, str]
    source: ValueSource
    found_by: str = RULES


@dataclass(frozen=True, slots=True)
class Quoted:
    """A value that a language model quotes, parsed, and its passage."""

    rule: ValueRule
    candidate: ValueCandidate
    source: ValueSource


def findings(
    question: ProfileQuestion,
    sources: Sequence[ValueSource],
    known: Mapping[int, str] | None = None,
    quoted: Iterable[Quoted] = (),
) -> tuple[Finding, ...]:
    """Return the values that answer a question, by date of the document, then by score; empty means "not found".

    `known` are the values of earlier questions by number, which cues may refer to as {question 2}. Values that a
    language model has `quoted` add to the cues.
    """
    rules = [replace(rule, cues=tuple(_fill_cues(rule.cues, known or {}))) for rule in question.values]
    stated = [each for rule in rules for source in sources for each in _statements(rule, source)]
    stated += [_state_quote(each, known or {}) for each in quoted]
    grouped: dict[tuple[str, str], list[_Stated]] = {}
    for each in stated:
        grouped.setdefault((each.source.document, _same(each)), []).append(each)
    scored = [
        (_combined_score(group), replace(max(group, key=_rank), found_by=_source_of(group)))
        for group in grouped.values()
    ]
    sure = [(score, best) for score, best in scored if score >= best.rule.least]
    if not sure:
        return ()
    most = {
        document: max(s for s, b in sure if b.source.document == document)
        for document in {b.source.document for _, b in sure}
    }
    # Compared within a document, so that values of older documents stay visible.
    near = [(score, best) for score, best in sure if score >= _NEAR * most[best.source.document]]
    # Sorting is stable: the newest document first, then the best score.
    near.sort(key=lambda e: (-e[0], e[1].source.id, e[1].candidate.start))
    near.sort(key=lambda e: e[1].source.date, reverse=True)
    return tuple(
        replace(_finding(score, best), contradicts=any(_contradict((score, best), other) for other in near))
        for score, best in _choose(near)
    )


def _choose(near: Sequence[tuple[float, _Stated]]) -> list[tuple[float, _Stated]]:
    """Limit the findings: the first value, contradictions, and one of every document come first."""
    first = near[0]

    def worth(place: int) -> tuple[bool, bool, int]:
        document = near[place][1].source.document
        heard = any(other.source.document == document for _, other in near[:place])
        return not _contradict(first, near[place]), heard, place

    best = sorted(range(1, len(near)), key=worth)[: _SHOWN - 1]
    return [first, *(near[place] for place in sorted(best))]


def page_of(sentence: str, text: str, first: int) -> int:
    """Return the page on which a sentence begins, searched from page `first` on; form feeds end pages."""
    pages = [searchable(page) for page in text.split("\f", first + _PAGES)[first - 1 : first + _PAGES]]
    # Pages are joined, since a sentence may span two.
    at = " ".join(pages).find(sentence)
    for place, page in enumerate(pages):
        if 0 <= at <= len(page):
            return first + place
        at -= len(page) + 1
    return first


def _fill_cues(cues: Iterable[Cue], known: Mapping[int, str]) -> Iterable[Cue]:
    """Insert the values of other questions into cues; a cue that refers to a missing value is dropped."""
    for cue in cues:
        named = QUESTION.findall(cue.regex)
        if all(int(number) in known for number in named):
            yield replace(cue, regex=QUESTION.sub(lambda m: re.escape(known[int(m[1])]), cue.regex)) if named else cue


def _statements(rule: ValueRule, source: ValueSource) -> list[_Stated]:
    line = searchable(source.content)
    spans = sentence_spans(line)
    statements: list[_Stated] = []
    for candidate in candidates(rule, line):
        score = _score(rule, candidate, line) * _match(source)
        if score > 0.0:
            sentence = _sentence(line, spans, candidate)
            statements.append(_Stated(rule, candidate, score, sentence, _details(rule, candidate, line, spans), source))
    return statements


def _state_quote(quoted: Quoted, known: Mapping[int, str]) -> _Stated:
    rule = replace(quoted.rule, cues=tuple(_fill_cues(quoted.rule.cues, known)))
    line = searchable(quoted.source.content)
    spans = sentence_spans(line)
    left = 1.0 - _score(rule, quoted.candidate, line) * _match(quoted.source)
    sentence, details = _sentence(line, spans, quoted.candidate), _details(rule, quoted.candidate, line, spans)
    return _Stated(rule, quoted.candidate, 1.0 - left * (1.0 - _QUOTED), sentence, details, quoted.source, MODEL)


def _source_of(group: Sequence[_Stated]) -> str:
    """Return the source of a value: the rules, if it would be reported without the language model."""
    by_rules = [each for each in group if each.found_by == RULES]
    if len(by_rules) == len(group):
        return RULES
    return BOTH if by_rules and _combined_score(by_rules) >= by_rules[0].rule.least else MODEL


def _match(source: ValueSource) -> float:
    # A passage with a weak match halves the score, but does not rule out the value.
    return 0.5 + 0.5 * min(1.0, source.score / 0.6)


def surroundings(rule: ValueRule, candidate: ValueCandidate, line: str) -> str:
    """Return the text in which cues are searched: the value itself if it is a sentence, otherwise its context."""
    before = line[max(0, candidate.start - _AROUND) : candidate.start]
    after = line[candidate.end : candidate.end + _AROUND]
    if rule.kind in ("text", "choice"):
        stated = line[candidate.start : candidate.end]
        return stated if rule.kind == "text" else f"{before}{stated}{after}"
    return f"{before}{MARKER}{after}"


def _score(rule: ValueRule, candidate: ValueCandidate, line: str) -> float:
    around = surroundings(rule, candidate, line)
    left, kept = 1.0, 1.0
    for cue in rule.cues:
        if compile_cue(cue.regex).search(around):
            if cue.weight > 0:
                left *= 1.0 - cue.weight
            else:
                kept *= 1.0 + cue.weight
    if rule.kind == "choice":
        left *= 1.0 - next(n.factor for n in rule.names if n.name == candidate.value)
    if rule.kind == "names":
        # A list is rarely there by chance; a single name often is.
        left *= 1.0 - 0.16 * min(4.0, (candidate.number or 1.0) - 1.0)
    return (1.0 - left) * kept


def _rank(stated: _Stated) -> tuple[float, int, str, int]:
    """Rank statements by score, then by number of details."""
    return (round(stated.score, 6), len(stated.details), stated.source.id, -stated.candidate.start)


def _combined_score(group: Sequence[_Stated]) -> float:
    best: dict[str, float] = {}
    for each in group:
        # A sentence counts once, even if passages overlap.
        best[each.sentence] = max(best.get(each.sentence, 0.0), each.score)
    left = 1.0
    for place, score in enumerate(sorted(best.values(), reverse=True)[:_TOGETHER]):
        # Further sentences count less, since they may repeat the first.
        left *= 1.0 - score * (1.0, 0.5, 0.25)[place]
    return 1.0 - left


def _span(spans: Sequence[tuple[int, int]], candidate: ValueCandidate) -> tuple[int, int]:
    first = next((s for s in spans if s[1] > candidate.start), (candidate.start, candidate.end))
    last = next((s for s in spans if s[1] >= candidate.end), first)
    return first[0], max(last[1], first[1])


def _sentence(line: str, spans: Sequence[tuple[int, int]], candidate: ValueCandidate) -> str:
    """Return the sentence around a value, truncated between words if it is too long."""
    start, end = _span(spans, candidate)
    room = max(0, _SENTENCE - (candidate.end - candidate.start)) // 2
    if end - start > _SENTENCE:
        first, last = max(start, candidate.start - room), min(end, candidate.end + room)
        start = first if first == start else line.find(" ", first, candidate.start) + 1 or first
        end = last if last == end else max(line.rfind(" ", candidate.end, last), candidate.end)
    return line[start:end].strip()


def _details(rule: ValueRule, candidate: ValueCandidate, line: str, spans: Sequence[tuple[int, int]]) -> dict[str, str]:
    """Find the details of a value: for each, the nearest match in the sentence, preferably after the value.

    For a value that is a sentence itself, the first match.
    """
    start, end = _span(spans, candidate)
    inside = rule.kind in ("text", "choice")
    details: dict[str, str] = {}
    for detail in rule.details:
        near = [
            (_distance(m, candidate), m)
            for m in compile_pattern(detail.regex).finditer(line, max(start, candidate.start - _SENTENCE), end)
            if inside or m.end() <= candidate.start or m.start() >= candidate.end
        ]
        if near:
            match = near[0][1] if inside else min(near, key=lambda n: n[0])[1]
            details[detail.name] = next((g for g in match.groups() if g), match[0]).strip()
    return details


def _distance(match: re.Match[str], candidate: ValueCandidate) -> int:
    """Return the distance from a value; text before it counts as farther than text after it."""
    return match.start() - candidate.end if match.start() >= candidate.end else 2 * (candidate.start - match.end()) + 20


def _finding(score: float, best: _Stated) -> Finding:
    source, candidate = best.source, best.candidate
    return Finding(
        candidate.value, _format_value(best), best.sentence, round(score, 4), source.id, source.document, source.title,
        source.date, source.url, source.page, candidate.number, candidate.unit, best.details, found_by=best.found_by,
        words=searchable(source.content)[candidate.start : candidate.end].strip(),
    )  # fmt: skip


def _format_value(best: _Stated) -> str:
    known = {"value": best.candidate.value, **best.details}

    def optional(match: re.Match[str]) -> str:
        return match[1] if all(name in known for name in _PART.findall(match[1])) else ""

    return _PART.sub(lambda m: known.get(m[1], ""), _OPTIONAL.sub(optional, best.rule.show)).strip()


def _contradict(one: tuple[float, _Stated], other: tuple[float, _Stated]) -> bool:
    """Return whether two values exclude each other: different values with similar scores and the same details.

    Lists of names of one document may complement each other, and so may sentences.
    """
    (score, first), (its_score, second) = one, other
    elsewhere = first.source.document != second.source.document
    if first.rule.kind == "text" or (first.rule.kind == "names" and not elsewhere):
        return False
    alike = elsewhere or min(score, its_score) >= _ALIKE * max(score, its_score)
    differ = _same(first) != _same(second) and first.candidate.unit == second.candidate.unit
    return alike and differ and dict(first.details) == dict(second.details)


def _same(stated: _Stated) -> str:
    return stated.candidate.same or stated.candidate.value.casefold()
