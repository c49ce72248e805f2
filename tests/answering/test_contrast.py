"""The built-in verifier on claims that differ from a text by one small edit."""

from __future__ import annotations

from collections import Counter

from multihop.models import verifier

from .contrast import contrasts, finding


def test_small_edits_are_told_apart() -> None:
    checker = verifier()
    assert checker is not None
    right, total, surely_wrong = Counter[str](), Counter[str](), 0
    for contrast in contrasts():
        [judgement] = checker.verify(contrast.claim, [contrast.evidence])
        said, chance = finding(judgement)
        total[contrast.label] += 1
        right[contrast.label] += said == contrast.label
        surely_wrong += said != contrast.label and chance > 0.97
    # Measured: 27 of 28, 34 of 43 and 12 of 12; benchmarks/reading.py prints them by edit.
    assert right["supported"] >= total["supported"] - 3
    assert right["contradicted"] >= 0.68 * total["contradicted"]
    assert right["undecided"] >= total["undecided"] - 2
    assert surely_wrong <= 2
