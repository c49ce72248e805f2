"""Coverage of aspects: how well does the best passage speak of each facet of the question?

A passage is matched to an aspect by weighted keywords: the things the aspect is about come first, then what is asked
of them, then the words that texts of that kind use. Where the index has vectors, nearness in meaning makes up for
words that are not shared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from multihop import text
from multihop.errors import EmbeddingError
from multihop.lm.aspects import NAMES_OF_TYPES
from multihop.protocols import STATED, Context, State, embed_texts
from multihop.types import Aspect, Coverage, Note, Passage, Target

CUES: Mapping[str, tuple[str, ...]] = {
    "definition": tuple("is was are were mean refer defin".split()),
    "comparison": tuple("than unlik wherea while differ compar contrast similar both instead but".split()),
    "process": tuple(
        "by work process step stage mechan method first then after when produc through convert until".split()
    ),
    "causal": tuple(
        """becaus caus due reason lead led result effect therefor sinc so thus import enabl prevent kill harm damag
        attack destroy""".split()
    ),
    "evaluation": tuple(
        "advantag disadvantag benefit drawback limit risk problem better wors strength weak danger harm safe".split()
    ),
    "application": tuple("use applic exampl appli serv such includ purpos employ".split()),
}
"""Stems that passages of each type tend to use."""
# These stand in most passages and say nothing of what is asked.
_LIGHT = frozenset("done get got happen go come many much still ever first final act take make made".split())
_SUBJECT, _SAID, _CUE = 0.3, 0.55, 0.15
"""What naming the subjects, what is asked of them, and the words of the type are worth."""
_CUES = 3
"""Words of the type in one passage that are enough for the full score."""
_INSTEAD = 0.6
"""How far the words of the type make up for those of the question."""
_PLAIN = 0.45
"""What naming the subject is worth where nothing particular is asked of it; the words of the type bring the rest."""
_OPENING = 30
"""A name within this many letters of the beginning says what the passage is about."""
_MENTIONED = 0.4
"""What it is worth for a definition that a passage mentions the thing in passing."""


_RELEVANT = 0.5
_LEAST_CREDIT = 0.4


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
    relevance: bool = False
    """Whether the relevance that a retriever states of a document counts: below one half it lowers the score."""
    apart: float = 0.6
    """What it is worth for a comparison that each side is described by a passage of its own."""

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
            # Nearness in meaning strengthens shared words; alone it proves nothing: all passages of a topic lie near.
            if cosines and score:
                near = self._scale(cosines.get(passage.id, 0.0))
                score = max(score, (1 - self.meaning) * score + self.meaning * near)
            if self.relevance:
                score *= _credit(passage)
            if score > best:
                best, by = score, passage.id
        # Two passages that describe one side each answer a comparison, if less well than one that compares.
        if aspect.type == "comparison" and best < self.apart and (described := _apart(aspect, chosen)):
            return described, self.apart
        return by, min(1.0, best)

    def _scale(self, cosine: float) -> float:
        return min(1.0, max(0.0, (cosine - self.far) / (self.near - self.far)))

    def _nearness(
        self, aspects: Sequence[Aspect], chosen: Sequence[Passage], context: Context
    ) -> Sequence[Mapping[str, float]]:
        embedder, dense = context.index.embedder, context.index.dense
        if embedder is None or dense is None or not chosen or not aspects or not self.meaning:
            return [{} for _ in aspects]
        try:
            vectors = embed_texts(embedder, [a.question or a.text for a in aspects], query=True)
        except EmbeddingError as error:
            wording = f"the embedder failed, aspects are matched by keywords alone: {error}"
            context.note(Note("embedder-failed", {"problem": str(error)}, wording))
            return [{} for _ in aspects]
        ids = [p.id for p in chosen]
        return [dict(scored) for scored in dense.nearest(vectors, len(ids), ids)]


def _credit(passage: Passage) -> float:
    """Return less credit for a document its retriever scored low; 1.0 without a score."""
    stated = passage.metadata.get(STATED)
    return min(1.0, _LEAST_CREDIT + (1 - _LEAST_CREDIT) * stated / _RELEVANT) if isinstance(stated, float) else 1.0


def keyword_score(aspect: Aspect, title: str, body: str) -> float:
    """Score from 0 to 1 how relevant a passage is to an aspect, by shared words."""
    heading, content = _stem_text(title), _stem_text(body)
    subjects, said = _words_of(aspect)
    asked = sum(_has(stem, heading, content) for stem in said) / len(said) if said else 0.0
    cue = min(1.0, sum(_has(stem, "", content) for stem in CUES.get(aspect.type, ())) / _CUES)
    if not subjects:
        return asked * (1 - _CUE + _CUE * cue)
    subject = _about(aspect.type, subjects, heading, content)
    if said:
        # Texts that speak of causes or of steps seldom use the very words of the question.
        asked = asked if aspect.type == "definition" else max(asked, _INSTEAD * cue)
        return subject * (_SUBJECT + _SAID * asked + _CUE * cue)
    if aspect.type == "definition":
        return subject * (_definition_score(subjects[0], heading, content) if len(subjects) == 1 else 1.0)
    return subject * (_PLAIN + (1 - _PLAIN) * cue)


def _about(kind: str, subjects: Sequence[Sequence[str]], heading: str, content: str) -> float:
    named = [_naming_score(subject, heading, content) for subject in subjects]
    if kind != "comparison":
        return max(named)
    # A passage that leaves a side out compares nothing.
    return sum(named) / len(named) * (1.0 if min(named) >= 0.5 else 0.5)


def _definition_score(subject: Sequence[str], heading: str, content: str) -> float:
    phrase = " ".join(subject)
    opening = content[: 2 * len(phrase) + _OPENING]
    if f" {phrase} " in heading or f" {phrase} " in opening:
        return 1.0
    said = any(f" {phrase} {verb}" in content for verb in ("is ", "are ", "was ", "refer", "mean"))
    return 1.0 if said else _MENTIONED


def _words_of(aspect: Aspect) -> tuple[tuple[tuple[str, ...], ...], tuple[str, ...]]:
    return _stem_aspect(tuple(aspect.subjects), tuple(aspect.keywords))


@lru_cache(maxsize=1024)
def _stem_aspect(
    subjects: tuple[str, ...], keywords: tuple[str, ...]
) -> tuple[tuple[tuple[str, ...], ...], tuple[str, ...]]:
    """Return the stems of each subject and of all keywords; every passage of every hop is compared with them."""
    stemmed = tuple(s for s in (tuple(text.terms(s)) for s in subjects) if s)
    # "definition" among the keywords of a definition says what kind of aspect it is, not what a text on it says.
    said = [s for k in keywords if k.casefold() not in NAMES_OF_TYPES for s in text.terms(k) if s not in _LIGHT]
    return stemmed, tuple(dict.fromkeys(said))


def _naming_score(subject: Sequence[str], heading: str, content: str) -> float:
    """Score how clearly a passage names a subject: in its title, as a phrase, or in scattered words."""
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


def _apart(aspect: Aspect, chosen: Sequence[Passage]) -> str:
    """Return the first of the passages that describe all sides of a comparison, each under its own title, if any."""
    described = [
        next((p.id for p in chosen if _naming_score(side, _stem_text(p.title), "") == 1.0), "")
        for side in _words_of(aspect)[0]
    ]
    return described[0] if described and all(described) else ""


@lru_cache(maxsize=16_384)
def _stem_text(body: str) -> str:
    # Most passages stay in the pool from hop to hop.
    return f" {' '.join(text.stems(text.words(body)))} "
