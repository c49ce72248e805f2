from __future__ import annotations

from hypothesis import given, strategies as st

from multihop.index.streams import Seen


@given(st.lists(st.text(max_size=3)))
def test_what_comes_twice_is_noticed(texts: list[str]) -> None:
    seen = Seen()
    assert [seen.add(text) for text in texts] == [text not in texts[:i] for i, text in enumerate(texts)]


def test_it_grows_and_forgets_nothing() -> None:
    seen = Seen()
    assert all(seen.add(str(number)) for number in range(20_000))
    assert not any(seen.add(str(number)) for number in range(20_000))
