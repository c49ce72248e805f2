"""Answers yes or no: combines a reader with a verifier of the question rephrased as a statement.

"Are A and B both …?" becomes two statements, each checked against the passages about its own subject.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import NamedTuple

from multihop import text
from multihop.answering.candidates import ExtractiveAnswer
from multihop.answering.claim_evidence import VerifierInput, evidence_for
from multihop.answering.claims import judge
from multihop.answering.confidence import log_odds, verdict_confidence
from multihop.answering.plausible import UNSAID
from multihop.answering.statements import AUXILIARY, statement_of
from multihop.parts.selectors.reading import QuestionWords, ReadPassage
from multihop.protocols import Verifier
from multihop.types import AnswerSentence, Chain, Reading

_VERIFIER = 0.5
"""Weight of the verifier's log-odds beside the reader's, for whether two things are the same."""
_READER = 0.5
"""Weight of the reader's log-odds beside the verdict on any other statement, for a reader without doubt."""
_SPOKEN_OF = 0.5
"""Minimum share of a question, if it cannot be rephrased as a statement, that some evidence must cover."""
_BOTH = re.compile(r"\bboth\b\s*", re.IGNORECASE)
_SAME = re.compile(r"\bsame\b", re.IGNORECASE)
_BETWEEN = re.compile(r"[^.;?]{0,40}?\b(?:and|or)\s+[\w\s]{0,20}", re.IGNORECASE)
"""Text between two subjects: "from Italy, and the Mexican"."""
_SINGULAR = {"are": "is", "were": "was", "do": "does", "have": "has"}
_SUREST, _SUREST_NO = 0.95, 0.7
"""Maximum confidence in "both", and in any "no": verifiers often mistake an unmentioned statement for a contradicted
one."""


class Side(NamedTuple):
    """A statement about one of two subjects, and the passage about it."""

    statement: str
    about: ReadPassage


def decide(
    question: QuestionWords, said: Reading, readings: Sequence[ReadPassage], chain: Chain, verifier: Verifier | None
) -> ExtractiveAnswer:
    """Answer yes or no by what the models say; the text is empty where there is no evidence."""
    if verifier is not None and (both := _decide_both(question, readings, verifier)):
        return both
    either = said.yes + said.no
    odds = log_odds(said.yes / either) if either > 0 else 0.0
    evidence = evidence_for(question, readings, chain)
    if not evidence:
        return ExtractiveAnswer("", 0.0, ())
    best = [evidence[0]]
    # The reader gives the rest of its probability to spans and to no answer.
    known = min(1.0, 0.5 + either)
    statement = statement_of(question.text)
    if verifier is not None and statement and _SAME.search(statement):
        judged = verifier.verify(statement, [each.text for each in evidence])
        yes, no = max(j.supported for j in judged), max(j.contradicted for j in judged)
        odds += _VERIFIER * (log_odds(yes) - log_odds(no))
        wanted = [j.supported if odds >= 0 else j.contradicted for j in judged]
        best = [evidence[i] for i in sorted(range(len(wanted)), key=lambda i: (-wanted[i], i))]
    elif verifier is not None and statement:
        verdict = judge(statement, evidence, verifier)
        supported, contradicted, undecided = verdict_confidence(verdict.features)
        odds = _READER * either * odds + math.log(supported / contradicted)
        known = (1 - undecided) * (UNSAID if undecided > max(supported, contradicted) else 1.0)
        best = [verdict.supporting if odds >= 0 else verdict.contradicting]
    elif max(each.said for each in evidence) < _SPOKEN_OF:
        known *= UNSAID
    sure = known / (1 + math.exp(-abs(odds)))
    if odds < 0:
        sure = min(_SUREST_NO, sure)
    units = dict.fromkeys(unit for each in best[:2] for unit in each.units)
    sentences = tuple(AnswerSentence.of(quote, reading.passage, round(sure, 4)) for reading, quote in units)[:3]
    return ExtractiveAnswer("yes" if odds >= 0 else "no", round(sure, 4), sentences)


def _decide_both(
    question: QuestionWords, readings: Sequence[ReadPassage], verifier: Verifier
) -> ExtractiveAnswer | None:
    """Decide a question about both of two things; None for other questions.

    Yes needs a supporting sentence for each, no a contradicting sentence for one.
    """
    yes, no = list[tuple[float, VerifierInput]](), list[tuple[float, VerifierInput]]()
    for side in sides_of(question.text, readings):
        mask = question.mask(text.stems(text.words(side.statement)))
        evidence = evidence_for(question, [side.about], Chain(), mask)
        if not evidence:
            return None
        judged = verifier.verify(side.statement, [each.text for each in evidence])
        pairs = list(zip(judged, evidence, strict=True))
        yes.append(max(((j.supported, each) for j, each in pairs), key=lambda pair: pair[0]))
        no.append(max(((j.contradicted, each) for j, each in pairs), key=lambda pair: pair[0]))
    if not yes:
        return None
    worse = min(range(len(yes)), key=lambda side: yes[side][0])
    is_so = yes[worse][0] >= 0.5
    sure = round(min(_SUREST, yes[worse][0]) if is_so else min(_SUREST_NO, no[worse][0]), 4)
    shown = [each for _, each in yes] if is_so else [no[worse][1], yes[1 - worse][1]]
    said = [AnswerSentence.of(quote, reading.passage, sure) for each in shown for reading, quote in each.units[:1]]
    return ExtractiveAnswer("yes" if is_so else "no", sure, tuple(said))


def sides_of(asked: str, readings: Sequence[ReadPassage]) -> list[Side]:
    """Split "Are A and B both sailors?" into a statement about each, if there are passages about both."""
    question = AUXILIARY.match(asked)
    if question is None or not _BOTH.search(asked) or _SAME.search(asked):
        return []
    auxiliary, rest = question.group(1).lower(), question.group(2)
    places: list[tuple[int, int, ReadPassage]] = []
    for reading in readings:
        start, end = _find_subject(rest, reading.name)
        if start >= 0 and not any(start < last and first < end for first, last, _ in places):
            places.append((start, end, reading))
    if len(places) < 2:
        return []
    one, other = sorted(places, key=lambda place: place[0])[:2]
    said = _BOTH.sub("", rest[other[1] :]).strip(" ,")
    if not said or not _BETWEEN.fullmatch(rest[one[1] : other[0]]):
        return []
    verb = _SINGULAR.get(auxiliary, auxiliary)
    return [
        Side(f"{reading.passage.title.partition(' (')[0]} {verb} {said}.", reading) for _, _, reading in (one, other)
    ]


def _find_subject(said: str, name: str) -> tuple[int, int]:
    """Return start and end of a name, in full or by its last word ("Amundsen" for Roald Amundsen); -1 if absent."""
    for called in dict.fromkeys((name, name.split()[-1] if name else "")):
        start = text.find_name(said.lower(), called.lower()) if called else -1
        if start >= 0 and (called == name or said[start].isupper() or said.islower()):
            return start, start + len(called)
    return -1, -1
