"""Fills in the cells of a survey in plain words, from the tables of a row's documents or from their sentences.

Only the documents of the row are searched. A table cell whose row and column match the heading answers directly;
otherwise a reader reads the best matching lines, and its spans are parsed as the type of the column.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice
from typing import NamedTuple

from multihop import text
from multihop.errors import ReadingError
from multihop.protocols import Passages, Reader
from multihop.survey.cells import Line, Topic, is_average, is_day, lines_of, look_up, near
from multihop.survey.clauses import stated_clauses
from multihop.survey.columns import Column
from multihop.survey.cvs import headed_list, is_cv, stated_in_cv
from multihop.survey.findings import Finding
from multihop.survey.layout_facts import stated_facts
from multihop.survey.papers import is_paper, stated_in_paper, without_references
from multihop.survey.policies import is_of_policy, is_policy, stated_in_policy
from multihop.survey.quantities import NAMES, STRICT_BOUNDS, Value, in_unit, values_in
from multihop.text.units import SEPARATOR
from multihop.types import Passage, Reading, Span

TABLE, READER, BOTH = "table", "reader", "table and reader"
_MOST_PASSAGES = 100_000
_ROOM = 1400
"""Characters for one call of the reader."""
_LINES = 9
_LONGEST = 420
_TYPED = 0.35
"""Bonus for a line with a value of the type, as a share of the best line's score."""
_HEADED = 0.5
_LEAST = 0.3
"""Minimum confidence; below it, a cell is "not found"."""
_UNNAMED = 0.32
"""Factor on the probability of a value whose line shares no word with the column."""
_NAMED, _ONLY = 0.85, 0.6
"""Confidence in a name beside its role, and in the only value of its type in the best line."""
_STATED = 0.7
_UNUSUAL = 0.35
"""Factor on the confidence in a clause with an uncommon wording."""
_SHOWN = 4
_ITEMS = re.compile(r"\s*(?:,\s*(?:and\s+|or\s+)?|;\s*|\s+and\s+|\s+&\s+|•|\|)\s*")
_CAPITAL = r"(?:[A-ZÀ-Þ][\w&'’-]*(?:\.[A-Z]\.?)*|plc\b|s\.r\.o\.|a\.s\.)"
_NAME = rf"[A-ZÀ-Þ][\w&'’-]*(?:\.[A-Z]\.?)*(?:\s+(?:(?:&|of|de|van)\s+)?{_CAPITAL})*"
_GOES_ON = re.compile(rf"(?:\s+(?:&\s+)?{_CAPITAL})+")
_ARTICLE = re.compile(r"(?:The|Our)\s+")
# "IT" in capitals is a department.
_ALLOWED = re.compile(r"\b(?:allowed|permitted|welcome|accepted|admitted)\b", re.IGNORECASE)
_DATE_OF = re.compile(r"^\W*(?:(?:\w+ )?date|date of (?:the )?\w+|when (?:was|is|did) the \w+\b.*)\W*$", re.IGNORECASE)
_DATE_STEMS = frozenset(text.stems(["date", "day", "held", "take", "place"]))
_MEETING, _MINUTES = frozenset(text.stems(["meeting", "session"])), frozenset(text.stems(["minutes", "meeting"]))
_NEXT = re.compile(r"\b(?:next|following|previous|last)\b", re.IGNORECASE)
_POINTS = re.compile(r"(?:(?i:this|that|these|those|they|he|she|we|i)|[Ii]t)\b")
_SHARE = frozenset(text.stems(["share", "percentage", "proportion"]))
_NAME_STEMS = frozenset(text.stems(["name", "full"]))
_FIRM = re.compile(r"\b(?:AS|ASA|AG|GmbH|Ltd|Limited|Inc|LLC|NV|BV|Oy|AB|S\.?A|SE|plc|s\.r\.o|a\.s)\b\.?$")
_INSTITUTIONS = re.compile(r"\b(?:university|school|college|bank|court|ministry|hospital|institute|journal)\b", re.I)
_BEGINS = re.compile(r"[A-ZÀ-Þ][\w-]*\s+of\s+$")
_ADDRESSES = {
    "mail": re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"),
    "web": re.compile(r"https?://[^\s<>\"]+|\bwww\.\S+\w"),
}
_CURRENT = re.compile(r"\bcurrent", re.IGNORECASE)
_NOW = re.compile(r"\b(?:since|today|present|now|current(?:ly)?)\b", re.IGNORECASE)
_PERSON = re.compile(
    r"(?:[A-ZÀ-Þ][\w'’-]+|[A-Z]\.)(?:\s+(?:(?:van|von|de|da|di|la|el|bin)\s+)*(?:[A-ZÀ-Þ][\w'’-]+|[A-Z]\.)){1,3}"
)
_WRAPPED = 60
"""Minimum length of a wrapped line of prose; a shorter line is complete."""
_ASKED_BOUNDS = (
    ("up to", re.compile(r"\b(?:max(?:imum)?|most|cap|limit\w*|ceiling|highest)\b", re.IGNORECASE)),
    ("at least", re.compile(r"\b(?:min(?:imum)?|least|lowest|age)\b", re.IGNORECASE)),
)
"""Bounds that the column itself names: the maximum fine is the amount that fines are "up to"."""
_EDGES = " ,;:.\"'“”()[]–-"


class FoundValue(NamedTuple):
    """A value, its line, its confidence and what found it."""

    value: Value
    line: Line
    confidence: float
    found_by: str
    fit: float = 0.0

    @property
    def same(self) -> str:
        """A key that is equal for the same value in different notations."""
        if self.value.number is not None:
            # "Fewer than 5" is not 5; "up to 5" may be.
            bound = self.value.bound if self.value.bound in STRICT_BOUNDS else ""
            high = self.value.text.partition(" to ")[2]
            return f"{bound} {self.value.number:.6g} {self.value.unit} {high}".strip()
        return " ".join(text.words(self.value.text))


class Sheet:
    """A document of a row, split into lines once for all columns."""

    def __init__(self, passages: Passages, document: str, reader: Reader | None) -> None:
        ids = passages.passages_of([document], _MOST_PASSAGES).get(document, [])
        held = passages.passages(ids)
        # Non-breaking spaces become ordinary ones; the offsets stay.
        every = [replace(p, text=p.text.replace("\xa0", " ")) for id in ids if (p := held.get(id))]
        # References state the results of others.
        self.passages = without_references(every)
        self._is_cv = is_cv(every)
        self._is_paper = not self._is_cv and is_paper(self.passages, every)
        self._is_policy = is_policy(every)
        self.lines = lines_of(self.passages)
        self._reader = reader
        self._counts = Counter(stem for line in self.lines for stem in line.stems)

    def ask(self, column: Column) -> tuple[list[FoundValue], list[tuple[Line, float]]]:
        """Return the values of a column, best first, and the best matching lines with their scores."""
        topic = Topic.of(column)
        best = self._best_lines(column, topic)
        clauses = stated_clauses(column, self.passages, self.lines)
        if clauses is None and self._is_paper:
            clauses = stated_in_paper(column, self.passages, self.lines)
        if clauses is None and self._is_cv:
            clauses = stated_in_cv(column, self.passages, self.lines)
        if clauses is None and self._is_policy:
            clauses = stated_in_policy(column, self.lines)
        facts = stated_facts(column, topic, self.passages, self.lines) if clauses is None else clauses
        facts = facts or headed_list(column, topic, self.passages)
        values = [FoundValue(value, line, sure, READER, 1.0) for value, line, sure in facts]
        if clauses is None:
            values = titled_day(column, topic, self.passages) or values
        # For an address, only addresses count.
        if (not values or values[0].confidence < _STATED) and not _is_address(column):
            values += self._look_up_cells(column, topic)
        if not values or values[0].confidence < _STATED:
            ruled = [
                *addresses(column, self.lines), *heading_name(column, self.lines), *names_beside_roles(column, best),
                *named_clause(column, best), *named_kind(column, topic, best),
                *only_value(column, topic, best), *permitted(column, best),
            ]  # fmt: skip
            read = [] if _is_address(column) else self._read(column, topic, best)
            if self._is_policy:
                ruled, read = ([f for f in each if is_of_policy(column, f.value, f.line)] for each in (ruled, read))
            if _DATE_OF.search(column.label) and not _NEXT.search(column.label):
                # The date of the next meeting is not the date of this one.
                ruled, read = ([f for f in each if not _NEXT.search(f.line.text)] for each in (ruled, read))
            values = _merge([*values, *ruled], read)
            if clauses is not None:
                # A clause without any of the common words is rarely there.
                values = [f if f.found_by == TABLE else f._replace(confidence=_UNUSUAL * f.confidence) for f in values]
        unit = [each._replace(value=in_unit(each.value, column.unit)) for each in values]
        return [each for each in unit if each.confidence >= _LEAST][:_SHOWN], best

    def _look_up_cells(self, column: Column, topic: Topic) -> list[FoundValue]:
        matches = look_up(column, topic, self.lines)
        if not matches:
            return []
        kept: dict[tuple[str, str], FoundValue] = {}
        for match in matches:
            # Only the best match of each document counts; a worse one is another row.
            if match.fit >= 0.95 * matches[0].fit:
                shift = match.cell.start
                value = match.value._replace(start=shift + match.value.start, end=shift + match.value.end)
                looked_up = FoundValue(value, match.cell.line, 0.5 + 0.48 * match.fit, TABLE, match.fit)
                years = re.findall(r"\d{4}", match.cell.column)
                key = (match.cell.line.passage.document_id, "" if years and not topic.years else looked_up.same)
                kept.setdefault(key, looked_up)
        return list(kept.values())

    def _best_lines(self, column: Column, topic: Topic) -> list[tuple[Line, float]]:
        """Rank lines for a column by shared words (weighted by rarity), headings, and values of the type."""
        total = len(self.lines) or 1
        wanted = {stem for name in topic.names for stem in name} | set(text.stems(text.words(column.question)))
        wanted -= set(text.stems(sorted(text.STOPWORDS)))
        asked = {s: math.log(1 + total / (0.5 + self._counts[s])) for s in wanted}
        headings: dict[str, float] = {}
        scored: list[tuple[float, int]] = []
        for place, line in enumerate(self.lines):
            score = sum(weight * hit for stem, weight in asked.items() if (hit := near(stem, line.stems)))
            heading = line.passage.heading
            if heading not in headings:
                stems = frozenset(text.stems(text.words(heading)))
                headings[heading] = sum(w * near(s, stems) for s, w in asked.items())
            score += _HEADED * headings[heading]
            scored.append((score / (1 + 0.15 * max(0.0, math.log(len(line.stems) / 12 or 1))), place))
        most = max((score for score, _ in scored), default=0.0)
        typed = [
            (score + (_TYPED * most if score and _has_type(column, self.lines[place]) else 0.0), place)
            for score, place in scored
        ]
        small = sum(len(line.text) for line in self.lines) <= _ROOM
        best = sorted((e for e in typed if e[0] > 0 or small), key=lambda e: (-e[0], e[1]))[:_LINES]
        return [(self.lines[place], score / (most or 1.0)) for score, place in best]

    def _read(self, column: Column, topic: Topic, best: Sequence[tuple[Line, float]]) -> list[FoundValue]:
        if self._reader is None or not best:
            return []
        shown: list[tuple[Line, str, int]] = []
        left = _ROOM
        for line, _ in best:
            said = line.text[:_LONGEST].replace("\n", " ")
            head = line.passage.heading if line.passage.heading not in ("", line.passage.title) else ""
            context = f"{head}: {said}" if head else said
            if len(context) > left and shown:
                continue
            left -= len(context)
            shown.append((line, context, len(context) - len(said)))
        try:
            reading = self._reader.read(column.question, [context for _, context, _ in shown])
        except ReadingError:
            return []
        return _interpret(column, topic, reading, shown)


def _interpret(
    column: Column, topic: Topic, reading: Reading, shown: Sequence[tuple[Line, str, int]]
) -> list[FoundValue]:
    if column.kind == "yes/no":
        either = reading.yes + reading.no
        line = shown[0][0]
        grounded = _groundedness(topic, line)
        # Of a line that names a part of what is asked neither yes nor no is sure.
        if not either or grounded < _NAMED:
            return []
        said = "yes" if reading.yes >= reading.no else "no"
        return [FoundValue(Value(0, 0, said), line, max(reading.yes, reading.no) * _share(grounded), READER)]
    merged: dict[str, FoundValue] = {}
    for span in reading.spans:
        line, _, shift = shown[span.context]
        value = _read_typed(column, line, span, shift)
        if value is None:
            continue
        grounded = _groundedness(topic, line)
        if column.kind in NAMES and not _INSTITUTIONS.search(column.label):
            # "Media City" does not say of itself that it is the city asked for.
            around = f"{line.text[: value.start]} {line.text[value.end :]} {line.passage.heading}"
            if grounded and not topic.coverage(frozenset(text.stems(text.words(around)))):
                continue
        read = FoundValue(value, line, span.probability * _share(grounded), READER, grounded)
        known = merged.get(read.same)
        merged[read.same] = known._replace(confidence=known.confidence + read.confidence) if known else read
    return sorted(merged.values(), key=lambda f: -f.confidence)


def _groundedness(topic: Topic, line: Line) -> float:
    """Return the share of the column's words in the line or its heading."""
    return topic.coverage(line.stems | frozenset(text.stems(text.words(line.passage.heading))))


def _share(grounded: float) -> float:
    return _UNNAMED + (1 - _UNNAMED) * grounded


def names_beside_roles(column: Column, lines: Sequence[tuple[Line, float]]) -> list[FoundValue]:
    """Find names beside their role: "Orlice Glass (the Supplier)", "lives in Graz"."""
    if column.kind not in NAMES:
        return []
    roles = "|".join(re.escape(each) for each in (column.label, *column.also) if not each.endswith("?"))
    if not roles:
        return []
    before = re.compile(rf"(?P<name>{_NAME})(?:,|\s*\(|\s+as|\s+is)\s+?"
                        rf"(?:(?:the|our|my|its|as|acting)\s+)?(?i:{roles})\b|"
                        rf"(?P<other>{_NAME})\s*\((?i:the\s+)?(?i:{roles})\)")  # fmt: skip
    after = re.compile(rf"\b(?i:{roles})(?:\s+(?:is|was)|\s*[:,])?\s+(?:the\s+)?(?P<name>{_NAME})")
    kind = _INSTITUTIONS.search(column.label)
    own = {stem for each in (column.label, *column.also) for stem in text.stems(text.words(each))}
    for line, _ in lines:
        if _CURRENT.search(column.label) and not _NOW.search(line.text):
            continue
        said = _unwrap(line.text)
        # A university has the word in its name.
        for match in re.finditer(_NAME, said) if kind else ():
            if kind and kind[0].lower() in text.words(match[0]) and len(text.words(match[0])) > 1:
                return [FoundValue(Value(*match.span(), match[0]), line, _NAMED, READER, 1.0)]
        for match in () if SEPARATOR in said else (*before.finditer(said), *after.finditer(said)):
            group = "name" if match["name"] else "other"
            article = _ARTICLE.match(match[group])
            start = match.start(group) + (article.end() if article else 0)
            name = said[start : match.end(group)].strip(" ,")
            words = text.words(name)
            # The rest of a title, as in "Chief Executive Officer", is not a name.
            if set(text.stems(words)) <= own:
                continue
            if words and (name[:2].isupper() or words[0] not in text.STOPWORDS):
                return [FoundValue(Value(start, match.end(group), name), line, _NAMED, READER, 1.0)]
    return []


def named_clause(column: Column, lines: Sequence[tuple[Line, float]]) -> list[FoundValue]:
    """Find the clause that states what is asked for: "We find that …", "The method is a survey", "Version 2.1"."""
    if column.kind != "text":
        return []
    roles = "|".join(re.escape(each) for each in (column.label, *column.also) if not each.endswith("?"))
    rest = r"[^.;\n]{8,300}(?:\.\d[^.;\n]*)*"
    clause = re.compile(
        rf"\b(?i:{roles})\b[^.;:]{{0,40}}?\bthat\s+(?P<clause>{rest})|"
        rf"\b(?i:the|our|its)\s+(?i:{roles})\s+(?:is|was|are|were)\s+(?P<thing>(?:an?|the)\s{rest})|"
        rf"\b(?i:{roles})\s+(?P<code>\d+(?:\.\d+)+)"
    )
    for line, _ in lines:
        if match := clause.search(line.text):
            group = match.lastgroup or ""
            said = " ".join(match[group].split())
            return [FoundValue(Value(*match.span(group), said), line, _NAMED, READER, 1.0)]
    return []


def named_kind(column: Column, topic: Topic, lines: Sequence[tuple[Line, float]]) -> list[FoundValue]:
    """Find a name that includes the noun of the column: "Dutch law", "the laws of England and Wales"."""
    *about, noun = text.words(column.label)
    if column.kind != "text" or not about or noun in text.STOPWORDS or column.label.endswith("?"):
        return []
    pattern = re.compile(
        rf"\b(?i:{re.escape(noun)}s?)\s+of\s+(?:the\s+)?(?P<of>{_NAME}(?:\s+and\s+{_NAME})?)|"
        rf"(?P<before>{_NAME}\s+(?i:{re.escape(noun)}))\b"
    )
    own = {stem for name in topic.names for stem in name}
    for line in (line for line, _ in lines if _groundedness(topic, line) >= _NAMED):
        for match in pattern.finditer(_unwrap(line.text)):
            group = match.lastgroup or ""
            named = text.words(match[group])
            # A heading such as "Governing Law" is not a name.
            if named[0] not in text.STOPWORDS and not own.issuperset(text.stems(named)):
                return [FoundValue(Value(*match.span(group), match[group]), line, _NAMED, READER, 1.0)]
    return []


def heading_name(column: Column, lines: Sequence[Line]) -> list[FoundValue]:
    """Find the person whose file it is: the name in its heading, if the text repeats it."""
    topic = Topic.of(column)
    if column.kind != "person" or not any(name <= _NAME_STEMS for name in topic.names[:1]) or not lines:
        return []
    first = lines[0]
    for said in (first.text.split("\n")[0].lstrip("# ").strip(), first.passage.heading, first.passage.title):
        name = said.split(" > ")[0].strip()
        again = next((line for line in lines if name in line.text), None)
        if (
            _PERSON.fullmatch(name)
            and again
            and sum(line.text.count(name) for line in lines) + (said != first.text) > 1
        ):
            at = again.text.index(name)
            return [FoundValue(Value(at, at + len(name), name), again, _NAMED, READER, 1.0)]
    return []


def _unwrap(said: str) -> str:
    """Join wrapped lines without changing the length; a bar ends each complete line."""
    first, *others = said.split("\n")
    for line in others:
        ended = (
            len(first.rpartition("|")[2]) < _WRAPPED and line[:1].isupper() and not first.rstrip().endswith((",", "&"))
        )
        first += ("|" if ended else " ") + line
    return first


def addresses(column: Column, lines: Sequence[Line]) -> list[FoundValue]:
    """Find the first address by its form, if the column asks for one."""
    for name, pattern in _ADDRESSES.items():
        if _is_address(column, name):
            places = ((match, line) for line in lines if (match := pattern.search(line.text)))
            return [FoundValue(Value(*m.span(), m[0]), line, _NAMED, READER, 1.0) for m, line in islice(places, 1)]
    return []


def _is_address(column: Column, *names: str) -> bool:
    asked = column.label.lower().replace("homepage", "web")
    return column.kind == "text" and any(name in asked for name in names or _ADDRESSES)


def only_value(column: Column, topic: Topic, lines: Sequence[tuple[Line, float]]) -> list[FoundValue]:
    """Find the only value of the type in the only line with all words of the column."""
    if column.kind not in ("money", "percent", "date", "duration"):
        return []
    if column.kind == "percent":
        # A percentage need not be called a share.
        topic = replace(topic, names=tuple(name - _SHARE or name for name in topic.names))
    full = [line for line, _ in lines if _groundedness(topic, line) >= _NAMED]
    values = [
        (value, line)
        for line in full
        for value in values_in(column.kind, line.text[:_LONGEST], line.scale_for(column.kind))
    ]
    return [FoundValue(value, line, _ONLY, READER, 1.0) for value, line in values] if len(values) == 1 else []


def permitted(column: Column, lines: Sequence[tuple[Line, float]]) -> list[FoundValue]:
    """Find out whether something is allowed: "Small pets welcome", "Pets are not allowed", "No pets"."""
    asked = _ALLOWED.search(column.label) if column.kind == "yes/no" else None
    if asked is None:
        return []
    things = [w for w in text.words(_ALLOWED.sub(" ", column.label)) if w not in text.STOPWORDS]
    thing = r"\W+(?:\w+\W+)?".join(re.escape(word) for word in things)
    if not thing:
        return []
    no = re.compile(
        rf"\bno\s+{thing}\b|\b{thing}\s+(?:\w+\s+){{0,2}}?(?:not\s+(?:{_ALLOWED.pattern})|prohibited|forbidden|banned)",
        re.I,
    )
    yes = re.compile(rf"\b{thing}\s+(?:(?:is|are|also)\s+)*(?:{_ALLOWED.pattern})", re.IGNORECASE)
    for said, pattern in (("no", no), ("yes", yes)):
        for line, _ in lines:
            if match := pattern.search(line.text):
                return [FoundValue(Value(*match.span(), said), line, _NAMED, READER, 1.0)]
    return []


def titled_day(column: Column, topic: Topic, passages: Sequence[Passage]) -> list[FoundValue]:
    """Find the date in the title of minutes, or of whatever is asked for: "Minutes, 14 May 2024"."""
    if column.kind != "date" or not _DATE_OF.search(column.label) or not passages:
        return []
    title = passages[0].title
    days = values_in("date", title)
    wanted, about = topic.names[0] - _DATE_STEMS, frozenset(text.stems(text.words(title)))
    if len(days) != 1 or not (wanted <= about or (wanted <= _MEETING and about & _MINUTES)):
        return []
    line = Line(passages[0], 0, len(title), title, about)
    return [FoundValue(days[0], line, _NAMED, READER, 1.0)]


def _read_typed(column: Column, line: Line, span: Span, shift: int) -> Value | None:
    """Parse a span of the reader as a value of the type; None if it is not one."""
    start, end = span.start - shift, span.end - shift
    if column.kind in (*NAMES, "text", "list"):
        if end <= 0:  # the heading itself
            return None
        first, last = _extend_to_words(line.text, max(0, start), end)
        if column.kind in NAMES:
            first, last = _name(line.text, first, last)
        last = _before_verb(line.text, first, last, column)
        if column.kind != "text":
            stop = _unwrap(line.text).find("|", first, last)
            last = stop if stop > first else last
        said = " ".join(line.text[first:last].split()).strip(_EDGES)
        if column.kind in NAMES and not any(word[:1].isupper() for word in said.split()):
            return None
        if _POINTS.match(said) or (column.kind in NAMES and is_day(said)):
            return None
        if column.kind == "person" and _FIRM.search(said):
            return None
        if not said or set(text.stems(text.words(said))) <= set(text.stems(text.words(column.label))):
            return None
        if column.kind == "list":
            said = ", ".join(item.strip(_EDGES) for item in _ITEMS.split(said) if item.strip(_EDGES))
        return Value(first, last, said)
    if column.kind == "number" and is_average(column, line.text):
        return None
    inside = [
        value
        for value in values_in(column.kind, line.text, line.scale_for(column.kind))
        if value.start < end and value.end > start
    ]
    return inside[0] if inside else None


def _name(said: str, start: int, end: int) -> tuple[int, int]:
    """Trim or extend a span to the name in it: "engineer at Sable Foods" and "Sable" become "Sable Foods AS"."""
    if more := _GOES_ON.match(said, end):
        end = more.end()
    if before := _BEGINS.search(said[:start]):
        start = before.start()
    name = max(re.finditer(_NAME, said[start:end]), key=lambda m: len(m[0]), default=None)
    return (start + name.start(), start + name.end()) if name else (start, end)


def _before_verb(said: str, start: int, end: int, column: Column) -> int:
    """Truncate a span before the verb of the question: "Czech law" in "Czech law governs this agreement"."""
    asked = {stem for each in (column.label, *column.also) for stem in text.stems(text.words(each))}
    for match in re.finditer(r"\b[a-z]{4,}(?:s|ed)\b", said[start:end]):
        if match.start() and near(text.stems([match[0]])[0], asked) and said[start].isupper():
            return start + len(said[start : start + match.start()].rstrip())
    return end


def _extend_to_words(said: str, start: int, end: int) -> tuple[int, int]:
    """Extend a span to whole words, within its cell in a row."""
    end = min(end, len(said))
    while start and said[start - 1].isalnum():
        start -= 1
    while end < len(said) and (said[end].isalnum() or (said[end] in "-.'’" and said[end + 1 : end + 2].isalnum())):
        end += 1
    cut = said.find(SEPARATOR, start, end)
    return start, cut if cut > start else end


def _has_type(column: Column, line: Line) -> bool:
    if column.kind in ("money", "number", "percent", "date", "duration"):
        return bool(values_in(column.kind, line.text[:_LONGEST], line.scale_for(column.kind)))
    return False


def _merge(looked_up: list[FoundValue], read: list[FoundValue]) -> list[FoundValue]:
    """Merge values from tables and sentences; agreement raises the confidence."""
    merged: dict[str, FoundValue] = {}
    for each in looked_up:
        merged.setdefault(each.same, each)
    for each in read:
        known = merged.get(each.same)
        if known:
            sure = 1 - (1 - known.confidence) * (1 - min(0.95, each.confidence))
            merged[each.same] = known._replace(confidence=sure, found_by=BOTH if known.found_by == TABLE else READER)
        else:
            merged[each.same] = each
    ordered = sorted(merged.values(), key=lambda f: -f.confidence)
    # Values far below the best are dropped.
    return [each for each in ordered if each.confidence >= 0.5 * ordered[0].confidence]


def ask_all(sheets: Sequence[Sheet], column: Column) -> tuple[list[FoundValue], list[tuple[Line, float]]]:
    """Ask the documents of a row one by one, so that disagreements show."""
    answers = [sheet.ask(column) for sheet in sheets]
    firsts = sorted((values[0] for values, _ in answers if values), key=lambda f: -f.confidence)
    others = sorted((f for values, _ in answers for f in values[1:]), key=lambda f: -f.confidence)
    lines = sorted((each for _, best in answers for each in best), key=lambda e: -e[1])
    return [*firsts, *others][: max(_SHOWN, len(firsts))], lines


def findings_of(
    values: Sequence[FoundValue], about: Mapping[str, tuple[str, str]], column: Column
) -> tuple[Finding, ...]:
    """Convert values to findings; `about` has the date and the URL of every document."""
    made = []
    for each in values:
        passage, value = each.line.passage, each.value
        date, url = about.get(passage.document_id, ("", ""))
        bound = (
            "" if (value.bound, True) in ((b, bool(w.search(column.label))) for b, w in _ASKED_BOUNDS) else value.bound
        )
        shown = f"{bound} {value.text} {value.qualifier}".strip()
        # Sentences and lists may complement each other.
        comparable = column.kind not in ("text", "list")
        elsewhere = [o for o in values if o.line.passage.document_id != passage.document_id]
        contradicted = comparable and any(other.same != each.same for other in elsewhere)
        made.append(
            Finding(
                value.text, shown, " ".join(each.line.text.split()), round(min(each.confidence, 0.999), 4), passage.id,
                passage.document_id, passage.title, date, url, each.line.page, value.number, value.unit,
                {k: v for k, v in (("bound", bound), ("qualifier", value.qualifier)) if v}, contradicted, each.found_by,
                " ".join(each.line.text[value.start : value.end].split()),
            )
        )  # fmt: skip
    # The newest document first, then the highest confidence.
    return tuple(sorted(made, key=lambda f: f.date, reverse=True))


def passages_in(*lines: Iterable[tuple[Line, float]]) -> dict[str, tuple[Line, float]]:
    """Return the passages of lines, each with its first line."""
    firsts: dict[str, tuple[Line, float]] = {}
    for line, score in chain.from_iterable(lines):
        firsts.setdefault(line.passage.id, (line, score))
    return firsts
