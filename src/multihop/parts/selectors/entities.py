"""Ranking by entities of the question and of what gap analysis said, with a bonus for passages that match both.

As documented, entities are counted and nothing else counts. Better, and the default: weighted by how few passages of
the pool bear them, on top of a ranking that keeps the retrieval scores.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from multihop import text
from multihop.parts.selectors.fusion import LearnedFusion
from multihop.protocols import GAPS, Context, Selector, State
from multihop.types import Choice, Passage, Selection


@dataclass(frozen=True, slots=True)
class EntityMatch:
    """Adds to each passage's score in `ranking` what it says of the entities of gap analysis and of the question.

    A passage about an entity (its title) counts fully, one that mentions it by the share `mention`.
    """

    ranking: Selector = LearnedFusion()
    gap: float = 0.6
    both: float = 0.1
    mention: float = 0.15
    looked_at: int = 60
    """How many passages beyond the budget are looked at; what lies deeper needs the very title."""

    def select(self, state: State, context: Context) -> Selection:
        asked = frozenset(text.surface_key(e.text) for e in state.plan.entities) - {""}
        gaps = _names(state.learned.get(GAPS, ())) - asked
        if not gaps:
            return self.ranking.select(state, context)
        # What is named may rank just below the cut; only so far is it worth reading passages for names.
        wider = self.ranking.select(replace(state, k=state.k + self.looked_at), context)
        ranked = [*wider.choices, *self._deeper(state, wider.choices, gaps)]
        passages = {c.passage_id: state.pool[c.passage_id].passage for c in ranked}
        by_claim, by_gap = self._matches(passages, asked), self._matches(passages, gaps)
        scored = [self._lift(c, by_claim[c.passage_id], by_gap[c.passage_id]) for c in ranked]
        return Selection.of(sorted(scored, key=lambda c: (-c.score, c.passage_id)), state.k)

    def _deeper(self, state: State, ranked: Sequence[Choice], gaps: Collection[str]) -> list[Choice]:
        seen = {c.passage_id for c in ranked}
        # They enter at the end of the ranking, so that only the names they match can lift them.
        least = min((c.score for c in ranked), default=0.0)
        titled = (id for id, met in state.pool.items() if id not in seen and _key(met.passage.title) in gaps)
        return [Choice(id, least, "bears a name that was looked for") for id in sorted(titled)]

    def _lift(self, choice: Choice, claim: float, gap: float) -> Choice:
        if not gap:
            return choice
        score = choice.score + self.gap * gap + self.both * bool(claim)
        return choice._replace(score=score).add_reason("names what was looked for")

    def _matches(self, passages: Mapping[str, Passage], names: Collection[str]) -> dict[str, float]:
        """Return for each passage how much it matches the names, the rare ones counting most; at most about 1."""
        bearing: dict[str, list[tuple[str, float]]] = {name: [] for name in sorted(names)}
        for id, passage in passages.items() if names else ():
            words, title = _words(passage.title, passage.text), _key(passage.title)
            for name, matches in bearing.items():
                if f" {name} " in words:
                    matches.append((id, 1.0 if name == title else self.mention))
        scores = dict.fromkeys(passages, 0.0)
        for matches in bearing.values():
            rare = text.rarity(len(matches))
            for id, share in matches:
                # The passage about a thing is wanted whoever else mentions it; mentions count less the more there are.
                scores[id] = max(scores[id], rare * share) if share < 1.0 else max(scores[id], share)
        return scores


@dataclass(frozen=True, slots=True)
class EntityCount:
    """The documented scoring: a point for every entity of the claim or of the gap analysis that a passage names.

    One that names some of both gets `both`. Equal scores are ordered by the scores of the searches. One passage for
    each title comes first, then the others. In a claim without capitals the titles of the pool are found as entities.
    """

    both: float = 1.0

    def select(self, state: State, context: Context) -> Selection:
        asked = _names((state.question,)) | frozenset(text.surface_key(e.text) for e in state.plan.entities) - {""}
        asked |= _titles_in(state.question, (met.passage for met in state.pool.values()))
        gaps = _names((*state.plan.facts, *state.plan.queries, *state.learned.get(GAPS, ()))) - asked
        scored = [self._count(id, met.passage, asked, gaps) for id, met in state.pool.items()]
        best = {id: max(met.scores.values(), default=0.0) for id, met in state.pool.items()}
        scored.sort(key=lambda c: (-c.score, -best[c.passage_id], c.passage_id))
        return Selection.of(_one_of_each(scored, lambda c: state.pool[c.passage_id].passage.label), state.k)

    def _count(self, id: str, passage: Passage, asked: frozenset[str], gaps: frozenset[str]) -> Choice:
        words = _words(passage.title, passage.text)
        claim, gap = (sum(f" {name} " in words for name in names) for names in (asked, gaps))
        score = claim + gap + self.both * bool(claim and gap)
        return Choice(id, float(score), f"names {claim} entities of the claim and {gap} of the gap analysis")


def _titles_in(question: str, passages: Iterable[Passage]) -> frozenset[str]:
    """Find titles in a question that is written without capitals, in which no name can be told by them."""
    if question != question.lower():
        return frozenset()
    words = f" {text.surface_key(question)} "
    titles = {_key(p.title) for p in passages} - text.STOPWORDS - {""}
    return frozenset(title for title in titles if f" {title} " in words)


def _one_of_each(ranked: Sequence[Choice], name: Callable[[Choice], str]) -> list[Choice]:
    first: dict[str, Choice] = {}
    for choice in ranked:
        first.setdefault(name(choice), choice)
    # Several passages of one title would crowd out the other links of a chain.
    kept = {c.passage_id for c in first.values()}
    return [*first.values(), *(c for c in ranked if c.passage_id not in kept)]


def _names(said: Sequence[str]) -> frozenset[str]:
    """The names in what a model said: what is written with capitals, or the whole of a very short text."""
    names: set[str] = set()
    for each in said:
        spans = [span for span, _, _ in text.capitalized_spans(each)]
        # A longer text without a name is a sentence, and no passage bears a sentence as its name.
        names |= {text.surface_key(s) for s in spans or ([each] if len(each.split()) < 4 else [])}
    return frozenset(names) - {""}


@lru_cache(maxsize=8192)
def _words(title: str, body: str) -> str:
    return f" {text.surface_key(f'{title} {body}')} "


@lru_cache(maxsize=65_536)
def _key(title: str) -> str:
    return text.surface_key(text.without_parentheses(title))
