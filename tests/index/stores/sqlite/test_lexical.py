from __future__ import annotations

import os
import random
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from multihop.index.stores.sqlite import lexical
from multihop.index.stores.sqlite.lexical import LexicalCache, LexicalSearcher, Rows

WORDS = [f"w{i}" for i in range(40)]


@pytest.fixture(scope="module")
def searcher(tmp_path_factory: pytest.TempPathFactory) -> LexicalSearcher:
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


def test_a_commit_knows_what_it_shows(searcher: LexicalSearcher) -> None:
    assert (searcher.stamp.generation, searcher.stamp.last_row, searcher.size) == (4, 600, 555)
    assert sorted(searcher.rows().tolist()) == [r for r in range(1, 601) if r % 10 or r > 450]


@pytest.mark.parametrize("size", [1, 5, 100, 550])
def test_few_and_many_allowed_rows_give_the_same_ranking(
    searcher: LexicalSearcher, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    allowed = _some(size)
    queries = [" ".join(random.Random(q).choices(WORDS, k=1 + q % 4)) for q in range(12)]
    for limit in (1, 7, 600):
        expected = [sorted(searcher.rank(q, limit, allowed)) for q in queries]
        with monkeypatch.context() as patch:
            patch.setattr("multihop.index.stores.sqlite.lexical.SMALL", 0)
            assert [sorted(searcher.rank(q, limit, allowed)) for q in queries] == expected
        everything = [searcher.rank(q, 600) for q in queries]
        for ranked, among in zip(everything, expected, strict=True):
            passing = [hit for hit in ranked if hit[0] in set(allowed.tolist())]
            assert sorted(hit for hit in passing if hit[1] >= passing[:limit][-1][1]) == among


def test_all_rows_that_hold_some_words(searcher: LexicalSearcher) -> None:
    assert set(searcher.holding(["w3", "w5"])) == set(searcher.holding(["w3"])) & set(searcher.holding(["w5"]))
    assert searcher.holding(["w3", "unheard"]).tolist() == []


# --- several at once ---


@pytest.fixture
def asked() -> list[tuple[str, int, Rows | None, bool]]:
    queries = [" ".join(random.Random(q).choices(WORDS, k=1 + q % 5)) for q in range(24)]
    return [(q, 1 + i, _some(90) if i % 3 else None, i % 2 == 0) for i, q in enumerate(queries)]


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("multihop.index.stores.sqlite.lexical._LARGE", 0)
    monkeypatch.setattr("multihop.index.stores.sqlite.lexical._CORES", 2)


@pytest.mark.usefixtures("large")
def test_two_threads_rank_as_one_does(
    searcher: LexicalSearcher, asked: list[tuple[str, int, Rows | None, bool]]
) -> None:
    expected = [searcher.rank(*each) for each in asked]
    assert searcher.rank_all([]) == []
    assert searcher.rank_all(asked) == expected
    with ThreadPoolExecutor(6) as pool:
        assert all(found == expected for found in pool.map(searcher.rank_all, [asked] * 60))


@pytest.mark.usefixtures("large")
def test_what_goes_wrong_on_the_second_thread_is_raised(
    searcher: LexicalSearcher, asked: list[tuple[str, int, Rows | None, bool]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: LexicalSearcher, query: str, *rest: object) -> list[tuple[int, float]]:
        raise OverflowError(query)

    monkeypatch.setattr(LexicalSearcher, "rank", refuse)
    with pytest.raises(OverflowError):
        searcher.rank_all(asked)


@pytest.mark.usefixtures("large")
def test_a_forked_process_has_a_second_thread_of_its_own(
    searcher: LexicalSearcher, asked: list[tuple[str, int, Rows | None, bool]]
) -> None:
    expected, helper = searcher.rank_all(asked), lexical._helper()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # newer Pythons warn of just what is tried here
        child = os.fork()
    if not child:
        os._exit(0 if searcher.rank_all(asked) == expected and lexical._helper() is not helper else 1)
    assert os.waitpid(child, 0)[1] == 0
