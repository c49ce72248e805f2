from __future__ import annotations

import pytest

from multihop.index.stores.core import lost_relations


def test_losses_are_read_as_they_were_written_the_earliest_first() -> None:
    assert lost_relations.unpack(b"") == {}
    found = lost_relations.unpack(lost_relations.pack({"b#0": 7, "a#0": 3, "ü#1": 7}))
    assert list(found.items()) == [("a#0", 3), ("b#0", 7), ("ü#1", 7)]


def test_of_very_many_only_the_latest_are_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lost_relations, "_MOST", 2)
    assert lost_relations.unpack(lost_relations.pack({"a#0": 3, "b#0": 1, "c#0": 2})) == {"c#0": 2, "a#0": 3}
