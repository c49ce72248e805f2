"""Link traversal: from passages to the documents they name, inside the filter.

Reaching evidence through mentions instead of through similarity is what makes a second hop possible when the question
does not name its middle (graph-based retrievers such as Asai et al. 2020 or Gutiérrez et al. 2024 build on it).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from multihop.protocols import RESTATING, Context, Links, Passages
from multihop.text import rarity
from multihop.types import Hit, Link, Walk
from multihop.types.channels import LINK, RARE_LINK


@dataclass(frozen=True, slots=True)
class LinkWalker:
    """Finds what the seeds of a walk link to.

    A link is worth the weight of its seed, shared among the meanings of an ambiguous name, and less the more passages
    use the same name: channel "link" is the best such value of a passage, channel "rare link" the best with rarity.
    """

    passages: int = 2
    names: int = 20
    """How many names of a seed are followed, the least used ones: everyday words lead everywhere."""
    targets: int = 80

    def walk(self, walks: Sequence[Walk], context: Context) -> Sequence[Sequence[Hit]]:
        links = context.index.links
        if links is None:
            return [() for _ in walks]
        restating = frozenset(context.learned.get(RESTATING, ()))
        return [self._follow(w, links, context.index.passages, restating) for w in walks]

    def _follow(self, walk: Walk, links: Links, index: Passages, restating: frozenset[str]) -> Sequence[Hit]:
        weights = dict(walk.seeds)
        # Both values are given: how much rarity counts is for the weights of a selector to say.
        plain: dict[str, tuple[float, str]] = {}
        rare: dict[str, tuple[float, str]] = {}
        for source, target, _, ambiguity, spread in _without(restating, links.links_from(list(weights), self.names)):
            value = (weights[source] / ambiguity, source)
            if target not in plain or value > plain[target]:
                plain[target] = value
            value = (value[0] * rarity(spread), source)
            if target not in rare or value > rare[target]:
                rare[target] = value
        # A passage that names everything would flood the pool; the rarest names are the most specific ones.
        best = sorted(rare, key=lambda document: (-rare[document][0], document))[: self.targets]
        passages = index.passages_of(best, self.passages)
        reached = [(id, d) for d in best if d in passages for id in passages[d]]
        hits = [Hit(id, rare[d][0], RARE_LINK, rare[d][1]) for id, d in reached]
        hits += [Hit(id, plain[d][0], LINK, plain[d][1]) for id, d in reached]
        return tuple(hits)


def _without(restating: frozenset[str], links: Sequence[Link]) -> Iterable[Link]:
    """Leave out links to documents that ask the question again under a name that others bear, and their share in it."""
    if not restating:
        return links
    out = Counter((link.source, link.name) for link in links if link.target in restating)
    shares = [(link, link.ambiguity - out[link.source, link.name]) for link in links]
    return [
        link if left < 1 else link._replace(ambiguity=left)
        for link, left in shares
        if left < 1 or link.target not in restating
    ]
