"""What reads files is given all the time it needs: how long a busy machine lets it wait says nothing about it."""

from __future__ import annotations

from functools import partial

import pytest

from multihop.index.readers import isolated
from multihop.index.readers.limits import ReadLimits

from ...patience import ENOUGH


@pytest.fixture(autouse=True)
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(isolated, "ReadLimits", partial(ReadLimits, seconds=ENOUGH))
