"""Stop rules: when another hop would not pay."""

from __future__ import annotations

from dataclasses import dataclass

from multihop.protocols import State
from multihop.types import CORE, Coverage, Decision


@dataclass(frozen=True, slots=True)
class FixedHops:
    """Stop after a fixed number of hops."""

    hops: int = 1

    def decide(self, state: State) -> Decision:
        if state.hop >= self.hops:
            return Decision(True, f"all {self.hops} hops done" if self.hops > 1 else "one hop was asked for")
        return Decision(False, f"hop {state.hop} of {self.hops}")


@dataclass(frozen=True, slots=True)
class WhenFull:
    """Stop after a fixed number of hops, or a few later when fewer passages than the budget were met by then."""

    hops: int = 1
    more: int = 1

    def decide(self, state: State) -> Decision:
        if state.hop < self.hops:
            return Decision(False, f"hop {state.hop} of {self.hops}")
        # A budget is to be filled as far as the index allows, even if that takes another hop.
        met = len(state.pool)
        if met < state.k and state.hop < self.hops + self.more:
            return Decision(False, f"only {met} passages were met, and {state.k} are wanted")
        return FixedHops(self.hops).decide(state)


@dataclass(frozen=True, slots=True)
class AspectStop:
    """Stop when the aspects of the question are covered, tier by tier.

    1. at `max_hops` stop; 2. below `min_hops` go on; 3. with aspects, stop when every core one is covered and the
    coverage weighted by importance is at least `coverage`, otherwise go on; 4. without any, stop when the best passages
    score `confidence` on average.
    """

    min_hops: int = 3
    max_hops: int = 10
    coverage: float | None = 0.7
    """None adapts it to the question: see `adaptive_threshold`."""
    confidence: float = 0.5
    best: int = 3
    """How many of the best passages the fourth tier looks at."""

    def decide(self, state: State) -> Decision:
        if state.hop >= self.max_hops:
            return Decision(True, f"reached the limit of {self.max_hops} hops")
        if state.hop < self.min_hops:
            return Decision(False, f"below the minimum of {self.min_hops} hops")
        return self._by_aspects(state) if state.coverage.targets else self._by_quality(state)

    def _by_aspects(self, state: State) -> Decision:
        # A core aspect cannot be made up for by many optional ones, so it is looked at first.
        missing = [t for t in state.coverage.missing if t.importance >= CORE]
        if missing:
            return Decision(False, f"core aspects still uncovered: {', '.join(f'“{t.name}”' for t in missing[:3])}")
        share = weighted_coverage(state.coverage)
        needed = adaptive_threshold(len(state.coverage.targets)) if self.coverage is None else self.coverage
        if share < needed:
            return Decision(False, f"weighted coverage {share:.1%} is below {needed:.0%}")
        return Decision(True, f"all core aspects covered (weighted coverage: {share:.1%})")

    def _by_quality(self, state: State) -> Decision:
        # Without aspects nothing can be covered; what was found is judged by its scores instead.
        scores = sorted((c.score for c in state.selection.choices), reverse=True)[: self.best]
        quality = sum(scores) / len(scores) if scores else 0.0
        if scores and quality >= self.confidence:
            return Decision(True, f"document quality {quality:.2f} reaches {self.confidence:.2f}")
        return Decision(False, f"document quality {quality:.2f} is below {self.confidence:.2f}")


def adaptive_threshold(aspects: int) -> float:
    """Return the coverage to reach, by the number of aspects: 80 % of one, 70 % of three, 50 % of seven or more.

    One passage can cover a single aspect well; the aspects of a broad question share the budget.
    """
    return max(0.5, round(0.85 - 0.05 * max(1, aspects), 2))


def weighted_coverage(coverage: Coverage) -> float:
    """Return the mean score of the targets, weighted by importance; 0.0 without targets."""
    total = sum(t.importance for t in coverage.targets)
    return sum(t.importance * t.score for t in coverage.targets) / total if total else 0.0


@dataclass(frozen=True, slots=True)
class WhenCovered:
    """Stop when nothing is missing any more, or at `max_hops`."""

    max_hops: int = 4

    def decide(self, state: State) -> Decision:
        missing = state.coverage.missing
        if not missing:
            return Decision(True, "nothing that the question names is missing")
        if state.hop >= self.max_hops:
            return Decision(True, f"reached the limit of {self.max_hops} hops with {len(missing)} missing")
        return Decision(False, "missing: " + ", ".join(f"“{t.name}”" for t in missing[:3]))


@dataclass(frozen=True, slots=True)
class WhenSettled:
    """Stop when a hop changed nothing in the budget, or at `max_hops`; never before `min_hops`."""

    min_hops: int = 2
    max_hops: int = 3

    def decide(self, state: State) -> Decision:
        if state.hop >= self.max_hops:
            return Decision(True, f"reached the limit of {self.max_hops} hops")
        if state.hop < self.min_hops:
            return Decision(False, "links of the first passages are still to be followed")
        # Links are followed from what is in the budget: unchanged, it would lead to the same passages again.
        if not state.entered:
            return Decision(True, "the last hop brought nothing into the budget")
        missing = len(state.coverage.missing)
        if missing:
            return Decision(False, f"{missing} still uncovered, and the last hop brought something new")
        # In a small index the budget has room for what the newest passages lead to.
        if (met := len(state.pool)) < state.k:
            return Decision(False, f"only {met} passages were met, and {state.k} are wanted")
        return Decision(True, "everything the question names is covered")


@dataclass(frozen=True, slots=True)
class WhenWalked:
    """Stop after `max_hops` steps from what the first search found, or when a step brought nothing into the budget."""

    max_hops: int = 2

    def decide(self, state: State) -> Decision:
        # The first hop searches; walking begins with the second.
        steps = state.hop - 1
        if steps >= self.max_hops:
            return Decision(True, f"walked {steps} of {self.max_hops} steps from the first passages")
        if steps and not state.entered:
            return Decision(True, "the last step brought nothing into the budget")
        return Decision(False, f"walked {steps} of {self.max_hops} steps")
