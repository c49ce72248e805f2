"""Yes or no: whether both of two things are what a question asks, told by the words that the passages on them have."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from multihop import text
from multihop.parts.selectors.reading import Reading
from multihop.types import AnswerSentence

_BOTH = re.compile(r"\bboth\b", re.IGNORECASE)
_SAME = re.compile(r"\bsame\b", re.IGNORECASE)
_LINKING = frozenset(
    text.stems(
        "both also either all each one two been found located based situated known considered described called "
        "type kind people person".split()
    )
)
"""What joins the two to what is asked of them, and is not itself asked."""
_YES, _NO = 0.9, 0.79
"""How often each was right for 20 train questions of HotpotQA, by the rule of succession: rough figures."""


class Decision(NamedTuple):
    """Yes or no, how sure that is, and what each of the two passages says of it."""

    text: str
    confidence: float
    sentences: tuple[AnswerSentence, ...]


def decided(asked: str, readings: Sequence[Reading]) -> Decision | None:
    """Decide a question of the form "are both A and B …?"; None where it has another form, or a passage lacks.

    Each must have every word of what is asked in the passage that bears its name. A missing word is taken for a no,
    which is right less often than a yes is.
    """
    # "Are both of the same nationality?" asks for no word that each passage could have.
    if not _BOTH.search(asked) or _SAME.search(asked):
        return None
    named = _named(asked, readings)
    if len(named) < 2:
        return None
    rest = asked
    for reading in named:
        # What is left without the names is what is asked of them.
        rest = rest.replace(_name(reading), " ", 1)
    words = [w for w in text.words(rest) if w not in text.STOPWORDS]
    wanted = set(text.stems(words)) - _LINKING
    if not wanted:
        return None
    yes = all(wanted <= _stems(reading) for reading in named)
    chance = _YES if yes else _NO
    return Decision("yes" if yes else "no", chance, tuple(_telling(r, wanted, chance) for r in named))


def _named(asked: str, readings: Sequence[Reading]) -> list[Reading]:
    """Find the first two things that the question names and a passage is about, in the order of the question."""
    places: dict[int, Reading] = {}
    # A longer name is read first: "Ed Wood" is not about wood. Of passages with one name the best has it.
    for reading in sorted((r for r in readings if r.sentences and r.name), key=lambda r: -len(r.name)):
        if found := re.search(rf"(?<!\w){re.escape(_name(reading))}(?!\w)", asked):
            places[found.start()] = reading
            # Filled up to the same length, so that places found later are still those of the question.
            asked = asked[: found.start()] + "," * len(found.group()) + asked[found.end() :]
    return [places[place] for place in sorted(places)][:2]


def _name(reading: Reading) -> str:
    title = reading.passage.title
    return text.without_parentheses(title) or title


def _stems(reading: Reading) -> set[str]:
    return {*text.stems(text.words(reading.passage.title)), *(s for each in reading.sentences for s in each.stems)}


def _telling(reading: Reading, wanted: set[str], chance: float) -> AnswerSentence:
    """Give the sentence of a passage that has most of what is asked, of several the first."""
    best = max(reading.sentences, key=lambda s: len(wanted.intersection(s.stems)))
    return AnswerSentence(best.quoted(reading.passage.id), reading.passage.label, chance)
