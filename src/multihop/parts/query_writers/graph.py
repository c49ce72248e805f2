"""The queries of a walk over the graph: the enhanced question first, then the links and relations of what it found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from multihop.parts.query_writers.enhanced import AskEnhanced
from multihop.parts.query_writers.rules import FollowLinks
from multihop.protocols import Context, State
from multihop.types import Query, Walk


@dataclass(frozen=True, slots=True)
class WalkEnhanced:
    """Ask the question as the plan enhanced it, then walk on from the best passages with the same words."""

    first: AskEnhanced = AskEnhanced()
    links: FollowLinks = FollowLinks(missing=0)

    def write(self, state: State, context: Context) -> Sequence[Query | Walk]:
        if not state.hop:
            return self.first.write(state, context)
        # What is reached is matched with the same words as what was found first.
        return [replace(q, text=state.tried[0].text) for q in self.links.write(state, context)]


@dataclass(frozen=True, slots=True)
class WalkGraph:
    """Ask the question with `keywords` appended; then walk on from the best passages, as `FollowLinks` does."""

    keywords: tuple[str, ...] = ()
    links: FollowLinks = FollowLinks()

    def write(self, state: State, context: Context) -> Sequence[Query | Walk]:
        queries = self.links.write(state, context)
        if state.hop or not self.keywords:
            return queries
        enhanced = Query(" ".join((state.question, *self.keywords)), "the question with its keywords", queries[0].limit)
        return (enhanced, *queries[1:])
