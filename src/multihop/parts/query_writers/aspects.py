"""A query writer that asks for what is still uncovered, one aspect at a time, in words that suit its type."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from multihop import text
from multihop.parts.query_writers.rules import FollowLinks
from multihop.protocols import Context, State
from multihop.types import Aspect, Query, Walk


@dataclass(frozen=True, slots=True)
class AspectQueries:
    """Ask for the most important uncovered aspect, core ones first, and never the same thing twice.

    Every aspect is asked for once before any is asked for in other words. While nothing is uncovered, aspects not
    asked for yet come next. With `whole` the first hop asks the question as it is, too, and with `seeds` the later ones
    follow the links of the best passages; with `at_once` the only hop asks for every aspect.
    """

    depth: int = 50
    part_depth: int = 30
    whole: bool = True
    seeds: int = 8
    at_once: bool = False

    def write(self, state: State, context: Context) -> Sequence[Query | Walk]:
        asked = {text.surface_key(q.text) for q in state.tried}
        question = Query(state.question, "the question as it is", max(self.depth, 2 * state.k))
        whole = (question,) if self.whole and not state.hop else ()
        # The question itself may be the plainest phrasing of its only aspect.
        asked |= {text.surface_key(q.text) for q in whole}
        if self.at_once:
            first = [phrasings(a)[0] for a in state.plan.aspects if not state.hop]
            return (*whole, *(self._part(q, "an aspect of the question") for q in first if _new(q, asked)))
        wanted = self._next(state, asked)
        return (*whole, *wanted, *self._links(state, context)) if wanted else whole

    def _links(self, state: State, context: Context) -> Sequence[Query | Walk]:
        # Nothing was found before the first hop, so there are no links to follow.
        if not self.seeds or not state.hop:
            return ()
        return FollowLinks(self.depth, seeds=self.seeds, missing=0).write(state, context)

    def _part(self, asking: str, purpose: str) -> Query:
        return Query(asking, purpose, self.part_depth, part=True)

    def _next(self, state: State, asked: set[str]) -> Sequence[Query]:
        covered = {t.name for t in state.coverage.targets if t.covered}
        waiting = []
        for place, aspect in enumerate(state.plan.aspects):
            phrases = phrasings(aspect)
            left = [p for p in phrases if _new(p, asked)]
            if left:
                times = len(phrases) - len(left)
                # What is uncovered comes first, then core aspects, then those asked for least often.
                order = (aspect.text in covered, not aspect.core, times, -aspect.importance, place)
                waiting.append((order, left[0], aspect))
        if not waiting:
            return ()
        _, asking, aspect = min(waiting, key=lambda w: w[0])
        state_of = "is to be confirmed" if aspect.text in covered else "is not covered yet"
        return (self._part(asking, f"“{aspect.text}” {state_of}"),)


def _new(asking: str, asked: set[str]) -> bool:
    return text.surface_key(asking) not in asked


def phrasings(aspect: Aspect) -> tuple[str, ...]:
    """Return several phrasings that ask for an aspect, the plainest first."""
    named = _join_list(aspect.subjects) or " ".join(aspect.keywords) or aspect.text
    full = " ".join((named, *aspect.keywords)) if aspect.subjects else named
    plural = len(aspect.subjects) > 1 or _plural(named)
    usual = {
        "definition": (f"What {'are' if plural else 'is'} {named}?", full, f"{full} meaning"),
        "comparison": (f"Difference between {named}", full, f"{full} compared"),
        "process": (f"How {'do' if plural else 'does'} {named} work?", full, f"{full} process"),
        "causal": (f"Why {full}?", full, f"{full} causes and effects"),
        "evaluation": (f"Advantages and disadvantages of {named}", f"{full} benefits and limitations", full),
        "application": (f"Uses and examples of {named}", f"{full} used for", full),
    }.get(aspect.type, (aspect.text, full))  # fmt: skip
    return tuple(dict.fromkeys((aspect.question, *usual[1:]) if aspect.question else usual))


def _join_list(things: Sequence[str]) -> str:
    return " and ".join(part for part in (", ".join(things[:-1]), *things[-1:]) if part)


def _plural(name: str) -> bool:
    # A guess that only chooses between "is" and "are": "physics" and "virus" are one thing.
    word = name.casefold()
    return word.endswith("s") and not word.endswith(("ss", "us", "is", "ics")) and len(word) > 3
