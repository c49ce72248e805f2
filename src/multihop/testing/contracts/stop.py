"""What every stop rule must do."""

from __future__ import annotations

from dataclasses import replace

import pytest

from multihop.protocols import State, StopRule
from multihop.testing.contracts.cities import QUESTION, assert_value
from multihop.types import Choice, Coverage, Plan, Selection, Target

_CHOSEN = Selection(tuple(Choice(f"Citya#{place}", 1 - place / 10, "best") for place in range(5)))
_MISSING = Coverage((Target("Citya", "title", 1.0, 1.0, "Citya#0", 1), Target("Nowhereville", "span", 0.0)))
_COVERED = Coverage(_MISSING.targets[:1])
_NEW = ("Citya#0", "Citya#1")
STATES = {
    "always something new, something missing": State(QUESTION, 5, Plan(), 0, (), {}, _CHOSEN, _NEW, _MISSING),
    "never anything new, something missing": State(QUESTION, 5, Plan(), 0, (), {}, _CHOSEN, (), _MISSING),
    "always something new, all covered": State(QUESTION, 5, Plan(), 0, (), {}, _CHOSEN, _NEW, _COVERED),
    "nothing was planned": State(QUESTION, 5, Plan(), 0, (), {}, _CHOSEN, _NEW, Coverage()),
    "nothing was found": State(QUESTION, 5, Plan()),
}


class StopRuleContract:
    """What every stop rule must do; supply a fixture `stop`."""

    longest = 100
    """After this many hops it must have stopped, whatever happened: no question may run forever."""

    @pytest.mark.parametrize("state", STATES.values(), ids=STATES)
    def test_it_stops_in_the_end(self, stop: StopRule, state: State) -> None:
        assert any(stop.decide(replace(state, hop=hop)).stop for hop in range(1, self.longest + 1))

    @pytest.mark.parametrize("state", STATES.values(), ids=STATES)
    def test_it_says_why(self, stop: StopRule, state: State) -> None:
        for hop in range(1, 6):
            decision = stop.decide(replace(state, hop=hop))
            assert isinstance(decision.stop, bool)
            assert decision.reason.strip()
            # A rule that remembers what it was asked would not give the same trace twice.
            assert stop.decide(replace(state, hop=hop)) == decision

    def test_it_is_a_value(self, stop: StopRule) -> None:
        assert_value(stop=stop)
