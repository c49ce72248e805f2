"""A strategy without each of its parts in turn."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from multihop.errors import InvalidInput
from multihop.evaluation.ablation import ablations
from multihop.evaluation.datasets import Dataset
from multihop.evaluation.page.reproduce import command
from multihop.evaluation.runs import execute
from multihop.parts.searchers import DenseSearcher, MatchingSearcher
from multihop.parts.selectors import LearnedFusion
from multihop.strategies import AUTO, AUTO_FAST, BM25, GAP


def test_each_part_is_taken_away_once() -> None:
    found = {s.name.removeprefix("auto-fast-"): s for s in ablations(AUTO_FAST)}
    assert list(found)[:4] == ["without-NameSearcher", "without-DenseSearcher", "without-LinkWalker", "one-hop"]
    assert isinstance(AUTO_FAST.selector, LearnedFusion)
    assert len(found) == 4 + len(AUTO_FAST.selector.weights)
    without = found["without-NameSearcher"]
    assert isinstance(without.searcher, MatchingSearcher)
    assert without.searcher.searchers == (DenseSearcher(),)
    assert without.selector == AUTO_FAST.selector
    fused = found["without-weight-rare-link"].selector
    assert isinstance(fused, LearnedFusion)
    assert set(AUTO_FAST.selector.weights) - set(fused.weights) == {"rare link"}
    assert [s.name for s in ablations(AUTO)][2:] == [
        "auto-without-LinkWalker",
        "auto-without-CitationWalker",
        "auto-without-FollowUpWalker",
        "auto-without-NextPassageWalker",
        "auto-one-hop",
        "auto-without-ranker",
        "auto-without-trees",
    ]
    assert [s.name for s in ablations(GAP)][-2:] == ["gap-one-hop", "gap-without-ranker"]


def test_what_has_nothing_to_spare_is_refused() -> None:
    with pytest.raises(InvalidInput, match="'bm25' has no part that can be removed"):
        ablations(BM25)


def test_they_are_measured_beside_the_whole(dataset: Dataset, index: Path, tmp_path: Path) -> None:
    some = replace(dataset, questions=dataset.questions[:10])
    run = execute(some, index, ["auto", *ablations(AUTO)], 5, tmp_path / "run")
    assert not [a.error for answers in run.answers.values() for a in answers.values() if a.error]
    assert "--strategies auto -k 5" in command(run)
    whole = run.rankings("auto")
    changed = {name for name in run.answers if run.rankings(name) != whole}
    # Without vectors in the index the searcher for them is worth nothing, and links are worth something.
    assert "auto-without-DenseSearcher" not in changed
    assert {"auto-without-LinkWalker", "auto-one-hop", "auto-without-trees"} <= changed
