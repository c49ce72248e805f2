"""Candidates for an answer: the spans that a reader finds, located in their passages, with a confidence each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from multihop import text
from multihop.answering.candidates import Candidate, candidate_of, is_number_of_item, match_option
from multihop.answering.confidence import confidence, log_odds
from multihop.answering.contexts import (
    ROOM,
    ReaderContext,
    contexts,
    heading,
    is_type,
    mentions,
    names_of,
    only_asks,
    types_of,
)
from multihop.answering.corrections import correct, denies
from multihop.answering.kinds import Expected, expected, is_asked
from multihop.answering.plausible import (
    UNSAID,
    cannot_answer,
    is_dated,
    is_of_another_column,
    is_of_quarter,
    passages_before,
)
from multihop.answering.updates import favor_newest, update
from multihop.parts.selectors.reading import QuestionWords, ReadPassage, weigh_words
from multihop.protocols import Index, Reader, Verifier
from multihop.text.units import SEPARATOR
from multihop.types import Chain, Reading

_DISAGREES, _ECHOES = 0.2, 0.05
"""Factors on the probability of a span of another kind, and of one that repeats a name of the question."""
_ALONE, _SHARE = 2, 0.4
"""Number of top passages that are also read separately, and the weight of these readings."""
_ANYWHERE = 0.05
"""Added to the probability that a passage is evidence, since retrieval may have ruled out the right one."""
_LEAST_STATED = -1.5


@dataclass(frozen=True, slots=True)
class AnswerSources:
    """Everything that an answer is read from: the index, the passages and chain of the result, and the models."""

    index: Index
    readings: Sequence[ReadPassage]
    chain: Chain
    reader: Reader
    verifier: Verifier | None

    def read(self, asked: str, least: float = 0.0) -> tuple[Candidate, ...]:
        """Read the passages for a question that they were not retrieved for, each with at least this score."""
        own = weigh_words(asked, self.index)
        again = [ReadPassage(r.passage, own, score=max(least, r.score), whole_title=True) for r in self.readings]
        return read_answers(own, expected(asked), again, self.chain, self.reader, self.verifier, room=ROOM).candidates


@dataclass(frozen=True, slots=True)
class Answers:
    """The reading of a question and its candidates, best first."""

    reading: Reading
    candidates: tuple[Candidate, ...]


def read_answers(
    question: QuestionWords,
    wanted: Expected,
    passages: Sequence[ReadPassage],
    chain: Chain,
    reader: Reader,
    verifier: Verifier | None = None,
    *,
    room: int,
) -> Answers:
    """Let a reader find candidates in the best passages, and rank them by probability and fit."""
    shown = contexts(question, passages, chain, room=room)
    if not shown:
        return Answers(Reading(none=1.0), ())
    alone = [one for p in passages[:_ALONE] for one in contexts(question, [p], chain, room=room)] if shown[1:] else []
    said = _read(question.text, shown, alone, reader)
    shown += alone
    merged: dict[str, Candidate] = {}
    for span in said.spans:
        candidate = candidate_of(span, shown[span.context], wanted, question.text)
        if is_number_of_item(candidate, question.text):
            continue
        key = text.surface_key(candidate.text)
        # The same answer in two sentences adds up; it is quoted from the likelier one.
        if key and (known := merged.get(key)):
            merged[key] = replace(known, probability=known.probability + candidate.probability)
        elif key:
            merged[key] = candidate
    if not merged:
        return Answers(said, ())
    weighed = weigh_passages(list(merged.values()))
    # A price "from January 2026" answers for 2026, and not the one in an undated table.
    dated = [is_dated(c, question.text) and c.agrees for c in weighed]
    undated = [_DISAGREES if wanted.kind == "number" and any(dated) and not own else 1.0 for own in dated]
    worth = [_worth(c, question, wanted) * factor for c, factor in zip(weighed, undated, strict=True)]
    worth = favor_newest(weighed, worth, question.text)
    order = [weighed[place] for place in sorted(range(len(weighed)), key=lambda place: -worth[place])]
    best = order[0] = correct(order[0], wanted, passages)
    if newer := update(best, question, wanted, passages, reader, verifier):
        older = replace(best, probability=_DISAGREES * best.probability)
        best, order = newer, [newer, older, *(each for each in order[1:] if each.text != newer.text)]
    sure = confidence(features_of(best, question, chain, passages, said.none, verifier))
    if cannot_answer(best, question, wanted, chain, passages):
        sure *= UNSAID
    # No candidate gets a higher confidence than the best.
    shares = [min(1.0, candidate.probability / best.probability) if best.probability else 1.0 for candidate in order]
    rated = [replace(candidate, confidence=sure * share) for candidate, share in zip(order, shares, strict=True)]
    return Answers(said, tuple(rated))


def weigh_passages(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Reweight the reader's probabilities by the score of each passage.

    Readers attend to the verb of a question more than to its names, and confuse the designers of two ships.
    """
    priors = [(_ANYWHERE + max(0.0, candidate.passage.score)) ** 0.5 for candidate in candidates]
    whole = sum(candidate.probability for candidate in candidates)
    scale = whole / (sum(c.probability * prior for c, prior in zip(candidates, priors, strict=True)) or 1.0)
    return [
        replace(candidate, probability=candidate.probability * prior * scale)
        for candidate, prior in zip(candidates, priors, strict=True)
    ]


def _read(asked: str, shown: Sequence[ReaderContext], alone: Sequence[ReaderContext], reader: Reader) -> Reading:
    """Read all contexts together, and the best ones separately, since other passages can distract."""
    together = reader.read(asked, [context.text for context in shown])
    if not alone:
        return together
    single = [reader.read(asked, [context.text]) for context in alone]
    answering = max(1.0, sum(1 - one.none for one in single))
    none = (1 - _SHARE) * together.none + _SHARE * min(one.none for one in single)
    spans = [replace(span, probability=(1 - _SHARE) * span.probability) for span in together.spans]
    spans += [
        replace(span, context=place, probability=_SHARE * (1 - one.none) / answering * span.probability)
        for place, one in enumerate(single, len(shown))
        for span in one.spans
    ]
    return replace(together, spans=tuple(sorted(spans, key=lambda span: -span.probability)), none=none)


def _worth(candidate: Candidate, question: QuestionWords, wanted: Expected) -> float:
    worth = candidate.probability if candidate.agrees else _DISAGREES * candidate.probability
    if wanted.options:
        return worth if match_option(candidate.text, wanted.options) else _DISAGREES * worth
    if is_of_another_column(candidate, question.text):
        worth *= _DISAGREES
    if not is_of_quarter(candidate, question.text) or only_asks(candidate.unit.text, question.text):
        worth *= _DISAGREES
    if denies(candidate, question.text):
        return _ECHOES * worth
    # "Who drew the ship that Amundsen borrowed?" is not answered by "Amundsen".
    names = wanted.kind in ("person", "place", "name")
    return _ECHOES * worth if names and is_asked(candidate.text, question.text) else worth


def features_of(
    candidate: Candidate,
    question: QuestionWords,
    chain: Chain,
    passages: Sequence[ReadPassage],
    none: float,
    verifier: Verifier | None,
) -> dict[str, float]:
    """Return the features of an answer, by the names of the coefficients in `confidence`."""
    before = passages_before(candidate, chain, passages)
    quotes = [
        f"{heading(before[link.source].passage)}{link.quote.text}" for link in chain.links if link.source in before
    ]
    along = " ".join((*dict.fromkeys(quotes), f"{heading(candidate.passage.passage)}{candidate.unit.text}"))
    mask = question.mask(text.stems(text.words(along)))
    for reading in before.values():
        mask |= reading.mask
    # Question and answer together are a claim that its sentence, with those before it in the chain, may support.
    stated = verifier.verify(f"{question.text} {candidate.text}.", [along])[0].supported if verifier else 0.5
    return {
        "reader": log_odds(candidate.probability),
        "none": none,
        "named": float(share_named(question.text, candidate, before.values()) > 0),
        "said": question.weight(mask) / (question.weight(question.everything) or 1.0),
        # Answers over several hops are rarely entailed by a few sentences, so this is bounded.
        "stated": max(_LEAST_STATED, log_odds(stated)),
    }


def share_named(asked: str, candidate: Candidate, before: Iterable[ReadPassage]) -> float:
    """Return the share of the question's names that the passage of the answer, or one before it in the chain, mentions.

    In a table, a model name counts only if the row itself has it.
    """
    names = names_of(asked)
    if not names:
        return 1.0
    said = " ".join(f"{heading(p.passage)}{p.lower}".lower() for p in (*before, candidate.passage))
    row = f"{heading(candidate.passage.passage)}{candidate.unit.text}".lower()
    others = SEPARATOR in row and types_of(candidate.unit.text)
    return sum(mentions(row if others and is_type(name) else said, name) for name in names) / len(names)
