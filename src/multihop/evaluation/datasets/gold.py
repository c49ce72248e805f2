"""Resolves gold references of question files to document ids, in one pass over the corpus.

Formats name gold by id, by title, or by title and text where titles repeat. A title that the corpus does not hold
letter for letter is looked for in its normalized form. Questions whose gold the corpus does not hold, or whose gold
title names several documents, cannot be measured: they are kept out and counted.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from multihop.errors import InvalidRecord
from multihop.evaluation.datasets.dataset import Question
from multihop.evaluation.datasets.rows import Row
from multihop.evaluation.datasets.shuffle import ContentHash, content_key
from multihop.evaluation.datasets.titles import normalized_title
from multihop.types import Document


class Reference(NamedTuple):
    """How a file names one gold document: by id, else by title and, when it is known, by the hash of the content."""

    title: str = ""
    content: bytes = b""
    id: str = ""
    row: Row | None = None
    """Where it stands, when that is not in the row of the question."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A question whose gold is not looked up yet."""

    question: Question
    gold: tuple[Reference, ...]
    row: Row
    """The row without its fields, which may be long: it is there to name its place."""

    @classmethod
    def of(cls, question: Question, gold: Iterable[Reference], row: Row) -> Draft:
        """Make a draft of a row."""
        return cls(question, tuple(gold), Row({}, row.source, row.line))


@dataclass
class GoldMatches:
    """The ids of the wanted documents, collected while the corpus passes by."""

    wanted: Iterable[Reference]
    source: str = ""
    hash: ContentHash = field(default_factory=ContentHash)
    _ids: set[str] = field(default_factory=set)
    _by_key: dict[object, list[str]] = field(default_factory=lambda: defaultdict(list))

    def __post_init__(self) -> None:
        self._keys = {key for reference in self.wanted for key in _keys(reference)}

    def see(self, document: Document) -> None:
        """Match one document of the corpus."""
        # The index would let the second replace the first, and gold would vanish without a word.
        if document.id in self._ids:
            problem = f"document number {self.hash.rows + 1} has an id that was used before: {document.id!r}"
            raise InvalidRecord(problem, source=self.source)
        self._ids.add(document.id)
        content = content_key(document.title, document.text)
        self.hash.add(content)
        title = document.title
        # Only keys that some question wants are held: a corpus may have millions of documents.
        for key in (("id", document.id), content, ("title", title), ("normalized", normalized_title(title))):
            if key in self._keys:
                self._by_key[key].append(document.id)

    def ids(self, reference: Reference) -> list[str]:
        """Return the documents a reference may mean, by the strictest comparison that finds any."""
        # A title that is there letter for letter must not become ambiguous through its normalized twins.
        return next((ids for key in _keys(reference) if (ids := self._by_key.get(key))), [])


def _keys(reference: Reference) -> tuple[object, ...]:
    if reference.id:
        return (("id", reference.id),)
    title = " ".join(reference.title.split())
    by_title = (("title", title), ("normalized", normalized_title(title)))
    return (reference.content, *by_title) if reference.content else by_title


def settle(drafts: Iterable[Draft], matches: GoldMatches) -> tuple[list[Question], list[str]]:
    """Return the questions whose gold is in the corpus, and notes about those that were kept out."""
    kept: list[Question] = []
    out: dict[str, list[str]] = defaultdict(list)
    total = 0
    for total, draft in enumerate(drafts, 1):  # noqa: B007  # the count is used after the loop
        gold = [matches.ids(reference) for reference in draft.gold]
        if problem := _problem(draft, gold):
            out[problem[0]].append(f"{draft.question.id!r}{problem[1]}")
        else:
            kept.append(replace(draft.question, gold=tuple(dict.fromkeys(ids[0] for ids in gold))))
    notes = [
        f"{len(examples)} of {total} questions kept out: {why} (first: {examples[0]})" for why, examples in out.items()
    ]
    return kept, notes


def _problem(draft: Draft, gold: list[list[str]]) -> tuple[str, str] | None:
    if not gold:
        return "no gold is given", ""
    for reference, ids in zip(draft.gold, gold, strict=True):
        # An id is exact, so a missing one is a mistake of the files; titles drift between dumps of Wikipedia.
        if not ids and reference.id:
            problem = f"question {draft.question.id!r} names the passage {reference.id!r}, which is not in the corpus"
            raise (reference.row or draft.row).wrong(problem)
        if not ids:
            return "a gold title is not in the corpus", f" wants {reference.title!r}"
        if len(ids) > 1:
            return "a gold title names several documents", f" wants {reference.title!r}: {', '.join(ids[:3])}"
    return None
