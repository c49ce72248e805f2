"""Entity lookup: passages of the documents that a query names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from multihop import text
from multihop.protocols import Context, Passages
from multihop.types import Hit, Mention, Query
from multihop.types.channels import COMMON_NAME, NAME, PART_NAME, Channel


@dataclass(frozen=True, slots=True)
class NameSearcher:
    """Finds the opening passages of every document whose title or alias occurs in the query.

    A name that several documents share is worth to each its share only.
    """

    passages: int = 2

    def search(self, queries: Sequence[Query], context: Context) -> Sequence[Sequence[Hit]]:
        names = context.index.names
        if names is None:
            return [() for _ in queries]
        # What a part of the question names, the question names too.
        asked = [q for q in queries if not q.part]
        mentions = iter(names.find_names([q.text for q in asked]))
        return [() if q.part else self._lookup(q, next(mentions), context.index.passages) for q in queries]

    def _lookup(self, query: Query, mentions: Sequence[Mention], index: Passages) -> Sequence[Hit]:
        share: dict[tuple[str, Channel], tuple[float, str]] = {}
        for mention, channel, surface in _grade(query.text, mentions):
            for document, ambiguity in zip(mention.documents, mention.ambiguity, strict=True):
                match = (1 / ambiguity, surface)
                share[document, channel] = max(share.get((document, channel), (0.0, "")), match)
        passages = index.passages_of({d for d, _ in share}, self.passages)
        hits = [Hit(id, s, c, name) for (d, c), (s, name) in share.items() for id in passages.get(d, ())]
        # Sorted, so that the order does not depend on that of a set.
        hits.sort(key=lambda h: (-h.score, h.channel, h.passage_id))
        return tuple(hits)


def _grade(query: str, mentions: Sequence[Mention]) -> Iterator[tuple[Mention, Channel, str]]:
    """Tell a name that stands for itself from one that is part of a longer one, and from an everyday word.

    In "the Kentucky River" a document called "Kentucky" is named in passing; in "a second film" nobody means "Film".
    """
    words = text.located_words(query)
    spans = [(start, end) for _, start, end in text.capitalized_spans(query)]
    for mention in mentions:
        start, end = words[mention.start][1], words[mention.end - 1][2]
        surface = query[start:end]
        if surface.islower():
            yield mention, COMMON_NAME, surface
        elif any(s <= start and end <= e and end - start < e - s - 1 for s, e in spans):
            yield mention, PART_NAME, surface
        else:
            yield mention, NAME, surface
