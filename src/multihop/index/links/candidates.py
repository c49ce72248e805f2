"""Candidates for a relation with a passage: the indexes name a few, whatever the size of the corpus.

Candidates are its neighbors in the document, the documents it names and those that name it, and what is nearest by
rare words and by vectors.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from multihop.index.links.rule_judge import ALIKE
from multihop.index.links.similarity import TermSimilarity
from multihop.protocols import Lookup, View
from multihop.types import Passage

_NEAR = 0.25


@dataclass(slots=True)
class RelationCandidate:
    """Another passage: its similarity, and the names by which one mentions the other."""

    similarity: float = 0.0
    names: set[tuple[str, str]] = field(default_factory=set)
    """(id of the passage that says it, the name as folded words)."""


class Candidates:
    """The candidates of a batch of passages; a pair within the batch is kept once."""

    def __init__(self) -> None:
        self._owner: dict[tuple[str, str], str] = {}
        self.of: dict[str, dict[str, RelationCandidate]] = defaultdict(dict)

    def add(self, passage: str, other: str, similarity: float = 0.0, name: tuple[str, str] | None = None) -> None:
        if passage == other:
            return
        ends = (passage, other) if passage < other else (other, passage)
        owner = self._owner.setdefault(ends, passage)
        candidate = self.of[owner].setdefault(other if owner == passage else passage, RelationCandidate())
        candidate.similarity = max(candidate.similarity, similarity)
        if name is not None:
            candidate.names.add(name)


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateFinder:
    """Finds candidates in the indexes of a view, a few in each, with their similarity."""

    view: View
    similarity: TermSimilarity
    neighbors: int
    names: int
    query_terms: int
    common: int
    everything_new: bool

    def candidates(self, passages: Sequence[Passage]) -> Mapping[str, Mapping[str, RelationCandidate]]:
        """Return the candidates of each passage, by id; passages without any are left out."""
        candidates = Candidates()
        self.similarity.load(p.id for p in passages)
        self._in_document(passages, candidates)
        self._by_name(passages, candidates)
        self._by_words(passages, candidates)
        self._by_vector(passages, candidates)
        self._compare(candidates)
        return candidates.of

    def _in_document(self, passages: Sequence[Passage], candidates: Candidates) -> None:
        for p in passages:
            for position in (p.position - 1, p.position + 1):
                if position >= 0:
                    candidates.add(p.id, f"{p.document_id}#{position}")

    def _by_name(self, passages: Sequence[Passage], candidates: Candidates) -> None:
        links = [k for k in self.view.links_from([p.id for p in passages], self.names) if k.ambiguity == 1]
        opening = self.view.passages_of({k.target for k in links}, 1)
        for link in links:
            for target in opening.get(link.target, ()):
                candidates.add(link.source, target, name=(link.source, link.name))
        if self.everything_new:
            # A passage that names one of these is new as well, and brings the pair itself.
            return
        first = {p.document_id: p.id for p in passages if p.position == 0}
        for link in self.view.links_to(sorted(first), self.names):
            if link.ambiguity == 1:
                candidates.add(first[link.target], link.source, name=(link.source, link.name))

    def _by_words(self, passages: Sequence[Passage], candidates: Candidates) -> None:
        queries = [" ".join(self.similarity.rarest(p.id, self.query_terms, self.common)) for p in passages]
        ranked = self.view.lexical([Lookup(query, self.neighbors + 1, rough=True) for query in queries])
        for passage, hits in zip(passages, ranked, strict=True):
            # A passage finds itself best of all; what comes nowhere near that shares a word or two.
            enough = _NEAR * max((score for _, score in hits), default=0.0)
            for other, score in hits:
                if score >= enough:
                    candidates.add(passage.id, other)

    def _by_vector(self, passages: Sequence[Passage], candidates: Candidates) -> None:
        vectors = self.view.vectors([p.id for p in passages])
        with_one = [(p, v) for p, v in zip(passages, vectors, strict=True) if v.any()]
        if not with_one:
            return
        ranked = self.view.nearest(np.array([v for _, v in with_one]), self.neighbors + 1)
        for (passage, _), hits in zip(with_one, ranked, strict=True):
            for other, cosine in hits:
                # Unrelated passages have a cosine well above zero; the lower half of the scale means unrelated.
                if (likeness := 2 * cosine - 1) >= ALIKE:
                    candidates.add(passage.id, other, likeness)

    def _compare(self, candidates: Candidates) -> None:
        """Drop passages that do not exist, and use the higher of word and vector similarity."""
        self.similarity.load(sorted({id for passage, others in candidates.of.items() for id in (passage, *others)}))
        for passage, others in candidates.of.items():
            for unknown in [o for o in others if o not in self.similarity]:
                del others[unknown]
            for candidate, likeness in zip(
                others.values(), self.similarity.similarities(passage, list(others)), strict=True
            ):
                candidate.similarity = max(candidate.similarity, round(likeness, 3))
