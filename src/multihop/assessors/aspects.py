"""Coverage of aspects: how well does the best passage speak of each facet of the question?

A passage is matched to an aspect by weighted keywords: the things the aspect is about count most, then what is asked
of them, then the words that texts of that kind use. Where the index has vectors, nearness in meaning is mixed in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from multihop import text
from multihop.errors import EmbeddingError
from multihop.protocols import Context, State
from multihop.types import Aspect, Coverage, Passage, Target

CUES: Mapping[str, tuple[str, ...]] = {
    "definition": tuple("is was are were mean refer defin call know type kind form".split()),
    "comparison": tuple("than unlik wherea while differ compar contrast similar both instead but".split()),
    "process": tuple("by work process step stage mechan method first then produc through form convert use".split()),
    "causal": tuple("becaus caus due reason lead led result effect therefor sinc so thus import matter".split()),
    "evaluation": tuple("advantag disadvantag benefit drawback limit risk problem better wors strength weak good".split()),
    "application": tuple("use used applic exampl appli serv such includ purpos".split()),
}  # fmt: skip
"""Stems that passages of each type tend to use."""
_NAMES_OF_TYPES = frozenset(
    "definition explanation meaning comparison difference process mechanism cause reason effect evaluation advantage "
    "disadvantage application use example".split()
)
_SUBJECT, _SAID, _CUE = 0.5, 0.35, 0.15
"""What naming the subjects, what is asked of them, and the words of the type are worth."""
_APART = 0.6
"""What it is worth for a comparison that each side is described by a passage of its own."""


@dataclass(frozen=True, slots=True)
class AspectAssessor:
    """An aspect is covered when its best passage scores at least `core` or, for an optional one, `optional`.

    `meaning` is the share of nearness in meaning in the score; a cosine counts from `far` (nothing) to `near` (all).
    Between equals the passage that ranks higher in the budget decides.
    """

    core: float = 0.5
    optional: float = 0.4
    meaning: float = 0.3
    far: float = 0.1
    near: float = 0.6

    def assess(self, state: State, context: Context) -> Coverage:
        before = {t.name: t for t in state.coverage.targets}
        chosen = [state.pool[c.passage_id].passage for c in state.selection.choices]
        near = self._nearness(state.plan.aspects, chosen, context)
        targets = []
        for aspect, cosines in zip(state.plan.aspects, near, strict=True):
            by, score = self._best(aspect, chosen, cosines)
            covered = bool(by) and score >= (self.core if aspect.core else self.optional)
            known = before.get(aspect.text)
            hop = known.hop if known and known.covered and covered else state.hop if covered else 0
            kind = f"aspect:{aspect.type}"
            targets.append(Target(aspect.text, kind, round(score, 6), aspect.importance, by if covered else "", hop))
        return Coverage(tuple(targets))

    def _best(self, aspect: Aspect, chosen: Sequence[Passage], cosines: Mapping[str, float]) -> tuple[str, float]:
        best, by = 0.0, ""
        for passage in chosen:
            score = keyword_score(aspect, passage.title, passage.text)
            if cosines and score:
                score = (1 - self.meaning) * score + self.meaning * self._scaled(cosines.get(passage.id, 0.0))
            if score > best:
                best, by = score, passage.id
        apart = _apart(aspect, chosen)
        return by, min(1.0, max(best, apart))

    def _scaled(self, cosine: float) -> float:
        return min(1.0, max(0.0, (cosine - self.far) / (self.near - self.far)))

    def _nearness(
        self, aspects: Sequence[Aspect], chosen: Sequence[Passage], context: Context
    ) -> Sequence[Mapping[str, float]]:
        embedder = context.view.embedder
        if embedder is None or not chosen or not aspects or not self.meaning:
            return [{} for _ in aspects]
        try:
            vectors = embedder.embed([a.question or a.text for a in aspects], query=True)
        except EmbeddingError as error:
            context.note(f"the embedder failed, aspects are matched by keywords alone: {error}")
            return [{} for _ in aspects]
        ids = [p.id for p in chosen]
        return [dict(scored) for scored in context.view.nearest(vectors, len(ids), ids)]


def keyword_score(aspect: Aspect, title: str, body: str) -> float:
    """Say from 0 to 1 how well a passage speaks of an aspect, by the words they share."""
    heading, content = _stemmed(title), _stemmed(body)
    subjects, said = _wanted(aspect)
    named = [_named(subject, heading, content) for subject in subjects]
    subject = sum(named) / len(named) if named else 0.0
    if aspect.type == "comparison" and named and min(named) < 0.5:
        subject /= 2
    asked = sum(_has(stem, heading, content) for stem in said) / len(said) if said else 0.0
    cue = float(any(f" {stem}" in content for stem in CUES.get(aspect.type, ())))
    if aspect.type == "definition" and not said and named:
        cue = max(cue, float(_named(subjects[0], heading, "") == 1.0))
    if not subjects:
        return asked * (1 - _CUE) + _CUE * cue * asked
    if not said:
        return subject * ((_SUBJECT + _SAID) + _CUE * cue)
    return subject * (_SUBJECT + _SAID * asked + _CUE * cue)


def _wanted(aspect: Aspect) -> tuple[tuple[tuple[str, ...], ...], tuple[str, ...]]:
    subjects = tuple(s for s in (tuple(text.terms(s)) for s in aspect.subjects) if s)
    # "definition" among the keywords of a definition says what kind of aspect it is, not what a text on it says.
    said = [s for k in aspect.keywords if k.casefold() not in _NAMES_OF_TYPES for s in text.terms(k)]
    return subjects, tuple(dict.fromkeys(said))


def _named(subject: Sequence[str], heading: str, content: str) -> float:
    """Say how plainly a passage names a subject: as its title, in one piece, or in scattered words."""
    phrase = f" {' '.join(subject)} "
    if phrase in heading:
        return 1.0
    if phrase in content:
        return 0.9
    return 0.7 * sum(_has(stem, heading, content) for stem in subject) / len(subject) if len(subject) > 1 else 0.0


def _has(stem: str, heading: str, content: str) -> bool:
    # From five letters on a stem also counts as the beginning of a longer word: "treat" in "treatment".
    needle = f" {stem}" if len(stem) >= 5 else f" {stem} "
    return needle in content or needle in heading


def _apart(aspect: Aspect, chosen: Sequence[Passage]) -> float:
    """Score a comparison whose sides are described by different passages."""
    if aspect.type != "comparison" or not aspect.subjects:
        return 0.0
    subjects, _ = _wanted(aspect)
    sides = [max((_named(s, _stemmed(p.title), "") for p in chosen), default=0.0) for s in subjects]
    return _APART * sum(sides) / len(sides) if sides and min(sides) == 1.0 else 0.0


@lru_cache(maxsize=16_384)
def _stemmed(body: str) -> str:
    # Most passages stay in the pool from hop to hop.
    return f" {' '.join(text.stems(text.words(body)))} "
