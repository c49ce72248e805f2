"""A planner that reads the question by rule: the entities it names and the clauses it is made of."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from multihop import text
from multihop.protocols import Context, Links, Passages
from multihop.types import Entity, Mention, Plan

_QUOTED = re.compile(r"[\"“„«]([^\"“”„«»]{2,120})[\"”»]")
_NUMBER = re.compile(r"(?<![\w.])\d[\d,.]*\d(?:\s?%)?|(?<![\w.])\d\s?%")
_CLAUSE = re.compile(
    r"[;:]|,\s+(?:and|but|while|whereas|where|which|who|whose|whom|that|when)\b|,\s+|\s+(?:and|but|while|whereas|where|which|who|whose|whom|that|when)\s+"
)
_SHORTEST_CLAUSE = 3


@dataclass(frozen=True, slots=True)
class RulePlanner:
    """Entities are titles of the corpus, capitalized spans, quotations and numbers; sub-questions are clauses.

    With `bridges`, that many of the rarest names in each document that the question names are entities too.
    """

    bridges: int = 0

    def plan(self, question: str, context: Context) -> Plan:
        names, links = context.index.names, context.index.links
        named = entities(question, names.find_names([question])[0] if names else ())
        bridging = bridges(named, self.bridges, links, context.index.passages) if self.bridges and links else ()
        return Plan(entities=named + bridging, sub_questions=clauses(question))


def bridges(named: tuple[Entity, ...], count: int, links: Links, passages: Passages) -> tuple[Entity, ...]:
    """Follow the documents that the question names to the names they use most alone of all."""
    # A name that several documents share leads to the wrong one too often to be followed before any search.
    documents = [d for e in named if len(e.documents) == 1 for d in e.documents]
    opening = [id for ids in passages.passages_of(documents, 1).values() for id in ids]
    targets: dict[str, Entity] = {}
    used: dict[str, int] = {}
    for link in sorted(links.links_from(opening), key=lambda x: (x.spread, x.name, x.target)):
        if link.ambiguity == 1 and link.target not in documents and used.get(link.source, 0) < count:
            targets.setdefault(link.target, Entity(link.name, "bridge", (link.target,)))
            used[link.source] = used.get(link.source, 0) + 1
    return tuple(targets.values())


def entities(question: str, mentions: tuple[Mention, ...]) -> tuple[Entity, ...]:
    """List what the question names, titles first; a span that lies inside a title it names is not listed again."""
    words = text.located_words(question)
    titles = [_title(question, words, m) for m in mentions]
    taken = [(start, end) for entity, start, end in titles if entity is not None]
    named = [entity for entity, _, _ in titles if entity is not None]
    # In this order, so that a quotation stays whole and the names inside it are not listed again.
    for kind, pattern in (("quote", _QUOTED), ("span", None), ("number", _NUMBER)):
        for surface, start, end in text.capitalized_spans(question) if pattern is None else _matches(pattern, question):
            if not any(s <= start and end <= e for s, e in taken):
                named.append(Entity(surface, kind))  # type: ignore[arg-type]  # one of the kinds named in the loop
                taken.append((start, end))
    unique = {text.surface_key(e.text) or e.text: e for e in reversed(named)}
    return tuple(e for e in named if unique.get(text.surface_key(e.text) or e.text) is e)


def _title(question: str, words: Sequence[tuple[str, int, int]], mention: Mention) -> tuple[Entity | None, int, int]:
    start, end = words[mention.start][1], words[mention.end - 1][2]
    surface = question[start:end]
    # "film" or "second" may be a title too, but a question that writes it in lower case does not mean that title.
    if mention.end - mention.start == 1 and surface.islower() and surface.isascii():
        return None, start, end
    if start == 0 and mention.end == 1 and surface.casefold() in text.ASKING:
        return None, start, end
    return Entity(surface, "title", mention.documents), start, end


def _matches(pattern: re.Pattern[str], question: str) -> Sequence[tuple[str, int, int]]:
    return [(m.group(m.lastindex or 0).strip(), m.start(), m.end()) for m in pattern.finditer(question)]


def clauses(question: str) -> tuple[str, ...]:
    """Cut a question into clauses of at least three content words; none when it is a single clause."""
    clauses: list[str] = []
    for sentence in text.sentences(question):
        spans: list[tuple[int, int]] = []
        start = 0
        for end, after in [*(m.span() for m in _CLAUSE.finditer(sentence)), (len(sentence), len(sentence))]:
            if sum(w not in text.STOPWORDS for w in text.words(sentence[start:end])) >= _SHORTEST_CLAUSE:
                spans.append((start, end))
                start = after
        # A rest too short for a clause of its own belongs to the last one.
        if spans and start < len(sentence):
            spans[-1] = (spans[-1][0], len(sentence))
        clauses += [sentence[first:last].strip(" ?.!") for first, last in spans]
    return tuple(clauses) if len(clauses) > 1 else ()
