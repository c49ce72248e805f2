"""Answers from lists: which things, where the heading or the sentence above a list speaks of what is asked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import reduce
from math import prod
from operator import and_, or_

from multihop import text
from multihop.answering.candidates import Candidate, ExtractiveAnswer
from multihop.answering.kinds import Expected, agrees
from multihop.parts.selectors.reading import QuestionWords
from multihop.text.units import Unit, units
from multihop.types import AnswerSentence, Quote

_MARK = re.compile(r"(?:[-*+•‣◦▪●○·–—]|\[[ xX]\]|\(?(?:\d{1,3}|[a-zA-Z]|[ivx]{2,4})[.)])\s+")
_LABEL = re.compile(r"([^:\n]{1,40}?)(?::\s| [–—-] )")
_MOST, _WORDS = 15, 8
"""Maximum number of items of a list, and of words in each."""
_INTRODUCED = 0.35
"""Minimum share of the question's words in the title, the heading and the sentence above a list."""


def answer_by_list(
    question: QuestionWords, wanted: Expected, candidates: Sequence[Candidate]
) -> ExtractiveAnswer | None:
    """Return the items of the list that the best answer is taken from, if the question asks for several things.

    Words of the question that only some of the items have choose among them.
    """
    best = candidates[0]
    if not (wanted.plural or wanted.several) or wanted.counted or wanted.options:
        return None
    passage = best.passage.passage
    before, items = _list_around(passage.text, best.unit.start)
    above = question.mask(text.stems(text.words(f"{passage.title} {passage.heading} {before}")))
    if not 2 <= len(items) <= _MOST or question.weight(above) < _INTRODUCED:
        return None
    masks = [question.mask(text.stems(text.words(item.of(passage.text)))) for item in items]
    conditions = reduce(or_, masks) & ~reduce(and_, masks) & ~above
    chosen = [item for item, mask in zip(items, masks, strict=True) if mask & conditions == conditions]
    names = _names(passage.id, passage.text, chosen)
    if len(names) < 2 or (wanted.several and len(names) != wanted.several):
        return None
    if not all(len(name.text.split()) <= _WORDS and agrees(name.text, wanted) for name in names):
        return None
    # The reader shares its probability out among the items.
    starts = {item.start for item in chosen}
    sure = round(
        1 - prod(1 - c.confidence for c in candidates if c.passage is best.passage and c.unit.start in starts), 4
    )
    sentences = tuple(
        AnswerSentence.of(Quote(passage.id, item.of(passage.text), item.start, item.end), passage, sure, name)
        for item, name in zip(chosen, names, strict=True)
    )
    separator = "; " if any("," in name.text for name in names) else ", "
    return ExtractiveAnswer(separator.join(name.text for name in names), sure, sentences)


def _list_around(source: str, start: int) -> tuple[str, list[Unit]]:
    """Return the list with the unit at an offset, and what stands before it; lines after a colon are a list, too."""
    every = units(source)
    place = next((i for i, unit in enumerate(every) if unit.start == start), 0)
    first = last = place
    while first and every[first - 1].kind == every[place].kind:
        first -= 1
    while last + 1 < len(every) and every[last + 1].kind == every[place].kind:
        last += 1
    before = every[first - 1].of(source) if first else ""
    run = every[first : last + 1]
    if every[place].kind == "item":
        # Further sentences of an item have no mark.
        return before, [unit for unit in run if _MARK.match(unit.of(source))]
    return before, list(run) if every[place].kind == "line" and before.endswith(":") else []


def _names(passage_id: str, source: str, items: Sequence[Unit]) -> list[Quote]:
    """Return what each item names: the part before a colon or dash if every item has one, or else all of it."""
    starts = [item.start + (mark.end() if (mark := _MARK.match(item.of(source))) else 0) for item in items]
    labels = [_LABEL.match(source, start, item.end) for start, item in zip(starts, items, strict=True)]
    ends = [label.end(1) for label in labels if label]
    if len(ends) < len(items):
        ends = [item.end for item in items]
    said = [source[start:end].rstrip(" .,;") for start, end in zip(starts, ends, strict=True)]
    return [Quote(passage_id, each, start, start + len(each)) for each, start in zip(said, starts, strict=True)]
