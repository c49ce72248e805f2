"""Evidence read sentence by sentence: what each says of the question, and how the passages lead to each other."""

from __future__ import annotations

from functools import lru_cache, reduce
from operator import or_
from typing import NamedTuple

from multihop import text
from multihop.parts.selectors.features import Question
from multihop.types import Evidence, Quote
from multihop.units import units

_SHORTEST_NAME = 3


class Sentence(NamedTuple):
    """Where a sentence stands in its passage, and the stems of its words."""

    text: str
    start: int
    end: int
    lower: str
    stems: tuple[str, ...]

    def quoted(self, passage_id: str) -> Quote:
        """Quote the sentence as it stands in its passage."""
        return Quote(passage_id, self.text, self.start, self.end)


# The chain and the answer read the same passages.
@lru_cache(maxsize=4096)
def sentences_of(source: str) -> tuple[Sentence, ...]:
    """Cut a text into units: sentences, rows, list items."""
    return tuple(
        Sentence(said, unit.start, unit.end, said.lower(), tuple(text.stems(text.words(said))))
        for unit in units(source)
        for said in (unit.of(source),)
    )


class Reading:
    """One passage of the evidence as the question reads it; sets of question words are bit masks."""

    __slots__ = ("evidence", "mask", "masks", "name", "passage", "sentences", "title_mask")

    def __init__(self, evidence: Evidence, question: Question) -> None:
        self.evidence = evidence
        passage = self.passage = evidence.passage
        bare = text.without_parentheses(passage.title) or passage.title
        self.name = bare.lower()
        self.sentences = sentences_of(passage.text)
        self.masks = [question.mask(s.stems) for s in self.sentences]
        self.title_mask = question.mask(text.stems(text.words(passage.title)))
        self.mask = reduce(or_, self.masks, self.title_mask)

    def naming(self, name: str) -> tuple[int, int] | None:
        """Say in which sentence a name, in lower case, stands first as whole words, and where in that sentence."""
        # One or two letters stand in too many texts by chance.
        if len(name) < _SHORTEST_NAME:
            return None
        for place, sentence in enumerate(self.sentences):
            if (at := text.find_name(sentence.lower, name)) >= 0:
                return place, at
        return None
