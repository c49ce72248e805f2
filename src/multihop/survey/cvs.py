"""Facts that follow from the layout of a CV: the name, the current job, years of experience, and lists.

The name is at the top, the current job is the first entry that runs "to present", and a heading such as "Languages" has
its list below it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile

from multihop import text
from multihop.survey.cells import Line, Topic
from multihop.survey.columns import Column
from multihop.survey.quantities import Value, values_in
from multihop.types import Passage

_SECTIONS = re.compile(
    r"^\W*(?:\d+\W+)?(?:(?:work|professional|employment|relevant|coding|key|technical|expertise|my)\s+)*(?:experience|education"
    r"|employment(?:\s+history)?|skills|curriculum\s+vitae|r[eé]sum[eé]|professional\s+activity|work\s+history|languages?"
    r"|about(?:\s+me)?|certifications?|strengths|interests|hobbies|contacts?(?:\s+(?:me|info(?:rmation)?))?|summary|courses)"
    r"(?:\s+(?:&|and)\s+\w+|\s+skills)?\W*$",
    re.IGNORECASE | re.MULTILINE,
)
_CAREER = re.compile(r"\b(?:experience|education|employment|work history|curriculum vitae|professional activity)\b")
_LEAST_SECTIONS = 3
_SURE = 0.85
_PERSON = re.compile(r"[A-ZÀ-Þ][\w'’-]*[\w.](?:\s+(?:(?:van|von|de|del|da|di|la|el|bin)\s+)*[A-ZÀ-Þ][\w'’-]*\.?){1,4}")
_NO_NAME = re.compile(r"\b(?:CV|r[eé]sum[eé]|curriculum|vitae|profile|page|info|contacts?)\b", re.IGNORECASE)
_TOP = 4
"""Number of lines at the top of a CV that may be its name."""
_RANGE = re.compile(
    r"\W*(?:\w{3,9}\.?\s+)?(?:\d{1,2}[./])?(?:19|20)\d\d\s*(?:[-–—>]+|to|until)\s*(?:present|now|today|current(?:ly)?)\b\W*",
    re.IGNORECASE,
)
_WORK = re.compile(
    r"\b(?:engineer|developer|analyst|specialist|manager|consultant|assistant|teacher|instructor|researcher|director|student"
    r"|tester|designer|officer|lead|intern|professor|candidate|programmer|architect|administrator|scientist|lecturer|nurse"
    r"|editor|fellow|associate|technician|president|head|coordinator)\b",
    re.IGNORECASE,
)
_AT = re.compile(r"\s+(?:at|@)\s+")
_PARTS = re.compile(r"\s*(?:,\s|\s[-–—|·]\s)\s*")
_LASTED = re.compile(r"\s*~.*$|\s*\(?\b\d+\+?\s+years?\b.*$", re.IGNORECASE)
_LINK = re.compile(r"\[([^\]\n]+)\]\([^)\n]*\)|[*_`#]+")
_EXPERIENCE = re.compile(r"\bexperience\b", re.IGNORECASE)
_ADDED = frozenset(text.stems(["skills", "level", "list"]))
_ITEM = re.compile(r"\s*[-*•·]\s")
_LONGEST_ITEM = 80
_MOST_ITEMS = 15
_LONGEST = 90


def is_cv(passages: Sequence[Passage]) -> bool:
    """Return whether a document has the sections of a CV."""
    heads = "\n".join(dict.fromkeys(p.heading.rpartition(" > ")[2] or "-" for p in passages))
    said = "\n".join((heads, *(p.heading.partition(" > ")[0] for p in passages), *(p.text for p in passages)))
    found = {" ".join(text.words(m[0])) for m in _SECTIONS.finditer(said)}
    return len(found) >= _LEAST_SECTIONS and any(map(_CAREER.search, found))


def stated_in_cv(
    column: Column, passages: Sequence[Passage], lines: Sequence[Line]
) -> list[tuple[Value, Line, float]] | None:
    """Find the value of a column by the layout of a CV; None if there is no rule for it."""
    asked = column.label.lower()
    found: Iterator[tuple[Value, Line]]
    match column.kind:
        case "person" if re.fullmatch(r"(?:full\s+)?name|whose (?:cv|résumé|resume).*", asked):
            found = _name(passages)
        case "organization" if re.search(r"\bemployer|\bcompany\b|works? (?:for|at)", asked):
            found = _work(passages, position=False)
        case "text" if re.search(r"\b(?:position|job|role|title)\b", asked):
            found = _work(passages, position=True)
        case "duration" if "experience" in asked:
            found = _experience(lines)
        case _:
            return None
    first = next(found, None)
    if first is None:
        # A course of six months is not experience; names and employers also occur in other layouts.
        return [] if column.kind == "duration" else None
    return [(*first, _SURE)]


def _printed(passage: Passage) -> Iterator[tuple[int, str]]:
    for match in re.finditer(r"[^\n\f]*\S[^\n\f]*", passage.text):
        yield match.start(), match[0]


def _line(passage: Passage, start: int, said: str) -> Line:
    return Line(passage, start, start + len(said), said, frozenset())


def _name(passages: Sequence[Passage]) -> Iterator[tuple[Value, Line]]:
    """Yield the title and the lines at the top that are names."""
    first = passages[0]
    for start, said in [(0, first.title), *_printed(first)][: _TOP + 1]:
        match = _PERSON.search(said)
        if match is None or re.search(r"\w", said[: match.start()] + said[match.end() :]):
            continue
        if not _SECTIONS.match(match[0]) and not _WORK.search(match[0]) and not _NO_NAME.search(match[0]):
            yield Value(*match.span(), match[0]), _line(first, start, said)


def _work(passages: Sequence[Passage], *, position: bool) -> Iterator[tuple[Value, Line]]:
    """Yield the positions, or the employers, of the current entries."""
    for passage in passages:
        heads = [(0, head) for head in passage.heading.split(" > ")]
        for start, said in (*heads, *_printed(passage)):
            during = _RANGE.search(said)
            if during is None or len(said) > 2 * _LONGEST:
                continue
            rest = _LINK.sub(lambda m: m[1] or " ", f"{said[: during.start()]} {said[during.end() :]}").strip(
                " -•·,()~"
            )
            rest = " ".join(_LASTED.sub("", rest).split())
            if not rest or len(rest) > _LONGEST:
                continue
            title, at, employer = rest.partition(next((m[0] for m in [_AT.search(rest)] if m), "\0"))
            parts = [title, employer] if at else _PARTS.split(rest, maxsplit=1) if _WORK.search(rest) else [rest]
            works = [part for part in parts if _WORK.search(part)]
            others = [part for part in parts if part not in works and part[:1].isupper()]
            # "Varde Works, my current employer".
            others = [re.sub(r",\s+[a-z].*", "", part) for part in others]
            for name in works if position else others:
                yield Value(0, len(said), name.strip(" ,-")), _line(passage, start, said)


def _experience(lines: Sequence[Line]) -> Iterator[tuple[Value, Line]]:
    for line in lines:
        said = line.text
        for value in values_in("duration", said):
            near = said[max(0, value.start - 60) : value.end + 60]
            if "year" in value.text and _EXPERIENCE.search(near):
                yield value, line


def headed_list(column: Column, topic: Topic, passages: Sequence[Passage]) -> list[tuple[Value, Line, float]]:
    """Find the list below a heading that matches the column, such as "Languages"."""
    if column.kind not in ("list", "text"):
        return []
    for passage in passages:
        head = frozenset(
            text.stems(w for w in text.words(passage.heading.rpartition(" > ")[2]) if w not in text.STOPWORDS)
        )
        if not head or not any(head - _ADDED == name - _ADDED for name in topic.names):
            continue
        lines = [(start, said) for start, said in _printed(passage) if not said.lstrip().startswith("#")]
        # Text after the last item does not belong to the list.
        listed = list(takewhile(lambda each: _ITEM.match(each[1]), lines))
        if column.kind == "text" and len(listed) < 2:
            continue
        lines = listed or lines
        items = [_LINK.sub(lambda m: m[1] or " ", said).strip(" -*•·\t") for _, said in lines]
        items = [" ".join(item.split()).rstrip(" ,;.") for item in items]
        # "Languages: Danish, English" is looked up like any other field.
        named = any(name <= frozenset(text.stems(text.words(item))) for item in items for name in topic.names)
        if not named and 0 < len(items) <= _MOST_ITEMS and all(0 < len(item) <= _LONGEST_ITEM for item in items):
            start, end = lines[0][0], lines[-1][0] + len(lines[-1][1])
            line = Line(passage, start, end, passage.text[start:end], frozenset())
            return [(Value(0, end - start, ", ".join(items)), line, _SURE)]
    return []
