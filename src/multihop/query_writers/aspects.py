"""A query writer that asks for what is still uncovered, one aspect at a time, in words that suit its type."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from multihop import text
from multihop.protocols import Context, State
from multihop.types import Aspect, Query


@dataclass(frozen=True, slots=True)
class AspectQueries:
    """Ask for the most important uncovered aspect, core ones first, and never the same thing twice.

    Every aspect is asked for once before any is asked for in other words. While nothing is uncovered, aspects not
    asked for yet come next. With `whole` the first hop asks the question as it is, too; with `at_once` the only hop
    asks for every aspect.
    """

    depth: int = 50
    part_depth: int = 30
    whole: bool = True
    at_once: bool = False

    def write(self, state: State, context: Context) -> Sequence[Query]:
        asked = {text.surface_key(q.text) for q in state.tried}
        whole = self._question(state) if self.whole and not state.hop else ()
        asked |= {text.surface_key(q.text) for q in whole}
        if self.at_once:
            first = [phrasings(a)[0] for a in state.plan.aspects if not state.hop]
            return (*whole, *(self._part(q, "an aspect of the question") for q in first if _new(q, asked)))
        return (*whole, *self._next(state, asked))

    def _question(self, state: State) -> tuple[Query, ...]:
        return (Query(state.question, "the question as it is", max(self.depth, 2 * state.k)),)

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
    """Say in several ways how to ask for an aspect, the plainest first."""
    named = _listed(aspect.subjects or aspect.keywords or (aspect.text,))
    told = " ".join((named, *aspect.keywords)) if aspect.subjects else named
    plural = len(aspect.subjects) > 1 or _plural(named)
    usual = {
        "definition": (f"What {'are' if plural else 'is'} {named}?", f"{told} definition and meaning", f"{told} overview"),
        "comparison": (
            f"Difference between {named}", f"{told} compared", f"{told} similarities and differences",
        ),
        "process": (
            f"How {'do' if plural else 'does'} {named} work?", f"{told} process and mechanism", f"{told} step by step",
        ),
        "causal": (f"Why {told}?", f"{told} causes and reasons", f"{told} effects and consequences"),
        "evaluation": (
            f"Advantages and disadvantages of {named}", f"{told} benefits and limitations", f"{told} risks and criticism",
        ),
        "application": (f"Uses and examples of {named}", f"What {named} is used for", f"{told} applications"),
    }.get(aspect.type, (aspect.text, told))  # fmt: skip
    return tuple(dict.fromkeys((aspect.question, *usual[1:]) if aspect.question else usual))


def _listed(things: Sequence[str]) -> str:
    return things[0] if len(things) == 1 else f"{', '.join(things[:-1])} and {things[-1]}"


def _plural(name: str) -> bool:
    word = name.casefold()
    return word.endswith("s") and not word.endswith(("ss", "us", "is", "ics")) and len(word) > 3
