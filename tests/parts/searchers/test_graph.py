"""The strategy `graph` and its parts: walking relations, centrality, paths."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from multihop import Document, Engine
from multihop.errors import InvalidInput, MissingExtra
from multihop.parts.searchers import Bm25Searcher, MatchingWalker, RelationWalker
from multihop.parts.searchers.relations import NOT_BUILT
from multihop.parts.selectors.graph import centrality
from multihop.protocols import Context
from multihop.strategies import GRAPH, graph
from multihop.testing import sample_questions
from multihop.types import Relation, Walk

CITIES = (
    Document("a", "The first town lies in a valley.", "Aa1", {"country": "Chad"}),
    Document("b", "The second has a mill.", "Bb2", {"country": "Chad"}),
    Document("c", "A third place, with a bridge.", "Cc3", {"country": "Peru"}),
    Document("d", "Somewhere else entirely.", "Dd4", {"country": "Chad"}),
    Document("e", "Another one.", "Ee5", {"country": "Chad"}),
)
RELATIONS = (
    Relation("a#0", "b#0", "CAUSES", 0.8),
    Relation("a#0", "b#0", "FOLLOWS", 0.3),
    Relation("c#0", "a#0", "EXPLAINS", 0.5),
    Relation("b#0", "d#0", "SUPPORTS", 0.6),
)


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    with Engine.open(tmp_path / "x.mh", create=True) as opened:
        opened.add(CITIES, whole=True)
        opened.store.relate(RELATIONS)
        yield opened


# --- the searcher ---


def test_relations_are_walked_both_ways_and_weighed(engine: Engine) -> None:
    query = Walk("mill", "walk", 10, (("a#0", 0.5),))
    (hits,) = RelationWalker().walk([query], Context(engine.index()))
    assert {(h.passage_id, h.channel): (h.score, h.via) for h in hits} == {
        ("b#0", "CAUSES"): (0.4, "a#0"),
        ("b#0", "FOLLOWS"): (0.15, "a#0"),
        ("c#0", "EXPLAINS"): (0.25, "a#0"),
    }
    (together,) = MatchingWalker(Bm25Searcher(), (RelationWalker(),)).walk([query], Context(engine.index()))
    assert [h.passage_id for h in together if h.channel == "bm25"] == ["b#0"]


def test_the_filter_holds_inside_the_walk(engine: Engine) -> None:
    query = Walk("mill", "walk", 10, (("a#0", 1.0),))
    (hits,) = RelationWalker().walk([query], Context(engine.index({"country": "Chad"})))
    assert {h.passage_id for h in hits} == {"b#0"}


def test_only_the_best_targets_are_kept(engine: Engine) -> None:
    query = Walk("mill", "walk", 10, (("a#0", 1.0),))
    (hits,) = RelationWalker(targets=1).walk([query], Context(engine.index()))
    assert {h.passage_id for h in hits} == {"b#0"}


def test_without_relations_a_note_says_how_to_build_them(engine: Engine) -> None:
    engine.store.relate((), replace=True)
    context = Context(engine.index())
    assert RelationWalker().walk([Walk("mill", "walk", 10, (("a#0", 1.0),))], context) == [()]
    assert context.notes == [NOT_BUILT]


# --- centrality ---


def test_the_passage_that_the_best_ones_lead_to_is_central() -> None:
    edges = {("a", "m"): 1.0, ("b", "m"): 1.0, ("m", "a"): 1.0, ("m", "b"): 1.0, ("a", "z"): 0.1, ("z", "a"): 0.1}
    ranks = centrality({"a": 1.0, "b": 1.0, "m": 0.0, "z": 0.0, "alone": 0.0}, edges, 0.85)
    assert max(ranks, key=lambda n: ranks[n]) == "m"
    assert ranks["m"] == 1.0 > ranks["a"] > ranks["z"] > ranks["alone"] == 0.0


def test_nothing_is_central_without_edges_or_a_match() -> None:
    assert centrality({"a": 1.0}, {}, 0.5) == {}
    assert centrality({"a": 0.0, "b": 0.0}, {("a", "b"): 1.0}, 0.5) == {}


def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rustworkx", None)
    with pytest.raises(MissingExtra, match=r'pip install .*\[graph\]"'):
        centrality({"a": 1.0}, {("a", "b"): 1.0}, 0.5)


# --- the strategy ---


def test_a_passage_found_by_hops_says_through_which_path(engine: Engine) -> None:
    result = engine.retrieve("Which town lies in the first valley?", k=4, strategy="graph")
    reasons = {e.passage.id: e.reason for e in result}
    assert reasons["b#0"] == "Aa1 → Bb2 (CAUSES 0.80)"
    assert reasons["c#0"] == "Aa1 ← Cc3 (EXPLAINS 0.50)"
    assert reasons["d#0"] == "Aa1 → Bb2 (CAUSES 0.80) → Dd4 (SUPPORTS 0.60)"
    assert [e.hop for e in result] == [1, 2, 2, 3]


def test_how_far_it_walks(engine: Engine) -> None:
    question = "Which town lies in the first valley?"
    near = {e.passage.id for e in engine.retrieve(question, k=5, strategy=graph(max_hops=1))}
    far = {e.passage.id for e in engine.retrieve(question, k=5, strategy=graph(max_hops=2))}
    assert (near, far - near) == ({"a#0", "b#0", "c#0"}, {"d#0"})
    with pytest.raises(InvalidInput, match="max_hops is the traversal depth, 1, 2 or 3; got 4"):
        graph(max_hops=4)


def test_it_walks_inside_the_filter(engine: Engine) -> None:
    question = "Which town lies in the first valley?"
    found = {e.passage.id for e in engine.retrieve(question, k=5, strategy="graph", where={"country": "Chad"})}
    assert found == {"a#0", "b#0", "d#0"}


def test_it_works_with_mention_links_alone(sample: Engine) -> None:
    question = sample_questions()[3]
    result = sample.retrieve(question.text, k=5, strategy="graph")
    assert set(question.gold) <= {e.passage.document_id for e in result}
    assert NOT_BUILT in result.trace.notes
    assert {e.passage.document_id: e.reason for e in result}["giuseppe-colombo"].startswith(
        "BepiColombo → Giuseppe Colombo (named)"
    )


def test_it_is_a_value_that_says_what_it_is() -> None:
    assert graph() == GRAPH
    assert graph(keywords=("target",)) != GRAPH
    assert GRAPH.describe()["writer"]["WalkGraph"]["keywords"] == []
