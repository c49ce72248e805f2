"""Facts that follow from the layout of a paper: byline, journal, funding, aim, method, result; never from references.

A list of references holds the titles, authors and years of other papers, and is left out. Aims, methods and results are
the sentences that say so in the usual words, those of the abstract first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from multihop import text
from multihop.survey.cells import Line
from multihop.survey.columns import Column
from multihop.survey.quantities import Value, values_in
from multihop.types import Passage

_REFERENCES = re.compile(
    r"(?:^|(?<=\f))[ \t#*]*(?:\d+\.?[ \t]+)?(?:references(?:[ \t]+cited)?|bibliography|literature[ \t]+cited)[ \t:*]*$",
    re.IGNORECASE | re.MULTILINE,
)
_CITED = re.compile(r"\((?:19|20)\d\d[a-z]?\)|^\W*\[\w+\W*\]|[,.]\s(?:19|20)\d\d\b", re.MULTILINE)
_LEAST_CITED = 2
_DOI = re.compile(r"\bdoi\b\W{0,3}\s?10\.\d{4,}/", re.IGNORECASE)
_ABSTRACT = re.compile(
    r"^[ \t#*]*(?:\d+\.?[ \t]+)?(?:abstract|summary|introduction)\b[ \t.:—–*-]*", re.IGNORECASE | re.MULTILINE
)
_INTRODUCTION = re.compile(r"^[ \t#*]*(?:\d+\.?[ \t]+)?(?:introduction|background)\b", re.IGNORECASE | re.MULTILINE)
_FRONT = 3000
"""Number of characters at the front of a paper that may contain its authors and journal."""
_OPENING = 9000
"""Number of characters of abstract and introduction."""
_SURE = 0.85
_MARKS = re.compile(r"[\d*†‡§¶∗⋆?,]+$|^[\d*†‡§¶∗⋆]+|\s+[yz]$")
_PART = r"(?:[A-ZÀ-ÖØ-Þ]\.(?:-?[A-Z]\.)*|[A-ZÀ-ÖØ-Þ](?=\s)|(?:Mc|Mac|O['’]|D['’])?[A-ZÀ-ÖØ-Þ][\w'’´˜-]+)"
_PERSON = re.compile(rf"{_PART}(?:\s+(?:(?:van|von|de|del|der|da|di|la|le|el|bin|dos)\s+)*{_PART}){{1,4}}(?<=\w\w)")
_BETWEEN = re.compile(r"\s*(?:,\s*(?:and\s+|&\s*)?|;\s*|\s+and\s+|\s+&\s+|\s+[•·|]\s+)\s*")
_NO_PERSON = frozenset(
    """university institute institution department school college center centre laboratory laboratories lab research
    inc ltd corporation foundation hospital faculty group academy association society conference symposium workshop
    journal proceedings international national state creative commons license attribution software review repository
    archive abstract summary introduction draft version usa uk street avenue road box new united technical report
    see profile publications citations available universidade universität universidad université departamento
    computer science sciences engineering""".split()
)
_NAME = r"(?:[A-Z][\w&’'-]*|ACM-SIAM)"
_SERIES = (
    rf"(?:{_NAME}\s+){{0,5}}(?:Journal|Transactions|Quarterly|Annals|Letters|Review|Reviews|Magazine|Bulletin|Proceedings)"
    rf"(?:\s+(?:(?:of|on|for|in|and|the|&)\s+)*(?:\d+(?:st|nd|rd|th)\s+)?{_NAME})*"
)
_VOLUME = re.compile(rf"(?P<name>{_SERIES}),?\s+(?:[Vv]ol(?:ume|\.)?\s*)?\d+\s*\(\d+")
_APPEARS = re.compile(
    r"\b(?:appear(?:s|ed)?|included|published|presented)\s+(?:in|at)\s+(?:the\s+)?"
    rf"(?P<name>{_SERIES}|[A-Z][\w'’ -]{{3,80}})"
)
_FUNDED = re.compile(
    r"\b(?:(?:work|research|study|project|paper|material|authors?|development|effort|(?-i:[A-Z]{2}))\b[^.;]{0,80}?"
    r"\b(?:supported|funded|sponsored|financed)\b|\b(?:is|are|was|were|been)\s+(?:partially\s+|partly\s+|generously\s+)?funded)"
    r"(?:\s+(?:in\s+part|partially|partly|financially|jointly|generously))*\s+(?:by|from|through|under)\s+"
    r"(?P<name>(?:[^.;]|\.(?=\S|\s[A-Z]\.|\s[a-z])|(?<=\b[A-Z])\.|(?<=\bno)\.)+)"
    r"|(?:\breceived\s+(?:\w+\s+){0,2}(?:funding|grants?|support)\s+from|\backnowledges?\s+(?:the\s+)?(?:\w+\s+)?(?:funding"
    r"|support)\b[^.;]{0,80}?\b(?:by|from|of)|^\W*(?:partially\s+)?supported\s+(?:in\s+part\s+)?by)\s+(?P<other>[^.;]+)",
    re.IGNORECASE,
)  # fmt: skip
_FUND = re.compile(r"\b(?:grant|award|fellowship|studentship|foundation|agency|council|ministry|project|program)", re.I)
_ARTICLE = re.compile(r"(?:an?|the)\s+", re.IGNORECASE)
_PEOPLE = (
    r"(?:participants|patients|subjects|respondents|volunteers|interviewees|adults|children|women|men|students|users)"
)
_TOOK_PART = re.compile(
    rf"\s+(?:[\w-]+\s+){{0,3}}?{_PEOPLE}\s+(?:(?:were|was|have|had)\s+)?"
    r"(?:recruited|enrolled|participated|took part|completed|included|randomi[sz]ed|responded|interviewed|agreed"
    r"|volunteered|answered)",
    re.IGNORECASE,
)
_SAMPLED = re.compile(
    r"(?:\bN\s*=\s*|\b(?:sample|total) of\s+"
    r"|\b(?:recruited|enrolled|interviewed|surveyed|randomi[sz]ed|tested)\s+(?:a total of\s+)?)$",
    re.IGNORECASE,
)
_WE = r"\b(?:we|I)\s+(?:\w+ly\s+)?"
_THIS = (
    r"\b(?:this|the|our)\s+(?:present\s+)?"
    r"(?:paper|article|work|study|thesis|dissertation|report|project|course|module|tutorial)\s+(?:\w+ly\s+)?"
)
_TEXTS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (r"research question|objective|aim|goal|purpose", (
        rf"{_THIS}(?:asks|addresses|examines|investigates|studies|explores|aims|seeks)\b",
        rf"{_WE}(?:ask|address|examine|investigate|study|explore|aim|seek)\b",
        r"\b(?:paper|study|work|we|article|course|module|tutorial|materials?|labs)\b[^.]{0,60}\baim(?:s|ed)?\s+(?:to|at)\b",
        r"\b(?:our|the|my)\s+(?:\w+\s+)?(?:goal|objective|purpose|aim|central issue)s?\s+"
        r"(?:of\s+(?:this|our)\s+(?:paper|article|work|study|project|research|thesis|course|module)|is|we"
        r"|of\s+(?!this\b|that\b)(?:\S+\s+){1,3}?is)\b",
        rf"{_THIS}(?:describes|presents|proposes|introduces|provides|reports)\b",
    )),
    (r"method|approach", (
        rf"{_WE}(?:propose|develop|describe|introduce|present|use|design|combine|devise|employ|conduct|compare)\b",
        r"\bwe\s[^.]{5,120}\sand\s+(?:propose|develop|introduce|present)\b",
        rf"{_THIS}(?:proposes|develops|describes|introduces|presents|uses|includes|provides)\b",
        r"\b(?:method|approach|technique|scheme)\b[^.]{0,60}\b(?:is|are)\s+(?:combined|based|used)\b",
    )),
    (r"results?\b|findings?|conclusions?", (
        r"\bwe\s+(?:\w+ly\s+)?(?:show|find|found|demonstrate|prove|observe|conclude)\b",
        r"\b(?:results?|experiments?|evaluation|findings|analysis)\b[^.]{0,60}\b(?:shows?|showed|indicates?|demonstrates?|suggests?|reveals?)\b",
    )),
    (r"limitation|weakness", (
        r"^[\W\d]*limitations?\s*[:.]",
        r"\b(?:a|one|another|the|main|our)\s+(?:\w+\s+)?limitations?\s+(?:of\s+(?:this|our|the)\s+(?:\w+\s+)?(?:study|work|paper|approach|method|analysis|evaluation)|is|are)\b",
        r"\b(?:study|work|analysis|approach|sample|evaluation|prototype)\s+(?:is|was|are|were)\s+limited\b",
    )),
    (r"data ?sets?|corpus|\bdata$", (
        rf"{_WE}(?:used?|collect(?:ed)?|evaluated?|analy[sz]ed?|stud(?:y|ied)|test(?:ed)?|sampled)\b[^.]{{0,90}}"
        r"\b(?:data ?sets?|corpus|corpora|recordings|failures|records)\b",
        r"\b(?:our|the|this)\s+(?:\w+\s+)?(?:data ?set|corpus)\s+(?:consists?|contains?|comprises?|comes)\b",
        r"\b(?:data ?set|corpus)\s+of\s+\d",
        r"\busing\s+(?:the\s+)?data\s+(?:from|of)\b|\bdata\s+(?:were|was)\s+(?:obtained|collected|taken)\b",
    )),
)  # fmt: skip
_LATE = ("limitation", "data")
"""Columns that are stated outside the abstract."""
_LONGEST = 400
_WRAPPED = 5
_MARKED = re.compile(r"[\d*†‡§¶∗⋆,]| and ")


def without_references(passages: Sequence[Passage]) -> list[Passage]:
    """Return the passages of a document up to its list of references, where it ends with one."""
    for place, passage in enumerate(passages):
        found = _REFERENCES.search(passage.text)
        headed = _REFERENCES.fullmatch(passage.heading.rpartition(" > ")[2])
        if headed or found:
            at = found.start() if found and not headed else 0
            rest = "\n".join([passage.text[at:], *(p.text for p in passages[place + 1 :])])
            if len(_CITED.findall(rest)) >= _LEAST_CITED:
                return [*passages[:place], *([replace(passage, text=passage.text[:at])] if at else [])]
    return list(passages)


def is_paper(passages: Sequence[Passage], every: Sequence[Passage]) -> bool:
    """Return whether a document has the form of a paper: references that were left out, or a DOI."""
    return (
        len(passages) < len(every)
        or passages[-1:] != every[-1:]
        or any(_DOI.search(passage.text[:_FRONT]) for passage in passages[:2])
    )


def stated_in_paper(
    column: Column, passages: Sequence[Passage], lines: Sequence[Line]
) -> list[tuple[Value, Line, float]] | None:
    """Find the value of a column by the layout of a paper; None if there is no rule for it."""
    found: Iterator[tuple[Value, Line]]
    asked = column.label.lower()
    match column.kind:
        case "list" if "author" in asked:
            found = _byline(passages)
        case "organization" | "text" if re.search(r"\b(?:journal|venue|proceedings|published in)\b", asked):
            found = _journal(passages)
        case "organization" | "text" | "list" if re.search(r"\b(?:fund|sponsor|grant)", asked):
            found = _funding(lines)
        case "number" if re.search(r"\b(?:participants|sample size|patients|subjects|respondents)\b", asked):
            found = _participants(lines)
        case "date" if "publi" in asked:
            # "Published: 4 July 2018" is looked up like any other field.
            if any(re.search(r"\bpublished\b", passage.text[:end], re.IGNORECASE) for passage, end in _front(passages)):
                return None
            found = _year(passages)
        case "text":
            texts = next((said for words, said in _TEXTS if re.search(rf"\b(?:{words})", asked)), None)
            if texts is None:
                return None
            found = _sentences(texts, lines, late=any(word in asked for word in _LATE))
        case _:
            return None
    first = next(found, None)
    return [(*first, _SURE)] if first else []


def _line(passage: Passage, start: int, end: int) -> Line:
    return Line(passage, start, end, passage.text[start:end], frozenset())


def _front(passages: Sequence[Passage]) -> Iterator[tuple[Passage, int]]:
    """Yield the passages of the front of a paper, each with where its abstract begins or it ends."""
    room = _FRONT
    for passage in passages:
        if room <= 0:
            return
        begins = _ABSTRACT.search(passage.text)
        yield passage, min(room, begins.start() if begins else len(passage.text))
        if begins:
            return
        room -= len(passage.text)


def _byline(passages: Sequence[Passage]) -> Iterator[tuple[Value, Line]]:
    """Yield the names below the title: lines of persons alone, but for the marks of their affiliations."""
    common = {w for p in passages for w in re.findall(r"\b[a-zà-ÿ]+\b", p.text)}
    for place, (passage, end) in enumerate(_front(passages)):
        lines = [(m.start(), m[0]) for m in re.finditer(r"[^\n\f]*\S[^\n\f]*", passage.text[:end])]
        names: list[str] = []
        first = last = at = 0
        while at < len(lines):
            count, here = _names_at([line for _, line in lines[at : at + _WRAPPED]], common)
            # The title comes first, and may look like a name: "Byzantine Chain Replication".
            if not place and not at and not _MARKED.search(lines[0][1]):
                count = 0
            if not count and names:
                break
            if count:
                first = first if names else lines[at][0]
                last = lines[at + count - 1][0] + len(lines[at + count - 1][1])
                names += [name for name in here if name not in names]
            at += count or 1
        if names:
            yield Value(0, last - first, ", ".join(names)), _line(passage, first, last)


def _names_at(lines: Sequence[str], common: set[str]) -> tuple[int, list[str]]:
    """Return how many lines the persons take with whom the first one begins, and these persons."""
    count, here = 0, _persons(lines[0], common)
    if here:
        count = 1
    elif not _persons(_BETWEEN.split(lines[0])[0], common):
        return 0, []
    for more in range(max(count, 1), len(lines)):
        # A name may be wrapped.
        if re.match(r"\s*\d", lines[more]) or (count == more and _persons(lines[more], common)):
            break
        if joined := _persons(" ".join(lines[: more + 1]), common):
            count, here = more + 1, joined
    if not count:
        # Affiliations may follow the names.
        parts = _BETWEEN.split(lines[0])
        known = next((n for n, part in enumerate(parts) if _NO_PERSON & set(text.words(part))), 0)
        here = _persons(", ".join(parts[:known]), common)
        count = 1 if here else 0
    return count, here


def _persons(line: str, common: set[str]) -> list[str]:
    """Return the persons in a line that lists only persons; otherwise none."""
    if re.match(r"\s*\d", line):
        return []  # an affiliation
    bare = re.sub(r"(?<=[a-zà-ÿ.])\s?\d(?:\s?,\s?\d)*", "", re.sub(r"[*†‡§¶∗⋆]", "", line))
    found: list[str] = []
    for part in filter(None, (_MARKS.sub("", each.strip()).strip() for each in _BETWEEN.split(bare))):
        words = text.words(part)
        if not _PERSON.fullmatch(part) or _NO_PERSON & set(words) or common.issuperset(words):
            return []
        found.append(part)
    return found


def _journal(passages: Sequence[Passage]) -> Iterator[tuple[Value, Line]]:
    for pattern, reach in ((_VOLUME, None), (_APPEARS, _FRONT)):
        left = reach
        for passage in passages:
            said = passage.text.replace("\n", " ")
            if left is not None and left <= 0:
                break
            for match in pattern.finditer(said[:left]):
                name = re.sub(r"^The\s+|\s+(?:of|on|for|in|and|the|&)$", "", " ".join(match["name"].split()))
                yield (
                    Value(match.start("name") - match.start(), match.end("name") - match.start(), name),
                    _line(passage, match.start(), match.end()),
                )
            left = None if left is None else left - len(said)


def _funding(lines: Sequence[Line]) -> Iterator[tuple[Value, Line]]:
    for line in lines:
        said = line.text.replace("\n", " ")
        for match in _FUNDED.finditer(said):
            group = "name" if match["name"] else "other"
            article = _ARTICLE.match(match[group])
            start = match.start(group) + (article.end() if article else 0)
            name = " ".join(said[start : match.end(group)].split())[:_LONGEST]
            if _FUND.search(name) or name[:1].isupper():
                yield Value(start, match.end(group), name), line


def _participants(lines: Sequence[Line]) -> Iterator[tuple[Value, Line]]:
    for line in lines:
        for value in values_in("number", line.text):
            if _TOOK_PART.match(line.text, value.end) or (
                _SAMPLED.search(line.text[: value.start]) and re.search(_PEOPLE, line.text, re.IGNORECASE)
            ):
                yield value, line


def _year(passages: Sequence[Passage]) -> Iterator[tuple[Value, Line]]:
    """Yield the year on the front, if there is exactly one."""
    found = [
        (match, passage)
        for passage, end in _front(passages)
        for match in re.finditer(r"(?<![\d/.-])(?:19|20)\d\d(?![\d/-]|\.\d)", passage.text[:end])
    ]
    if found and len({match[0] for match, _ in found}) == 1:
        match, passage = found[0]
        start = passage.text.rfind("\n", 0, match.start()) + 1
        end = passage.text.find("\n", match.end())
        line = _line(passage, start, end if end > 0 else len(passage.text))
        yield Value(match.start() - start, match.end() - start, match[0]), line


def _sentences(said: Sequence[str], lines: Sequence[Line], *, late: bool) -> Iterator[tuple[Value, Line]]:
    """Yield sentences of the abstract, then of what follows; of each in the order of what they say."""
    begins = next((n for n, line in enumerate(lines) if _ABSTRACT.search(line.text)), 0)
    ends = next((n for n, line in enumerate(lines) if n > begins and _INTRODUCTION.search(line.text)), begins)
    room, opening = _OPENING, []
    for line in lines[ends:]:
        if room > 0 or late:
            opening.append(line)
            room -= len(line.text)
    for part in (lines[begins:ends], opening):
        for pattern in said:
            for line in part:
                match = re.search(pattern, line.text.replace("\n", " "), re.IGNORECASE)
                if match and len(line.text) <= _LONGEST * 2:
                    begin = _ABSTRACT.match(line.text)
                    start = begin.end() if begin and begin.end() < match.start() else 0
                    yield Value(start, len(line.text), " ".join(line.text[start:].split())[:_LONGEST]), line
