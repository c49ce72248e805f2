"""The chain of a result: which passages lead from the question to the answer, and by which sentence each is reached."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

LinkKind = Literal["named", "mentions", "mentioned by", "shares", "words"]


@dataclass(frozen=True, slots=True)
class Quote:
    """Verbatim text of a passage, from `start` to `end`; without a passage it is from the question."""

    passage_id: str
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class ChainLink:
    """How a passage of the chain is reached: from another passage, or from the question itself.

    `kind` says how: the question names it ("named") or shares words with it ("words"); the source mentions it by its
    name ("mentions") or is mentioned in it ("mentioned by"); both speak of the same thing ("shares"). `quote` is the
    sentence that says so, and `name` the words in it that lead on.
    """

    source: str
    """Id of the passage that leads here; empty for the question."""
    target: str
    kind: LinkKind
    name: str
    quote: Quote


@dataclass(frozen=True, slots=True)
class Chain:
    """The evidence in three parts, each passage in one: the chain, what supports it, what fills the budget.

    There is one link for each passage of the chain, in an order in which every source comes before its targets.
    """

    links: tuple[ChainLink, ...] = ()
    supporting: tuple[str, ...] = ()
    """Passages beside the chain that speak of the same things."""
    filling: tuple[str, ...] = ()
    """Passages that are there because the budget had room."""

    @property
    def passages(self) -> tuple[str, ...]:
        """The passages of the chain, in its order."""
        return tuple(link.target for link in self.links)

    def part_of(self, passage_id: str) -> Literal["chain", "supporting", "filling"]:
        """Return which part of the evidence a passage is."""
        if passage_id in self.passages:
            return "chain"
        return "supporting" if passage_id in self.supporting else "filling"
