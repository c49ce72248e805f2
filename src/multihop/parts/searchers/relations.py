"""Walking relations: from passages to those they support, explain, contradict, follow or cause, and back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from multihop.protocols import Context, Relations
from multihop.types import Channel, Hit, Note, Walk

NOT_BUILT = Note(
    "relations-missing",
    {},
    "no relation leads on from the first passages, only mention links were followed; "
    "relations are built with: multihop relate --index INDEX",
)


@dataclass(frozen=True, slots=True)
class RelationWalker:
    """Finds what the seeds of a walk stand in a relation to, whichever of the two is the source.

    There is a channel for each kind of relation; a passage is worth the weight of its seed times the confidence there.
    """

    targets: int = 60

    def walk(self, walks: Sequence[Walk], context: Context) -> Sequence[Sequence[Hit]]:
        relations = context.index.relations
        if relations is None:
            return [() for _ in walks]
        return [self._follow(w, relations, context) for w in walks]

    def _follow(self, walk: Walk, index: Relations, context: Context) -> Sequence[Hit]:
        weights = dict(walk.seeds)
        best: dict[tuple[str, str], tuple[float, str]] = {}
        relations = {*index.relations_from(list(weights)), *index.relations_to(list(weights))}
        if not relations:
            context.note(NOT_BUILT)
        for relation in relations:
            # Whichever end was found first, the other may be what is missing.
            for here, there in (relation.ends, relation.ends[::-1]):
                if here in weights:
                    key, weighted = (there, relation.kind), (weights[here] * relation.confidence, here)
                    best[key] = max(best.get(key, (0.0, "")), weighted)
        ranked = sorted(best.items(), key=lambda item: (-item[1][0], item[0]))
        # Cut by passage, not by hit: the channels of one passage stay together.
        kept = set(list(dict.fromkeys(id for (id, _), _ in ranked))[: self.targets])
        return tuple(Hit(id, value, Channel.of(kind), via) for (id, kind), (value, via) in ranked if id in kept)
