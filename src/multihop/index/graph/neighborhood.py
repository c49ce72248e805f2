"""A part of the graph as a value: passages and edges."""

from __future__ import annotations

from dataclasses import dataclass

from multihop.types import Passage

MENTIONS = "MENTIONS"
"""The kind of an edge that stands for a mention link: the source names the document of the target."""


@dataclass(frozen=True, slots=True)
class Node:
    """A passage, its distance from the start in steps, and the confidence of the path to it (0 to 1)."""

    passage: Passage
    distance: int
    strength: float
    via: str = ""
    """The passage it was reached from; empty where the walk began."""

    @property
    def id(self) -> str:
        return self.passage.id


@dataclass(frozen=True, slots=True)
class Edge:
    """A relation between two passages, or a mention link, with its evidence and the method that found it."""

    source: str
    target: str
    kind: str
    confidence: float
    evidence: str = ""
    method: str = ""


@dataclass(frozen=True, slots=True)
class Neighborhood:
    """The neighborhood of some passages: nearest first, and every edge between two of them."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    left_out: int = 0
    """How many passages were reached too, but found no place."""

    def between(self, one: str, other: str) -> tuple[Edge, ...]:
        """Return the edges that join two passages, the surest first."""
        joining = (e for e in self.edges if {e.source, e.target} == {one, other})
        return tuple(sorted(joining, key=lambda e: (-e.confidence, e.kind, e.source)))
