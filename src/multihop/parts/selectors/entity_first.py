"""Entity-first replacement under a fixed budget: passages earn their place by the entities only they bring.

After the idea of SEAL-RAG (arXiv 2512.10787): instead of letting the context grow, a passage that covers a missing
entity takes the place of one that is not needed. Here k is enforced, every exchange is recorded with its reason, and
nothing is given up that no other passage covers.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, TypeVar

from multihop import text
from multihop.errors import InvalidInput
from multihop.parts.selectors.top import TopScore
from multihop.protocols import Context, Selector, State
from multihop.types import Choice, Entity, Passage, Replacement, Selection

Chunk = TypeVar("Chunk")
Covers = Callable[[Any], frozenset[str]]
"""Which of the entities in question does a chunk cover?"""


@dataclass(frozen=True, slots=True)
class Exchange:
    """A chunk that left for another one, and the entities that came with it."""

    out: Any
    into: Any
    gained: tuple[str, ...]


# --- the exchange itself: pure, over anything that covers entities --------------------------------


def fill(
    current: Sequence[Chunk], new: Sequence[Chunk], covers: Covers, missing: Iterable[str], budget: int
) -> list[Chunk]:
    """Fill the budget before anything is replaced: what covers most of the missing first, otherwise as offered."""
    chosen = list(current[:budget])
    wanted = frozenset(missing)
    offered = sorted(range(len(new)), key=lambda i: (-len(covers(new[i]) & wanted), i))
    return chosen + [new[i] for i in offered[: budget - len(chosen)]]


def exchange(
    current: Sequence[Chunk],
    new: Sequence[Chunk],
    covers: Covers,
    missing: Sequence[str],
    threshold: float,
    *,
    worth: Callable[[int], float],
    protected: Collection[int] = (),
) -> tuple[list[Chunk], list[Exchange]]:
    """Replace chunks that nothing depends on by new ones, as long as that covers more of the missing entities.

    A newcomer must raise the share of missing entities by more than `threshold`; the one to leave is the least worth
    among those that cover nothing alone. Newcomers take over the place, so the order of the others stays.
    """
    chosen, left, done = list(current), list(new), []
    worths = {id(c): worth(i) for i, c in enumerate(chosen)}
    kept = {id(chosen[i]) for i in protected}
    while missing and left:
        open_entities = frozenset(missing) - _covered_entities(chosen, covers)
        gains = [covers(c) & open_entities for c in left]
        best = max(range(len(left)), key=lambda i: (len(gains[i]), -i))
        if len(gains[best]) / len(missing) <= threshold:
            break
        free = [i for i, c in enumerate(chosen) if id(c) not in kept and not _alone(c, chosen, covers)]
        if not free:
            break
        place = min(free, key=lambda i: (worths.get(id(chosen[i]), 0.0), -i))
        newcomer = left.pop(best)
        done.append(Exchange(chosen[place], newcomer, tuple(e for e in missing if e in gains[best])))
        chosen[place] = newcomer
        kept.add(id(newcomer))
    return chosen, done


def _covered_entities(chunks: Iterable[Chunk], covers: Covers) -> frozenset[str]:
    return frozenset[str]().union(*(covers(c) for c in chunks))


def _alone(chunk: Chunk, chunks: Sequence[Chunk], covers: Covers) -> bool:
    """Does the chunk cover an entity that no other one covers?"""
    own = covers(chunk)
    return bool(own) and not own <= _covered_entities((c for c in chunks if c is not chunk), covers)


# --- as a selector of the loop --------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class EntityFirst:
    """Any selector, with entity-first replacement on top of its ranking.

    The first hop takes the inner selector's best k. From then on the budget changes only by exchanges that cover a
    missing entity of the plan; what came in with the last hop is not sent away at once.
    """

    inner: Selector = TopScore()
    threshold: float = 0.0

    def select(self, state: State, context: Context) -> Selection:
        whole = self.inner.select(replace(state, k=len(state.pool)), context)
        ranked = whole.choices
        scores = {c.passage_id: c for c in ranked}
        held = [c.passage_id for c in state.selection.choices] or [c.passage_id for c in ranked[: state.k]]
        # In the second hop everything in the budget came with the first, and nothing could leave.
        fresh = frozenset(state.entered) if state.hop > 2 else frozenset[str]()
        exchanges: list[Exchange] = []
        # What the question names goes before the bridges that are only likely, also where both want one place.
        for bridges in (False, True):
            entities = [e for e in state.plan.entities if bridges or e.kind != "bridge"]
            covers = _coverage_of(state, entities)
            missing = [e.text for e in entities if e.text not in _covered_entities(held, covers)]
            outside = [c.passage_id for c in ranked if c.passage_id not in set(held)]
            full = fill(held, outside, covers, missing, state.k)
            held, done = exchange(
                full,
                [id for id in outside if id not in set(full)],
                covers,
                missing,
                self.threshold,
                worth=lambda i, full=full: scores[full[i]].score,  # type: ignore[misc]  # bound to this round
                protected={i for i, id in enumerate(full) if id in fresh},
            )
            exchanges += done
        before = {c.passage_id: c for c in state.selection.choices}
        why = {e.into: _why(e.gained) for e in exchanges}
        chosen = {**scores, **before, **{id: Choice(id, scores[id].score, why[id]) for id in why}}
        return Selection(
            tuple(chosen[id] for id in held),
            tuple(Replacement(e.out, e.into, why[e.into]) for e in exchanges if e.into in set(held)),
            calibrated=whole.calibrated,
        )


def _coverage_of(state: State, entities: Sequence[Entity]) -> Callable[[str], frozenset[str]]:
    """Return a cached function from a passage to the entities that it covers."""
    known: dict[str, frozenset[str]] = {}

    def covers(id: str) -> frozenset[str]:
        if id not in known:
            passage = state.pool[id].passage
            known[id] = frozenset(e.text for e in entities if covers_entity(passage, e))
        return known[id]

    return covers


def covers_entity(passage: Passage, entity: Entity) -> bool:
    """A document's own passages cover its name; what no document bears is covered by whoever mentions it."""
    if entity.documents:
        return passage.document_id in entity.documents
    return bool(text.find_mentioned([entity.text], naming(passage)))


def _why(gained: Sequence[str]) -> str:
    return "covers " + ", ".join(f"“{e}”" for e in gained) + ", which nothing else in the budget did"


# --- as users know it -----------------------------------------------------------------------------


class EntityFirstRanker:
    """Ranks and replaces chunks by the entities they cover.

    A chunk is a dictionary with its text under "content" (or "text", with an optional "title"), a passage, or a text.
    An `id` tells chunks apart; without one their content does.
    """

    def __init__(self, replacement_threshold: float = 0.1) -> None:
        if not 0.0 <= replacement_threshold <= 1.0:
            raise InvalidInput(f"replacement_threshold is a share between 0 and 1, got {replacement_threshold}")
        self.replacement_threshold = replacement_threshold

    def compute_entity_coverage(self, chunk: Any, target_entities: Sequence[str]) -> tuple[float, list[str]]:
        """Return the share of the entities that a chunk mentions, and which."""
        covered = text.find_mentioned(target_entities, naming(chunk))
        return (len(covered) / len(target_entities) if target_entities else 0.0), covered

    def rank_by_entity_coverage(self, chunks: Sequence[Chunk], entities: Sequence[str], top_k: int) -> list[Chunk]:
        """Return the `top_k` chunks that mention most entities; equals stay in the order given."""
        scored = [(-len(text.find_mentioned(entities, naming(c))), i) for i, c in enumerate(chunks)]
        return [chunks[i] for _, i in sorted(scored)[: max(0, top_k)]]

    def find_replacement_candidates(
        self, current_chunks: Sequence[Any], new_chunks: Sequence[Any], missing_entities: Sequence[str]
    ) -> list[tuple[int, Any, float]]:
        """Suggest (place, new chunk, improvement): who could take whose place, best improvement first.

        The improvement is the gain in the share of missing entities covered; only gains above the threshold are
        suggested, each chunk and each place once.
        """
        covers = _mentions_of(missing_entities)
        chosen, exchanges = exchange(
            list(current_chunks),
            _unseen(current_chunks, new_chunks),
            covers,
            list(missing_entities),
            self.replacement_threshold,
            worth=lambda i: len(covers(current_chunks[i])),
        )
        places = {id(c): i for i, c in enumerate(chosen)}
        return [(places[id(e.into)], e.into, len(e.gained) / len(missing_entities)) for e in exchanges]

    def replace_chunks(
        self,
        current_chunks: Sequence[Any],
        new_chunks: Sequence[Any],
        missing_entities: Sequence[str],
        budget: int,
        entities: Sequence[str] = (),
    ) -> tuple[list[Any], list[str]]:
        """Fill the budget, then replace; returns the chunks and the entities that are still missing.

        Name in `entities` what the current chunks are kept for: none of it is given up for a missing one.
        """
        if budget < 1:
            raise InvalidInput(f"the budget is the number of chunks wanted, from 1 on; got {budget}")
        covers = _mentions_of([*missing_entities, *entities])
        new = _unseen(current_chunks, new_chunks)
        full = fill(current_chunks, new, covers, missing_entities, budget)
        rest = [c for c in new if all(c is not f for f in full)]
        worth = len(full)
        chosen, _ = exchange(
            full, rest, covers, list(missing_entities), self.replacement_threshold, worth=lambda i: float(worth - i)
        )
        covered = _covered_entities(chosen, covers)
        return chosen, [e for e in missing_entities if e not in covered]


def naming(chunk: Any) -> str:
    """The words of a chunk in the form in which names are looked up."""
    if isinstance(chunk, Passage):
        return _naming(f"{chunk.title} {chunk.text}")
    if isinstance(chunk, Mapping):
        body = chunk.get("content", chunk.get("text"))
        if not isinstance(body, str):
            raise InvalidInput(f"a chunk needs its text under 'content', got the fields {sorted(map(str, chunk))}")
        return _naming(f"{chunk['title']} {body}" if chunk.get("title") else body)
    if isinstance(chunk, str):
        return _naming(chunk)
    raise InvalidInput(f"a chunk is a dictionary, a passage or a text, not {type(chunk).__name__}")


@lru_cache(maxsize=8192)
def _naming(body: str) -> str:
    return text.naming(body)


def _mentions_of(entities: Sequence[str]) -> Covers:
    return lambda chunk: frozenset(text.find_mentioned(entities, naming(chunk)))


def _unseen(current: Sequence[Any], new: Sequence[Any]) -> list[Any]:
    """The new chunks that are not among the current ones, each once."""
    seen = {_key(c) for c in current}
    fresh: dict[Any, Any] = {}
    for chunk in new:
        fresh.setdefault(_key(chunk), chunk)
    return [chunk for key, chunk in fresh.items() if key not in seen]


def _key(chunk: Any) -> Any:
    if isinstance(chunk, Mapping) and chunk.get("id") is not None:
        return ("id", repr(chunk["id"]))
    return ("id", chunk.id) if isinstance(chunk, Passage) else ("text", naming(chunk))
