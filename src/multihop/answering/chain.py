"""Builds the evidence chain: the likeliest passages, connected by the sentences that mention the next one.

A chain starts with the passages that the question names. Every other passage is attached to the one whose sentence
about it shares most with the question.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import itemgetter
from typing import NamedTuple

from multihop import text
from multihop.parts.selectors.reading import QuestionWords, ReadPassage, weigh_words
from multihop.protocols import Index
from multihop.text.units import SEPARATOR
from multihop.types import Chain, ChainLink, Quote, Result
from multihop.types.chains import LinkKind

_READ = 12
"""Top passages that are considered for the chain."""
_LONGEST = 6
# Fitted on the train splits of HotpotQA, MuSiQue and HoVer; benchmarks/chains.py measures them.
_LIKELY, _LIKELY_LINKED, _SUPPORTING = 0.2, 0.035, 0.015
_NEW, _NEW_LINKED = 0.35, 0.05
_BESIDE = 0.15


class _Edge(NamedTuple):
    """A link between two passages, with a score: how much its sentence shares with the question."""

    worth: float
    link: ChainLink


def chain_of(result: Result, index: Index, *, ending: str = "") -> Chain:
    """Build the chain of a result. `ending` is the passage with the answer, where known: the chain ends there.

    Passages beyond it count as supporting.
    """
    question = weigh_words(result.question, index)
    readings = [ReadPassage(e.passage, question, score=e.score, whole_title=True) for e in result.evidence[:_READ]]
    ending_at = next((i for i, r in enumerate(readings) if r.passage.id == ending), -1)
    finder = _Finder(result, question, readings)
    members = finder.members(ending_at)
    links = _cut_after(finder.connect(members, ending_at), ending)
    inside = {link.target for link in links}
    left = {readings[i].passage.id for i in members} - inside
    beside = {readings[i].passage.id for i in finder.beside(members)} - inside | left
    rest = [e.passage.id for e in result.evidence if e.passage.id not in inside]
    return Chain(links, tuple(p for p in rest if p in beside), tuple(p for p in rest if p not in beside))


def _cut_after(links: Sequence[ChainLink], ending: str) -> tuple[ChainLink, ...]:
    """Make the link to a passage the last one; drops links that continue from it or from other rows of its table."""
    last = [link for link in links if link.target == ending]
    if not last:
        return tuple(links)
    rows = {link.source: link.quote for link in last if SEPARATOR in link.quote.text}
    beyond = {ending}
    kept = []
    for link in links:
        row = rows.get(link.source, link.quote)
        if link.source in beyond or (SEPARATOR in link.quote.text and link.quote != row):
            beyond.add(link.target)
        elif link.target != ending:
            kept.append(link)
    return (*kept, *last)


class _Finder:
    def __init__(self, result: Result, question: QuestionWords, readings: Sequence[ReadPassage]) -> None:
        self.asked, self.question, self.readings = result.question, question, readings
        self.lower = result.question.lower()
        # Only some selectors return probabilities; other scores have their own scales.
        self.chances = result.calibrated
        self.entities = {d: entity.text for entity in result.trace.plan.entities for d in entity.documents}
        named = [e for e in result.trace.plan.entities if e.kind in ("title", "span", "quote") and e.text[:1].isupper()]
        self.spans = [e.text.lower() for e in named]
        self.named = [self._name_in_question(r) for r in readings]
        self.mentions = {
            (i, j): place
            for i, source in enumerate(readings)
            for j, target in enumerate(readings)
            if i != j
            # Passages of one document share its name, so that name links none of them.
            and source.passage.document_id != target.passage.document_id
            and (place := source.naming(target.name))
        }

    def _name_in_question(self, reading: ReadPassage) -> tuple[int, int] | None:
        known = self.entities.get(reading.passage.document_id, "").lower()
        # "Amundsen" is enough to name "Roald Amundsen".
        parts = [name for name in self.spans if text.find_name(reading.name, name) >= 0]
        for name in (reading.name, known, *parts):
            if len(name) > 2 and (at := text.find_name(self.lower, name)) >= 0:
                return at, at + len(name)
        return None

    def members(self, ending: int) -> list[int]:
        """Choose the passages of the chain, the likeliest first."""
        members = self._likely()[:_LONGEST]
        # The passage with the answer ends the chain, whatever its score.
        if ending >= 0 and ending not in members:
            members = [*members[: _LONGEST - 1], ending]
        return members

    def _likely(self) -> list[int]:
        likely_places: list[int] = []
        covered = 0
        weak = False
        for place, reading in enumerate(self.readings):
            linked = self._is_linked(place, likely_places)
            if self.chances:
                likely = reading.score >= _LIKELY
                # A chain takes one unlikely passage at most, the first.
                if not likely and linked and not weak:
                    likely = weak = reading.score >= _LIKELY_LINKED
            else:
                gain = self.question.weight(reading.mask & ~covered)
                known = linked or self.named[place] is not None
                likely = gain >= (_NEW_LINKED if known else _NEW)
            # A chain needs a first passage, but not one that is unrelated to the question.
            if (likely or not place) and (reading.mask or linked):
                likely_places.append(place)
                covered |= reading.mask
        return likely_places

    def _is_linked(self, place: int, others: Iterable[int]) -> bool:
        return any((place, other) in self.mentions or (other, place) in self.mentions for other in others)

    def beside(self, members: Sequence[int]) -> list[int]:
        """Choose the supporting passages: linked to the chain and relevant to the question."""
        return [
            place
            for place, reading in enumerate(self.readings)
            if place not in members
            and self._is_linked(place, members)
            and self.question.weight(reading.mask) >= _BESIDE
            and (not self.chances or reading.score >= _SUPPORTING)
        ]

    # --- links ---

    def connect(self, members: Sequence[int], ending: int) -> tuple[ChainLink, ...]:
        """Connect the passages: those named in the question first, then each by its best link from the chain so far."""
        # Without a named passage, start with the likeliest, or with one that mentions it if the chain ends there.
        before = [i for i in members if (i, ending) in self.mentions] if members[:1] == [ending] else []
        roots = [i for i in members if self.named[i] is not None] or (before or list(members))[:1]
        roots.sort(key=lambda i: (self.named[i] or (0, 0), i))
        links = [self._from_question(i) for i in roots]
        reached, waiting = list(roots), [i for i in members if i not in roots]
        while waiting:
            edges = [
                (edge, target) for target in waiting for source in reached if (edge := self._find_edge(source, target))
            ]
            if edges:
                # Ties go to the better ranked passage.
                edge, target = max(edges, key=lambda pair: (pair[0].worth, -pair[1]))
                links.append(edge.link)
            else:
                # No link reaches the rest, so the best of them is attached to the question.
                target = waiting[0]
                links.append(self._from_question(target))
            reached.append(target)
            waiting.remove(target)
        return tuple(links)

    def _from_question(self, place: int) -> ChainLink:
        reading = self.readings[place]
        if (span := self.named[place]) is not None:
            name = self.asked[slice(*span)]
            return ChainLink("", reading.passage.id, "named", name, Quote("", name, *span))
        # Quote the sentence that shares most with the question.
        best = max(range(len(reading.masks)), key=lambda i: (self.question.weight(reading.masks[i]), -i), default=0)
        words = [word for word, _, _ in text.located_words(self.asked) if word not in text.STOPWORDS]
        shared = [word for word in words if self.question.mask(text.stems([word])) & reading.mask]
        return ChainLink("", reading.passage.id, "words", text.join_words(dict.fromkeys(shared)), _quote(reading, best))

    def _find_edge(self, source: int, target: int) -> _Edge | None:
        # Strongest first: naming the next passage, being named by it, sharing a name with it.
        one, other = self.readings[source], self.readings[target]
        if (mention := self.mentions.get((source, target))) is not None:
            return self._make_edge(1.0, "mentions", one, other, one, mention, len(other.name))
        if (mention := self.mentions.get((target, source))) is not None:
            return self._make_edge(0.7, "mentioned by", one, other, other, mention, len(one.name))
        if (shared := self._shared_name(one, other)) is not None:
            return self._make_edge(0.4, "shares", one, other, one, shared[:2], shared[2])
        return None

    def _make_edge(
        self,
        factor: float,
        kind: LinkKind,
        source: ReadPassage,
        target: ReadPassage,
        speaking: ReadPassage,
        mention: tuple[int, int],
        length: int,
    ) -> _Edge:
        place, at = mention
        sentence = speaking.sentences[place]
        name = sentence.text[at : at + length]
        # Both names occur in the sentence anyway; only its other words count.
        beside = self.question.weight(speaking.masks[place] & ~source.title_mask & ~target.title_mask)
        link = ChainLink(source.passage.id, target.passage.id, kind, name, _quote(speaking, place))
        # A sentence without further words of the question still links.
        return _Edge(factor * (0.1 + beside), link)

    def _shared_name(self, one: ReadPassage, other: ReadPassage) -> tuple[int, int, int] | None:
        """Find the sentence with a name that both passages use and the question does not."""
        body = other.passage.text.lower()
        names = [
            (self.question.weight(one.masks[place]) + len(name) / 100, place, start, len(name))
            for place, sentence in enumerate(one.sentences)
            for surface, start, _ in text.capitalized_spans(sentence.text)
            if len(name := surface.lower()) >= 4
            and text.find_name(body, name) >= 0
            and text.find_name(self.lower, name) < 0
        ]
        # The first of equals, in reading order.
        return max(names, key=itemgetter(0))[1:] if names else None


def _quote(reading: ReadPassage, place: int) -> Quote:
    id = reading.passage.id
    return reading.sentences[place].quoted(id) if reading.sentences else Quote(id, "", 0, 0)
