"""Notices about a system of a run: what a reader must know before trusting its numbers."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from multihop.evaluation.system_answers import SystemAnswer
from multihop.rendering.phrases import one_line, pluralize, shorten

_MAX_LENGTH = 200


def notices(name: str, answers: Collection[SystemAnswer], questions: int) -> Iterator[str]:
    """Yield a sentence for each: unanswered questions, failures, empty results, and documents not in the corpus."""
    if len(answers) < questions:
        answered = f"{len(answers):,} of {pluralize(questions, 'question')}"
        yield f"{name} answered only {answered}; the others are scored as not found."
    if failed := [a for a in answers if a.error]:
        example = f"{failed[0].question!r}: {_shorten(failed[0].error)}"
        yield f"{name} failed on {pluralize(len(failed), 'question')}, scored as not found; on {example}"
    if empty := [a for a in answers if not a.documents and not a.error]:
        yield f"{name} returned no documents for {pluralize(len(empty), 'question')}, such as {empty[0].question!r}."
    if unknown := [a for a in answers if a.unknown]:
        count = pluralize(sum(len(a.unknown) for a in unknown), "document")
        affected = pluralize(len(unknown), "question")
        example = f"{_shorten(unknown[0].unknown[0])!r} for {unknown[0].question!r}"
        yield f"{name} returned {count} not in the corpus, for {affected}, such as {example}."


def _shorten(text: str) -> str:
    return shorten(one_line(text), _MAX_LENGTH)
