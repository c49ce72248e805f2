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
from multihop.answering.changes import without_former_values
from multihop.answering.claim_evidence import VerifierInput, evidence_for
from multihop.answering.confidence import CONTRADICTS, log_odds, verdict_confidence
from multihop.answering.conflicts import UNSETTLED, disagreements, is_contested
from multihop.answering.contexts import heading
from multihop.answering.differences import differs
from multihop.answering.group_prices import is_price_for_group
from multihop.answering.values import weekdays_in, with_weekdays
from multihop.errors import ReadingError
from multihop.parts.selectors.reading import QuestionWords, ReadPassage
from multihop.protocols import Verifier
from multihop.rendering.phrases import shorten
from multihop.types import AnswerSentence, Chain, ClaimPart, Finding, Judgement, Note, Result, Verdict

# Clause boundaries. "and" joins names between capitals, and separates clauses before a verb.
_JOINT = re.compile(
    r"(?:[;:]|,\s+and\s+(?=[a-z])(?!the\s|an?\s)|,?\s+(?:and|but|while|whereas|although)\s+(?=(?:\w+\s+){0,3}(?:is|are|was|were|has|have|had|did|\w{3,}ed)\b)"
    r"|,?\s+(?=(?:that|which|who|whose|where|in which|for which|by which)\s)"
    r"|,\s+(?=(?:is|are|was|were|has|had|\w{3,}ed)\b))"
)
_RELATIVE = re.compile(r"(?:in which|for which|by which|that|which|who|where)\s+", re.IGNORECASE)
_FEWEST = 3
"""Minimum content words of a part."""
_ON_TOPIC = 0.4
"""A unit that covers less of the claim than this cannot contradict it."""
_SUFFICIENT = 0.6
"""A claim of one part is decided by single units if one of them covers this much of it."""
_CLOSEST = 0.8
"""A unit that a rule finds to contradict the claim decides alone if it covers this share of what any unit does."""
_SAYS_LESS = 4.0
"""Penalty in log-odds for a unit that covers nothing of a claim that another unit covers fully."""
_NAMES_NOTHING = 2.0
"""Penalty in log-odds if its passage mentions none of the claim's names."""
_SEVERAL = re.compile(r",|\b(?:and|or|both|than|as)\b", re.IGNORECASE)
"""Words of a claim that may say two things of two names."""
_UNLINKED = 6.0
"""Penalty in log-odds for joined units of passages that share no name."""
_ONLY_PLANNED = 4.0
"""Penalty in log-odds if it only plans what the claim says has happened."""
_OPPOSES, _SHOWN = 1.0, 160
"""Minimum log-odds of both labels to note that sources disagree, and characters of the sentence that is shown."""
_SURELY, _SURER = 3.0, 1.5
"""Minimum log-odds of a contradiction that outweighs support, and by how much they exceed those of the support."""
_BORNE_OUT, _OVERRULES = 0.3, 0.5
"""A language model's verdict is doubtful if its sentences make it less likely than the first, and is overruled by an
opposite verdict that is at least as likely as the second."""
NO_VERIFIER = Note(
    "no-verifier", {}, "no verifier checked this: the models are turned off, or onnxruntime is not installed"
)
NOTHING = Note("no-evidence", {}, "no evidence was found for this claim")
UNDECIDED = Note("undecided", {}, "undecided; this is the closest sentence")


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


def undecide(verdict: Verdict) -> Verdict:
    """Return a verdict as undecided, with its sentences as the closest."""
    if verdict.label == "undecided":
        return verdict
    sure = round(1 - verdict.confidence, 4)
    sentences = tuple(replace(sentence, confidence=sure) for sentence in verdict.sentences)
    return replace(verdict, label="undecided", sentences=sentences, notes=(UNDECIDED,), confidence=sure)


def _note_opposing(judged: ClaimJudgement, label: Finding) -> tuple[Note, ...]:
    """Note the document that contradicts a verdict, if there is one; either document may be planted."""
    chosen, other = judged.supporting, judged.contradicting
    if label == "contradicted":
        chosen, other = other, chosen
    passage = other.units[0].reading.passage
    decide = {unit.reading.passage.document_id for unit in chosen.units}
    if min(judged.features["supported"], judged.features["contradicted"]) <= _OPPOSES or passage.document_id in decide:
        return ()
    title = " ".join(passage.title.split()) or passage.document_id
    sentence = " ".join(other.units[0].quote.text.split())
    about = {"document": passage.document_id, "sentence": other.units[0].quote.text}
    return (Note("sources-disagree", about, f"{title} may say the opposite: “{shorten(sentence, _SHOWN)}”"),)


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
    texts = [without_former_values(shown.text, claim) for shown in evidence]
    if weekdays_in(claim):
        texts = [with_weekdays(said) for said in texts]
    undone = [len(shown.units) == 1 and shown.units[0].is_undone(claim) for shown in evidence]
    misprices = is_price_for_group(claim, _passages_of(evidence)) is False
    judgements = [
        _oppose(judged)
        if is_undone or (judged.supported > judged.contradicted and (misprices or differs(claim, shown)))
        else judged
        for shown, is_undone, judged in zip(evidence, undone, verifier.verify(claim, texts), strict=True)
    ]
    pairs = list(zip(evidence, judgements, strict=True))
    single, joined = ([pair for pair in pairs if (len(pair[0].units) == 1) is alone] for alone in (True, False))
    most = max(shown.said for shown, _ in single)
    decides = any(
        is_undone and shown.said >= _CLOSEST * most for is_undone, shown in zip(undone, evidence, strict=True)
    )
    if not joined or decides or (most >= _SUFFICIENT and len(claim_parts(claim)) == 1):
        about = [pair for pair in single if pair[0].said >= _ON_TOPIC] or single[:1]
        support, supported = max(
            ((s, _odds(s, most, j.supported) - _ONLY_PLANNED * s.units[0].is_planned(claim)) for s, j in single),
            key=itemgetter(1),
        )
        # A unit that swaps one of the names contradicts the claim; one with none of them is about something else.
        against, contradicted = max(
            ((s, _odds(s._replace(named=float(s.named > 0)), most, j.contradicted)) for s, j in about),
            key=itemgetter(1),
        )
        said = max(support.said, against.said)
    else:
        support, _ = max(pairs, key=lambda pair: pair[1].supported)
        against, _ = max(pairs, key=lambda pair: pair[1].contradicted)
        apart = 0.0 if len(claim_parts(claim)) > 1 or _SEVERAL.search(claim) else _UNLINKED
        supported = fmean(log_odds(j.supported) - apart * (1 - shown.named) for shown, j in joined)
        contradicted = fmean(log_odds(judgement.contradicted) for _, judgement in joined)
        said = max(shown.said for shown, _ in pairs)
    return ClaimJudgement({"supported": supported, "contradicted": contradicted, "said": said}, support, against)


def _passages_of(evidence: Sequence[VerifierInput]) -> list[list[str]]:
    """Return the units of the evidence by passage."""
    passages: dict[str, dict[str, None]] = {}
    for unit in (unit for shown in evidence for unit in shown.units):
        passages.setdefault(unit.quote.passage_id, {})[unit.quote.text] = None
    return [list(units) for units in passages.values()]


def _oppose(judged: Judgement) -> Judgement:
    """Count the support by a unit that contradicts the claim by a rule as contradiction."""
    supported, contradicted = judged.supported, judged.contradicted
    return replace(judged, supported=min(supported, contradicted), contradicted=min(1.0, supported + contradicted))


def _odds(shown: VerifierInput, most: float, chance: float) -> float:
    """Return the log-odds of a label by one unit, less a penalty for what it leaves out of the claim."""
    return log_odds(chance) - _SAYS_LESS * (most - shown.said) - _NAMES_NOTHING * (1 - shown.named)


def label_of(features: dict[str, float]) -> tuple[Finding, float]:
    """Return the likeliest label and its probability; undecided instead of an unlikely contradiction.

    Verifiers often mistake an unmentioned statement for a contradicted one. Where units disagree and the contradiction
    is much surer, it counts, with the confidence of what is unsettled.
    """
    supported, contradicted, undecided = verdict_confidence(features)
    if supported >= max(contradicted, undecided):
        outweighed = features["contradicted"] >= max(_SURELY, features["supported"] + _SURER)
        return ("contradicted", UNSETTLED) if outweighed else ("supported", round(supported, 4))
    if contradicted >= max(CONTRADICTS, undecided):
        return "contradicted", round(contradicted, 4)
    return "undecided", round(undecided, 4)


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


def _quote_units(shown: VerifierInput, sure: float) -> tuple[AnswerSentence, ...]:
    return tuple(AnswerSentence.of(unit.quote, unit.reading.passage, sure) for unit in shown.units[: shown.quoted])
