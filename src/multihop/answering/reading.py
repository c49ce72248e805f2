"""Evidence read sentence by sentence: what each says of the question, and how the passages lead to each other."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from multihop import text
from multihop.parts.selectors.features import Question
from multihop.protocols.index import Terms
from multihop.types import Evidence

_SHORTEST_NAME = 3


class Sentence(NamedTuple):
    """Where a sentence stands in its passage, and the stems of its words."""

    text: str
    start: int
    end: int
    lower: str
    stems: tuple[str, ...]


@lru_cache(maxsize=4096)
def sentences_of(source: str) -> tuple[Sentence, ...]:
    """Cut a text into sentences."""
    found = []
    for start, end in text.sentence_spans(source):
        said = source[start:end]
        found.append(Sentence(said, start, end, said.lower(), tuple(text.stems(text.words(said)))))
    return tuple(found)


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
        self.mask = self.title_mask
        for mask in self.masks:
            self.mask |= mask

    def naming(self, name: str) -> tuple[int, int] | None:
        """Say in which sentence a name, in lower case, stands first as whole words, and where in that sentence."""
        if len(name) < _SHORTEST_NAME:
            return None
        for place, sentence in enumerate(self.sentences):
            if (at := text.find_name(sentence.lower, name)) >= 0:
                return place, at
        return None


def weighed(question: str, terms: Terms | None, size: int) -> Question:
    """Weigh the words of a question by how many passages use them; all alike where the index cannot say."""
    asked = list(dict.fromkeys(text.terms(question)))
    counts = terms.frequencies(asked) if terms is not None else [0] * len(asked)
    return Question(question, dict(zip(asked, counts, strict=True)), size)
