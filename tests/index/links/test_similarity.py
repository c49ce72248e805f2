from __future__ import annotations

import math

import pytest

from multihop.index.links.similarity import TermSimilarity
from multihop.types import Passage

TEXTS = {
    "a": "Reindeer graze on the tundra.",
    "b": "The reindeer was grazing.",
    "c": "A sonata has movements.",
    "d": "!!!",
}


def passages() -> dict[str, Passage]:
    return {id: Passage(id, id, 0, "", text) for id, text in TEXTS.items()}


@pytest.fixture
def similarity() -> TermSimilarity:
    found = TermSimilarity({}, lambda ids: {id: passages()[id] for id in ids})
    for passage in passages().values():
        found.count(passage)
    found.weigh(len(TEXTS))
    return found


def test_likeness_is_the_cosine_of_terms_weighted_by_rarity(similarity: TermSimilarity) -> None:
    rare, shared = math.log(4), math.log(2)
    both = 2 * shared / math.sqrt((2 * shared + rare) * 2 * shared)
    assert similarity.similarities("a", ["b", "c", "a"]) == pytest.approx([both, 0.0, 1.0])
    assert similarity.similarities("b", ["a"]) == pytest.approx([both])
    assert similarity.similarities("a", []) == []


def test_a_passage_without_words_is_like_nothing(similarity: TermSimilarity) -> None:
    assert similarity.similarities("d", ["a", "d", "b"]) == [0.0, 0.0, 0.0]
    assert similarity.similarities("a", ["d", "b"])[0] == 0.0


def test_words_worth_searching_are_those_that_others_use_too(similarity: TermSimilarity) -> None:
    assert similarity.rarest("a", 5, common=10) == ["graze", "reindeer"]
    assert similarity.rarest("a", 1, common=10) == ["graze"]
    assert similarity.rarest("a", 5, common=1) == []


def test_only_what_was_looked_at_is_noted(similarity: TermSimilarity) -> None:
    similarity.note(["a"])
    assert similarity.term_counts() == {"reindeer": 1, "graze": 1, "tundra": 1}
    later = TermSimilarity(similarity.term_counts(), lambda ids: {id: passages()[id] for id in ids})
    later.weigh(4)
    assert "a" not in later
    later.load(["a"])
    assert "a" in later and later.term_counts() == similarity.term_counts()


def test_terms_that_nobody_counted_weigh_nothing() -> None:
    alone = TermSimilarity({"reindeer": 2}, lambda ids: {id: passages()[id] for id in ids})
    alone.weigh(4)
    alone.load(["a", "b"])
    assert alone.similarities("a", ["b"]) == pytest.approx([1.0])
