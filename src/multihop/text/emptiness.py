"""Texts that say nothing, whatever their title and their matches promise: stubs, squatters, bare questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Protocol, TypeVar

from multihop import text
from multihop.text.restatement import without_question

TITLES_DIFFER = 0.8
"""Where at least this share of the titles, stubs aside, is distinct, a title identifies what it stands over …"""
_MOST_STUBS = 0.5
"""… unless more than this share are stubs: many short texts are a chat, not an attack."""
_TIMES_LESS = 3
"""A document that is this many times shorter than another one of its title is a stub …"""
_ENOUGH = 20
"""… unless it has this many words of its own."""


class Titled(Protocol):
    """A text of a document under its title."""

    @property
    def document_id(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def text(self) -> str: ...


T = TypeVar("T", bound=Titled)


def find_empty(passages: Sequence[T], question: str) -> list[T]:
    """Find passages that only ask, or hardly say anything under a title that another document fills.

    Where many passages share a title, as in a chat, a short one may well say something. Stubs are left out when titles
    are counted: whoever adds many of them could end the rule otherwise.
    """
    titled: dict[str, list[T]] = {}
    for passage in passages:
        titled.setdefault(passage.title.lower(), []).append(passage)
    if len(titled) < (1 - _MOST_STUBS) * len(passages):
        return []
    stubs = [p for title, group in titled.items() if title for p in _stubs(group, question)]
    if len(titled) < TITLES_DIFFER * (len(passages) - len(stubs)):
        return []
    return [*stubs, *(p for p in passages if _only_asks(p.text) and p not in stubs)]


def find_stubs(said: Mapping[str, float]) -> frozenset[str]:
    """Find among the documents of one title, by how many words each says, those that hardly say anything."""
    enough = min(_ENOUGH, max(said.values(), default=0.0) / _TIMES_LESS)
    return frozenset(document for document, count in said.items() if count < enough)


@lru_cache(maxsize=8192)
def count_words(source: str, title: str, question: str = "") -> float:
    """Count the different words of a text beside its title, its questions, and asking the given question again.

    Whoever asks it again does so to be found: what such a text adds counts less.
    """
    rest = without_question(source, question)
    share = 1.0 if rest == source else 1 / _TIMES_LESS
    if any(mark in rest for mark in text.QUESTION_MARKS):
        rest = " ".join(said for said in text.sentences(rest) if not said.endswith(text.QUESTION_MARKS))
    return share * len(set(text.terms(rest)).difference(text.terms(title)))


def _stubs(passages: Sequence[T], question: str) -> list[T]:
    """Find the passages of one title that say hardly anything, beside another document that does."""
    if len({passage.document_id for passage in passages}) == 1:
        return []
    # What one passage of a document says speaks for all of them.
    fullest: dict[str, float] = {}
    for passage in passages:
        count = count_words(passage.text, passage.title, question)
        fullest[passage.document_id] = max(count, fullest.get(passage.document_id, 0.0))
    stubs = find_stubs(fullest)
    return [passage for passage in passages if passage.document_id in stubs]


def _only_asks(source: str) -> bool:
    return source.rstrip().endswith(text.QUESTION_MARKS) and all(
        said.endswith(text.QUESTION_MARKS) for said in text.sentences(source)
    )
