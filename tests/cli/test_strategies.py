from __future__ import annotations

from multihop.strategies import STRATEGIES

from .command import run, run_json


def test_a_table() -> None:
    shown = run("strategies").stdout
    for strategy in STRATEGIES.values():
        assert f"\n{strategy.name} " in f"\n{shown}"
        assert strategy.description.split()[0] in shown


def test_json_describes_every_part() -> None:
    said = run_json("strategies")
    assert said == [strategy.describe() for strategy in STRATEGIES.values()]
    assert "RulePlanner" in said[0]["planner"]
