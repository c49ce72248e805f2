"""Entity-first ranking and replacement: the documented behavior, and what must hold for any chunks."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, strategies as st

from multihop import Engine, EntityFirstRanker
from multihop.errors import InvalidInput
from multihop.parts.selectors import EntityFirst, TopScore
from multihop.testing import sample_questions
from multihop.types import Entity, Passage, Plan

from ...reliability.soak import examples
from ..making import BARE, met, state

ranker = EntityFirstRanker(replacement_threshold=0.1)


def chunk(content: str, id: int | None = None, **extra: Any) -> dict[str, Any]:
    return {"content": content, **({} if id is None else {"id": id}), **extra}


# --- as documented ---


def test_two_of_three_entities_score_two_thirds() -> None:
    score, found = ranker.compute_entity_coverage(chunk("SEAL-RAG uses DPR for retrieval"), ["SEAL-RAG", "DPR", "BM25"])
    assert score == pytest.approx(0.67, abs=0.01)
    assert set(found) == {"SEAL-RAG", "DPR"}


def test_case_does_not_matter() -> None:
    score, _ = ranker.compute_entity_coverage(chunk("seal-rag outperforms crag on benchmarks"), ["SEAL-RAG", "CRAG"])
    assert score == 1.0


def test_better_chunk_is_a_candidate() -> None:
    current = [chunk("Generic RAG info", 1)]
    new = [chunk("SEAL-RAG specifically uses entity extraction", 2)]
    ((place, offered, improvement),) = ranker.find_replacement_candidates(
        current, new, ["SEAL-RAG", "entity extraction"]
    )
    assert (place, offered) == (0, new[0])
    assert improvement > 0


def test_chunk_that_is_not_better_is_no_candidate() -> None:
    current = [chunk("SEAL-RAG uses entity extraction for gap detection", 1)]
    new = [chunk("Machine learning is useful", 2)]
    assert ranker.find_replacement_candidates(current, new, ["SEAL-RAG", "entity extraction"]) == []


def test_budget_is_never_exceeded() -> None:
    current = [chunk(f"chunk {i}", i) for i in range(5)]
    result, still_missing = ranker.replace_chunks(current, [chunk("SEAL-RAG info", 100)], ["SEAL-RAG"], budget=5)
    assert len(result) == 5
    assert still_missing == []


def test_several_gaps_are_filled() -> None:
    new = [chunk("SEAL-RAG is a method", 2), chunk("CRAG uses correction", 3)]
    missing = ["SEAL-RAG", "CRAG", "Self-RAG"]
    result, still_missing = ranker.replace_chunks([chunk("Generic content", 1)], new, missing, budget=3)
    assert len(result) == 3
    assert still_missing == ["Self-RAG"]


def test_ranking_prefers_what_is_relevant() -> None:
    chunks = [
        chunk("SEAL-RAG achieves 96% precision on HotpotQA", relevant=True),
        chunk("Machine learning is popular", relevant=False),
        chunk("HotpotQA is a multi-hop benchmark", relevant=True),
        chunk("Python is a programming language", relevant=False),
        chunk("Precision measures retrieval quality", relevant=True),
    ]
    result = ranker.rank_by_entity_coverage(chunks, ["SEAL-RAG", "HotpotQA", "precision"], top_k=3)
    assert sum(c["relevant"] for c in result) / len(result) >= 0.8


# --- matching that is right in practice ---


@pytest.mark.parametrize(
    ("content", "entity"),
    [
        ("They read SEAL RAG papers", "SEAL-RAG"),
        ("three volcanoes erupted", "volcanoe"),
        ("the entities were found", "entity"),
        ("Brunel's bridges", "bridge"),
        ("Brunel’s design", "Brunel"),
        ("born in Orleans", "Orléans"),
        ("ANTONÍN DVOŘÁK's symphony", "Antonin Dvorak"),
        ("the New World Symphony was played", "New World Symphony"),
        ("東京タワーの高さ", "東京"),
    ],
)
def test_names_are_found(content: str, entity: str) -> None:
    assert ranker.compute_entity_coverage(chunk(content), [entity]) == (1.0, [entity])


@pytest.mark.parametrize(
    ("content", "entity"),
    [
        ("a scragged coat", "CRAG"),
        ("New Worlds, no symphony", "New World Symphony"),
        ("the bassist", "bass"),
        ("x", ""),
    ],
)
def test_what_is_no_mention_is_not_found(content: str, entity: str) -> None:
    assert ranker.compute_entity_coverage(chunk(content), [entity]) == (0.0, [])


def test_passages_and_texts_are_chunks_too() -> None:
    passage = Passage("d#0", "d", 0, "Colin Archer", "He drew the Fram.")
    assert ranker.compute_entity_coverage(passage, ["Colin Archer", "Fram"])[0] == 1.0
    assert ranker.compute_entity_coverage("He drew the Fram.", ["Fram"])[0] == 1.0
    assert ranker.compute_entity_coverage({"title": "Fram", "text": "a ship"}, ["Fram"])[0] == 1.0


# --- semantics ---


def test_only_cover_of_an_entity_is_not_given_up() -> None:
    current = [chunk("about Alpha", 1), chunk("about Beta", 2)]
    result, missing = ranker.replace_chunks(
        current, [chunk("about Gamma", 3)], ["Gamma"], 2, entities=["Alpha", "Beta"]
    )
    assert result == current
    assert missing == ["Gamma"]


def test_redundant_chunk_leaves_and_the_others_keep_their_order() -> None:
    current = [chunk("Alpha one", 1), chunk("Alpha two", 2), chunk("Beta", 3)]
    result, missing = ranker.replace_chunks(current, [chunk("Gamma", 4)], ["Gamma"], 3, entities=["Alpha", "Beta"])
    assert [c["id"] for c in result] == [1, 4, 3]
    assert missing == []


def test_gain_must_exceed_the_threshold() -> None:
    strict = EntityFirstRanker(replacement_threshold=0.5)
    missing = ["Alpha", "Beta"]
    assert strict.find_replacement_candidates([chunk("nothing", 1)], [chunk("Alpha", 2)], missing) == []
    assert strict.find_replacement_candidates([chunk("nothing", 1)], [chunk("Alpha Beta", 2)], missing) != []


def test_bad_values_are_refused() -> None:
    with pytest.raises(InvalidInput, match="share between 0 and 1, got 2"):
        EntityFirstRanker(2)
    with pytest.raises(InvalidInput, match="from 1 on; got 0"):
        ranker.replace_chunks([], [], [], budget=0)
    with pytest.raises(InvalidInput, match=r"text under 'content', got the fields \['id'\]"):
        ranker.rank_by_entity_coverage([{"id": 1}], ["x"], 1)
    with pytest.raises(InvalidInput, match="not int"):
        ranker.compute_entity_coverage(3, ["x"])


NAMES = ["alpha", "beta", "gamma", "delta", "epsilon"]
contents = st.lists(st.sampled_from([*NAMES, "word", "other"]), min_size=1, max_size=4).map(" ".join)
chunk_lists = st.lists(contents, max_size=6)


@examples(300)
@given(
    current=chunk_lists,
    new=chunk_lists,
    missing=st.lists(st.sampled_from(NAMES), unique=True),
    budget=st.integers(1, 6),
)
def test_replacement_keeps_its_promises(current: list[str], new: list[str], missing: list[str], budget: int) -> None:
    before = [chunk(c, i) for i, c in enumerate(current[:budget])]
    offered = [chunk(c, 100 + i) for i, c in enumerate(new)]
    result, still_missing = ranker.replace_chunks(before, offered, missing, budget, entities=NAMES)
    ids = [c["id"] for c in result]
    assert len(ids) == len(set(ids)) <= budget
    assert len(ids) == min(budget, len(before) + len(offered))

    def covered(chunks: list[dict[str, Any]]) -> set[str]:
        return {n for c in chunks for n in ranker.compute_entity_coverage(c, NAMES)[1]}

    assert covered(before) <= covered(result)
    assert still_missing == [m for m in missing if m not in covered(result)]
    survivors = [c["id"] for c in result if c["id"] < 100]
    assert survivors == sorted(survivors)
    assert ranker.replace_chunks(before, offered, missing, budget, entities=NAMES) == (result, still_missing)


# --- in the loop ---


def test_replace_covers_more_than_plain_search_and_loses_nothing(sample: Engine) -> None:
    def measured(strategy: str) -> tuple[int, float]:
        complete, coverage = 0, 0.0
        for question in sample_questions()[::2]:
            result = sample.retrieve(question.text, k=5, strategy=strategy)
            complete += set(question.gold) <= {e.passage.document_id for e in result.evidence}
            named = [t for t in result.coverage.targets if t.kind != "bridge"]
            coverage += sum(t.covered for t in named) / len(named) if named else 1.0
        return complete, coverage

    plain, replaced = measured("bm25"), measured("replace")
    assert replaced[0] >= plain[0]
    assert replaced[1] > plain[1]


def test_every_exchange_is_recorded_with_its_reason(sample: Engine) -> None:
    exchanges = [
        (hop, replacement)
        for question in sample_questions()
        for hop in sample.retrieve(question.text, k=3, strategy="replace", models=False).trace.hops
        for replacement in hop.replaced
    ]
    assert exchanges
    for hop, replacement in exchanges:
        assert replacement.into in hop.selected
        assert replacement.reason.startswith("covers “")


def test_coverage_never_falls_from_hop_to_hop(sample: Engine) -> None:
    for question in sample_questions():
        hops = sample.retrieve(question.text, k=4, strategy="replace", models=False).trace.hops
        for hop in hops[1:]:
            before = {t.name for t in hop.coverage_before.targets if t.covered and t.kind != "bridge"}
            assert before <= {t.name for t in hop.coverage_after.targets if t.covered}


# --- as a selector of the loop ---


PLAN = Plan(entities=(Entity("Larvik", "span"), Entity("Oslo", "bridge")))


def test_the_selector_sends_away_the_weakest_for_what_is_missing() -> None:
    found = state(
        met("first", scores={"bm25": 9.0}),
        met("second", scores={"bm25": 8.0}),
        met("town", "Larvik is a town.", {"bm25": 1.0}),
        k=2,
        plan=PLAN,
    )
    selection = EntityFirst(TopScore("bm25")).select(found, BARE)
    assert [c.passage_id for c in selection.choices] == ["first#0", "town#0"]
    assert [(r.out, r.into) for r in selection.replaced] == [("second#0", "town#0")]


def test_the_selector_prefers_what_the_question_names_to_a_bridge() -> None:
    found = state(
        met("held", scores={"bm25": 9.0}),
        met("bridge", "Oslo is a city.", {"bm25": 5.0}),
        met("town", "Larvik is a town.", {"bm25": 1.0}),
        k=1,
        plan=PLAN,
    )
    assert [c.passage_id for c in EntityFirst(TopScore("bm25")).select(found, BARE).choices] == ["town#0"]
