"""What every assessor must do."""

from __future__ import annotations

from dataclasses import replace

from multihop.protocols import Assessor, Context, Index
from multihop.testing.contracts.cities import assert_value, cities, state_after
from multihop.testing.contracts.corpus import StoreFactory
from multihop.types import Coverage, Plan, Selection


class AssessorContract:
    """What every assessor must do; supply fixtures `assessor` and `store_factory`."""

    def test_what_covers_a_target_is_in_the_budget(self, assessor: Assessor, store_factory: StoreFactory) -> None:
        view = cities(store_factory).view()
        for hop in (1, 2, 4):
            # Without earlier coverage, or a target would keep the hop that covered it first.
            state = replace(state_after(hop, view), coverage=Coverage())
            chosen = {choice.passage_id for choice in state.selection.choices}
            for target in assessor.assess(state, Context(Index.of(view))).targets:
                assert target.name and target.kind and target.importance > 0
                assert 0 <= target.score <= 1
                assert target.covered_by in chosen | {""}
                assert target.hop == (hop if target.covered else 0)

    def test_something_is_covered_and_something_is_not(self, assessor: Assessor, store_factory: StoreFactory) -> None:
        view = cities(store_factory).view()
        # The plan names cities that the first passages hold, and a place that is nowhere.
        assert 0 < assessor.assess(state_after(1, view), Context(Index.of(view))).fraction < 1

    def test_an_empty_budget_covers_nothing(self, assessor: Assessor, store_factory: StoreFactory) -> None:
        view = cities(store_factory).view()
        coverage = assessor.assess(replace(state_after(1, view), selection=Selection()), Context(Index.of(view)))
        assert [target for target in coverage.targets if target.covered] == []

    def test_the_targets_are_those_of_the_plan(self, assessor: Assessor, store_factory: StoreFactory) -> None:
        """What is looked for does not change with what was found, or hops could not be compared."""
        view = cities(store_factory).view()
        assessed = [assessor.assess(state_after(hop, view), Context(Index.of(view))).targets for hop in (1, 2, 4)]
        assert len({tuple((t.name, t.kind, t.importance) for t in targets) for targets in assessed}) == 1
        assert len({t.name for t in assessed[0]}) == len(assessed[0])

    def test_a_target_stays_covered_since_the_hop_that_covered_it(
        self, assessor: Assessor, store_factory: StoreFactory
    ) -> None:
        view = cities(store_factory).view()
        first = assessor.assess(replace(state_after(1, view), coverage=Coverage()), Context(Index.of(view)))
        later = replace(state_after(1, view), hop=2, coverage=first)
        assert assessor.assess(later, Context(Index.of(view))) == first

    def test_an_empty_plan_is_covered(self, assessor: Assessor, store_factory: StoreFactory) -> None:
        view = cities(store_factory).view()
        assert assessor.assess(state_after(1, view, Plan()), Context(Index.of(view))).fraction == 1.0

    def test_the_same_state_gives_the_same_coverage(self, assessor: Assessor, store_factory: StoreFactory) -> None:
        view = cities(store_factory).view()
        first, again = (assessor.assess(state_after(2, view), Context(Index.of(view))) for _ in range(2))
        assert first == again

    def test_it_is_a_value(self, assessor: Assessor) -> None:
        assert_value(assessor=assessor)
