"""Link traversal: from passages to the documents they name, inside the filter.

Reaching evidence through mentions instead of through similarity is what makes a second hop possible when the question
does not name its middle (graph-based retrievers such as Asai et al. 2020 or Gutiérrez et al. 2024 build on it).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from multihop.protocols import Context
from multihop.searchers.bm25 import own_match
from multihop.types import Hit, Link, Query


@dataclass(frozen=True, slots=True)
class LinkSearcher:
    """Finds what the seeds of a query link to.

    A link is worth the weight of its seed, shared among the meanings of an ambiguous name, and less the more passages
    use the same name: channel "link" is the best such value of a passage, channel "rare link" the best with rarity.
    """

    passages: int = 2
    names: int = 20
    """How many names of a seed are followed, the least used ones: everyday words lead everywhere."""
    targets: int = 150

    def search(self, queries: Sequence[Query], context: Context) -> Sequence[Sequence[Hit]]:
        return [self._follow(q, context) if q.seeds else () for q in queries]

    def _follow(self, query: Query, context: Context) -> Sequence[Hit]:
        weights = dict(query.seeds)
        links = context.view.links_from([seed for seed, _ in query.seeds], self.names)
        targets = context.view.passages_of({link.target for link in links}, self.passages)
        plain: dict[str, tuple[float, str]] = {}
        rare: dict[str, tuple[float, str]] = {}
        for link in links:
            value = weights[link.source] / link.ambiguity
            for id in targets.get(link.target, ()):
                plain[id] = max(plain.get(id, (0.0, "")), (value, link.source))
                rare[id] = max(rare.get(id, (0.0, "")), (value * rarity(link), link.source))
        best = sorted(rare, key=lambda target: (-rare[target][0], target))[: self.targets]
        plain = {id: plain[id] for id in best}
        rare = {id: rare[id] for id in best}
        hits = [Hit(id, v, "link", source) for id, (v, source) in plain.items()]
        hits += [Hit(id, v, "rare link", source) for id, (v, source) in rare.items()]
        hits.sort(key=lambda h: (-h.score, h.channel, h.passage_id))
        return (*hits, *own_match(query, sorted(plain), context))


def rarity(link: Link) -> float:
    """Say how telling a name is: 1 when one passage uses it, falling with the logarithm of how many do."""
    return 1 / (1 + math.log(max(1, link.spread)))
