"""Questions that only name something ("Edmund Voss", "Who is Edmund Voss?"): passages that say the name come first.

The ranker judges whether a passage answers a question. Where nothing is asked of a name it doubts all passages alike,
and one that a sentence with the name only links to may be rated above every passage that has it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from multihop import text
from multihop.parts.selectors.features import Ranked
from multihop.parts.selectors.reading import QuestionWords, ReadPassage
from multihop.types.channels import FOLLOW_UP, LINK, NEXT, RARE_LINK

_LINKED = {LINK, RARE_LINK, FOLLOW_UP, NEXT}


def names_first(
    question: QuestionWords,
    names: Iterable[str],
    candidates: Sequence[Ranked],
    readings: Sequence[ReadPassage],
    likeliest: list[tuple[str, float]],
) -> list[tuple[str, float]]:
    """Order passages that a lookup is only linked to behind the others, with a share of the least chance of these."""
    if not _is_lookup(question, names, readings):
        return likeliest
    linked = {
        ranked.candidate.passage.id
        for ranked, reading in zip(candidates, readings, strict=True)
        if not reading.mask and _LINKED.issuperset(ranked.candidate.scores)
    }
    least = min((chance for id, chance in likeliest if id not in linked), default=1.0)
    chances = [(id, chance * least if id in linked else chance) for id, chance in likeliest]
    return sorted(chances, key=lambda each: (-each[1], each[0]))


def _is_lookup(question: QuestionWords, names: Iterable[str], readings: Iterable[ReadPassage]) -> bool:
    """Return whether a question names something and asks nothing of it, or is keywords that one sentence has."""
    words = text.words(question.text)
    content = [word for word in words if word not in text.STOPWORDS]
    if not content:
        return False
    if {word for name in names for word in text.words(name)}.issuperset(content):
        return True
    return content == words and any(mask == question.everything for reading in readings for mask in reading.masks)
