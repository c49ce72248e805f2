from __future__ import annotations

import random

import numpy as np
import pytest

from multihop.stores.lexical import LexicalCache, Searcher

WORDS = [f"w{i}" for i in range(40)]


@pytest.fixture(scope="module")
def searcher(tmp_path_factory: pytest.TempPathFactory) -> Searcher:
    """Four commits of 150 rows each, with every tenth row removed again."""
    draw = random.Random(7)
    cache = LexicalCache(tmp_path_factory.mktemp("lexical"))
    for part in range(4):
        writer = cache.writer()
        for row in range(part * 150 + 1, part * 150 + 151):
            writer.add(row, draw.choices(WORDS, k=draw.randint(1, 12)))
        writer.remove(range(part * 150 - 140, part * 150 + 1, 10) if part else ())
        writer.commit(part + 1, part * 150 + 150)
    found = cache.searcher()
    assert found is not None
    return found


def _some(size: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.array(sorted(random.Random(size).sample(range(1, 601), size)), dtype=np.int64)


def test_a_commit_knows_what_it_shows(searcher: Searcher) -> None:
    assert (searcher.generation, searcher.last_row, searcher.size) == (4, 600, 555)
    assert sorted(searcher.rows().tolist()) == [r for r in range(1, 601) if r % 10 or r > 450]


@pytest.mark.parametrize("size", [1, 5, 100, 550])
def test_few_and_many_allowed_rows_give_the_same_ranking(
    searcher: Searcher, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    allowed = _some(size)
    queries = [" ".join(random.Random(q).choices(WORDS, k=1 + q % 4)) for q in range(12)]
    for limit in (1, 7, 600):
        expected = [sorted(searcher.rank(q, limit, allowed)) for q in queries]
        with monkeypatch.context() as patch:
            patch.setattr("multihop.stores.lexical.SMALL", 0)
            assert [sorted(searcher.rank(q, limit, allowed)) for q in queries] == expected
        everything = [searcher.rank(q, 600) for q in queries]
        for ranked, among in zip(everything, expected, strict=True):
            passing = [hit for hit in ranked if hit[0] in set(allowed.tolist())]
            assert sorted(hit for hit in passing if hit[1] >= passing[:limit][-1][1]) == among


def test_all_rows_that_hold_some_words(searcher: Searcher) -> None:
    assert set(searcher.holding(["w3", "w5"])) == set(searcher.holding(["w3"])) & set(searcher.holding(["w5"]))
    assert searcher.holding(["w3", "unheard"]).tolist() == []
