"""Checks claims: whether the evidence supports or contradicts a claim and each of its parts, and by which sentence.

A verifier compares the claim with single units and with units joined along the chain. The finding is supported,
contradicted or undecided; an undecided claim shows the closest unit.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from operator import itemgetter
from statistics import fmean
from typing import NamedTuple

from multihop import text
from multihop.answering.confidence import log_odds, verdict_confidence
from multihop.answering.conflicts import UNSETTLED, disagreements, is_contested
from multihop.answering.contexts import (
    heading,
    is_of_another,
    mentions,
    names_of,
    order_by_chain,
    rows_of_others,
    times_in,
)
from multihop.answering.values import weekdays_in, with_weekdays
from multihop.errors import ReadingError
from multihop.parts.selectors.reading import QuestionWords, ReadPassage
from multihop.protocols import Verifier
from multihop.text.units import SEPARATOR
from multihop.types import AnswerSentence, Chain, ClaimPart, Finding, Note, Quote, Result, Verdict

# Clause boundaries. "and" joins names between capitals, and separates clauses before a verb.
_JOINT = re.compile(
    r"(?:[;:]|,\s+and\s+(?=[a-z])(?!the\s|an?\s)|,?\s+(?:and|but|while|whereas|although)\s+(?=(?:\w+\s+){0,3}(?:is|are|was|were|has|have|had|did|\w{3,}ed)\b)"
    r"|,?\s+(?=(?:that|which|who|whose|where|in which|for which|by which)\s)"
    r"|,\s+(?=(?:is|are|was|were|has|had|\w{3,}ed)\b))"
)
_RELATIVE = re.compile(r"(?:in which|for which|by which|that|which|who|where)\s+", re.IGNORECASE)
_FEWEST = 3
"""Minimum content words of a part."""
_UNITS, _JOINED, _LONGEST = 10, ((3, 2), (4, 3)), 1500
"""Number of single units that are verified; joined evidence as (passages, units of each), and its maximum length."""
_ON_TOPIC = 0.4
"""A unit that covers less of the claim than this cannot contradict it."""
_SUFFICIENT = 0.6
"""A claim of one part is decided by single units if one of them covers this much of it."""
_SAYS_LESS = 4.0
"""Penalty in log-odds for a unit that covers nothing of a claim that another unit covers fully."""
_NAMES_NOTHING = 2.0
"""Penalty in log-odds if its passage mentions none of the claim's names."""
_BORNE_OUT, _OVERRULES = 0.3, 0.5
"""A language model's verdict is doubtful if its sentences make it less likely than the first, and is overruled by an
opposite verdict that is at least as likely as the second."""
_ROLE_CLAIM = re.compile(r"(?P<name>[A-Z]\S+(?: [A-Z]\S+)+) (?:is|was) (?:the|an?) (?P<role>[^,;]+?)\.?")
_NEGATIONS = frozenset("no not never nobody nothing except".split())
_OPPOSITES = (("open", "closed"), ("available", "unavailable"), ("free", "busy"), ("allowed", "forbidden"))
_ATTENDED = re.compile(r"\b(?:attended|took part|(?:was|were) (?:at|present))\b", re.IGNORECASE)
_ABSENT = re.compile(r"\W*(?:apologies|absent|excused|regrets|not present)\b", re.IGNORECASE)
_ROLES = frozenset("role title position job function post".split())
"""Columns of a table with the role of a person."""
NO_VERIFIER = Note(
    "no-verifier", {}, "no verifier checked this: the models are turned off, or onnxruntime is not installed"
)
NOTHING = Note("no-evidence", {}, "no evidence was found for this claim")
UNDECIDED = Note("undecided", {}, "undecided; this is the closest sentence")


class QuotedUnit(NamedTuple):
    """A unit of the evidence and its quote."""

    reading: ReadPassage
    quote: Quote


class VerifierInput(NamedTuple):
    """Evidence as a verifier gets it: a text, the units in it, and the share of the claim's words that it covers."""

    text: str
    units: tuple[QuotedUnit, ...]
    said: float
    named: float = 1.0
    """For a single unit: the share of the claim's names that its passage mentions."""


class ClaimJudgement(NamedTuple):
    """The result of verifying a claim: the features of the verdict, and the strongest evidence for each label."""

    features: dict[str, float]
    supporting: VerifierInput
    contradicting: VerifierInput


class JudgedParts(NamedTuple):
    """The result of verifying a claim as a whole, and of its parts where it has several."""

    whole: ClaimJudgement
    parts: tuple[ClaimPart, ...]


def claim_parts(claim: str) -> list[tuple[int, int]]:
    """Return start and end of the parts of a claim: its clauses with at least three content words."""
    parts: list[tuple[int, int]] = []
    start = 0
    for joint in _JOINT.finditer(claim):
        if _count_content_words(claim[start : joint.start()]) >= _FEWEST <= _count_content_words(claim[joint.end() :]):
            parts.append((start, joint.start()))
            start = joint.end()
    return [_trim(claim, *part) for part in (*parts, (start, len(claim)))]


def _count_content_words(part: str) -> int:
    return sum(word not in text.STOPWORDS for word in text.words(part))


def _trim(claim: str, start: int, end: int) -> tuple[int, int]:
    part = claim[start:end]
    return start + len(part) - len(part.lstrip(" ,;:")), start + len(part.rstrip(" ,;:."))


def whole_part(claim: str, start: int, end: int) -> str:
    """Prefix a part with its subject: the first name of the claim, or the name before a relative clause."""
    part = claim[start:end]
    relative = _RELATIVE.match(part)
    if not start or (part[:1].isupper() and not relative):
        return part
    names = [name for name, _, stop in text.capitalized_spans(claim) if stop <= start]
    if not names:
        return part
    return f"{names[-1]} {part[relative.end() :]}" if relative else f"{names[0]} {part}"


def judge_claim(
    result: Result, question: QuestionWords, readings: Sequence[ReadPassage], verifier: Verifier | None
) -> Verdict:
    """Decide the claim of a result and each of its parts from the evidence."""
    claim = result.question
    evidence = evidence_for(question, readings, result.chain)
    if not evidence:
        return Verdict(claim, "undecided", (), result, (NOTHING,))
    if verifier is None:
        return Verdict(claim, "undecided", _quote_units(evidence[0], 0.0), result, (NO_VERIFIER,))
    try:
        judged = judge_parts(result, question, readings, verifier)
    except ReadingError as error:
        wording = f"the verifier {verifier.identity} failed: {error}"
        note = Note("verifier-failed", {"verifier": verifier.identity}, wording)
        return Verdict(claim, "undecided", _quote_units(evidence[0], 0.0), result, (note,))
    label, sure = label_of(judged.whole.features)
    shown = {"supported": judged.whole.supporting, "contradicted": judged.whole.contradicting}.get(label, evidence[0])
    if label != "undecided" and is_contested(result.conflicts, [unit.quote for unit in shown.units]):
        sure = min(sure, UNSETTLED)
    sentences = _quote_units(shown, sure)
    if label == "undecided":
        notes: tuple[Note, ...] = (UNDECIDED,)
    else:
        # Known conflicts have their own note.
        notes = () if any(disagreements(result.conflicts, sentences)) else _note_opposing(judged.whole, label)
    parts = judged.parts if len(judged.parts) > 1 else ()
    return Verdict(claim, label, sentences, result, notes, confidence=sure, parts=parts)


def _note_opposing(judged: ClaimJudgement, label: Finding) -> tuple[Note, ...]:
    """Note the document that contradicts a verdict, if there is one; either document may be planted."""
    chosen, other = judged.supporting, judged.contradicting
    if label == "contradicted":
        chosen, other = other, chosen
    passage = other.units[0].reading.passage
    decide = {unit.reading.passage.document_id for unit in chosen.units}
    if min(judged.features["supported"], judged.features["contradicted"]) <= 0 or passage.document_id in decide:
        return ()
    title = " ".join(passage.title.split()) or passage.document_id
    about = {"document": passage.document_id, "sentence": other.units[0].quote.text}
    return (Note("sources-disagree", about, f"another document says the opposite: {title}"),)


def judge_parts(
    result: Result, question: QuestionWords, readings: Sequence[ReadPassage], verifier: Verifier
) -> JudgedParts:
    """Verify a claim and each of its parts; the evidence must not be empty."""
    claim = result.question
    whole = judge(claim, evidence_for(question, readings, result.chain), verifier)
    places = claim_parts(claim)
    if len(places) < 2:
        return JudgedParts(whole, ())
    parts = [_part(claim, *place, question, readings, result.chain, verifier) for place in places]
    return JudgedParts(whole, tuple(parts))


def confirm_verdict(said: Verdict, extractive: Verdict, verifier: Verifier | None) -> Verdict:
    """Check the verdict of a language model against the sentences it cites, and add the parts of the `extractive` one.

    The confidence is the probability of its label given these sentences. A verdict that they do not support gets a
    note, and gives way to an opposite verdict that the evidence supports.
    """
    if said.label == "undecided":
        return replace(said, sentences=extractive.sentences[:1], parts=extractive.parts)
    passages = {e.passage.id: e.passage for e in said.result.evidence}
    units = [f"{heading(passages[s.quote.passage_id])}{' '.join(s.quote.text.split())}" for s in said.sentences]
    sure = 0.0
    note = Note("verdict-unchecked", {}, "this verdict of the language model was not checked")
    if verifier is not None:
        try:
            judgements = verifier.verify(said.claim, [*units, " ".join(units)] if len(units) > 1 else units)
        except ReadingError as error:
            note = Note("verifier-failed", {"verifier": verifier.identity}, f"this verdict was not checked: {error}")
        else:
            chances = [j.supported if said.label == "supported" else j.contradicted for j in judgements]
            sure = max(chances)
            note = Note("verdict-doubtful", {"label": said.label}, "the cited sentences do not support this verdict")
    opposite = extractive.label not in ("undecided", said.label) and extractive.confidence >= _OVERRULES
    if sure < _BORNE_OUT and opposite and verifier is not None:
        wording = f"the language model said {said.label}, which the sentences it cites do not support"
        overruled = Note("verdict-overruled", {"label": said.label}, wording)
        return replace(extractive, result=said.result, notes=(*extractive.notes, *said.notes, overruled))
    notes = (*said.notes, note) if sure < _BORNE_OUT else said.notes
    sources = {passages[s.quote.passage_id].document_id: heading(passages[s.quote.passage_id]) for s in said.sentences}
    if len(sources) == 1:
        # A single document may be planted to decide this claim.
        [(document, title)] = sources.items()
        wording = f"this rests on a single document: {' '.join(title.rstrip(': ').split()) or document}"
        notes = (*notes, Note("one-source", {"document": document}, wording))
    sentences = tuple(replace(sentence, confidence=round(sure, 4)) for sentence in said.sentences)
    return replace(said, sentences=sentences, confidence=round(sure, 4), parts=extractive.parts, notes=notes)


def judge(claim: str, evidence: Sequence[VerifierInput], verifier: Verifier) -> ClaimJudgement:
    """Verify a claim against all evidence, and keep the strongest evidence for and against it.

    A claim of one part that a unit covers is decided by single units, since joined units support claims too easily. Any
    other claim is decided by joined units.
    """
    texts = [with_weekdays(shown.text) if weekdays_in(claim) else shown.text for shown in evidence]
    judgements = [
        replace(judged, supported=judged.contradicted, contradicted=judged.supported)
        if judged.supported > judged.contradicted and differs(claim, shown)
        else judged
        for shown, judged in zip(evidence, verifier.verify(claim, texts), strict=True)
    ]
    pairs = list(zip(evidence, judgements, strict=True))
    single, joined = ([pair for pair in pairs if (len(pair[0].units) == 1) is alone] for alone in (True, False))
    most = max(shown.said for shown, _ in single)
    if not joined or (most >= _SUFFICIENT and len(claim_parts(claim)) == 1):
        about = [pair for pair in single if pair[0].said >= _ON_TOPIC] or single[:1]
        support, supported = max(((s, _odds(s, most, j.supported)) for s, j in single), key=itemgetter(1))
        # A unit that swaps one of the names contradicts the claim; one with none of them is about something else.
        against, contradicted = max(
            ((s, _odds(s._replace(named=float(s.named > 0)), most, j.contradicted)) for s, j in about),
            key=itemgetter(1),
        )
        said = max(support.said, against.said)
    else:
        support, _ = max(pairs, key=lambda pair: pair[1].supported)
        against, _ = max(pairs, key=lambda pair: pair[1].contradicted)
        supported = fmean(log_odds(judgement.supported) for _, judgement in joined)
        contradicted = fmean(log_odds(judgement.contradicted) for _, judgement in joined)
        said = max(shown.said for shown, _ in pairs)
    return ClaimJudgement({"supported": supported, "contradicted": contradicted, "said": said}, support, against)


def differs(claim: str, shown: VerifierInput) -> bool:
    """Return whether evidence contradicts a claim by its weekday, an opposite, a role, or a recorded absence.

    Verifiers overlook these: "open from Tuesday to Sunday" does not support "open on Mondays".
    """
    days, stated = weekdays_in(claim), weekdays_in(shown.text)
    if days and stated and days.isdisjoint(stated):
        return True
    if len(shown.units) > 1:
        return False
    unit = shown.units[0].quote.text
    own, other = text.words(claim), text.words(unit)
    if days & stated and _NEGATIONS.isdisjoint((*own, *other)):
        pairs = [pair for pair in (*_OPPOSITES, *(pair[::-1] for pair in _OPPOSITES)) if pair[0] in own]
        if any(opposite in other and word not in other for word, opposite in pairs):
            return True
    if _ATTENDED.search(claim) and _ABSENT.match(unit):
        return True
    if (said := _ROLE_CLAIM.fullmatch(claim.strip())) is None:
        return False
    cells = [cell.strip().lower().partition(": ") for cell in unit.split(SEPARATOR)]
    roles = [set(text.words(value)) for column, _, value in cells if column in _ROLES]
    role, name = set(text.words(said["role"])), said["name"].lower()
    is_about = any(value == name for _, _, value in cells)
    return is_about and bool(roles) and not any(role <= known or known <= role for known in roles)


def _odds(shown: VerifierInput, most: float, chance: float) -> float:
    """Return the log-odds of a label by one unit, less a penalty for what it leaves out of the claim."""
    return log_odds(chance) - _SAYS_LESS * (most - shown.said) - _NAMES_NOTHING * (1 - shown.named)


def label_of(features: dict[str, float]) -> tuple[Finding, float]:
    """Return the likeliest label and its probability."""
    labels: tuple[Finding, ...] = ("supported", "contradicted", "undecided")
    chances = verdict_confidence(features)
    best = max(range(3), key=chances.__getitem__)
    return labels[best], round(chances[best], 4)


def _part(
    claim: str,
    start: int,
    end: int,
    question: QuestionWords,
    readings: Sequence[ReadPassage],
    chain: Chain,
    verifier: Verifier,
) -> ClaimPart:
    """Decide one part of a claim."""
    said = whole_part(claim, start, end)
    evidence = evidence_for(question, readings, chain, question.mask(text.stems(text.words(said))))
    if not evidence:
        return ClaimPart(claim[start:end], start, end, "undecided")
    judged = judge(said, evidence, verifier)
    label, sure = label_of(judged.features)
    shown = {"supported": judged.supporting, "contradicted": judged.contradicting}.get(label, evidence[0])
    return ClaimPart(claim[start:end], start, end, label, _quote_units(shown, sure)[0])


def evidence_for(
    question: QuestionWords, readings: Sequence[ReadPassage], chain: Chain, mask: int = -1
) -> list[VerifierInput]:
    """Choose the evidence for a claim: the units that cover most of it, best first, then joined units.

    `mask` restricts it to the words of one part of the claim.
    """
    whole = question.weight(question.everything & mask) or 1.0
    names, dates = names_of(question.text), times_in(question.text)
    readings = [reading for reading in readings if not is_of_another(reading, names)]
    units = [
        (question.weight((has | reading.title_mask) & mask) / whole, place, number, reading)
        for place, reading in enumerate(readings)
        for others in (rows_of_others(reading, names, dates),)
        for number, has in enumerate(reading.masks)
        # The title counts for every unit of its passage, but a unit must match by itself as well.
        if has & mask and number not in others
    ]
    best = sorted(units, key=lambda unit: (-unit[0], unit[1], unit[2]))[:_UNITS]
    single = [
        VerifierInput(_write_unit(reading, number), (_unit(reading, number),), said, _share_named(reading, names))
        for said, _, number, reading in best
    ]
    return [*single, *_join_units(question, readings, chain, mask, whole)] if single else []


def _share_named(reading: ReadPassage, names: Sequence[str]) -> float:
    said = f"{heading(reading.passage)}{reading.lower}".lower()
    # A variant of a name shares one of its words.
    return sum(mentions(said, name, share=0) for name in names) / len(names) if names else 1.0


def _join_units(
    question: QuestionWords, readings: Sequence[ReadPassage], chain: Chain, mask: int, whole: float
) -> list[VerifierInput]:
    """Join the best units of the first passages, for claims of several hops: a short and a longer text."""
    along = order_by_chain(readings, chain)
    return [
        shown
        for passages, each in _JOINED
        if (shown := _concatenate(question, along[:passages], each, mask, whole)) and len(shown.units) > 1
    ]


def _concatenate(
    question: QuestionWords, readings: Sequence[ReadPassage], most: int, mask: int, whole: float
) -> VerifierInput:
    """Concatenate the best units of each passage, in reading order."""
    units, written, has = list[tuple[float, QuotedUnit]](), list[str](), 0
    names, dates = names_of(question.text), times_in(question.text)
    for reading in readings:
        scores = [question.weight(each & mask) for each in reading.masks]
        others = rows_of_others(reading, names, dates)
        order = sorted((i for i in range(len(scores)) if i not in others), key=lambda i: (-scores[i], i))
        best = sorted(order[:most])
        units += [(scores[i], _unit(reading, i)) for i in best]
        written.append(heading(reading.passage) + " ".join(" ".join(reading.sentences[i].text.split()) for i in best))
        for i in best:
            has |= (reading.masks[i] | reading.title_mask) & mask
    # The unit that covers most of the claim is quoted first.
    quoted = tuple(unit for _, unit in sorted(units, key=itemgetter(0), reverse=True))
    return VerifierInput(" ".join(written)[:_LONGEST], quoted, question.weight(has) / whole)


def _write_unit(reading: ReadPassage, number: int) -> str:
    return f"{heading(reading.passage)}{' '.join(reading.sentences[number].text.split())}"


def _unit(reading: ReadPassage, number: int) -> QuotedUnit:
    return QuotedUnit(reading, reading.sentences[number].quoted(reading.passage.id))


def _quote_units(shown: VerifierInput, sure: float) -> tuple[AnswerSentence, ...]:
    return tuple(AnswerSentence.of(unit.quote, unit.reading.passage, sure) for unit in shown.units)
