"""A selector that keeps what it has: new passages are appended, and a full budget changes only for a stated reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from multihop.protocols import Assessor, Context, Selector, State
from multihop.types import Choice, Coverage, Replacement, Selection


@dataclass(frozen=True, slots=True)
class Appending:
    """Keeps the budget, appends the best of the rest by `ranking`, never one twice.

    When the budget is full, a passage that covers something uncovered takes the place of the weakest that covers
    nothing alone; so does, unless `margin` is None, one that ranks higher by more than that. What is covered stays so.
    """

    ranking: Selector
    assessor: Assessor
    margin: float | None = 0.1
    looked_at: int = 60
    """How many of the best passages outside the budget may come in because of what they cover."""

    def select(self, state: State, context: Context) -> Selection:
        whole = self.ranking.select(replace(state, k=max(1, len(state.pool))), context)
        ranked = whole.choices
        kept = {c.passage_id for c in state.selection.choices}
        budget = [c for c in ranked if c.passage_id in kept]
        rest = [c for c in ranked if c.passage_id not in kept]
        room = max(0, state.k - len(budget))
        budget, rest = [*budget, *rest[:room]], rest[room:]
        replaced = [*self._cover(state, context, budget, rest), *self._better(state, context, budget, rest)]
        budget.sort(key=lambda c: (-c.score, c.passage_id))
        return Selection(tuple(budget), tuple(replaced), tuple(rest[:10]), calibrated=whole.calibrated)

    def _cover(self, state: State, context: Context, budget: list[Choice], rest: list[Choice]) -> list[Replacement]:
        """Bring in what covers an uncovered target."""
        missing = self._assess(state, context, budget).missing if rest else ()
        if not missing:
            return []
        offered = {t.name: t.covered_by for t in self._assess(state, context, rest[: self.looked_at]).targets}
        replaced: list[Replacement] = []
        for target in missing:
            coming = next((c for c in rest if c.passage_id == offered.get(target.name)), None)
            going = self._weakest(state, context, budget) if coming else None
            if coming and going:
                reason = f"it covers “{target.name}”, the other covers nothing alone"
                replaced.append(_swap(budget, rest, going, coming, reason))
        return replaced

    def _better(self, state: State, context: Context, budget: list[Choice], rest: list[Choice]) -> list[Replacement]:
        """Bring in what ranks higher than the weakest that nothing depends on."""
        if self.margin is None or not rest:
            return []
        replaced: list[Replacement] = []
        for coming in list(rest):
            # Looked at anew each time: of two passages that cover the same, one may go.
            going = self._weakest(state, context, budget)
            if going is None or coming.score <= going.score + self.margin:
                break
            replaced.append(_swap(budget, rest, going, coming, "it ranks higher now, the other covers nothing alone"))
        return replaced

    def _weakest(self, state: State, context: Context, budget: Sequence[Choice]) -> Choice | None:
        needed = self._needed_passages(state, context, budget)
        spare = [c for c in budget if c.passage_id not in needed]
        return min(spare, key=lambda c: (c.score, c.passage_id), default=None)

    def _needed_passages(self, state: State, context: Context, budget: Sequence[Choice]) -> set[str]:
        """Return the passages without which something covered would be uncovered."""
        whole = self._assess(state, context, budget)
        covered = {t.name for t in whole.targets if t.covered}
        needed = set()
        for id in {t.covered_by for t in whole.targets if t.covered}:
            without = self._assess(state, context, [c for c in budget if c.passage_id != id])
            if not covered <= {t.name for t in without.targets if t.covered}:
                needed.add(id)
        return needed

    def _assess(self, state: State, context: Context, choices: Sequence[Choice]) -> Coverage:
        return self.assessor.assess(replace(state, selection=Selection(tuple(choices))), context)


def _swap(budget: list[Choice], rest: list[Choice], going: Choice, coming: Choice, reason: str) -> Replacement:
    budget[budget.index(going)] = coming
    rest.remove(coming)
    rest.append(going)
    return Replacement(going.passage_id, coming.passage_id, reason)
