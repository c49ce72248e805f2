"""Passages that ask the question again: nothing matches a question better than itself, and it answers nothing.

Whoever wants a document to be found needs only to copy likely questions into it. What a passage repeats of the question
is therefore not counted in its favor; what else it says is.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from multihop import text

Span = tuple[int, int]
_SHARE = 0.75
"""A text that has this share of the question's pairs of neighboring words asks it again."""
_SHORTEST = 5
"""A question of fewer words may stand in a text by chance."""
_RUN = 3
"""Shortest run of words in the order of the question that is cut out: "of the" alone is not."""
_LONGEST_WORDS = 4


class _Asked(NamedTuple):
    """The pairs of neighboring words of a question, how it begins, and its longest words."""

    pairs: frozenset[tuple[str, str]]
    opening: tuple[str, str]
    longest: tuple[str, ...]


@lru_cache(maxsize=64)
def _parse_question(question: str) -> _Asked | None:
    words = text.words(question)
    if len(words) < _SHORTEST or not text.asks(question):
        return None
    longest = sorted(set(words), key=lambda word: (-len(word), word))[:_LONGEST_WORDS]
    return _Asked(frozenset(pairwise(words)), (words[0], words[1]), tuple(longest))


@lru_cache(maxsize=2048)
def find_restatements(source: str, question: str) -> tuple[Span, ...]:
    """Return where a text asks the question again, in characters; nothing where it does not.

    A statement in the words of a question answers it: only a text that also begins as the question does, such as "who
    designed", or has a question mark behind its words, repeats it. A claim is not repeated but supported.
    """
    asked = _parse_question(question)
    # Most texts are told apart by this alone, without cutting them into words.
    if asked is None or sum(map(text.fold(source).__contains__, asked.longest)) < len(asked.longest) - 1:
        return ()
    # A pair of which the text does not even have the letters cannot stand in it; placing its words costs most.
    letters = text.letters(source)
    possible = sum(one in letters and other in letters for one, other in asked.pairs)
    if possible < _SHARE * len(asked.pairs):
        return ()
    said = text.located_words(source)
    pairs = list(pairwise(word for word, *_ in said))
    held = asked.pairs.intersection(pairs)
    if len(held) < _SHARE * len(asked.pairs):
        return ()
    spans = [(said[first][1], said[last][2]) for first, last in _runs([pair in held for pair in pairs])]
    asks = asked.opening in held or any(source[end : end + 1] in text.QUESTION_MARKS for _, end in spans)
    return tuple(spans) if asks else ()


def without_question(source: str, question: str) -> str:
    """Return what a text says beside asking the question again."""
    return cut_out(find_restatements(source, question), source)


def cut_out(spans: Sequence[Span], source: str, start: int = 0) -> str:
    """Leave spans of a text out of the part of it that begins at `start`."""
    kept, at = [], 0
    for first, last in spans:
        kept.append(source[at : max(at, first - start)])
        at = max(at, last - start)
    return " ".join([*kept, source[at:]]) if spans else source


def _runs(shared: Sequence[bool]) -> list[Span]:
    """Return the first and last word of every run of words that stand in the question side by side."""
    runs: list[Span] = []
    start = -1
    for place, known in enumerate([*shared, False]):
        if known and start < 0:
            start = place
        elif not known and start >= 0:
            if place - start + 1 >= _RUN:
                runs.append((start, place))
            start = -1
    return runs
