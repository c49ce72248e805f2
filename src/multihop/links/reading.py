"""What the rules need to know of a passage: its sentences, their words, numbers and years."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from multihop import text
from multihop.links.rules import Cues, Found
from multihop.types import Passage

_YEAR = re.compile(r"(?<![\w.,])(1[0-9]{3}|20[0-9]{2})(?![\w]|[.,]\d)")
_AMOUNT = re.compile(r"(?<![\w.,])(\d[\d,]*(?:\.\d+)?)\s*(%|[^\W\d_]+)?")
_CAPITALISED = re.compile(r"[^\W\d_]*[A-Z][^\W_]*")
_NEGATIONS = frozenset("not no never neither nor without cannot isnt wasnt werent didnt doesnt dont wont".split())
_COUNTS_NOTHING = text.STOPWORDS | frozenset("st nd rd th bc ad bce ce".split())
_PRONOUNS = frozenset("he she it they this that these those his her its their".split())
_PERCENT = frozenset(("%", "percent", "per"))


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence: as written, as folded words with a blank at both ends, and what stands in it."""

    text: str
    padded: str
    terms: frozenset[str]
    cues: tuple[Found, ...]

    @property
    def names(self) -> frozenset[str]:
        """Its capitalised words, folded."""
        folded = (text.fold(word) for word in _CAPITALISED.findall(self.text))
        return frozenset(word for word in folded if word not in text.STOPWORDS)

    @property
    def amounts(self) -> dict[str, frozenset[str]]:
        """Its numbers by what they count; years count nothing, nor do dates such as 1 January."""
        found: dict[str, set[str]] = {}
        for number, unit in _AMOUNT.findall(self.text):
            if unit and not unit[0].isupper() and not (_YEAR.fullmatch(number) and unit != "%"):
                counted = "%" if unit in _PERCENT else text.fold(unit)
                found.setdefault(counted, set()).add(number.replace(",", "").lstrip("0"))
        return {unit: frozenset(numbers) for unit, numbers in found.items() if unit not in _COUNTS_NOTHING}

    @property
    def named(self) -> bool:
        """True unless it begins with a number, or with a word that stands for something said elsewhere."""
        opening = self.padded.split(" ", 2)[1]
        return opening.isalpha() and opening not in _PRONOUNS

    @property
    def negated(self) -> bool:
        return not _NEGATIONS.isdisjoint(self.padded.split())


class Reading:
    """A passage as the rules see it; its sentences are taken apart only when somebody asks for them."""

    def __init__(self, passage: Passage, cues: Cues) -> None:
        self.passage = passage
        self._cues = cues
        words = text.words(passage.text)
        self.padded = f" {' '.join(words)} "
        titles = text.terms(f"{passage.title} {passage.heading}")
        self.terms = frozenset((*titles, *text.stems(w for w in words if w not in text.STOPWORDS)))
        self.years = tuple(int(y) for y in _YEAR.findall(passage.text))
        key = text.surface_key(text.without_parentheses(passage.title))
        self.name = key if text.is_name(key) else ""
        """The title as it is looked for in other passages; empty when it is no name."""

    @cached_property
    def sentences(self) -> tuple[Sentence, ...]:
        return tuple(_sentence(s, self._cues) for s in text.sentences(self.passage.text))

    def mentions(self, names: Iterable[str]) -> bool:
        """Tell whether one of the names stands in the text."""
        return any(f" {name} " in self.padded for name in names)


def _sentence(sentence: str, cues: Cues) -> Sentence:
    words = text.words(sentence)
    padded = f" {' '.join(words)} "
    return Sentence(
        sentence, padded, frozenset(text.stems(w for w in words if w not in text.STOPWORDS)), tuple(cues.find(padded))
    )
