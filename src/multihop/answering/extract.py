"""Extractive answers: the sentences of the evidence that answer a question, without a language model."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import or_

from multihop.answering.chain import chain_of
from multihop.answering.comparing import compared
from multihop.answering.deciding import decided
from multihop.answering.features import Candidate, describe
from multihop.answering.kinds import Expected, Span, expected, is_asked, is_claim
from multihop.answering.parts import claim_answer
from multihop.answering.scoring import AnswerModel, answer_model
from multihop.answering.spans import describe_spans
from multihop.parts.selectors.reading import Question, Reading, weighed
from multihop.protocols import Index
from multihop.types import Answer, AnswerSentence, Note, Quote, Result

READ = 12
"""So many of the first passages are read for the answer."""
SHOWN = 5
NOTHING = Note("no-answer", {}, "no sentence answers this")
_NEEDED = 0.45
"""A question is not answered by evidence that knows less than this share of what it says."""
_SECOND = 0.05
_NEAR = 0.4
"""The words of the answer may stand in any sentence with at least this share of the confidence of the first."""


def extract(result: Result, index: Index, model: AnswerModel | None = None) -> Answer:
    """Find the sentences that answer the question of a result, or say that none does."""
    asked = result.question
    question = weighed(asked, index)
    readings = [Reading(e.passage, question, score=e.score, whole_title=True) for e in result.evidence[:READ]]
    if is_claim(asked):
        return claim_answer(result, question, readings)
    wanted = expected(asked)
    if wanted.kind in ("yes or no", "one of several") and (decision := decided(asked, readings)):
        text, chance, said = decision
        return Answer(asked, text, chance, "yes or no", said, result.chain, result)
    model = model or answer_model()
    ranked = _ranked(question, result, wanted, readings, model)
    confidence = ranked[0][1] if ranked else 0.0
    if not ranked or confidence < model.threshold or _unknown(question, readings):
        return Answer(asked, "", confidence, wanted.kind, (), result.chain, result, notes=(NOTHING,))
    shown = [found for found in ranked[:SHOWN] if found[1] >= _SECOND]
    spans = _spans(question, asked, wanted, readings, shown, model)
    told = tuple(
        _sentence(readings, candidate, chance, found[0] if found else None)
        for (candidate, chance), found in zip(shown, spans, strict=True)
    )
    likely = [found for (_, chance), found in zip(shown, spans, strict=True) if found and chance >= _NEAR * shown[0][1]]
    best = max(likely, key=lambda found: found[1], default=None) or next((found for found in spans if found), None)
    # Which of two came first is seldom said by one sentence; the dates of both tell it.
    text = compared(asked, wanted, readings) or (best[0].text if best else "")
    chain = result.chain
    # The chain of an answer leads to its first sentence.
    if told[0].quote.passage_id not in chain.passages:
        chain = chain_of(result, index, ending=told[0].quote.passage_id)
    return Answer(asked, text or told[0].quote.text, told[0].confidence, wanted.kind, told, chain, result)


def _ranked(
    question: Question, result: Result, wanted: Expected, readings: Sequence[Reading], model: AnswerModel
) -> list[tuple[Candidate, float]]:
    """Give every sentence with how likely it holds the answer, the likeliest first."""
    rows, candidates = describe(question, result.question, wanted, readings, result.chain)
    if not candidates:
        return []
    odds = model.sentences.score(rows).tolist()
    order = sorted(range(len(odds)), key=lambda i: (-odds[i], i))
    return [(candidates[i], model.confidence(odds[i])) for i in order]


def _unknown(question: Question, readings: Sequence[Reading]) -> bool:
    """Tell whether the evidence knows next to nothing of what the question says."""
    return question.weight(reduce(or_, (reading.mask for reading in readings), 0)) < _NEEDED


def _spans(
    question: Question,
    asked: str,
    wanted: Expected,
    readings: Sequence[Reading],
    shown: Sequence[tuple[Candidate, float]],
    model: AnswerModel,
) -> list[tuple[Span, float] | None]:
    """Find in each sentence the likeliest answer of the kind asked for, with its log-odds."""
    best: list[tuple[Span, float] | None] = [None] * len(shown)
    if wanted.kind == "yes or no":
        return best
    rows, found = describe_spans(question, asked, wanted, readings, shown)
    # "Who drew the ship that Amundsen borrowed?" is not answered by the name that it gives itself.
    names = wanted.kind in ("person", "place", "name") and not wanted.options
    for (place, span), odds in zip(found, model.spans.score(rows).tolist() if found else (), strict=True):
        known = best[place]
        if (known is None or odds > known[1]) and not (names and is_asked(span.text, asked)):
            best[place] = (span, odds)
    return best


def _sentence(readings: Sequence[Reading], candidate: Candidate, chance: float, span: Span | None) -> AnswerSentence:
    reading = readings[candidate.passage]
    sentence, id = reading.sentences[candidate.sentence], reading.passage.id
    # A name at the end of a sentence is read without the full stop.
    at = sentence.start + (span.start if span else 0)
    answer = Quote(id, span.text, at, at + len(span.text)) if span else None
    return AnswerSentence(sentence.quoted(id), reading.passage.label, round(chance, 4), answer)
