"""Extractive answers, without a language model: a reader proposes spans, and rules choose what the question asks for.

Without a reader, or with too little confidence, there is no answer and the closest sentence is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from multihop.answering.asked_values import contradicting_value
from multihop.answering.candidates import Candidate, ExtractiveAnswer, match_option, split_answers
from multihop.answering.chain import chain_of
from multihop.answering.claims import judge_claim, undecide
from multihop.answering.comparisons import (
    compare_claim,
    compare_options,
    compare_values,
    leaves_order_open,
    side_questions,
)
from multihop.answering.confidence import CONTRADICTS, THRESHOLD
from multihop.answering.conflicts import UNSETTLED, is_contested
from multihop.answering.contexts import ROOM, order_by_chain
from multihop.answering.definitions import define
from multihop.answering.extremes import extreme_row
from multihop.answering.kinds import Expected, expected, is_claim
from multihop.answering.lists import answer_by_list
from multihop.answering.nested_claims import resolve
from multihop.answering.nested_questions import SUREST, nested_question, read_nested
from multihop.answering.plausible import UNSAID
from multihop.answering.rows import answer_by_rows
from multihop.answering.spans import AnswerSources, read_answers
from multihop.answering.subtractions import subtract
from multihop.answering.versions import without_superseded
from multihop.answering.yes_no import decide
from multihop.errors import ReadingError
from multihop.parts.selectors.reading import QuestionWords, ReadPassage, weigh_words
from multihop.protocols import Index, Reader, Verifier
from multihop.text import words
from multihop.types import Answer, AnswerSentence, Chain, Conflict, Note, Quote, Result, Verdict
from multihop.types.notes import UNCHECKED, UNDECIDED

READ = 12
"""Top passages that are read for the answer."""
SHOWN = 5
_OTHERS = 0.05
NOTHING = Note("no-answer", {}, "no sentence answers this")
NOT_SURE = Note("not-sure", {}, "not sure; this is the closest sentence")
SUPERSEDED = Note(UNDECIDED, {}, "undecided: all documents on it are superseded; this is the closest sentence")
BEING_CHECKED = Note(UNCHECKED, {}, "a draft: this answer is still being checked")
NO_READER = Note(
    "no-reader", {}, "no reader looked for an answer: the models are turned off, or onnxruntime is not installed"
)


def answer_of(
    result: Result,
    index: Index,
    reader: Reader | None,
    verifier: Verifier | None,
    on_draft: Callable[[Answer], None] | None = None,
) -> Answer:
    """Answer the question of a result, or check its claim, from the sentences of the evidence.

    `on_draft` gets the answer to a nested question before it is checked by the answers to its inner questions.
    """
    asked = result.question
    if is_claim(asked):
        verdict = decide_claim(result, index, reader, verifier)
        said, chain = verdict.sentences, _chain_ending_at(verdict.sentences, result, index)
        return Answer(
            asked, verdict.label, verdict.confidence, "claim", said, chain, result, verdict.parts, notes=verdict.notes
        )
    question, readings = read(result, index)
    wanted = expected(asked)

    def answered(said: ExtractiveAnswer, *notes: Note) -> Answer:
        chain = _chain_ending_at(said.sentences, result, index)
        return Answer(asked, said.text, said.confidence, wanted.kind, said.sentences, chain, result, notes=notes)

    def draft(said: ExtractiveAnswer) -> None:
        if on_draft is not None and said.text and said.confidence >= THRESHOLD:
            on_draft(answered(said, BEING_CHECKED))

    note = NOT_SURE
    extracted: ExtractiveAnswer | None = None
    if reader is None:
        note = NO_READER
    else:
        try:
            sources = AnswerSources(index, readings, result.chain, reader, verifier)
            extracted = _find_answer(question, wanted, sources, result.conflicts, draft)
        except ReadingError as error:
            note = Note("reader-failed", {"reader": reader.identity}, f"the reader {reader.identity} failed: {error}")
    if extracted is not None and extracted.text and extracted.confidence >= THRESHOLD:
        return answered(extracted)
    closest = extracted.sentences[:1] if extracted else _closest(question, readings, result.chain)
    sure = closest[0].confidence if closest else 0.0
    return Answer(
        asked, "", sure, wanted.kind, closest, _chain_ending_at(closest, result, index), result,
        notes=(note if closest or note is NO_READER else NOTHING,),
    )  # fmt: skip


def decide_claim(result: Result, index: Index, reader: Reader | None, verifier: Verifier | None) -> Verdict:
    """Decide the claim of a result.

    One that compares two values is decided by these, if the evidence has both. One whose value is not the one that the
    evidence gives when asked for it is contradicted, unless the verifier is surer that it is supported. One about
    something described, such as the man who drew the Fram, is also decided with its name.
    """
    verdict, sources = _decide_as_written(result, index, reader, verifier)
    if sources is None:
        return verdict
    try:
        resolved = resolve(result.question, sources)
    except ReadingError:
        return verdict
    if resolved is None:
        return verdict
    named, _ = _decide_as_written(replace(result, question=resolved.claim), index, reader, verifier)
    # Their errors are correlated, so the plain product would be too low.
    sure = round(named.confidence * resolved.confidence**0.5, 4)
    if named.label == "undecided" or sure <= (CONTRADICTS if verdict.label == "undecided" else verdict.confidence):
        return verdict
    said = {each.quote: each for each in (*(inner.sentence(sure) for inner in resolved.found), *named.sentences)}
    sentences = tuple(replace(each, confidence=sure) for each in said.values())
    note = Note("described", {"claim": resolved.claim}, f"read as “{resolved.claim}”")
    return replace(verdict, label=named.label, sentences=sentences, confidence=sure, notes=(note, *named.notes))


def _decide_as_written(
    result: Result, index: Index, reader: Reader | None, verifier: Verifier | None
) -> tuple[Verdict, AnswerSources | None]:
    """Decide a claim without resolving descriptions; the sources are None without a reader, or if it failed."""
    question, readings = read(result, index)
    current = without_superseded(readings, question.text)
    verdict = judge_claim(result, question, current or readings, verifier)
    if readings and not current:
        return replace(undecide(verdict), notes=(SUPERSEDED,)), None
    readings = current
    if reader is None:
        return verdict, None
    sources = AnswerSources(index, readings, result.chain, reader, verifier)
    try:
        return _decide_by_values(verdict, sources), sources
    except ReadingError:
        return verdict, None


def _decide_by_values(verdict: Verdict, sources: AnswerSources) -> Verdict:
    """Decide a claim by two values that it compares, or by another value than its own."""
    result = verdict.result
    decided = compare_claim(result.question, sources)
    if decided is None and (other := contradicting_value(result.question, sources)):
        decided = None if _is_surer(verdict, other, result.conflicts) else ("contradicted", other)
    if decided is None or decided[1].confidence < CONTRADICTS:
        is_open = leaves_order_open(result.question, [sentence.quote.text for sentence in verdict.sentences])
        return undecide(verdict) if is_open else verdict
    label, by = decided
    sure = max(by.confidence, verdict.confidence) if label == verdict.label else by.confidence
    sentences = tuple(replace(sentence, confidence=sure) for sentence in by.sentences)
    return replace(verdict, label=label, sentences=sentences, confidence=sure, notes=())


def _is_surer(verdict: Verdict, other: ExtractiveAnswer, conflicts: Sequence[Conflict]) -> bool:
    """Return whether a verdict counts more than another value that was found: that of a contested claim, or by others.

    Another document may speak of something else.
    """
    quotes = [sentence.quote for sentence in verdict.sentences]
    if verdict.label == "contradicted":
        return other.sentences[0].quote.passage_id not in {quote.passage_id for quote in quotes}
    surer = verdict.label == "supported" and verdict.confidence > other.confidence
    return surer or is_contested(conflicts, quotes)


def read(result: Result, index: Index) -> tuple[QuestionWords, list[ReadPassage]]:
    """Weight the words of the question, and match them against the top passages of its evidence."""
    question = weigh_words(result.question, index)
    # Uncalibrated scores only rank; the best of them is taken as a probability of 0.5.
    best = 1.0 if result.calibrated else 2 * max((e.score for e in result.evidence), default=0.0) or 1.0
    first = result.evidence[:READ]
    return question, [ReadPassage(e.passage, question, score=e.score / best, whole_title=True) for e in first]


def _find_answer(
    question: QuestionWords,
    wanted: Expected,
    sources: AnswerSources,
    conflicts: Sequence[Conflict],
    on_draft: Callable[[ExtractiveAnswer], None],
) -> ExtractiveAnswer | None:
    asked, readings, chain, verifier = question.text, sources.readings, sources.chain, sources.verifier
    if not any(reading.mask for reading in readings):
        return None
    if wanted.options and (chosen := compare_options(asked, wanted, sources)):
        return chosen
    if wanted.kind in ("person", "name", "text") and (defined := define(asked, readings)):
        return defined
    is_polar = wanted.kind == "yes or no"
    if is_polar and (compared := compare_values(asked, sources)):
        return compared
    answers = read_answers(question, wanted, readings, chain, sources.reader, verifier, room=ROOM)
    if is_polar:
        decision = decide(question, answers.reading, readings, chain, verifier)
        # Without the two values, a comparison is little more than a guess.
        sure = round((UNSAID if side_questions(asked) else 1.0) * decision.confidence, 4)
        return decision._replace(confidence=sure)
    candidates = list(answers.candidates)
    # A sentence may also give the difference itself.
    is_stated = candidates and candidates[0].confidence >= THRESHOLD
    if not is_stated and (difference := subtract(asked, sources)):
        return difference
    if extreme := extreme_row(asked, wanted, sources, candidates):
        return extreme
    if candidates and (listed := answer_by_list(question, wanted, candidates)):
        return listed
    if wanted.plural and wanted.noun and (rows := answer_by_rows(asked, wanted, sources, candidates)):
        return rows
    first = candidates[0] if candidates else None
    checks = first is None or first.confidence < SUREST
    # Reading in steps takes several times as long as reading once.
    if checks and candidates and nested_question(asked):
        on_draft(_best(candidates, wanted, conflicts))
    nested = read_nested(asked, sources, candidates) if checks else None
    if nested and first and not nested.allows(first, asked):
        candidates = [replace(each, confidence=UNSAID * each.confidence) for each in candidates]
        first = candidates[0]
    if (
        nested
        and nested.best
        and (first is None or nested.is_inner(first.text) or nested.confidence > first.confidence)
    ):
        sure = round(nested.confidence, 4)
        by_unit = {each.unit: each.sentence(sure) for each in (*reversed(nested.inner), nested.best)}
        sentences = (by_unit.pop(nested.best.unit), *reversed(by_unit.values()))
        return ExtractiveAnswer(nested.best.text, sure, sentences)
    return _best(candidates, wanted, conflicts) if candidates else None


def _best(candidates: list[Candidate], wanted: Expected, conflicts: Sequence[Conflict]) -> ExtractiveAnswer:
    """Return the best candidate, or several if the question asks for several."""
    if wanted.several and len(items := split_answers(candidates, wanted.several)) > 1:
        sure = min(item.confidence for item in items)
        by_unit = {item.unit: item.sentence(sure) for item in items}
        return ExtractiveAnswer(", ".join(item.text for item in items), round(sure, 4), tuple(by_unit.values()))
    candidates = _settle(candidates, conflicts)
    best = candidates[0]
    text = match_option(best.text, wanted.options) or best.text
    return ExtractiveAnswer(text, round(best.confidence, 4), _sentences(candidates))


def _settle(candidates: list[Candidate], conflicts: Sequence[Conflict]) -> list[Candidate]:
    """Where another source contradicts the best answer, put the newer one first, with the confidence of the older one.

    If neither is known to be newer, the confidence of the best answer is at most `UNSETTLED`.
    """
    best, *others = candidates
    for conflict in conflicts:
        sides = list(zip(conflict.quotes, conflict.values, strict=True))
        if not conflict.newer and any(_states(best, *side) for side in sides):
            return [replace(best, confidence=min(best.confidence, UNSETTLED)), *others]
        (old, was), (new, now) = sorted(sides, key=lambda side: side[0].passage_id == conflict.newer)
        if conflict.newer and _states(best, old, was):
            for other in others:
                if _states(other, new, now):
                    rest = [each for each in others if each is not other]
                    first = replace(other, confidence=max(best.confidence, other.confidence))
                    return [first, replace(best, confidence=min(best.confidence, other.confidence)), *rest]
    return candidates


def _states(candidate: Candidate, quote: Quote, value: str) -> bool:
    """Return whether a candidate is the value that a quoted sentence states."""
    unit = candidate.unit
    overlaps = unit.passage_id == quote.passage_id and unit.start < quote.end and quote.start < unit.end
    return overlaps and not set(words(value)).isdisjoint(words(candidate.text))


def _sentences(candidates: Sequence[Candidate]) -> tuple[AnswerSentence, ...]:
    """Return the unit of the answer and those of the other candidates, without duplicates."""
    first, *others = candidates
    units = {first.unit: first}
    for other in others:
        if other.confidence >= _OTHERS:
            units.setdefault(other.unit, other)
    return tuple(candidate.sentence() for candidate in list(units.values())[:SHOWN])


def _closest(question: QuestionWords, readings: Sequence[ReadPassage], chain: Chain) -> tuple[AnswerSentence, ...]:
    """Return the unit that shares most with the question; it need not hold the answer."""
    best = max(
        (
            (question.weight(mask | reading.title_mask), question.weight(mask), -place, -unit, reading)
            for place, reading in enumerate(order_by_chain(readings, chain))
            for unit, mask in enumerate(reading.masks)
            if mask
        ),
        key=lambda match: match[:4],
        default=None,
    )
    if best is None:
        return ()
    reading = best[4]
    return (AnswerSentence.of(reading.sentences[-best[3]].quoted(reading.passage.id), reading.passage, 0.0),)


def _chain_ending_at(sentences: Sequence[AnswerSentence], result: Result, index: Index) -> Chain:
    """Return the chain that ends in the passage of the first sentence."""
    return chain_of(result, index, ending=sentences[0].quote.passage_id) if sentences else result.chain
