"""Evidence as context for a prompt: numbered, cited, without repetition, in chain order, within a token budget."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from multihop.errors import InvalidInput
from multihop.rendering.phrases import one_line, shorten
from multihop.rendering.tokens import Tokenizer, estimate_tokens
from multihop.text import terms
from multihop.text.units import Unit, units
from multihop.types import Evidence, Passage, Result

TEMPLATE = "[{number}] {citation}\n{text}"
"""How a passage is written; `{id}` and `{title}` may be used too."""
_GAP = " … "
_SHORTEST = 30
"""Tokens of the shortest excerpt that a longer sentence is cut to."""


class Excerpt(NamedTuple):
    """A passage, or those of its sentences that fit a budget."""

    passage: Passage
    text: str
    cut: bool


def write_prompt(
    result: Result, tokens: int = 3000, *, count: Tokenizer = estimate_tokens, template: str = TEMPLATE
) -> str:
    """Write evidence as context for a prompt: numbered and cited, in chain order, within a token budget.

    A passage is written as "[1] Title, p. 3", then its text; `template` changes that, with {number}, {citation},
    {text}, {id} and {title}. What does not fit whole is cut to the sentences that match the question, and no text
    comes twice. `count` is a tokenizer; without one tokens are estimated.
    """
    ordered = [e.passage for e in chain_order(result)]

    def write_excerpt(number: int, excerpt: Excerpt) -> str:
        passage = excerpt.passage
        citation = one_line(passage.citation)
        try:
            return template.format(
                number=number, citation=citation, text=excerpt.text, id=passage.id, title=passage.title
            )
        except (KeyError, IndexError, ValueError, AttributeError) as error:
            raise InvalidInput(
                f"the template may use {{number}}, {{citation}}, {{text}}, {{id}} and {{title}}; got {template!r:.80}"
            ) from error

    # A heading costs as much whatever the text below it.
    heading = max((count(write_excerpt(len(ordered), Excerpt(p, "", False))) for p in ordered), default=0)
    fitting = excerpts(ordered, result, tokens, count=count, heading=heading)
    return "\n\n".join(write_excerpt(number, each) for number, each in enumerate(fitting, 1))


def chain_order(result: Result) -> list[Evidence]:
    """Order evidence as a reader needs it: the chain from the question on, then what supports it, then the rest."""
    places = {id: place for place, id in enumerate((*result.chain.passages, *result.chain.supporting))}
    return sorted(result.evidence, key=lambda e: (places.get(e.passage.id, len(places)), e.rank))


def excerpts(
    passages: Iterable[Passage], result: Result, tokens: int, *, count: Tokenizer = estimate_tokens, heading: int = 0
) -> list[Excerpt]:
    """Fit passages of a result into a budget: their best sentences first, then whole passages from the first one on.

    The best sentences are those by which the chain leads on and the one that matches the question best. A passage
    whose text an earlier one has already is left out. `heading` is what each costs beside its text.
    """
    wanted = set(terms(result.question))
    quotes = [link.quote for link in result.chain.links]
    distinct = _distinct(passages)
    share = max(_SHORTEST, tokens // max(1, len(distinct)) - heading)
    room = tokens
    chosen: list[Excerpt] = []
    for passage in distinct:
        leading = [(q.start, q.end) for q in quotes if q.passage_id == passage.id]
        best = _shorten(_best_sentences(passage.text, wanted, leading), share * (1 + len(leading)), count)
        cost = count(best) + heading
        # One that does not fit may be followed by a shorter one.
        if cost <= room:
            chosen.append(Excerpt(passage, best, len(best) < len(passage.text.strip())))
            room -= cost
    for place, (passage, best, cut) in enumerate(chosen):
        if not cut:
            continue
        longer = _longer(passage.text, best, wanted, room + count(best), count)
        room -= count(longer) - count(best)
        chosen[place] = Excerpt(passage, longer, len(longer) < len(passage.text.strip()))
    return chosen


def _distinct(passages: Iterable[Passage]) -> list[Passage]:
    distinct: list[Passage] = []
    seen: list[str] = []
    for passage in passages:
        words = " ".join(passage.text.split())
        if not any(words in other for other in seen):
            seen.append(words)
            distinct.append(passage)
    return distinct


def _best_sentences(source: str, wanted: set[str], leading: Sequence[tuple[int, int]]) -> str:
    """Return the sentence that shares most words with the question, and those that lead on, in reading order."""
    spans = units(source)
    best = max(spans, key=lambda unit: _matching(unit, source, wanted), default=None)
    kept = [u for u in spans if u is best or any(u.start < end and start < u.end for start, end in leading)]
    return _join(source, kept) if kept else source.strip()


def _matching(unit: Unit, source: str, wanted: set[str]) -> int:
    return len(wanted.intersection(terms(unit.of(source))))


def _shorten(sentence: str, tokens: int, count: Tokenizer) -> str:
    cost = count(sentence)
    return sentence if cost <= tokens else shorten(sentence, max(2, len(sentence) * tokens // cost))


def _longer(source: str, best: str, wanted: set[str], room: int, count: Tokenizer) -> str:
    """Return the whole text if it fits, otherwise the sentences that match the question best, in reading order."""
    if count(source) <= room:
        return source.strip()
    spans = units(source)
    by_match = sorted(spans, key=lambda unit: (-_matching(unit, source, wanted), unit.start))
    kept = [unit for unit in spans if unit.of(source) in best]
    for unit in by_match:
        longer = sorted({*kept, unit})
        if count(_join(source, longer)) <= room:
            kept = longer
    return _join(source, kept) if kept else best


def _join(source: str, kept: Sequence[Unit]) -> str:
    """Join sentences; an ellipsis stands where some are left out between them."""
    parts: list[str] = []
    end = 0
    for start, stop, _ in kept:
        if parts:
            parts.append(_GAP if source[end:start].strip() else source[end:start])
        parts.append(source[start:stop])
        end = stop
    return "".join(parts)
