from __future__ import annotations

from typing import Any

import pytest

from multihop.cli.where import filter_of
from multihop.errors import InvalidFilter
from tests.filters import ACCEPTED, REFUSED


@pytest.mark.parametrize(("conditions", "where"), ACCEPTED)
def test_conditions(conditions: tuple[str, ...], where: dict[str, Any]) -> None:
    found = filter_of(conditions)
    assert found == where
    assert [type(v) for v in found.values()] == [type(v) for v in where.values()]


@pytest.mark.parametrize(("conditions", "message"), REFUSED)
def test_what_is_no_condition(conditions: tuple[str, ...], message: str) -> None:
    with pytest.raises(InvalidFilter, match=message):
        filter_of(conditions)
