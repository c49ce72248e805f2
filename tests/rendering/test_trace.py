"""The account of a trace: one tree of entries for every output."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

from multihop import Engine
from multihop.rendering.trace import Entry, as_lines, describe_hop, describe_trace
from multihop.testing import sample_documents
from multihop.types import (
    Aspect,
    Coverage,
    Decision,
    Found,
    Hop,
    LmCall,
    Note,
    Plan,
    Query,
    Replacement,
    Target,
    TopHit,
    Trace,
)

FOUND = Found(Query("who drew\nit", "the question as it is"), {"bm25": 3, "link": 1}, (TopHit("a#0", 1.0, "bm25"),), 4)
HOP = Hop(
    1, (FOUND,), ("a#0",), ("a#0", "c#0"), ("b#0",), (Replacement("b#0", "c#0", "it covers more"),), Coverage(),
    Coverage((Target("Fram", "title", 1.0, covered_by="a#0"), Target("Nansen", "title", 0.0))),
    Decision(True, "nothing is left to ask"), 7, {"search": 0.5}, (Note("absent", {}, "one searcher was absent"),),
)  # fmt: skip
PLAN = Plan(aspects=(Aspect("Definition of x", "definition", 0.5),), facts=("x is y",), sub_questions=("Who?",))
CALLS = (LmCall("gap_analysis", 1, 10, 2, problem="it refused to answer", attempts=2),)
TRACE = Trace({"name": "auto"}, PLAN, (HOP,), (Note("embedder-missing", {}, "no embedder"),), lm_calls=CALLS, lm="m")


def test_an_account_tells_all_of_a_trace() -> None:
    told = describe_trace(TRACE)
    assert told.text == "strategy auto, language model m, 0.0 ms"
    assert as_lines(told) == [
        "trace",
        "  plan",
        "    entities: none",
        "    sub-question: Who?",
        "    aspect: Definition of x (definition, optional)",
        "    to verify: x is y",
        "  hop 1",
        "    language model: gap_analysis: failed (it refused to answer), 10 + 2 tokens, 0 ms, 2 attempts",
        "    asked “who drew it” for the question as it is; found 3 bm25, 1 link; 4 new",
        "    entered: a#0, c#0",
        "    left: b#0",
        "    replaced: b#0 by c#0: it covers more",
        "    coverage: 0% → 50%; still missing: Nansen",
        "    note: one searcher was absent",
        "    decision: stop (nothing is left to ask)",
        "  note: no embedder",
        "  stopped after hop 1: nothing is left to ask",
    ]


def test_details_and_names_are_there_for_those_who_want_them() -> None:
    told = describe_hop(HOP)
    assert told.text == "1 query, 7 candidates, 500.0 ms"
    assert [e.content() for e in told.below if e.label == "time"] == ["search 500.0 ms"]
    [query] = [e for e in told.below if e.kind == "query"]
    assert [e.content(str.upper) for e in query.below if e.detail] == ["A#0"]
    assert [e.content() for e in told.below if e.kind == "moved"] == ["a#0, c#0", "b#0"]
    assert [e.content(str.upper) for e in told.below if e.kind == "replaced"] == ["B#0 by C#0: it covers more"]


def test_a_query_that_repeats_the_question_can_be_shown_as_such() -> None:
    lines = as_lines(describe_trace(TRACE, question="who drew\nit"))
    assert "    asked the question for the question as it is; found 3 bm25, 1 link; 4 new" in lines
    assert as_lines(describe_trace(TRACE, question="who drew it well")) == as_lines(describe_trace(TRACE))


def test_every_passage_of_a_real_trace_is_named(tmp_path: Path) -> None:
    with Engine.open(tmp_path / "x.mh", create=True) as engine:
        engine.add(sample_documents())
        result = engine.retrieve("Who drew the ship that Amundsen borrowed?", k=3)
    told = describe_trace(result.trace)
    assert [e.label for e in told.below if e.label.startswith("hop")] == [f"hop {h.number}" for h in result.trace.hops]
    named = {id for hop in told.below for e in hop.below if e.label == "entered" for id in e.passages}
    assert {e.passage.id for e in result} <= named


def _labels(entry: Entry) -> set[str]:
    return {entry.label, *(label for below in entry.below for label in _labels(below))}


def test_the_page_labels_its_timeline_with_the_same_words() -> None:
    script = files("multihop.server").joinpath("page/parts/trace.js").read_text("utf-8")
    shown = set(re.findall(r'^ +\[?"([a-z -]+)",', script, re.M)) - {
        "ol",
        "ul",
        "li",
        "details",
        "span",
        "small",
        "h3",
        "dl",
    }
    known = _labels(describe_trace(TRACE))
    plurals = {f"{label}s" for label in known}
    assert shown - known - plurals == {"asked", "model", "searches"}
    assert {"entered", "left", "replaced", "decision", "to verify", "entities"} <= shown
