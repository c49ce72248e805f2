"""When each rule stops, and what it says."""

from __future__ import annotations

from dataclasses import replace

import pytest

from multihop.parts.stop import FixedHops, WhenCovered, WhenFull, WhenSettled, WhenWalked
from multihop.protocols import State, StopRule
from multihop.types import Coverage, Decision, Plan, Target

from .making import met

ALL = Coverage((Target("Fram", "title", 1.0, 1.0, "fram#0", 1),))
SOME = Coverage((*ALL.targets, Target("Larvik", "span", 0.0)))
NEW = ("fram#0",)


def decided(rule: StopRule, hop: int, entered: tuple[str, ...] = NEW, coverage: Coverage = SOME) -> tuple[bool, str]:
    state = State("Who?", 1, Plan(), hop=hop, entered=entered, coverage=coverage, pool={"fram#0": met("Fram")})
    decision = rule.decide(state)
    return decision.stop, decision.reason


def test_fixed_hops_count() -> None:
    assert decided(FixedHops(2), 1) == (False, "hop 1 of 2")
    assert decided(FixedHops(2), 2, (), ALL) == (True, "all 2 hops done")
    assert decided(FixedHops(), 1) == (True, "one hop was asked for")


def test_when_full_goes_on_for_a_hop_while_passages_lack() -> None:
    few = State("Who?", 2, Plan(), hop=1, pool={"fram#0": met("Fram")})
    enough = replace(few, pool={"fram#0": met("Fram"), "larvik#0": met("Larvik")})
    assert WhenFull(2).decide(few) == Decision(False, "hop 1 of 2")
    assert WhenFull(1).decide(few) == Decision(False, "only 1 passages were met, and 2 are wanted")
    assert WhenFull(1).decide(enough) == Decision(True, "one hop was asked for")
    assert WhenFull(1).decide(replace(few, hop=2)).stop


def test_when_covered_waits_for_what_is_missing() -> None:
    assert decided(WhenCovered(), 1, coverage=ALL) == (True, "nothing that the question names is missing")
    assert decided(WhenCovered(), 1, entered=()) == (False, "missing: “Larvik”")
    assert decided(WhenCovered(max_hops=2), 2) == (True, "reached the limit of 2 hops with 1 missing")


@pytest.mark.parametrize(
    ("hop", "entered", "coverage", "stops"),
    [
        (1, (), ALL, False),  # the links of the first passages are followed whatever the first hop brought
        (2, NEW, SOME, False),
        (2, (), SOME, True),
        (2, NEW, ALL, True),
        (3, NEW, SOME, True),
    ],
)
def test_when_settled_looks_at_what_came_in(
    hop: int, entered: tuple[str, ...], coverage: Coverage, stops: bool
) -> None:
    assert decided(WhenSettled(min_hops=2, max_hops=3), hop, entered, coverage)[0] is stops


def test_when_settled_goes_on_while_fewer_passages_were_met_than_are_wanted() -> None:
    few = State("Who?", 2, Plan(), hop=2, entered=NEW, coverage=ALL, pool={"fram#0": met("Fram")})
    assert WhenSettled().decide(few) == Decision(False, "only 1 passages were met, and 2 are wanted")
    assert WhenSettled().decide(replace(few, entered=())).stop
    assert WhenSettled().decide(replace(few, hop=3)).stop


def test_when_walked_counts_steps_from_the_first_search() -> None:
    rule = WhenWalked(max_hops=2)
    assert decided(rule, 1, entered=())[0] is False, "the first search is no step"
    assert decided(rule, 2)[0] is False
    assert decided(rule, 2, entered=()) == (True, "the last step brought nothing into the budget")
    assert decided(rule, 3)[0] is True
