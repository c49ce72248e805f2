"""Finds contradictions between sentences of the evidence: a different number, date or name, or a negation.

Two sentences of different documents are about the same thing if they share most of their words apart from values, if
neither has a name that the other lacks, and if they share a name, have similar titles or contain every word of the
question. By rule, they conflict if they give different values with the same unit (unless the year differs too), if one
negates the other, or if they give different names where only one can be right, such as the head of something. Other
wordings ("required", "optional") conflict if a verifier finds that each sentence contradicts the other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

from multihop.protocols import Verifier
from multihop.text import STOPWORDS, fold, stems, words
from multihop.text.number_words import NUMBER_WORDS
from multihop.text.units import units
from multihop.types import AnswerSentence, Conflict, Evidence, Note, Passage, Quote
from multihop.types.dates import DATE, MONTH, iso_day

CONFLICT = "conflict"
"""Code of the note that another source contradicts an answer."""
UNSETTLED = 0.5
"""Maximum confidence in what another source contradicts, unless it is the newer of the two."""
READ = 12
"""Top passages that are compared."""
_LONGEST = 400
_SHARED = 0.6
_SAME = 0.75
_ALIKE = 0.4
"""Minimum share of common words for a verifier to compare two sentences …"""
_CONTRADICTED = 0.9
"""… and minimum probability, in both directions, that one contradicts the other."""
_READ = 12
"""Maximum number of pairs that a verifier compares."""
_TITLES = 0.5
_ENUMERATED = 2
_FEWEST = 2
_DATED = ("valid_from", "date", "modified", "updated", "created", "year")
_COUNTS = {word: str(number) for word, number in NUMBER_WORDS.items()}
_VALUE = re.compile(
    rf"(?P<date>\b{DATE})|(?P<number>(?<![\w.,-])\d+(?:[.,]\d+)*(?![\w-])|\b(?:{'|'.join(_COUNTS)})\b(?= [a-z]))",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d")
_AFTER = re.compile(r"\s*(%|percent\b|°C|[A-Za-z]+)")
_CURRENCY = re.compile(r"[€$£¥]\s*$")
_IN_TITLE = re.compile(rf"\b(?:{DATE}|{MONTH},? \d{{4}}|(?:19|20)\d\d)\b", re.IGNORECASE)
_NEGATION = re.compile(r"\b(?:not|no|never|neither|nor|without|cannot|none)\b|n[’']t\b", re.IGNORECASE)
_MARK = re.compile(r"^(?:\(\w{1,4}\)\s+)+")
"""The number of a list item: "(2B) "."""
_PRONOUN = re.compile(r"\W*(?:he|she|it|they|his|her|its|their|this|these)\b", re.IGNORECASE)
_CAPITALIZED = re.compile(r"\b[A-ZÀ-Þ][\w’'-]*")
_ONE_ALONE = re.compile(
    r"\b(?:led by|leads|headed by|heads|run by|chaired by|chairs|owned by|capital|chief executive|CEO|CFO|CTO|"
    r"president|director|chair(?:man|woman|person)?|manager|minister|mayor|head|leader|headquarters|headquartered|"
    r"based in|born in|located in|founded by|responsible|reports to|successor|author)\b",
    re.IGNORECASE,
)


class _Value(NamedTuple):
    kind: str
    """Number or date."""
    norm: str
    unit: str
    text: str


class _Sentence(NamedTuple):
    """A sentence, parsed for comparison."""

    passage: Passage
    start: int
    end: int
    text: str
    content: frozenset[str]
    """Stems of its words without values, negations and stop words."""
    names: frozenset[str]
    values: tuple[_Value, ...]
    negated: bool
    title: frozenset[str]
    """Stems of the words in the document's title."""
    unnamed: bool
    """Whether it begins with a pronoun, and so is about what the title names."""
    asked: bool
    """Whether it contains every word of the question."""


def conflicts_of(
    evidence: Sequence[Evidence], verifier: Verifier | None = None, question: str = ""
) -> tuple[Conflict, ...]:
    """Find the conflicts between the top passages of the evidence, in their order."""
    asked = _content(_plain(question))
    said = [each for e in evidence[:READ] for each in _sentences(e.passage, asked)]
    conflicts: dict[tuple[str, str, str], Conflict] = {}
    read = 0
    for one, other in combinations(said, 2):
        if one.passage.document_id == other.passage.document_id or one.text == other.text:
            continue
        if len(one.content & other.content) < _FEWEST:  # the most common case by far
            continue
        conflict = compare(one, other)
        if conflict is None and verifier and read < _READ and (suspected := suspect(one, other)):
            read += 1
            conflict = suspected if _contradict_each_other(one, other, verifier) else None
        if conflict:
            conflicts.setdefault((one.passage.id, other.passage.id, conflict.kind), conflict)
    return tuple(conflicts.values())


def disagreements(conflicts: Iterable[Conflict], sentences: Sequence[AnswerSentence]) -> Iterator[Note]:
    """Yield a note for each conflict of an answer, by the first of its sentences."""
    for shown in [sentence.quote for sentence in sentences[:1]]:
        for conflict in conflicts:
            if any(_overlap(quote, shown) for quote in conflict.quotes):
                passages = tuple(quote.passage_id for quote in conflict.quotes)
                about = {"kind": conflict.kind, "passages": passages, "values": conflict.values}
                yield Note(CONFLICT, about | {"newer": conflict.newer}, conflict.text)


def is_contested(conflicts: Iterable[Conflict], quotes: Iterable[Quote]) -> bool:
    """Return whether another source contradicts one of these quotes, unless the quote is known to be newer."""
    return any(
        _overlap(quote, shown) and conflict.newer != shown.passage_id
        for shown in quotes
        for conflict in conflicts
        for quote in conflict.quotes
    )


def _overlap(one: Quote, other: Quote) -> bool:
    return one.passage_id == other.passage_id and one.start < other.end and other.start < one.end


def compare(one: _Sentence, other: _Sentence) -> Conflict | None:
    """Return how two sentences contradict each other; None if they do not, or are about different things."""
    shared = len(one.content & other.content)
    mine, theirs = one.names - other.names, other.names - one.names
    if shared < _FEWEST or shared < _SHARED * min(len(one.content - mine), len(other.content - theirs)):
        return None
    if not _about_the_same(one, other):
        return None
    likeness = shared / len(one.content | other.content)
    if not mine and not theirs and likeness >= _SHARED:
        if one.negated != other.negated and likeness >= _SAME and set(one.values) == set(other.values):
            return _conflict("polarity", one, other, ("", ""))
        if one.negated == other.negated and (values := _differing_values(one.values, other.values)):
            return _conflict(values[0].kind, one, other, (values[0].text, values[1].text))
    return _other_name(one, other, mine, theirs) if one.names & other.names else None


def _other_name(one: _Sentence, other: _Sentence, mine: frozenset[str], theirs: frozenset[str]) -> Conflict | None:
    """Return the conflict of two sentences that differ in a name where only one can be right."""
    rest = (one.content ^ other.content) - mine - theirs
    if not mine or not theirs or len(rest) > 1 or one.negated != other.negated:
        return None
    # In an enumeration of names, several can be right.
    if any(text.count(", ") >= _ENUMERATED for text in (one.text, other.text)):
        return None
    same_values = {v.norm for v in one.values} == {v.norm for v in other.values}
    if not same_values or not all(_ONE_ALONE.search(each.text) for each in (one, other)):
        return None
    return _conflict("name", one, other, (_spell_names(one, mine), _spell_names(other, theirs)))


def suspect(one: _Sentence, other: _Sentence) -> Conflict | None:
    """Return a possible contradiction that no rule finds, for a verifier to check; None if there is none."""
    shared = len(one.content & other.content)
    mine, theirs = one.names - other.names, other.names - one.names
    if shared < _FEWEST or not _about_the_same(one, other):
        return None
    if not mine and not theirs and shared >= _ALIKE * len(one.content | other.content):
        if sorted(value[:3] for value in one.values) == sorted(value[:3] for value in other.values):
            return _conflict("polarity", one, other, ("", ""))
        if values := _differing_values(one.values, other.values):
            return _conflict(values[0].kind, one, other, (values[0].text, values[1].text))
    return _other_name(one, other, mine, theirs)


def _contradict_each_other(one: _Sentence, other: _Sentence, verifier: Verifier) -> bool:
    """Verify each sentence as a claim against the other."""
    return all(
        verifier.verify(claim.text, [beside.text])[0].contradicted >= _CONTRADICTED
        for claim, beside in ((one, other), (other, one))
    )


def _about_the_same(one: _Sentence, other: _Sentence) -> bool:
    mine, theirs = one.title - other.title, other.title - one.title
    unnamed = one.unnamed or other.unnamed
    # Two titles, two things: the sentences differ where their titles differ, or each has its own "it".
    if mine and theirs and (unnamed or (_only_in_first(one, other) & mine and _only_in_first(other, one) & theirs)):
        return False
    if one.names & other.names or (one.asked and other.asked):
        return True
    first, second = (frozenset(w for w in s.title if not w.isdigit()) for s in (one, other))
    return len(first & second) >= _TITLES * max(1, len(first | second)) if first or second else True


def _only_in_first(one: _Sentence, other: _Sentence) -> frozenset[str]:
    """Return the words and values of one sentence that the other lacks."""
    return (one.content - other.content) | {value.norm for value in one.values} - {value.norm for value in other.values}


def _differing_values(mine: Iterable[_Value], theirs: Iterable[_Value]) -> tuple[_Value, _Value] | None:
    """Return the one value in which two sentences differ; None if there is none, or more than one."""
    ours, others = list(mine), list(theirs)
    for value in list(ours):
        same = next((v for v in others if v[:3] == value[:3]), None)
        if same is not None:
            ours.remove(value)
            others.remove(same)
    if len(ours) != 1 or len(others) != 1:
        return None
    [one], [other] = ours, others
    # "3 May 2024" and "2024" are compatible; 30 days and 4 weeks cannot be compared here.
    if one.kind != other.kind or one.unit != other.unit or one.norm.startswith(other.norm + "-"):
        return None
    return None if other.norm.startswith(one.norm + "-") else (one, other)


def _sentences(passage: Passage, asked: frozenset[str]) -> Iterator[_Sentence]:
    for unit in units(passage.text):
        text = unit.of(passage.text)
        if len(text) <= _LONGEST and unit.kind not in ("heading", "code"):
            yield read(passage, unit.start, unit.end, asked)


def _plain(text: str) -> str:
    """Remove values and negations."""
    return _NEGATION.sub(" ", _VALUE.sub(" ", text))


def _content(plain: str) -> frozenset[str]:
    return frozenset(stems(w for w in words(plain) if w not in STOPWORDS and len(w) > 1))


def read(passage: Passage, start: int, end: int, asked: frozenset[str] = frozenset()) -> _Sentence:
    """Parse a sentence; `asked` are the stems of the question's words."""
    text = _MARK.sub("", " ".join(passage.text[start:end].split()))
    found = list(_VALUE.finditer(text))
    values = tuple(_values(text, found))
    plain = _NEGATION.sub(" ", _blank(text, found))
    content = _content(plain)
    # The first word is always capitalized; it is a name if the title has it or another capital follows.
    titled = _title_words(passage.title)
    capitalized = [(m.start(), m[0], m.end()) for m in _CAPITALIZED.finditer(plain)]
    begin = len(plain) - len(plain.lstrip(" \"'“(-•*"))
    named = [
        word for at, word, stop in capitalized
        if at != begin or fold(word) in titled or (plain[stop : stop + 2].strip()[:1].isupper())
    ]  # fmt: skip
    names = frozenset(stems(w for name in named for w in words(name) if w not in STOPWORDS))
    title = frozenset(stems(titled))
    negated, unnamed = bool(_NEGATION.search(text)), bool(_PRONOUN.match(text))
    about = len(asked) >= _FEWEST and asked <= content
    return _Sentence(passage, start, end, text, content, names, values, negated, title, unnamed, about)


@lru_cache(maxsize=64)
def _title_words(title: str) -> frozenset[str]:
    return frozenset(words(title))


def _blank(text: str, found: Iterable[re.Match[str]]) -> str:
    """Put a blank where each value is."""
    rest, at = [], 0
    for match in found:
        rest.append(text[at : match.start()])
        at = match.end()
    return " ".join([*rest, text[at:]])


def _values(text: str, found: Iterable[re.Match[str]]) -> Iterator[_Value]:
    for match in found:
        written = match[0]
        if match["date"]:
            yield _Value("date", iso_day(written) or written, "", written)
            continue
        norm = _COUNTS.get(written.lower(), written.replace(",", ""))
        after = _AFTER.match(text, match.end())
        unit = after[1].lower() if after and after[1].lower() not in STOPWORDS else ""
        if _CURRENCY.search(text[: match.start()]):
            unit = text[: match.start()].rstrip()[-1]
        if _YEAR.fullmatch(norm) and "," not in written and not unit:
            yield _Value("date", norm, "", written)
        else:
            yield _Value("number", norm.rstrip("."), (stems([unit]) or [""])[0] if unit.isalpha() else unit, written)


def _spell_names(said: _Sentence, names: frozenset[str]) -> str:
    spelled = [m[0] for m in _CAPITALIZED.finditer(said.text) if names.intersection(stems(words(m[0])))]
    return " ".join(spelled)


def _conflict(kind: str, one: _Sentence, other: _Sentence, values: tuple[str, str]) -> Conflict:
    quotes = tuple(Quote(s.passage.id, s.passage.text[s.start : s.end], s.start, s.end) for s in (one, other))
    dates = tuple(date_of(s.passage) for s in (one, other))
    newer = ""
    if replaces(one.passage, other.passage) or replaces(other.passage, one.passage):
        newer = (one if replaces(one.passage, other.passage) else other).passage.id
    elif all(dates) and dates[0] != dates[1]:
        newer = (one if dates[0] > dates[1] else other).passage.id
    return Conflict(kind, quotes, values, (one.passage.label, other.passage.label), dates, newer)  # type: ignore[arg-type]


def replaces(one: Passage, other: Passage) -> bool:
    """Return whether the metadata of one of two documents say that the first replaces the second."""
    return any(
        name in (given if isinstance(given := passage.metadata.get(field, ()), tuple) else (given,))
        for passage, field, by in ((one, "supersedes", other), (other, "superseded_by", one))
        for name in (by.document_id, by.title)
    )


def date_of(passage: Passage, *, years: bool = True) -> str:
    """Return the date of a document from its metadata, or the only day, month or year in its title or file name.

    A year alone may be that of what the document is about, and without `years` does not count.
    """

    def day_of(value: object) -> str:
        return "" if not years and _YEAR.fullmatch(str(value)) else iso_day(value) or ""

    given = next((day for field in _DATED if (day := day_of(passage.metadata.get(field)))), "")
    named = (
        _IN_TITLE.findall(name.replace("_", " ")) for name in (passage.title, passage.document_id.rpartition("/")[2])
    )
    return given or next((day_of(found[0]) for found in named if len(found) == 1), "")
