from __future__ import annotations

from pathlib import Path
from threading import Thread

import pytest

from multihop.errors import StoreError
from multihop.lm.cache import CachedAnswer, ResponseCache, key_of


def test_an_answer_is_found_again_after_closing(tmp_path: Path) -> None:
    cache = ResponseCache(tmp_path / "deep" / "answers.db")
    cache.put("a", CachedAnswer(["text"], 3, 4))
    cache.close()
    assert ResponseCache(tmp_path / "deep" / "answers.db").get("a") == CachedAnswer(["text"], 3, 4)


def test_unknown_keys_have_no_answer(tmp_path: Path) -> None:
    assert ResponseCache(tmp_path / "answers.db").get("a") is None


def test_what_is_not_json_is_not_kept(tmp_path: Path) -> None:
    cache = ResponseCache(tmp_path / "answers.db")
    cache.put("a", CachedAnswer([object()], 3, 4))
    assert cache.get("a") is None


def test_threads_share_a_cache(tmp_path: Path) -> None:
    cache = ResponseCache(tmp_path / "answers.db")
    threads = [Thread(target=cache.put, args=(str(i), CachedAnswer([str(i)], i, i))) for i in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(cache.get(str(i)) == CachedAnswer([str(i)], i, i) for i in range(20))


def test_a_folder_cannot_be_a_cache(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot be used to cache"):
        ResponseCache(tmp_path)


def test_keys_tell_model_prompt_and_parameters_apart() -> None:
    prompts = [[{"role": "user", "content": c}] for c in ("one", "two")]
    keys = {key_of(m, p, {"temperature": t}) for m in ("a", "b") for p in prompts for t in (0, 1)}
    assert len(keys) == 8
    assert key_of("a", prompts[0], {"max_tokens": 1}) != key_of("a", prompts[0], {"max_tokens": 2})


def test_keys_do_not_depend_on_secrets() -> None:
    assert key_of("a", "x", {"api_key": "1", "n": 1}) == key_of("a", "x", {"api_key": "2", "n": 1})
