from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest

from multihop import Document, Engine
from multihop.errors import InvalidInput
from multihop.profiles import Profile
from multihop.survey import survey
from multihop.survey.processes import default_jobs, in_processes

SAID = "{} commits to reduce greenhouse gas emissions by {}% by 2030 compared to 1990 levels."


@pytest.fixture
def index(tmp_path: Path) -> Path:
    path = tmp_path / "x.mh"
    names = ("Chad", "Japan", "Oman", "Peru", "Togo")
    with Engine.open(path, create=True) as engine:
        engine.add(Document(n, SAID.format(n, 10 + i), metadata={"country": n}) for i, n in enumerate(names))
    return path


def test_several_processes_give_what_one_gives(index: Path, tmp_path: Path, climate: Profile) -> None:
    told: list[int] = []
    with Engine.open(index) as engine:
        one = survey(engine, climate, questions=[1, 2], hop=True, hop_strategy="bm25")
        many = survey(
            engine, climate, questions=[1, 2], hop=True, hop_strategy="bm25", jobs=2, out=tmp_path / "out",
            reopen=partial(Engine.open, index), progress=lambda group, done, total: told.append(done),
        )  # fmt: skip
        again = survey(
            engine, climate, questions=[1, 2], hop=True, hop_strategy="bm25", jobs=2, out=tmp_path / "out",
            reopen=partial(Engine.open, index),
        )  # fmt: skip
        with pytest.raises(InvalidInput, match="several jobs need reopen"):
            survey(engine, climate, jobs=2)
    assert [(g.group, g.method, [a.value for a in g.answers]) for g in many.groups] == [
        (g.group, g.method, [a.value for a in g.answers]) for g in one.groups
    ]
    assert [g.group for g in many.groups][::2] == ["Chad", "Japan", "Oman", "Peru", "Togo"]
    assert told == sorted(told) and told[-1] == 20
    assert (many.resumed, again.resumed) == (0, 20)
    assert (tmp_path / "out" / "index.html").exists()


def _identity(part: Sequence[int]) -> tuple[int, Sequence[int]]:
    return os.getpid(), part


def test_every_item_is_worked_on_once_elsewhere() -> None:
    found = [done for _, done in in_processes(_identity, tuple(range(7)), 2)]
    assert sorted(item for _, part in found for item in part) == list(range(7))
    assert all(process != os.getpid() for process, _ in found)


def test_few_groups_are_not_worth_a_process() -> None:
    assert default_jobs(1) == default_jobs(8) == 1
    assert 1 <= default_jobs(1000) <= (os.cpu_count() or 1)
