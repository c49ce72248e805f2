"""Extracts facts from the layout of a file: labels below their values, signatures above titles, dates after a name.

The cover of a filing has the address above "(Address of principal executive offices)"; its last pages have signatures,
a name above an office. Lines matter here, sentences do not.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain

from multihop import text
from multihop.survey.cells import Line, Topic
from multihop.survey.columns import Column
from multihop.survey.quantities import Value, values_in
from multihop.types import Passage

_COVER = 3
"""Maximum number of cover pages."""
_ABOVE = 3
"""Number of lines above a title that may hold a name, and above a label that may hold its value."""
_FIRM = r"(?:LLP|L\.L\.P\.|PLLC|P\.C\.|AG|GmbH|Limited|Ltd|plc)"
_FIRM_NAME = rf"(?P<name>[A-Z][\w&.,'’-]*(?:\s+[\w&.,'’-]+){{0,5}}?,?\s{_FIRM})(?!\w)"
_SIGNED_FIRM = re.compile(rf"(?i:/s/)\s*{_FIRM_NAME}")
_NAMED_FIRM = re.compile(rf"(?i:auditors?|accounting firm|accountants?)\b[^.\n]{{0,40}}?[\s(]{_FIRM_NAME}")
_SIGNED = re.compile(r"^[^\w/]*(?:(?:dated?:?.{0,25}?\s)?by:?\s+)?(?:/s/)?\s*", re.IGNORECASE)
_PART = r"(?:[A-ZÀ-Þ]\.|[A-ZÀ-Þ](?=\s)|[A-ZÀ-Þ][\w'’-]+\.?)"
_PERSON = re.compile(rf"{_PART}(?:\s+(?:(?:van|von|de|da|di|la|el|bin)\s+)*{_PART}){{1,4}}(?:,\s(?:Jr|Sr)\.)?")
_TITLES = frozenset(
    """chief executive officer chairman chairwoman chairperson chair president director directors board principal vice
    senior financial accounting operating member managing general manager treasurer secretary and of the our company
    registrant co interim founder non group global date dated name title signature pursuant officers""".split()
)
_DAY = re.compile(
    r"\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.?\s+\d{1,2},?\s+\d{4}.*", re.IGNORECASE
)
_ELSEWHERE = re.compile(
    r"\s*(?:,|\bof|–|-)\s*(?!(?:the (?:company|board|registrant)|chair|director|president|and)\b)[A-Z]"
)
_OFFICES = re.compile(r"officer|executive|president|director|chair|secretary|treasurer|CEO|CFO", re.IGNORECASE)
_NUMERALS = frozenset(("II", "III", "IV"))
_ZIP = re.compile(r"\s*\d[\d-]*\s*\([^()]*\)\s*")
_COUNTRY = re.compile(r"(?:the )?(?:united states(?: of america)?|u\.?s\.?a?\.?)", re.IGNORECASE)
_PLACE = r"[A-ZÀ-Þ][\w.'’-]*(?:\s[A-ZÀ-Þ][\w.'’-]*){0,3}"
_PEOPLE = re.compile(
    r"\b(?:employees|people|persons|associates|individuals|colleagues|workforce|staff|team members)\b", re.IGNORECASE
)
_ROUGHLY = r"(?:(?:a|an|total|of|approximately|about|nearly|almost|over|around|more|than|some|roughly)\s+)*"
_EMPLOYS = re.compile(
    rf"\b(?:(?:we|company|corporation|group|registrant|subsidiaries|it|inc\.|plc)\s+(?:also\s+)?(?:had|have|has|employs?)"
    rf"|employed|each of our|employees[^.;]{{0,90}}\b(?:was|were|totaled|is))\s+{_ROUGHLY}$",
    re.IGNORECASE,
)
_WORKFORCE = re.compile(
    rf"\bworkforce\s+(?:(?:was|is|of|made up|comprised|consisted|totaled)\s+)+{_ROUGHLY}$", re.IGNORECASE
)
_EMPLOYED = re.compile(
    rf"(?:\s+and\s+\d[\d,]*)?\s+(?:(?!\d)[\w(),/-]+\s+){{0,6}}?{_PEOPLE.pattern}|\s+(?:worldwide|globally)",
    re.IGNORECASE,
)
_ABBREVIATED = 4
_CLOSE = 26
"""Words between a count and its noun."""


def stated_facts(
    column: Column, topic: Topic, passages: Sequence[Passage], lines: Sequence[Line]
) -> list[tuple[Value, Line, float]]:
    """Find the values of a column in the layout of a file, with their lines and confidence."""
    roles = _roles(column)
    facts: Iterator[tuple[Value, Line]]
    match column.kind:
        case "person" if _OFFICES.search(roles):
            return _most_frequent(_signatories(roles, passages))
        case "organization" if any("audit" in stem for name in topic.names for stem in name):
            return _most_frequent(_firms(passages))
        case "number" if any("employe" in stem for name in topic.names for stem in name):
            return _headcount(lines)
        case "number":
            return _find_counts(column, lines)
        case "organization" | "text":
            facts = _labeled_below(column, rf"exact name of (?:{roles})", passages)
        case "place":
            facts = chain(_labeled_below(column, roles, passages), _find_locations(roles, lines))
        case "date":
            facts = _find_dates(roles, passages, lines)
        case _:
            return []
    first = next(facts, None)
    return [(*first, 0.9)] if first else []


def _roles(column: Column) -> str:
    names = sorted((n for n in (column.label, *column.also) if not n.endswith("?")), key=len, reverse=True)
    return "|".join(r"\s+".join(map(re.escape, name.split())) for name in names) or r"(?!)"


def _line(passage: Passage, start: int, end: int) -> Line:
    return Line(passage, start, end, passage.text[start:end], frozenset())


def _lines(passage: Passage) -> list[tuple[int, str]]:
    """Return the lines of a passage that are not blank, with their offsets."""
    return [(m.start(), m[0]) for m in re.finditer(r"[^\n\f]*\S[^\n\f]*", passage.text)]


def _most_frequent(facts: Iterator[tuple[Value, Line]]) -> list[tuple[Value, Line, float]]:
    """Choose the most frequent name, since other signatures may be nearby."""
    every = list(facts)
    if not every:
        return []
    last = [text.words(re.sub(rf"\s(?:{_FIRM}|II+|IV|Jr\.)$", "", value.text))[-1:] for value, _ in every]
    counts = Counter(map(tuple, last))
    best, count = counts.most_common(1)[0]
    mine = [each for each, name in zip(every, last, strict=True) if tuple(name) == best]
    value, line = next((each for each in mine if not each[0].text.isupper()), mine[0])
    return [(value, line, 0.5 + 0.4 * count / len(every))]


def _labeled_below(column: Column, roles: str, passages: Sequence[Passage]) -> Iterator[tuple[Value, Line]]:
    label = re.compile(rf"\s*\([^()]*\b(?:{roles})\b[^()]*\)?(?:\s*\([^()]*\))*\s*$", re.IGNORECASE)
    for passage in passages:
        lines = _lines(passage)
        for place, (start, said) in enumerate(lines):
            if not label.match(said):
                continue
            above: list[tuple[int, str]] = []
            for at, line in reversed(lines[max(0, place - _ABOVE) : place]):
                if column.kind == "place" and _ZIP.fullmatch(line):
                    continue
                if "(" in line or ")" in line or (above and column.kind != "place"):
                    break
                above.insert(0, (at, line))
            if above and (name := _address(above) if column.kind == "place" else above[0][1].strip()):
                begin = above[0][0]
                value = Value(0, above[-1][0] + len(above[-1][1]) - begin, name)
                yield value, _line(passage, begin, start + len(said))


def _find_locations(roles: str, lines: Sequence[Line]) -> Iterator[tuple[Value, Line]]:
    """Yield the location in a sentence such as "our corporate headquarters are located in Redmond, Washington"."""
    named = re.compile(
        rf"\b(?i:{roles})\s+(?:(?:is|are|was|were)\s+)?located\s+(?:in|at)\s+(?P<name>{_PLACE}(?:,\s+{_PLACE})?)"
    )
    for line in lines:
        if match := named.search(line.text):
            yield Value(*match.span("name"), " ".join(match["name"].split()).rstrip(".")), line


def _headcount(lines: Sequence[Line]) -> list[tuple[Value, Line, float]]:
    """Find the number of employees of a company: the total, which is the largest."""
    counts = [
        (value, line)
        for line in lines
        if _PEOPLE.search(line.text)
        for value in values_in("number", line.text)
        if (_EMPLOYS.search(line.text[: value.start]) and _EMPLOYED.match(line.text, value.end))
        or _WORKFORCE.search(line.text[: value.start])
    ]
    if not counts:
        return []
    value, line = max(counts, key=lambda each: each[0].number or 0.0)
    return [(value, line, 0.9)]


def _address(lines: Sequence[tuple[int, str]]) -> str:
    """Return the city and the state of an address, without its street."""
    parts = [re.sub(r"\s*\b\d[\d-]*(?=\D|$)", " ", part) for _, line in lines for part in line.split(",")]
    parts = [" ".join(part.split()).strip(" .") for part in parts]
    parts = [part for part in parts if len(part) > 1]
    if len(parts) > 2 and _COUNTRY.fullmatch(parts[-1]):
        parts.pop()
    return ", ".join(parts[-2:]) if len(parts) > 1 else ""


def _signatories(roles: str, passages: Sequence[Passage]) -> Iterator[tuple[Value, Line]]:
    """Yield the people before or above a title: "/s/ PIA HOLM", "Pia Holm", "Chief Executive Officer"."""
    title = re.compile(rf"\b(?:co-)?(?:{roles})\b", re.IGNORECASE)
    for passage in passages:
        lines = _lines(passage)
        for place, (start, said) in enumerate(lines):
            role = title.search(said)
            # The name follows "Chief executive:".
            if role is None or _ELSEWHERE.match(said, role.end()) or said[role.end() :].lstrip().startswith(":"):
                continue
            before = said[: role.start()]
            for at, line in ((start, before), *reversed(lines[max(0, place - _ABOVE) : place])):
                if person := _person(line):
                    name, first, last = person
                    value = Value(first, last, name)
                    yield value, _line(passage, at, start + len(said))
                    break
                if not _is_title(line):
                    break


def _is_title(line: str) -> bool:
    return set(text.words(_DAY.sub("", line))) <= _TITLES


def _person(line: str) -> tuple[str, int, int] | None:
    """Return the name in a line of a name, with its position; signature marks, titles, age and date are ignored."""
    begin = _SIGNED.match(line)
    at = begin.end() if begin else 0
    match = _PERSON.match(line, at)
    if match is None:
        return None
    words = match[0].split()
    kept = next(
        (n for n, word in enumerate(words) if text.words(word)[:1] and text.words(word)[0] in _TITLES), len(words)
    )
    name = " ".join(words[:kept]).rstrip(",")
    if kept < 2:
        return None
    end = match.start() + len(re.match(r"\s+".join(map(re.escape, words[:kept])), match[0])[0])  # type: ignore[index]
    if not _is_title(re.sub(r"\d+", " ", _DAY.sub("", line[end:]))):
        return None
    if name.isupper():
        name = " ".join(word if word in _NUMERALS else word.title() for word in name.split())
    return name, match.start(), end


def _firms(passages: Sequence[Passage]) -> Iterator[tuple[Value, Line]]:
    """Yield the firms that sign a report or are named as auditors."""
    for passage in passages:
        for start, said in _lines(passage):
            for match in (*_SIGNED_FIRM.finditer(said), *_NAMED_FIRM.finditer(said)):
                name = match["name"]
                if name.isupper():
                    # Short words in capitals are abbreviations: KPMG, BDO USA, LLP.
                    name = " ".join(w if len(w) <= _ABBREVIATED else w.title() for w in name.split())
                yield Value(*match.span("name"), name), _line(passage, start, start + len(said))


def _find_dates(roles: str, passages: Sequence[Passage], lines: Sequence[Line]) -> Iterator[tuple[Value, Line]]:
    named = re.compile(rf"\b(?:{roles})\b(?:\s+on)?\s*:?\s*(?P<day>[^.;]*?\b\d{{4}}\b)", re.IGNORECASE)
    for passage in passages:
        for match in named.finditer(passage.text):
            said = " ".join(match["day"].split()).replace(" ,", ",")
            day = next(iter(values_in("date", said)), None)
            if day and day.start == 0 and len(day.text) == len("2024-01-31"):
                # The whole sentence is quoted, unless the date has its own lines.
                around = (each for each in lines if each.passage is passage and each.start <= match.start())
                line = next((each for each in around if match.end() <= each.end), _line(passage, *match.span()))
                first, last = match.start("day") - line.start, match.end() - line.start
                yield Value(first, last, day.text, None, day.unit), line


def _find_counts(column: Column, lines: Sequence[Line]) -> list[tuple[Value, Line, float]]:
    """Find a count on the cover near all words of its name: "457.8 million shares … were issued and outstanding"."""
    words = [w for w in text.words(column.label) if w not in text.STOPWORDS and w not in ("number", "total")]
    if len(words) < 2:
        return []
    gap = rf"(?:[\s,]+[^\s;]+){{0,{_CLOSE}}}?[\s,]+"
    named = gap.join(re.escape(word) for word in words)
    after = re.compile(rf"\s+(?:[\w-]+\s+){{0,3}}?{named}\b(?!\s+held by)", re.IGNORECASE)
    before = re.compile(
        rf"\b{named}\b(?:[\s,]+[^\s;]+){{0,{_CLOSE}}}?(?:\s+(?:was|were|is|totaled)|:)\s*(?:approximately\s+)?$", re.I
    )
    counts: dict[str, tuple[Value, Line]] = {}
    for line in lines:
        if line.page is not None and line.page > _COVER:
            break
        for value in values_in("number", line.text):
            if after.match(line.text, value.end) or before.search(line.text[: value.start]):
                counts.setdefault(value.text, (value, line))
    # With several, such as one for each class, the total is unknown.
    return [(*each, 0.9) for each in counts.values()] if len(counts) == 1 else []
