"""A passage analyzed for the relation rules: its sentences, their words, numbers and years."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property

from multihop import text
from multihop.index.links.rules import Cues, Found
from multihop.types import Passage

# Standing alone: neither "1850s" nor a part of 1,850 or 1850.5 is a year.
_YEAR = re.compile(r"(?<![\w.,])(1[0-9]{3}|20[0-9]{2})(?![\w]|[.,]\d)")
_AMOUNT = re.compile(r"(?<![\w.,])(\d[\d,]*(?:\.\d+)?)\s*(%|[^\W\d_]+)?")
# A capital anywhere in the word, as in iPhone.
_CAPITALIZED = re.compile(r"[^\W\d_]*[A-Z][^\W_]*")
# As folded words, which have lost their apostrophes.
_NEGATIONS = frozenset("not no never neither nor without cannot isnt wasnt werent didnt doesnt dont wont".split())
# "4th" and "44 bc" are places in an order, not amounts.
_COUNTS_NOTHING = text.STOPWORDS | frozenset("st nd rd th bc ad bce ce".split())
_PRONOUNS = frozenset("he she it they this that these those his her its their".split())
_PERCENT = frozenset(("%", "percent", "per"))


class AnalyzedSentence:
    """One sentence: as written, as folded words with a blank at both ends, and its names, numbers and years."""

    def __init__(self, sentence: str, cues: Cues) -> None:
        self.text = sentence
        self.padded = f" {' '.join(text.words(sentence))} "
        self._cues = cues

    @cached_property
    def terms(self) -> frozenset[str]:
        return frozenset(text.stems(w for w in self.padded.split() if w not in text.STOPWORDS))

    @cached_property
    def plain(self) -> frozenset[str]:
        """Its terms without numbers."""
        return frozenset(t for t in self.terms if not t[:1].isdigit())

    @cached_property
    def cues(self) -> tuple[Found, ...]:
        return tuple(self._cues.find(self.padded))

    @cached_property
    def names(self) -> frozenset[str]:
        """Its capitalized words, folded."""
        folded = (text.fold(word) for word in _CAPITALIZED.findall(self.text))
        return frozenset(word for word in folded if word not in text.STOPWORDS)

    @cached_property
    def amounts(self) -> dict[str, frozenset[str]]:
        return amounts(self.text)

    @property
    def names_its_subject(self) -> bool:
        """True unless it begins with a number or a pronoun."""
        opening = self.padded.split(" ", 2)[1]
        return opening.isalpha() and opening not in _PRONOUNS

    @cached_property
    def has_negation(self) -> bool:
        return not _NEGATIONS.isdisjoint(self.padded.split())


def amounts(written: str) -> dict[str, frozenset[str]]:
    """The numbers in a text by the unit they count; years and dates such as 1 January are left out."""
    by_unit: dict[str, set[str]] = {}
    for number, unit in _AMOUNT.findall(written):
        # A capital after a number begins a month or a name.
        if unit and not unit[0].isupper() and not (unit != "%" and _YEAR.fullmatch(number)):
            counted = "%" if unit in _PERCENT else text.fold(unit)
            by_unit.setdefault(counted, set()).add(number.replace(",", "").lstrip("0"))
    return {unit: frozenset(numbers) for unit, numbers in by_unit.items() if unit not in _COUNTS_NOTHING}


class PassageAnalysis:
    """A passage as the rules see it, analyzed lazily."""

    def __init__(self, passage: Passage, cues: Cues) -> None:
        self.passage = passage
        self._cues = cues

    @cached_property
    def padded_words(self) -> str:
        return f" {' '.join(text.words(self.passage.text))} "

    @cached_property
    def name(self) -> str:
        """The title as it is looked for in other passages; empty when it is not a name."""
        key = text.surface_key(text.without_parentheses(self.passage.title))
        return key if text.is_name(key) else ""

    @cached_property
    def terms(self) -> frozenset[str]:
        titles = text.terms(f"{self.passage.title} {self.passage.heading}")
        return frozenset((*titles, *text.stems(w for w in self.padded_words.split() if w not in text.STOPWORDS)))

    @cached_property
    def years(self) -> tuple[int, ...]:
        return tuple(int(y) for y in _YEAR.findall(self.passage.text))

    @cached_property
    def counted_units(self) -> frozenset[str]:
        """What its numbers count."""
        return frozenset(amounts(self.passage.text))

    @cached_property
    def has_negation(self) -> bool:
        return not _NEGATIONS.isdisjoint(self.padded_words.split())

    @cached_property
    def sentences(self) -> tuple[AnalyzedSentence, ...]:
        return tuple(AnalyzedSentence(s, self._cues) for s in text.sentences(self.passage.text))

    @cached_property
    def cue_ends(self) -> tuple[int, ...]:
        """End positions in `padded_words` of the cues that may precede a name."""
        return tuple(end for rule, _, _, end in self._cues.find(self.padded_words) if not rule.opens)

    def cue_precedes(self, names: Iterable[str], reach: int) -> bool:
        """Return whether a cue is at most `reach` words before one of the names, across sentence ends too."""
        # It may say yes too often, never no: most passages are then not cut into sentences at all.
        for name in names:
            place = self.padded_words.find(f" {name} ") if name else -1
            while place >= 0:
                if any(e <= place and self.padded_words.count(" ", e, place) <= reach for e in self.cue_ends):
                    return True
                place = self.padded_words.find(f" {name} ", place + 1)
        return False
