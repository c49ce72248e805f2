"""What every reranker must do."""

from __future__ import annotations

import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest

from multihop.protocols import Reranker
from multihop.types import Pair

QUESTION = "Who drew the ship that Amundsen borrowed?"
PAIRS = (
    Pair("Fram: Colin Archer drew the ship. Roald Amundsen borrowed her.", "Roald Amundsen: He sailed in the Fram."),
    Pair("Roald Amundsen: He led the first party to the South Pole."),
    Pair("Tea: Tea is made of the leaves of a shrub. " * 60),
    Pair("東京: 東京は日本の首都です。", "日本: 首都は東京です。"),
    Pair("", ""),
    Pair("a NUL \x00, half a pair \ud83d"),
)


class RerankerContract:
    """What every reranker must do; supply a fixture `reranker`."""

    def test_it_says_who_it_is_and_what_its_scores_mean(self, reranker: Reranker) -> None:
        assert isinstance(reranker, Reranker)
        assert reranker.identity.strip()
        assert isinstance(reranker.calibrated, bool)

    @pytest.mark.parametrize("count", range(len(PAIRS) + 1))
    def test_every_pair_gets_a_score(self, reranker: Reranker, count: int) -> None:
        scores = [float(score) for score in reranker.score(QUESTION, PAIRS[:count])]
        assert len(scores) == count
        assert all(map(math.isfinite, scores))
        if reranker.calibrated:
            assert all(0 <= score <= 1 for score in scores)

    def test_the_order_of_the_pairs_changes_nothing(self, reranker: Reranker) -> None:
        # Candidates come in the order of an earlier stage, which a result must not depend on.
        scores = reranker.score(QUESTION, PAIRS)
        _assert_near(list(reversed(reranker.score(QUESTION, PAIRS[::-1]))), scores)

    def test_the_same_question_gives_the_same_scores_in_every_thread(self, reranker: Reranker) -> None:
        expected = reranker.score(QUESTION, PAIRS)
        with ThreadPoolExecutor(4) as pool:
            for scores in pool.map(lambda _: reranker.score(QUESTION, PAIRS), range(8)):
                _assert_near(scores, expected)


def _assert_near(actual: Sequence[float], expected: Sequence[float]) -> None:
    assert [float(score) for score in actual] == pytest.approx([float(score) for score in expected], abs=1e-5)
