"""Evaluate-all: every passage of the index is scored with four signals, and the best above a threshold are the hits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from multihop.profiles.signals import Embedded, Scores, embed, evaluate, parse_question
from multihop.profiles.values import Profile, Scoring
from multihop.protocols import Context, Extra, Requirements, Walker
from multihop.types import Hit, Note, Query, Walk
from multihop.types.channels import COMBINED, Channel


@dataclass(frozen=True, slots=True)
class SignalSearcher:
    """Scores all passages: channels "transformer", "word2vec", "patterns", "fuzzy", and "combined" for their mean.

    A profile says what to look for and how much each signal counts; without one the question itself does.
    """

    profile: str = ""
    """The name and digest of the profile: what tells two of these apart."""
    threshold: float | None = None
    """Instead of the threshold of the profile."""
    values: Profile | None = field(default=None, compare=False, repr=False)
    embedded: Embedded | None = field(default=None, compare=False, repr=False)
    """The question as vectors, where they are known already."""

    @property
    def requirements(self) -> Requirements:
        return Requirements(extras=(Extra("hybrid", "rapidfuzz"),))

    def search(self, queries: Sequence[Query], context: Context) -> Sequence[Sequence[Hit]]:
        return [self._best(q, context) for q in queries]

    def evaluate(self, text: str, context: Context) -> Scores:
        """Score every passage of the index."""
        embedded = self.embedded or embed(text, context)
        return evaluate(parse_question(text, self.values), embedded, self.values, context)

    def _best(self, query: Query, context: Context) -> Sequence[Hit]:
        scores = self.evaluate(query.text, context)
        scoring = self.values.scoring if self.values else Scoring()
        threshold = scoring.threshold if self.threshold is None else self.threshold
        rows = scores.best(query.limit, threshold)
        below = int((scores.combined < threshold).sum())
        if below and len(rows) < query.limit:
            text = f"{below:,} of {len(scores.ids):,} passages score below the threshold of {threshold:g}"
            context.note(Note("below-threshold", {"passages": int(below), "threshold": threshold}, text))
        return _hits(scores, rows)


@dataclass(frozen=True, slots=True)
class SignalWalker:
    """Several walkers, and the signals of each passage that they reach: how well it matches the text of the walk."""

    signals: SignalSearcher
    walkers: tuple[Walker, ...]

    def walk(self, walks: Sequence[Walk], context: Context) -> Sequence[Sequence[Hit]]:
        return [self._walk(w, context) for w in walks]

    def _walk(self, walk: Walk, context: Context) -> Sequence[Hit]:
        met = [hit for walker in self.walkers for hit in walker.walk([walk], context)[0]]
        scores = self.signals.evaluate(walk.text, context)
        # All passages are scored at once, which is cached; only those reached are hits.
        reached = {hit.passage_id for hit in met}
        rows = scores.ids.rows(reached).values()
        return (*met, *_hits(scores, scores.rank(rows)))


def _hits(scores: Scores, rows: Sequence[int]) -> tuple[Hit, ...]:
    ids = scores.ids.ids_of(rows)
    hits = [Hit(ids[row], float(scores.combined[row]), COMBINED) for row in rows]
    for name, values in scores.signals.items():
        channel = Channel.of(name)
        # Every channel is a ranking of its own, as selectors and traces expect.
        best = [Hit(ids[row], float(values[row]), channel) for row in rows]
        hits += sorted(best, key=lambda h: (-h.score, h.passage_id))
    return tuple(hits)
