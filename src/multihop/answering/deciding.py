"""Yes or no: what a reader says, together with what a verifier says of the question put as a statement."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from multihop import text
from multihop.answering.claims import evidence_for
from multihop.answering.confidence import log_odds
from multihop.parts.selectors.reading import Question, Reading
from multihop.protocols import Verifier
from multihop.types import AnswerSentence, Chain, Reading as ModelReading

_AUXILIARY = re.compile(
    r"^\W*(is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|may|must)\s+(.+?)\s*\?*\s*$",
    re.IGNORECASE | re.DOTALL,
)
_DETERMINED = re.compile(r"(?:(?:the|a|an|both|all|any|every|each|his|her|its|their|our)\s+)?", re.IGNORECASE)
_JOINED = re.compile(r"\s+(?:and|of|or)\s+(?:the\s+)?$", re.IGNORECASE)
_CLAUSE = frozenset("of that which who whose where in on at for from by with to".split())
_VERIFIER = 0.5
"""How much the verifier counts beside the reader, in log-odds."""


class Decision(NamedTuple):
    """Yes or no, how sure that is, and the sentences that say so; the text is empty where nothing says either."""

    text: str
    confidence: float
    sentences: tuple[AnswerSentence, ...]


def decided(
    question: Question, said: ModelReading, readings: Sequence[Reading], chain: Chain, verifier: Verifier | None
) -> Decision:
    """Decide a question by what the models say of it."""
    either = said.yes + said.no
    odds = log_odds(said.yes / either) if either > 0 else 0.0
    evidence = evidence_for(question, readings, chain)
    if not evidence:
        return Decision("", 0.0, ())
    best = [evidence[0]]
    statement = statement_of(question.text)
    if verifier is not None and statement:
        judged = verifier.verify(statement, [each.text for each in evidence])
        yes, no = max(j.supported for j in judged), max(j.contradicted for j in judged)
        odds += _VERIFIER * (log_odds(yes) - log_odds(no))
        wanted = [j.supported if odds >= 0 else j.contradicted for j in judged]
        best = [evidence[i] for i in sorted(range(len(wanted)), key=lambda i: (-wanted[i], i))]
    # What the reader gives to spans and to none is what it does not give to yes or no.
    sure = max(1 / (1 + 2.718281828 ** -abs(odds)) * min(1.0, 0.5 + either), 0.0)
    units = dict.fromkeys(unit for each in best[:2] for unit in each.units)
    sentences = tuple(AnswerSentence.of(quote, reading.passage, round(sure, 4)) for reading, quote in units)[:3]
    return Decision("yes" if odds >= 0 else "no", round(sure, 4), sentences)


def statement_of(asked: str) -> str:
    """Turn a simple question into a statement: "Was Archer born in Larvik?" says "Archer was born in Larvik."

    Empty where the subject cannot be told from the rest.
    """
    found = _AUXILIARY.match(asked)
    if found is None:
        return ""
    auxiliary, rest = found.group(1).lower(), found.group(2)
    start = _DETERMINED.match(rest)
    begin = start.end() if start else 0
    end = _subject(rest, begin)
    following = text.words(rest[end:])[:1]
    # "the forklift that Harstad takes over" is longer than its first word, by nobody knows how much.
    if not following or (following[0] in _CLAUSE and following[0] in ("of", "that", "which", "who", "whose")):
        return ""
    return f"{rest[:end][:1].upper()}{rest[1:end]} {auxiliary}{rest[end:]}."


def _subject(rest: str, begin: int) -> int:
    """Say where the subject ends: behind the names that it begins with, or behind its first word."""
    end = begin
    for _, start, stop in text.capitalized_spans(rest):
        between = rest[end:start]
        if start == begin or (end > begin and _JOINED.fullmatch(between)):
            end = stop
        elif end > begin or start > begin:
            break
    if end > begin:
        return end
    word = re.compile(r"\S+").match(rest, begin)
    return word.end() if word else len(rest)
