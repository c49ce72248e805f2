"""Builds the contexts of a reader from the evidence.

A reader takes a few hundred words at once. The passages of the chain come first, then the best of the others; each is
reduced to its title and the units that match the question best, including the links to the next passage. A row also
matches by a name from the best units elsewhere: a report names the hose, a table gives its price.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from multihop import text
from multihop.answering.outcomes import PAST, only_if
from multihop.answering.values import Value, days_in, periods_in
from multihop.parts.selectors.reading import SHORTEST_NAME, QuestionWords, ReadPassage
from multihop.text.units import SEPARATOR
from multihop.types import Chain, Passage, Quote

ROOM = 1_000
"""Total characters of all contexts. The built-in reader accepts 1,500, but is more accurate with fewer."""
PASSAGES = 4
_LEADING, _FIRST, _BESIDE = 1.0, 0.2, 0.5
_PREFIX = 2
"""Names are told apart by their words with more letters than this."""
_STARTING, _NAMED = 8, 0.6
"""Number of top units whose names lead to rows elsewhere, and the weight of such a name."""
# "Kestrel 40", "OR-16", "K40-0173"; a year after a name is a date.
_TYPE = re.compile(r"\b([A-ZÆØÅÄÖÜ]\w*)(?:(?:-\d[\w]*)+| (?!(?:1[89]|20)\d\d\b)\d[\w-]*)")
_WORD = re.compile(r"\w+")
_VERSION = re.compile(r"(?<![\w.,$£€-])\d+(?:\.\d+)(\.\d+)*(?![\w%]|[.,]\d)")
"""A number of a version, such as 4.1.2, and perhaps 5.0."""
_CALENDAR = re.compile(
    r"(?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?|January|February|March|April|May|June|July|August|September|"
    r"October|November|December)"
)
_NUMBER = re.compile(r"[ -]?\d[\w-]*$")
_ENDS = re.compile(r"[.!]\s")
_SUPPOSED = re.compile(
    r"\bif\b[^.;]*\b(?:were to|would)\b|\bwould\b[^.;]*\bif\b|\b(?:would|could|might) have\b(?! to\b)", re.I
)
_SUPPOSING = re.compile(r"\b(?:if|would|could|might|should|unless|hoped|planned|intended|wanted)\b", re.IGNORECASE)
_PLAN = re.compile(
    r"\b(?:will|would|going to|ask(?:s|ed)? for|appl(?:y|ies|ied) for|propos\w+|motion|suggest\w*)\b|[’']ll\b|"
    r"\b(?:plan|hope|intend|want|offer)(?:s|ned|d|ed)? to (?!(?:him|her|them|us|me|you|the|an?)\b)",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[,;:.]\s|\s(?:but|while|because|since|who|which)\s")
_ABOUT_QUESTIONS = re.compile(r"\bask|\bquestion|\bwonder|\bwant(?:s|ed)? to know", re.IGNORECASE)


class ContextPiece(NamedTuple):
    """A unit in a context: its offset there, and its index among the units of the passage."""

    start: int
    unit: int


class LocatedSpan(NamedTuple):
    """The position of a span in its passage: the unit with it, and its words (None for a span of the title)."""

    unit: Quote
    answer: Quote | None


@dataclass(frozen=True, slots=True)
class ReaderContext:
    """The title of a passage and some of its units, in reading order."""

    text: str
    reading: ReadPassage
    pieces: tuple[ContextPiece, ...]

    def locate(self, start: int, end: int) -> LocatedSpan:
        """Locate a span of the context in the passage; a span over several units is cut to the first."""
        passage, units = self.reading.passage, self.reading.sentences
        before = [piece for piece in self.pieces if piece.start <= start]
        if not before:
            return LocatedSpan(units[self.pieces[0].unit].quoted(passage.id), None)
        piece = before[-1]
        unit = units[piece.unit]
        first = unit.start + start - piece.start
        last = min(unit.end, first + end - start)
        return LocatedSpan(unit.quoted(passage.id), Quote(passage.id, passage.text[first:last], first, last))


def contexts(
    question: QuestionWords, readings: Sequence[ReadPassage], chain: Chain, *, room: int = ROOM, most: int = PASSAGES
) -> list[ReaderContext]:
    """Reduce the best passages to the input length of a reader."""
    names, days, times = names_of(question.text), days_in(question.text), times_in(question.text)
    order = [reading for reading in order_by_chain(readings, chain) if not is_of_another(reading, names)][:most]
    leading = {(link.quote.passage_id, link.quote.start) for link in chain.links if link.quote.passage_id}
    # Likelier passages get more room; the minimum keeps one sentence of each.
    shares = [max(reading.score, 0.1) / (1 + place) ** 0.5 for place, reading in enumerate(order)]
    own_scores = [_scores(question, reading, leading, days) for reading in order]
    scores = _boost_linked_rows(question, order, own_scores)
    reduced: list[ReaderContext] = []
    left, weight = float(room), sum(shares)
    for reading, own, bare, share in zip(order, scores, own_scores, shares, strict=True):
        others = rows_of_others(reading, names, times)
        if not others:
            led_to = {place for place, score in enumerate(own) if score > bare[place]}
            others = rows_of_other_words(question, reading) - led_to
        # Room that a short passage leaves goes to the next ones.
        made = _reduce(reading, own, others, int(left * share / weight))
        weight -= share
        left -= len(made.text)
        reduced.append(made)
    return reduced


def order_by_chain(readings: Sequence[ReadPassage], chain: Chain) -> list[ReadPassage]:
    """Sort the passages of the chain first, in its order, and drop passages without text."""
    along = {id: place for place, id in enumerate(chain.passages)}
    known = [reading for reading in readings if reading.sentences]
    return sorted(known, key=lambda reading: along.get(reading.passage.id, len(along)))


def heading(passage: Passage) -> str:
    """Return the label of a passage in a context: its title and its heading."""
    beside = f", {passage.heading}" if passage.heading and passage.heading != passage.title else ""
    return f"{passage.label}{beside}: "


def names_of(asked: str) -> list[str]:
    """Return the names in a question, in lower case, with model names such as "OR-16" and "Kestrel 40"."""
    names = types_of(asked)
    versions = [match.group() for match in _VERSION.finditer(asked) if match[1] or _goes_on(asked[match.end() :])]
    rest = _TYPE.sub(lambda match: "," * len(match.group()), asked)
    # The first word of a sentence is always capitalized; two in a row are a name.
    names += [name for name, start, _ in text.capitalized_spans(rest) if start or " " in name]
    return [name.lower() for name in (*names, *versions) if not _CALENDAR.fullmatch(name)]


def _goes_on(rest: str) -> bool:
    """Return whether a number has no unit: "When will 5.0 be released?", but not "2.5 metres"."""
    following = re.match(r"\W*(\w+)", rest)
    return following is None or following[1] in text.STOPWORDS


def types_of(said: str) -> list[str]:
    """Return the model names in a text: "Kestrel 40", "OR-16"."""
    # A question may begin with "What 2-year tour".
    return [m.group() for m in _TYPE.finditer(said) if m[1].isupper() or m[1].lower() not in text.STOPWORDS]


def is_type(name: str) -> bool:
    return any(letter.isdigit() for letter in name)


def mentions(said: str, name: str, *, share: float = 0.5) -> bool:
    """Return whether a text in lower case has more than this share of the words of a name."""
    # A model name matches only with its number.
    if is_type(name):
        return text.find_name(said, name) >= 0
    # Not folded, since they are looked up in the text as written.
    words = [word for word in _WORD.findall(name) if word not in text.STOPWORDS and word != "s"]
    # Titles and prefixes are shared by many: Dr Novak, MF Hornelen.
    words = [word for word in words if len(word) > _PREFIX] or words
    return not words or sum(_stands(said, word) for word in words) > share * len(words)


def _stands(said: str, word: str) -> bool:
    """Return whether a text contains a word, its singular or its plural: "Hallier", "the Halliers"."""
    return any(text.find_name(said, each) >= 0 for each in dict.fromkeys((word, text.singular(word), f"{word}s")))


def is_of_another(reading: ReadPassage, names: Sequence[str]) -> bool:
    """Return whether a passage is about another model than the question: the Kestrel 30, never the 40."""
    said = f"{heading(reading.passage)}{reading.lower}".lower()
    types = {name: stem for name in names if name[0].isalpha() and (stem := _NUMBER.sub("", name)) != name}
    if any(name in said for name in types):
        return False
    return any(re.search(rf"(?<!\w){re.escape(stem)}[ -]?\d", said) for stem in types.values())


def only_asks(unit: str, asked: str) -> bool:
    """Return whether a unit is itself a question, as in a chat: it states nothing. A claim may be about questions."""
    said = unit.rstrip()
    return said.endswith("?") and not _ENDS.search(said[:-1]) and not _ABOUT_QUESTIONS.search(asked)


def only_supposes(unit: str, claim: str) -> bool:
    """Return whether a unit is hypothetical and the claim is not."""
    return bool(_SUPPOSED.search(unit)) and not _SUPPOSING.search(claim)


def only_plans(unit: str, claim: str) -> bool:
    """Return whether a unit only plans, proposes or supposes what the claim says has happened.

    An offer is no acceptance, and "if the tests stay green" says nothing of the tests.
    """
    if _PLAN.search(claim) or not PAST.search(claim):
        return False
    if _PLAN.search(unit) and _PLAN.search(closest_clause(unit, claim)):
        return True
    return only_if(unit, claim)


def closest_clause(unit: str, claim: str) -> str:
    """Return the clause of a unit that shares most words with a claim."""
    known = set(text.terms(claim))
    return max(_CLAUSE.split(unit), key=lambda clause: len(known.intersection(text.terms(clause))))


def times_in(said: str) -> frozenset[Value | str]:
    """Return the days, quarters and half-years that a text mentions."""
    return frozenset(days_in(said).values()) | periods_in(said)


def rows_of_others(reading: ReadPassage, names: Sequence[str], times: Set[Value | str] = frozenset()) -> set[int]:
    """Return the rows that match fewer names, days and quarters of the question than another row of the table."""
    rows = [(place, unit) for place, unit in enumerate(reading.sentences) if SEPARATOR in unit.text]
    said = {
        place: sum(text.find_name(unit.lower, name) >= 0 for name in names)
        + (len(times & times_in(unit.text)) if times else 0)
        for place, unit in rows
    }
    most = max(said.values(), default=0)
    return {place for place, count in said.items() if count < most}


def rows_of_other_words(question: QuestionWords, reading: ReadPassage) -> set[int]:
    """Return the rows whose values match the question less than those of another row."""
    said = {
        place: question.weight(question.mask(text.stems(text.words(cell_values(unit.text)))))
        for place, unit in enumerate(reading.sentences)
        if SEPARATOR in unit.text
    }
    most = max(said.values(), default=0.0)
    return {place for place, weight in said.items() if weight < most}


def cell_values(row: str) -> str:
    """Return the values of a row without column names; the separator stays between them."""
    cells = [cell.partition(": ") for cell in row.split(SEPARATOR)]
    return SEPARATOR.join(value or name for name, _, value in cells)


def _reduce(reading: ReadPassage, scores: Sequence[float], others: set[int], room: int) -> ReaderContext:
    """Choose the best units that fit the room, at least one, and write them in reading order."""
    head = heading(reading.passage)
    fitting = [place for place in range(len(scores)) if place not in others] or list(range(len(scores)))
    left, chosen = room - len(head), set[int]()
    for place in sorted(fitting, key=lambda i: (-scores[i], i)):
        unit = reading.sentences[place]
        if not chosen or unit.end - unit.start <= left:
            chosen.add(place)
            left -= unit.end - unit.start + 1
    written, pieces = head, []
    for place in sorted(chosen):
        pieces.append(ContextPiece(len(written), place))
        # Blanks keep the offsets.
        written += reading.sentences[place].text.replace("\n", " ") + " "
    return ReaderContext(written.rstrip(), reading, tuple(pieces))


def _scores(
    question: QuestionWords, reading: ReadPassage, leading: set[tuple[str, int]], days: Mapping[str, Value]
) -> list[float]:
    """Score the units of a passage by the question's words in and around them, by links, and by being the first."""
    masks = list(reading.masks)
    for written, day in days.items():
        # Dates match in any notation: 5 April 2024 is 2024-04-05.
        same = [day in days_in(unit.text).values() for unit in reading.sentences]
        said = question.mask(text.stems(text.words(written)))
        masks = [mask | said if is_same else mask for mask, is_same in zip(masks, same, strict=True)]
    own = [question.weight(mask) for mask in masks]
    id = reading.passage.id
    return [
        score
        + _LEADING * ((id, unit.start) in leading)
        # Rows gain nothing from their neighbors.
        + (0.0 if SEPARATOR in unit.text else _neighbor_bonus(own, place))
        for place, (score, unit) in enumerate(zip(own, reading.sentences, strict=True))
    ]


def _neighbor_bonus(own: Sequence[float], place: int) -> float:
    """Return the bonus of a sentence for its neighbors, and for opening its passage."""
    return _BESIDE * max((*own[max(0, place - 1) : place], *own[place + 1 : place + 2]), default=0.0) + _FIRST * (
        not place
    )


def _boost_linked_rows(
    question: QuestionWords, order: Sequence[ReadPassage], scores: Sequence[Sequence[float]]
) -> list[list[float]]:
    """Boost rows with a name from the best units elsewhere: the price of the hose that a report mentions."""
    places = [(score, number, unit) for number, own in enumerate(scores) for unit, score in enumerate(own)]
    leads = dict[str, dict[int, float]]()
    for score, number, unit in sorted(places, key=lambda place: (-place[0], place[1:]))[:_STARTING]:
        for name in unit_names(order[number].sentences[unit].text):
            if text.find_name(question.lower, name) < 0:
                leads.setdefault(name, {}).setdefault(number, score)
    return [
        [
            # Prose is linked by the chain.
            score + _NAMED * _lead_score(number, said.lower, leads) if SEPARATOR in said.text else score
            for score, said in zip(own, reading.sentences, strict=True)
        ]
        for number, (own, reading) in enumerate(zip(scores, order, strict=True))
    ]


def _lead_score(number: int, said: str, leads: Mapping[str, Mapping[int, float]]) -> float:
    """Return the score of the best unit in another passage that shares a name with this row."""
    return max(
        (
            score
            for name, places in leads.items()
            if text.find_name(said, name) >= 0
            for place, score in places.items()
            if place != number
        ),
        default=0.0,
    )


@lru_cache(maxsize=2048)
def unit_names(said: str) -> tuple[str, ...]:
    """Return the names in a unit, in lower case; of a row, only those in its values."""
    if SEPARATOR in said:
        said = cell_values(said)
    types = types_of(said)
    names = [name for name, _, _ in text.capitalized_spans(said)]
    return tuple(dict.fromkeys(name.lower() for name in (*types, *names) if len(name) >= SHORTEST_NAME))
