"""The budget by a learned ranking: a weighted sum of channels, boosted trees over what the passages say, a ranker.

Each sees fewer candidates than the one before, and more of them. The sum is cheap and sees all; the trees see the best
with their sentences, their links and what the others explain already; the ranker reads those that the trees do not rule
out, each beside the question and the sentence that leads to it. `training/` says how all three were fitted. Another
reranker than ours may read instead: where its scores are no probabilities, they are set beside the odds of the trees.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean, pstdev
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from multihop.errors import ReadingError
from multihop.models import boosted_trees
from multihop.models.adaptation import stored_adaptation
from multihop.parts.rerankers import BuiltInReranker, scores_of
from multihop.parts.selectors.features import FEATURES, Linked, Ranked, describe
from multihop.parts.selectors.fusion import LearnedFusion, features, rank_weighted, reasons
from multihop.parts.selectors.lookup import names_first
from multihop.parts.selectors.pairs import pair
from multihop.parts.selectors.reading import QuestionWords, ReadPassage, weigh_words
from multihop.protocols import Context, Reranker, Selector, State
from multihop.text.emptiness import TITLES_DIFFER
from multihop.types import Choice, Note, Passage, Selection
from multihop.types.channels import BM25, FOLLOW_UP
from multihop.types.steps import BENCH

if TYPE_CHECKING:
    from numpy.typing import NDArray

_FOLLOW_UP_REASON = 0.12
_RULED_OUT = -5.0
"""Prior under which a candidate is not worth reading, unless it is among the first."""
_ALWAYS_READ = 4
"""The first matches of BM25 that are always read."""
READ = 32
"""How many candidates a selector reads that did not read before."""
_SOON = 5
"""The rank among BM25 matches at which a match counts half as much as the first."""
_STEEPNESS = 0.66
"""Makes a probability of the sum of trees, matches and ranker, with the shift that goes with the kind of text."""
_EVEN = 1e-6
"""A column that differs less among the candidates of a question tells none of them apart."""
_SURE = 1e-12
"""No probability is nearer to 0 or 1 than this, or its odds would be infinite."""


class Trust(NamedTuple):
    """What counts how much before and beside the ranker, for a kind of text."""

    trees: float
    """The log-odds of the trees."""
    match: float
    """The first match of BM25, beside the ranker."""
    promise: float
    """The first match of BM25, before the ranker reads."""
    doubt: float
    """What the log-odds of the trees are lowered by before the ranker reads: on text that they were not fitted on, they
    rule out too little."""
    fewest: int
    """How many of the likeliest are read even where trees and BM25 rule them out."""
    room: int
    """How many characters of a passage are read: rules and talk say less at once than an encyclopedia."""
    shift: float
    """Makes a probability of the sum: fitted on train questions of four Wikipedia sets, and for text whose titles say
    little by dev questions of twelve other sets. It orders nothing."""

    @classmethod
    def of(cls, titles: Sequence[str]) -> Trust:
        """Decide by how far titles identify passages, which is what the trees have learned to rely on.

        In an encyclopedia every passage has a title of its own. In novels, chats and rules hundreds share one, links
        through titles lead nowhere, and a match with the question's words is worth more than all the trees know.
        """
        share = len(set(titles)) / len(titles) if titles else 0.0
        identifying = min(1.0, max(0.0, (share - _SHARED) / (_DISTINCT - _SHARED)))
        return cls(
            trees=0.5 + 0.5 * identifying,
            match=1.5 * (1 - identifying),
            promise=10.0 * (1 - identifying),
            doubt=3.5 * (1 - identifying),
            fewest=round(16 - 8 * identifying),
            room=round(520 - 200 * identifying),
            shift=-0.9 + 1.9 * identifying,
        )


_SHARED, _DISTINCT = 0.4, TITLES_DIFFER
"""Shares of distinct titles among the candidates at which titles identify nothing, and everything."""


class Described(NamedTuple):
    """The best candidates of a fusion, what speaks for each, how each is linked, and what was read of it."""

    question: QuestionWords
    candidates: Sequence[Ranked]
    rows: NDArray[np.float32]
    links: Sequence[Linked]
    readings: Sequence[ReadPassage]
    odds: Sequence[float]
    """Log-odds by the trees that each is evidence."""


class Prior(NamedTuple):
    """What is known of the candidates before the ranker reads any, by their place among the described ones."""

    trust: Trust
    near: NDArray[np.float64]
    """1 for the first match of BM25, half for the sixth, 0 for what BM25 did not find."""
    scores: NDArray[np.float64]
    order: Sequence[int]
    """The places, the likeliest first."""
    matches: Sequence[int]
    """The places that BM25 found, the best first."""


_ABSOLUTE = ("trees", "ranker", "match rank", *FEATURES)
COLUMNS = (*_ABSOLUTE, *(f"relative {name}" for name in _ABSOLUTE))
"""What an adaptation weighs of a candidate that was read: as it is, and relative to what else was read."""
READINGS = "read"
"""Under which the memory of a question keeps what was read."""


Table = Mapping[str, Mapping[str, float]]
"""The features of each candidate, by its id."""


class Readings(NamedTuple):
    """The candidates that were read, with the columns of each and its log-odds before any adaptation."""

    passages: Sequence[Passage]
    rows: NDArray[np.float64]
    odds: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class RankedFusion:
    """Reads the best candidates of a fusion and keeps the k that are likeliest to be evidence.

    The score of a choice is that probability. Candidates beyond `depth` stand behind, in the order of the fusion.
    """

    fusion: LearnedFusion = field(default_factory=LearnedFusion)
    depth: int = 150
    read: int = 0
    """How many of the likeliest the reranker may read, once, when all hops are over: reading costs most."""
    reranker: Reranker = BuiltInReranker()

    def select(self, state: State, context: Context) -> Selection:
        return self._select(state, context, 0)

    def finish(self, state: State, context: Context) -> Selection:
        return self._select(state, context, self.read) if self.read else state.selection

    def with_reranker(self, reranker: Reranker | None) -> RankedFusion:
        return replace(self, read=0) if reranker is None else replace(self, read=self.read or READ, reranker=reranker)

    def without_models(self) -> Selector:
        return self.fusion

    def _select(self, state: State, context: Context, read: int) -> Selection:
        table, fused = self._fuse(state, context)
        described = self._describe(state, fused[: self.depth], context)
        prior = _prior(described)
        chances = _read(described, prior, read, self.reranker, context) if read else {}
        likeliest = _likeliest(described, prior, chances)
        question, candidates, _, _, readings, _ = described
        names = [entity.text for entity in state.plan.entities]
        ranked = [
            *names_first(question, names, candidates, readings, likeliest),
            # The trees have not seen these: they are less likely than whatever the trees put last.
            *((id, 0.0) for _, id in fused[self.depth :]),
        ]
        # A link says more to a reader than a follow-up query: the latter is named where there is little else.
        telling = {**self.fusion.weights, FOLLOW_UP: _FOLLOW_UP_REASON}
        best = ranked[: state.k + BENCH]
        return Selection.of(
            [Choice.of(id, chance, reasons(state, id, table[id], telling)) for id, chance in best],
            state.k,
            # The trees give a probability by themselves.
            calibrated=not chances or self.reranker.calibrated,
            reranker=self.reranker.identity if chances else "",
        )

    def _fuse(self, state: State, context: Context) -> tuple[Table, Sequence[tuple[float, str]]]:
        """Weigh all candidates: once for `select` and `finish` of the last hop, which have the same pool."""
        pool, fusion, *held = context.memory.get("fused", (None, None))
        if pool is not state.pool or fusion is not self.fusion:
            table = features(state, self.fusion.weights)
            held = [table, rank_weighted(table, self.fusion.weights)]
            context.memory["fused"] = (state.pool, self.fusion, *held)
        return held[0], held[1]

    def describe_best(self, state: State, context: Context) -> Described:
        """Describe the best candidates of the pool, as `select` does; the trees are trained on this."""
        _, fused = self._fuse(state, context)
        return self._describe(state, fused[: self.depth], context)

    def _describe(self, state: State, fused: Sequence[tuple[float, str]], context: Context) -> Described:
        before: Described | None = context.memory.get("described")
        candidates = [Ranked(state.pool[id], -worse) for worse, id in fused]
        if before is not None and before.question.text == state.question:
            if before.candidates == candidates:
                return before
            question = before.question
        else:
            question = weigh_words(state.question, context.index)
        named = [entity.text for entity in state.plan.entities if entity.kind != "number"]
        rows, links, readings = describe(question, candidates, named, len(state.plan.entities))
        odds = boosted_trees().score(rows).tolist() if candidates else []
        described = Described(question, candidates, rows, links, readings, odds)
        context.memory["described"] = described
        return described


def _prior(described: Described) -> Prior:
    """Estimate from trees and BM25 how likely each candidate is evidence; ties by id."""
    ids = [ranked.candidate.passage.id for ranked in described.candidates]
    trust = Trust.of([ranked.candidate.passage.title for ranked in described.candidates])
    matches, near = _best_matches(described), np.zeros(len(ids))
    near[matches] = 1 / (1 + np.arange(len(matches)) / _SOON)
    scores = trust.trees * np.array(described.odds) + trust.promise * near - trust.doubt
    order = sorted(range(len(ids)), key=lambda place: (-scores[place], ids[place]))
    return Prior(trust, near, scores, order, matches)


def _likeliest(described: Described, prior: Prior, read: Mapping[int, float]) -> list[tuple[str, float]]:
    """Order candidates by how likely they are evidence, with that probability; ties by id."""
    if read:
        # Whoever was not read stays behind those who were: the prior alone had put them there.
        least = min(read.values())
        chances = {place: read.get(place, least * _chance(score)) for place, score in enumerate(prior.scores.tolist())}
    else:
        chances = {place: _chance(odds) for place, odds in enumerate(described.odds)}
    likeliest = [(described.candidates[place].candidate.passage.id, chance) for place, chance in chances.items()]
    return sorted(likeliest, key=lambda each: (-each[1], each[0]))


def _read(described: Described, prior: Prior, most: int, reranker: Reranker, context: Context) -> dict[int, float]:
    """Let the reranker read what the prior does not rule out, and give the probability of each by both."""
    odds, trust = described.odds, prior.trust
    promising = int((prior.scores > _RULED_OUT).sum())
    likely = prior.order[: min(most, max(trust.fewest, promising))]
    places = list(dict.fromkeys((*likely, *prior.matches[:_ALWAYS_READ])))
    question, readings, links = described.question, described.readings, described.links
    pairs = [pair(question, readings, place, links[place], trust.room) for place in places]
    try:
        scores = scores_of(reranker, question.text, pairs)
    except ReadingError as error:
        data = {"reranker": reranker.identity, "problem": str(error)}
        context.note(Note("reranker-failed", data, f"the ranker was not used: {error}"))
        return {}
    own = [odds[place] for place in places]
    read = list(map(_log_odds, scores)) if reranker.calibrated else _on_the_scale_of(own, scores)
    matched = prior.near[places]
    total = _STEEPNESS * (trust.trees * np.array(own) + np.array(read) + trust.match * matched) + trust.shift
    rows = _with_relative(np.column_stack([own, read, matched, described.rows[places]]).astype(float))
    passages = [described.candidates[place].candidate.passage for place in places]
    context.memory[READINGS] = Readings(passages, rows, total)
    adapted = total + _correction(rows, reranker, context)
    return dict(zip(places, map(_chance, adapted.tolist()), strict=True))


def _with_relative(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Set beside each column how many standard deviations of it a candidate is above the mean of the question."""
    if not len(rows):
        return np.zeros((0, len(COLUMNS)))
    spread = rows.std(axis=0)
    return np.hstack([rows, (rows - rows.mean(axis=0)) / np.where(spread > _EVEN, spread, 1.0)])


def _correction(rows: NDArray[np.float64], reranker: Reranker, context: Context) -> NDArray[np.float64] | float:
    """Return what the adaptation of the index adds to the log-odds; nothing where it has none."""
    adaptation = stored_adaptation(context.index.cache) if context.index.cache else None
    if adaptation is None:
        return 0.0
    if not adaptation.fits(reranker.identity, COLUMNS):
        same = adaptation.ranker == reranker.identity
        why = "the built-in models have changed since" if same else f"{reranker.identity} was not what ranked when"
        text = f"{why} this index was adapted; the adaptation is not used, run multihop adapt again"
        context.note(Note("adaptation-not-used", {"reranker": reranker.identity}, text))
        return 0.0
    text = f"ranked as learned from {adaptation.questions} questions about this index"
    context.note(Note("adapted", {"questions": adaptation.questions}, text))
    return adaptation.correction(rows)


def _best_matches(described: Described) -> list[int]:
    """Order the places of candidates that BM25 found for the question by its score; ties by id."""
    matched = [
        (-ranked.candidate.scores[BM25], ranked.candidate.passage.id, place)
        for place, ranked in enumerate(described.candidates)
        if BM25 in ranked.candidate.scores
    ]
    return [place for *_, place in sorted(matched)]


def _log_odds(chance: float) -> float:
    within = min(max(chance, _SURE), 1 - _SURE)
    return math.log(within / (1 - within))


def _on_the_scale_of(odds: Sequence[float], scores: Sequence[float]) -> list[float]:
    """Stretch scores of any scale to the mean and the spread of the odds, so that both have the same say."""
    if not scores:
        return []
    (middle, spread), (mean, deviation) = ((fmean(values), pstdev(values)) for values in (odds, scores))
    return [middle + spread * (score - mean) / deviation if deviation else middle for score in scores]


def _chance(odds: float) -> float:
    return 1 / (1 + math.exp(-max(-50.0, odds)))
