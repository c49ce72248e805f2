from __future__ import annotations

import io
from pathlib import Path

from multihop.cli.console import PipedConsole
from multihop.cli.trace import trace_tree
from multihop.engine import Engine
from multihop.types import (
    Coverage,
    Decision,
    Document,
    Entity,
    Found,
    Hop,
    Note,
    Plan,
    Query,
    Replacement,
    Result,
    Target,
    TopHit,
    Trace,
)

EXPECTED = """\
trace  strategy made-up, 12.5 ms
├── plan
│   ├── entities: Alpha (title), 1990 (number)
│   ├── sub-question: what is Alpha
│   └── note: planned by hand
├── hop 1  2 queries, 4 candidates, 7.0 ms
│   ├── “What is Alpha?”
│   │   for: the question as it is
│   │   found: 2 bm25, 1 name; 3 new
│   │   best: Alpha, nameless#0
│   ├── “1990”
│   │   for: a number
│   │   found: nothing; 0 new
│   │   best: nothing
│   ├── entered: Alpha, nameless#0
│   ├── coverage: 0% → 67%; still missing: 1990
│   ├── note: slow
│   ├── time: search 5.0, select 2.0 ms
│   └── decision: go on (not everything is covered)
├── hop 2  1 query, 5 candidates, 0.0 ms
│   ├── “Beta”
│   │   for: what Alpha links to
│   │   found: 1 link; 1 new
│   │   best: Beta
│   ├── entered: Beta
│   ├── left: nameless#0, gone#0
│   ├── replaced: nameless#0 by Beta: it covers 1990
│   ├── coverage: 67% → 100%
│   └── decision: stop (all covered)
├── note: no embedder
└── stopped after hop 2: all covered
"""


def coverage(*, year: str = "") -> Coverage:
    return Coverage((Target("Alpha", "title", 1.0, 1.0, "alpha#0", 1), Target("1990", "number", 1.0, 0.5, year)))


def result() -> Result:
    first = Hop(
        number=1,
        found=(
            Found(
                Query("What is Alpha?", "the question as it is"),
                {"bm25": 2, "name": 1},
                (TopHit("alpha#0", 2.0, "bm25"), TopHit("alpha#0", 1.0, "name"), TopHit("nameless#0", 1.0, "bm25")),
                3,
            ),
            Found(Query("1990", "a number"), {}, (), 0),
        ),
        selected=("alpha#0", "nameless#0"),
        entered=("alpha#0", "nameless#0"),
        left=(),
        replaced=(),
        coverage_before=Coverage(),
        coverage_after=coverage(),
        decision=Decision(False, "not everything is covered"),
        pool=4,
        seconds={"search": 0.005, "select": 0.002},
        notes=(Note("slow", {}, "slow"),),
    )
    second = Hop(
        number=2,
        found=(Found(Query("Beta", "what Alpha links to"), {"link": 1}, (TopHit("beta#0", 1.0, "link"),), 1),),
        selected=("alpha#0", "beta#0"),
        entered=("beta#0",),
        left=("nameless#0", "gone#0"),
        replaced=(Replacement("nameless#0", "beta#0", "it covers 1990"),),
        coverage_before=coverage(),
        coverage_after=coverage(year="beta#0"),
        decision=Decision(True, "all covered"),
        pool=5,
    )
    plan = Plan(
        (Entity("Alpha", "title"), Entity("1990", "number")),
        ("what is Alpha",),
        (Note("by-hand", {}, "planned by hand"),),
    )
    trace = Trace(
        {"name": "made-up"}, plan, (first, second), (Note("embedder-missing", {}, "no embedder"),), seconds=0.0125
    )
    return Result("What is Alpha?", 2, (), coverage(year="beta#0"), trace)


def test_the_whole_tree(tmp_path: Path) -> None:
    with Engine.open(tmp_path / "x.mh", create=True) as engine:
        engine.add([
            Document("alpha", "A letter.", "Alpha"),
            Document("beta", "Another.", "Beta"),
            Document("nameless", "Words."),
        ])  # fmt: skip
        printed = io.StringIO()
        PipedConsole(file=printed, width=100, _environ={}).print(trace_tree(result(), engine))
    assert printed.getvalue() == EXPECTED
