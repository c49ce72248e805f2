"""Citations of numbered parts: from "see Rule 2.4.1" to the passage that begins with 2.4.1.

Rules, laws, standards and manuals lead on by numbers, not by names. Which passage has which number is read off the
openings of passages and headings, once for each generation of an index.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from multihop.protocols import Context, Passages
from multihop.types import Hit, Passage, Walk
from multihop.types.channels import LINK, RARE_LINK

_NUMBER = r"\d+[A-Z]?(?:\.\d+[A-Z]?)+|\d+[A-Z]?"
_LABEL = re.compile(
    rf"\W{{0,3}}(?:(?:rule|section|article|chapter|part|paragraph|clause|annex|appendix|§+)\s*)?({_NUMBER})(?=\W|$)",
    re.IGNORECASE,
)
_CITATION = re.compile(
    r"(?:\b([A-Z][\w&-]{1,15})\s+)?"
    r"(?:\b(?:rules?|sections?|articles?|chapters?|parts?|paragraphs?|clauses?|guidance|annex|appendix)|§+)\s*"
    rf"\W?({_NUMBER})(?:\s*(?:to|and|or|,|–|-)\s*\W?({_NUMBER}))?",
    re.IGNORECASE,
)
_LARGEST = 20_000
"""In a larger index the openings of all passages are not read."""
_INVISIBLE = str.maketrans("", "", "\u200b\u200e\u200f")

Key = tuple[str, str]
"""A title in lower case, and a number."""
Citation = tuple[Key, ...]
"""What a citation may mean, best first."""
Labels = Mapping[Key, Sequence[str]]
"""The passages that begin with a number."""


@dataclass(frozen=True, slots=True)
class CitationWalker:
    """Finds the numbered parts that the seeds of a walk cite, in the document or under the title that is meant."""

    passages: int = 4
    """How many passages with the same number are taken: those of its sub-paragraphs."""

    def walk(self, walks: Sequence[Walk], context: Context) -> Sequence[Sequence[Hit]]:
        index = context.index
        if index.cache is None or index.passages.size > _LARGEST:
            return [() for _ in walks]
        seeds = index.passages.passages({id for walk in walks for id, _ in walk.seeds})
        cited = {id: list(citations(passage)) for id, passage in seeds.items()}
        if not any(cited.values()):
            return [() for _ in walks]
        labels = index.cache.get_or_make("labels", lambda: read_labels(index.passages))
        return [tuple(self._follow(walk, cited, labels)) for walk in walks]

    def _follow(self, walk: Walk, cited: Mapping[str, Sequence[Citation]], labels: Labels) -> Iterator[Hit]:
        for seed, weight in walk.seeds:
            meant = [next((labels[key] for key in keys if key in labels), ()) for keys in cited.get(seed, ())]
            for id in dict.fromkeys(id for ids in meant for id in ids[: self.passages] if id != seed):
                yield Hit(id, weight, RARE_LINK, seed)
                yield Hit(id, weight, LINK, seed)


def citations(passage: Passage) -> Iterator[Citation]:
    """Yield the numbers that a passage cites: of the title before one, or else of its own."""
    own = passage.title.lower()
    for name, *numbers in _CITATION.findall(passage.text.translate(_INVISIBLE)):
        yield from (((name.lower(), number), (own, number)) for number in numbers if number)


def read_labels(index: Passages) -> Labels:
    """Read off which number each passage begins with; of "2.4.1(3)" that of the rule."""
    labels: dict[tuple[str, str], list[str]] = {}
    for passage in index.scan():
        for opening in dict.fromkeys((passage.heading[:80], passage.text[:80])):
            if label := _LABEL.match(opening.translate(_INVISIBLE)):
                labels.setdefault((passage.title.lower(), label[1]), []).append(passage.id)
                break
    return labels
