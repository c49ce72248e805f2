"""Claims taken apart: what a claim states, part by part, and the sentence that supports or contradicts each.

A part is supported by a sentence that says nearly all of it, and contradicted by one that says all of it but a number
or a date. Everything else is left open: words that agree are no proof, and words that do not are no refutation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from multihop import text
from multihop.parts.selectors.reading import Question, Reading
from multihop.types import Answer, AnswerSentence, ClaimPart, Note, Result

# Where one clause ends and another begins. Between capitals "and" joins names; it parts clauses before a verb.
_JOINT = re.compile(
    r"(?:[;:]|,\s+and\s+(?=[a-z])(?!the\s|an?\s)|,?\s+(?:and|but|while|whereas|although)\s+(?=(?:\w+\s+){0,3}(?:is|are|was|were|has|have|had|did|\w{3,}ed)\b)"
    r"|,?\s+(?=(?:that|which|who|whose|where|in which|for which|by which)\s)"
    r"|,\s+(?=(?:is|are|was|were|has|had|\w{3,}ed)\b))"
)
_NUMBER = re.compile(r"\d[\d,.]*\d|\d")
_FEWEST = 3
"""A part has at least so many words that mean something."""
_SUPPORTED = 0.75
_CONTRADICTED = 0.85
_MENTIONED = 0.5
_DECIDED = 0.85
"""All parts of a claim must be said so fully for a verdict; chosen on the train claims of HoVer and EX-FEVER."""


class _Said(NamedTuple):
    """How much of a part a sentence says, with the title of its passage."""

    share: float
    reading: Reading
    sentence: int


def claim_parts(claim: str) -> list[tuple[int, int]]:
    """Say where the parts of a claim begin and end: clauses with at least three words that mean something."""
    parts: list[tuple[int, int]] = []
    start = 0
    for joint in _JOINT.finditer(claim):
        if _meaning(claim[start : joint.start()]) >= _FEWEST <= _meaning(claim[joint.end() :]):
            parts.append((start, joint.start()))
            start = joint.end()
    return [_trimmed(claim, *part) for part in (*parts, (start, len(claim)))]


def _meaning(part: str) -> int:
    return sum(word not in text.STOPWORDS for word in text.words(part))


def _trimmed(claim: str, start: int, end: int) -> tuple[int, int]:
    part = claim[start:end]
    return start + len(part) - len(part.lstrip(" ,;:")), start + len(part.rstrip(" ,;:."))


def claim_answer(result: Result, question: Question, readings: Sequence[Reading]) -> Answer:
    """Take a claim apart and look every part up in the evidence."""
    claim = result.question
    parts = tuple(_judged(claim, start, end, question, readings) for start, end in claim_parts(claim))
    label, confidence = verdict_of_parts(parts)
    sentences = tuple(dict.fromkeys(p.sentence for p in parts if p.sentence))
    wording = "nothing was found on any part of the claim"
    notes = () if sentences else (Note("no-answer", {}, wording),)
    return Answer(claim, label, confidence, "claim", sentences, result.chain, result, parts, notes=notes)


def verdict_of_parts(parts: Sequence[ClaimPart]) -> tuple[str, float]:
    """Decide a claim where its parts do: refuted by one that is contradicted, supported when all are."""
    shares = {p: p.sentence.confidence if p.sentence else 0.0 for p in parts}
    against = [share for part, share in shares.items() if part.finding == "contradicted"]
    if against:
        return "refuted", max(against)
    if parts and min(shares.values()) >= _DECIDED:
        return "supported", min(shares.values())
    return "", 0.0


def _judged(claim: str, start: int, end: int, question: Question, readings: Sequence[Reading]) -> ClaimPart:
    said = claim[start:end]
    mask = question.mask(text.stems(text.words(said)))
    numbers = set(_NUMBER.findall(said))
    best = max(_said(mask, question, readings), key=lambda s: s.share, default=None)
    if best is None or not mask or best.share < _MENTIONED:
        return ClaimPart(said, start, end, "nothing found")
    sentence = best.reading.sentences[best.sentence]
    lacking = numbers - set(_NUMBER.findall(f"{best.reading.passage.title} {sentence.text}"))
    if best.share >= _SUPPORTED and not lacking:
        return ClaimPart(said, start, end, "supported", _quoted(best))
    if lacking and (other := _contradiction(said, numbers, question, readings)):
        return ClaimPart(said, start, end, "contradicted", _quoted(other))
    return ClaimPart(said, start, end, "nothing found")


def _said(mask: int, question: Question, readings: Sequence[Reading]) -> Iterator[_Said]:
    whole = question.weight(mask) or 1.0
    for reading in readings:
        for place, said in enumerate(reading.masks):
            # A sentence speaks of what its passage is about, whether it repeats the title or not; but says something.
            if said & mask:
                yield _Said(question.weight((said | reading.title_mask) & mask) / whole, reading, place)


def _contradiction(said: str, numbers: set[str], question: Question, readings: Sequence[Reading]) -> _Said | None:
    """Find a sentence that says the whole part with other numbers of the same length, such as another year."""
    # Without the numbers, which are what differs.
    mask = question.mask([s for s in text.stems(text.words(said)) if not s[:1].isdigit()])
    best = max(_said(mask, question, readings), key=lambda s: s.share, default=None)
    if best is None or best.share < _CONTRADICTED:
        return None
    # A year stands against a year, not against an age.
    theirs = set(_NUMBER.findall(best.reading.sentences[best.sentence].text))
    alike = {n for n in theirs if any(len(n) == len(mine) for mine in numbers)}
    return best if alike and not numbers & theirs else None


def _quoted(said: _Said) -> AnswerSentence:
    sentence, passage = said.reading.sentences[said.sentence], said.reading.passage
    return AnswerSentence(sentence.quoted(passage.id), passage.label, round(said.share, 4))
