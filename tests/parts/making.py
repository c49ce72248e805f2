"""Short ways to make what a part is given: passages met so far, and states of the loop."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from multihop.parts.searchers.retriever import Retrieved
from multihop.protocols import Context, Index, State, Store
from multihop.types import Candidate, Choice, Passage, Plan, Selection, Where

BARE = Context(Retrieved(lambda query, limit: ()).index())
"""A context on nothing, for parts that look at the state alone."""


def context_of(store: Store, where: Where | None = None) -> Context:
    """A context on a store, seen through a filter."""
    return Context(Index.of(store.view(where)))


def met(title: str, body: str = "", scores: Mapping[str, float] | None = None, hop: int = 1, **via: str) -> Candidate:
    """A candidate whose passage has the id `title#0`; `via` says by channel how it was met."""
    return Candidate(Passage(f"{title}#0", title, 0, title, body or f"On {title}."), dict(scores or {}), hop, via)


def pool(*candidates: Candidate) -> dict[str, Candidate]:
    return {candidate.passage.id: candidate for candidate in candidates}


def chosen(*ids: str) -> Selection:
    """A budget of these passages, each worth a little less than the one before."""
    return Selection(tuple(Choice(id, 1 - place / 10, "best") for place, id in enumerate(ids)))


def state(*candidates: Candidate, question: str = "Who?", k: int = 3, plan: Plan | None = None, **more: Any) -> State:
    return State(question, k, plan or Plan(), pool=pool(*candidates), **{"hop": 1, **more})
