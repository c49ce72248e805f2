"""Stop rules: when another hop would not pay."""

from __future__ import annotations

from dataclasses import dataclass

from multihop.protocols import State
from multihop.types import Decision


@dataclass(frozen=True, slots=True)
class FixedHops:
    """Stop after a fixed number of hops."""

    hops: int = 1

    def decide(self, state: State) -> Decision:
        if state.hop >= self.hops:
            return Decision(True, f"all {self.hops} hops done" if self.hops > 1 else "one hop was asked for")
        return Decision(False, f"hop {state.hop} of {self.hops}")


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
    max_hops: int = 4

    def decide(self, state: State) -> Decision:
        if state.hop >= self.max_hops:
            return Decision(True, f"reached the limit of {self.max_hops} hops")
        if state.hop < self.min_hops:
            return Decision(False, "links of the first passages are still to be followed")
        if not state.entered:
            return Decision(True, "the last hop brought nothing into the budget")
        missing = len(state.coverage.missing)
        if missing:
            return Decision(False, f"{missing} still uncovered, and the last hop brought something new")
        return Decision(True, "everything the question names is covered")
