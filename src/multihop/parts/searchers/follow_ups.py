"""Evidence-conditioned follow-up queries: from a passage to the one that comes after it.

Mention links lead to documents whose title is a name. Where the next passage only mentions the name, a query
made of what the question still lacks and of what the passage brings in reaches it, as the iterative retrievers of
Xiong et al. (2021) and Trivedi et al. (2023) do with a trained encoder or a language model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from multihop import text
from multihop.errors import EmbeddingError
from multihop.protocols import Context, FollowingEmbedder, Lookup, follow_passages
from multihop.text.units import unit_texts
from multihop.types import Hit, Note, Passage, Walk
from multihop.types.channels import FOLLOW_UP, NEXT

_LARGE = 10_000
"""In indexes of this many passages, very frequent words are left out of follow-up queries."""


@dataclass(frozen=True, slots=True)
class FollowUpWalker:
    """Asks, for each of the first seeds, for the names in its most fitting sentences and the rest of the question."""

    seeds: int = 6
    names: int = 6
    sentences: int = 2
    depth: int = 30

    def walk(self, walks: Sequence[Walk], context: Context) -> Sequence[Sequence[Hit]]:
        lexical = context.index.lexical
        if lexical is None:
            return [() for _ in walks]
        started = [walk.seeds[: self.seeds] for walk in walks]
        passages = context.index.passages.passages(dict.fromkeys(id for seeds in started for id, _ in seeds))
        asked = [
            (place, seed, weight, query)
            for place, (walk, seeds) in enumerate(zip(walks, started, strict=True))
            for seed, weight in seeds
            if seed in passages and (query := self.query(walk.text, passages[seed]))
        ]
        rough = context.index.passages.size > _LARGE
        ranked = lexical.lexical([Lookup(query, self.depth, rough=rough) for *_, query in asked]) if asked else []
        hits: list[list[Hit]] = [[] for _ in walks]
        for (place, seed, weight, _), scored in zip(asked, ranked, strict=True):
            # Beside the best of its own query: BM25 has no upper end, and queries differ in length.
            hits[place] += [
                Hit(id, weight * score / scored[0][1], FOLLOW_UP, seed) for id, score in scored if id != seed
            ]
        return hits

    def query(self, question: str, passage: Passage) -> str:
        """Write what to ask next: words of the question that the passage lacks, and names that it brings in."""
        known = set(text.terms(f"{passage.title} {passage.text}"))
        lacking = [w for w in text.words(question) if w not in text.STOPWORDS and known.isdisjoint(text.terms(w))]
        asked = frozenset(text.terms(question))
        fitting = sorted(unit_texts(passage.text), key=lambda s: -len(asked.intersection(text.terms(s))))
        # A name that the question or the title has already would lead to where we are.
        familiar = f"{question} {passage.title}".lower()
        spans = [span for s in fitting[: self.sentences] for span, _, _ in text.capitalized_spans(s)]
        names = list(dict.fromkeys(span for span in spans if span.lower() not in familiar))
        return " ".join([*lacking, *names[: self.names]]) if names else ""


@dataclass(frozen=True, slots=True)
class NextPassageWalker:
    """Searches for the next passage with the question and each of the first seeds as one query (Xiong et al. 2021).

    Needs an index with vectors of an encoder that was trained for this; finds nothing in others.
    """

    seeds: int = 8
    depth: int = 10

    def walk(self, walks: Sequence[Walk], context: Context) -> Sequence[Sequence[Hit]]:
        embedder, dense = context.index.embedder, context.index.dense
        if dense is None or not isinstance(embedder, FollowingEmbedder):
            return [() for _ in walks]
        hits: list[list[Hit]] = []
        for walk in walks:
            seeds = context.index.passages.passages([id for id, _ in walk.seeds[: self.seeds]])
            written = [text.to_embed(p.title, p.heading, p.text) for p in seeds.values()]
            try:
                vectors = follow_passages(embedder, walk.text, written)
            except EmbeddingError as error:
                wording = f"the encoder failed, next passages were not searched for: {error}"
                context.note(Note("encoder-failed", {"problem": str(error)}, wording))
                return [() for _ in walks]
            # A seed is nearest to itself.
            ranked = dense.nearest(vectors, self.depth + 1) if seeds else []
            hits.append(
                [
                    Hit(id, score, NEXT, seed)
                    for seed, scored in zip(seeds, ranked, strict=True)
                    for id, score in scored
                    if id != seed and score > 0
                ]
            )
        return hits
