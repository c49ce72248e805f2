"""Micro-queries: short searches for what is still missing, never the same twice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from multihop import text
from multihop.protocols import Context, State
from multihop.types import Query


@dataclass(frozen=True, slots=True)
class MicroQueries:
    """Ask the question; then, for each missing entity, one facet of it after the other.

    The first facet is the name alone, the next the name with the words around it in the question, the last its rarest
    parts one by one. A query that was tried is blocked, so being stuck means changing the facet.
    """

    depth: int = 50
    micro_depth: int = 10
    entities: int = 4

    def write(self, state: State, context: Context) -> Sequence[Query]:
        if state.hop == 0:
            return (Query(state.question, "the question as it is", max(self.depth, 2 * state.k)),)
        # Compared as folded words: the same words in another case would find the same.
        blocked = {text.surface_key(q.text) for q in state.tried}
        queries: list[Query] = []
        for target in state.coverage.missing[: self.entities]:
            for facet, purpose in _facets(target.name, state):
                if (key := text.surface_key(facet)) and key not in blocked:
                    queries.append(Query(facet, f"“{target.name}” is missing: {purpose}", self.micro_depth, part=True))
                    blocked.add(key)
                    break
        return tuple(queries)


def _facets(name: str, state: State) -> Iterator[tuple[str, str]]:
    yield name, "by its name"
    clause = next((c for c in state.plan.sub_questions if name in c), state.question)
    yield clause, "with the words around it"
    words = [w for w in text.words(name) if w not in text.STOPWORDS]
    if len(words) > 1:
        # The longest words of a name are usually the rarest.
        for word in sorted(words, key=lambda w: (-len(w), w))[:2]:
            yield word, "by a part of its name"
