"""What a ranker reads of a candidate: title, the sentences that fit the question, and the sentence that leads to it.

A passage is read in part: its opening, which says what it is about, and the sentences that share most with the
question; how much, depends on the kind of text. The linking sentence of another passage is added, since a bridge is
judged by both of its ends.
"""

from __future__ import annotations

from collections.abc import Sequence

from multihop.parts.selectors.features import Linked
from multihop.parts.selectors.reading import QuestionWords, ReadPassage
from multihop.text.units import SEPARATOR
from multihop.types import Pair

_OPENING = 150
_LINK = 180
_LEAST = 40
"""Less room than this is not worth another sentence."""


def pair(question: QuestionWords, readings: Sequence[ReadPassage], place: int, linked: Linked, room: int) -> Pair:
    """Write down what to read of one of the described candidates, so many characters of the passage at most."""
    reading = readings[place]
    passage = f"{reading.passage.title}: {_snippet(reading, question, room)}"
    if linked.source < 0 or not (source := readings[linked.source]).sentences:
        return Pair(passage)
    sentence = source.sentences[min(linked.sentence, len(source.sentences) - 1)].text
    return Pair(passage, f"{source.passage.title}: {_around(sentence, reading.name)}")


def _snippet(reading: ReadPassage, question: QuestionWords, room: int) -> str:
    """Return a short text whole, and of a long one its opening and the sentences that share most with the question."""
    whole = reading.text
    if len(whole) <= room or not reading.sentences:
        return _truncate(whole, room)
    texts = [sentence.text for sentence in reading.sentences]
    fitting = sorted(range(1, len(texts)), key=lambda i: (-question.weight(reading.masks[i]), i))
    left = room - min(_OPENING, len(texts[0]))
    taken: list[int] = []
    for place in fitting:
        if left < _LEAST:
            break
        taken.append(place)
        left -= len(texts[place]) + 1
    opening = _truncate(texts[0], _OPENING if taken else room)
    return _truncate(" ".join((opening, *(texts[place] for place in sorted(taken)))), room)


def _truncate(source: str, room: int) -> str:
    """Truncate a text; a row keeps only whole cells."""
    short = source[:room]
    return short.rpartition(SEPARATOR)[0] or short if SEPARATOR in short and len(source) > room else short


def _around(sentence: str, name: str) -> str:
    """Cut a long sentence to the part around a name, and a long row to its first cell and those around the name."""
    if len(sentence) > _LINK and SEPARATOR in sentence:
        first, *cells = sentence.split(SEPARATOR)
        named = next((place for place, cell in enumerate(cells) if name in cell.lower()), 0)
        return _truncate(SEPARATOR.join((first, *cells[named:])), _LINK)
    at = max(0, sentence.lower().find(name))
    start = max(0, min(at - _LINK // 2, len(sentence) - _LINK))
    return sentence[start : start + _LINK]
