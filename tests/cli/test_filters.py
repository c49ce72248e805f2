from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from multihop.cli.filters import parse_filter
from multihop.errors import InvalidFilter
from tests.filters import ACCEPTED, REFUSED

from .command import run, run_json


@pytest.mark.parametrize(("conditions", "where"), ACCEPTED)
def test_conditions(conditions: tuple[str, ...], where: dict[str, Any]) -> None:
    found = parse_filter(conditions)
    assert found == where
    assert [type(v) for v in found.values()] == [type(v) for v in where.values()]


@pytest.mark.parametrize(("conditions", "message"), REFUSED)
def test_what_is_no_condition(conditions: tuple[str, ...], message: str) -> None:
    with pytest.raises(InvalidFilter, match=message):
        parse_filter(conditions)


def test_a_value_that_no_document_has_gets_a_hint(index: Path) -> None:
    done = run("ask", "Who went into the ice?", "--index", index, "--where", "country==norway")
    assert done.exit_code == 0
    assert "no document has country = 'norway': did you mean 'Norway'?" in done.stderr
    told = run_json("ask", "Who went into the ice?", "--index", index, "--where", "country=norway")
    assert told["trace"]["notes"][0]["text"] == "no document has country = 'norway': did you mean 'Norway'?"
