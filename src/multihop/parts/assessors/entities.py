"""Coverage of entities: does some selected passage speak of each thing the question names?"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from multihop import text
from multihop.protocols import Context, State
from multihop.types import Coverage, Entity, Passage, Target

_IMPORTANCE = {"title": 1.0, "quote": 1.0, "span": 1.0, "number": 0.5, "bridge": 0.5}


@dataclass(frozen=True, slots=True)
class EntityAssessor:
    """An entity is covered by a passage of the document it names, or by one whose words hold its name.

    With `own`, an entity that names documents is covered by their passages only: a mention is not yet evidence.
    """

    own: bool = False

    def assess(self, state: State, context: Context) -> Coverage:
        before = {t.name: t for t in state.coverage.targets}
        chosen = [state.pool[c.passage_id].passage for c in state.selection.choices]
        # Reversed, so that of several passages of one document the best ranked one is named.
        documents = {p.document_id: p.id for p in reversed(chosen)}
        targets = []
        for entity in state.plan.entities:
            by = _covered_by(entity, documents, chosen, self.own)
            known = before.get(entity.text)
            hop = known.hop if known and known.covered and by else state.hop if by else 0
            targets.append(Target(entity.text, entity.kind, float(bool(by)), _IMPORTANCE[entity.kind], by, hop))
        return Coverage(tuple(targets))


@lru_cache(maxsize=4096)
def _haystack(title: str, body: str) -> str:
    # Most passages stay in the budget from hop to hop.
    return text.naming(f"{title} {body}")


@lru_cache(maxsize=1024)
def _needle(name: str) -> tuple[str, tuple[str, ...]]:
    needle = text.naming(name)
    return needle, text.unmistakable(needle)


@lru_cache(maxsize=4096)
def _letters(title: str, body: str) -> str:
    return text.letters(f"{title} {body}")


def _covered_by(entity: Entity, documents: dict[str, str], chosen: list[Passage], own: bool) -> str:
    for document in entity.documents:
        if document in documents:
            return documents[document]
    if own and entity.documents:
        return ""
    needle, parts = _needle(entity.text)
    if not parts:
        return ""
    return next((p.id for p in chosen if _speaks_of(needle, parts, p)), "")


def _speaks_of(needle: str, parts: tuple[str, ...], passage: Passage) -> bool:
    # The letters are compared first: that is cheap, and rules out nearly every passage.
    source = passage.title, passage.text
    return all(map(_letters(*source).__contains__, parts)) and needle in _haystack(*source)
