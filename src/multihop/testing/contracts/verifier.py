"""What every verifier must do."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest

from multihop.protocols import Verifier
from multihop.types import Judgement

CLAIM = "The Fram was drawn by Colin Archer."
EVIDENCE = (
    "Colin Archer drew the Fram.",
    "The Fram was not drawn by Colin Archer.",
    "",
    "Tea is made of the leaves of a shrub. " * 60,
    "東京は日本の首都です。",
    "a NUL \x00, half a pair \ud83d",
)


class VerifierContract:
    """What every verifier must do; supply a fixture `verifier`."""

    def test_it_says_who_it_is(self, verifier: Verifier) -> None:
        assert isinstance(verifier, Verifier)
        assert verifier.identity.strip()

    @pytest.mark.parametrize("count", range(len(EVIDENCE) + 1))
    @pytest.mark.parametrize("claim", [CLAIM, "?"])
    def test_every_text_gets_probabilities_that_add_up_to_1(self, verifier: Verifier, claim: str, count: int) -> None:
        judgements = verifier.verify(claim, EVIDENCE[:count])
        assert len(judgements) == count
        for judgement in judgements:
            chances = _chances(judgement)
            assert all(0 <= chance <= 1 for chance in chances)
            assert sum(chances) == pytest.approx(1.0, abs=1e-5)

    def test_a_blank_text_says_nothing(self, verifier: Verifier) -> None:
        [judgement] = verifier.verify(CLAIM, [""])
        assert judgement.neither > 0.5

    def test_the_order_of_the_evidence_changes_nothing(self, verifier: Verifier) -> None:
        backwards = verifier.verify(CLAIM, EVIDENCE[::-1])
        _assert_near(list(reversed(backwards)), verifier.verify(CLAIM, EVIDENCE))

    def test_the_same_claim_gives_the_same_judgements_in_every_thread(self, verifier: Verifier) -> None:
        expected = verifier.verify(CLAIM, EVIDENCE)
        with ThreadPoolExecutor(4) as pool:
            for judgements in pool.map(lambda _: verifier.verify(CLAIM, EVIDENCE), range(8)):
                _assert_near(judgements, expected)


def _chances(judgement: Judgement) -> tuple[float, float, float]:
    return judgement.supported, judgement.contradicted, judgement.neither


def _assert_near(actual: Sequence[Judgement], expected: Sequence[Judgement]) -> None:
    for one, other in zip(actual, expected, strict=True):
        assert _chances(one) == pytest.approx(_chances(other), abs=1e-5)
