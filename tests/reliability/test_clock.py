"""A system clock that is wrong, and is set right: what was said before or after still holds."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from multihop import Document, Engine
from multihop.tools import Memory, memory
from multihop.types import requests

Clock = Callable[[str], None]


class Days(date):
    """Dates whose today can be set."""

    now = "2026-11-18"

    @classmethod
    def today(cls) -> Days:
        return cls.fromisoformat(cls.now)


class Moments(datetime):
    """Moments whose now can be set."""

    @classmethod
    def now(cls, tz: object = None) -> Moments:
        return cls.fromisoformat(f"{Days.now}T12:00:00+00:00")


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Set the day of the system, as everything here reads it."""
    monkeypatch.setattr(requests, "date", Days)
    monkeypatch.setattr(memory, "date", Days)
    monkeypatch.setattr(memory, "datetime", Moments)
    monkeypatch.setattr("multihop.index.syncing.time.time_ns", lambda: _nanoseconds(Days.now))
    return lambda day: monkeypatch.setattr(Days, "now", day)


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    with Engine.open(tmp_path / "x.mh", create=True) as engine:
        yield engine


def _nanoseconds(day: str) -> int:
    return int(datetime.fromisoformat(f"{day}T12:00:00+00:00").astimezone(UTC).timestamp()) * 10**9


def _write(file: Path, text: str, day: str) -> None:
    file.write_text(text)
    os.utime(file, ns=(_nanoseconds(day), _nanoseconds(day)))


def _texts(engine: Engine, as_of: str | None = None) -> list[str]:
    found = engine.retrieve("How much is paid for travel?", models=False, as_of=as_of)
    return sorted(evidence.passage.text for evidence in found)


def test_today_is_the_day_of_each_question(engine: Engine, clock: Clock) -> None:
    """An open engine answers for the new day after midnight, and for the old one when the clock is set back."""
    engine.add([
        Document("old", "Travel is paid at 30 euros.", "Travel", {"valid_until": "2026-11-18"}),
        Document("new", "Travel is paid at 45 euros.", "Travel", {"valid_from": "2026-11-19"}),
    ])  # fmt: skip
    for day, paid in (("2026-11-18", "30"), ("2026-11-19", "45"), ("2026-11-18", "30"), ("2030-01-01", "45")):
        clock(day)
        assert _texts(engine) == [f"Travel is paid at {paid} euros."]


@pytest.mark.parametrize("wrong", ["2001-01-01", "2038-01-19"])
def test_files_that_are_written_while_the_clock_is_wrong_are_synced(
    engine: Engine, clock: Clock, tmp_path: Path, wrong: str
) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    file = folder / "travel.md"
    for day, paid in (("2026-11-18", 30), (wrong, 45), ("2026-11-19", 60), (wrong, 75), ("2026-11-20", 90)):
        clock(day)
        _write(file, f"Travel is paid at {paid} euros.", day)
        assert engine.sync(folder).changed == (paid != 30)
        assert _texts(engine) == [f"Travel is paid at {paid} euros."]
        assert engine.sync(folder).unchanged == 1
    # A clock that is only set, while nothing is written, changes nothing.
    for day in (wrong, "2026-11-20"):
        clock(day)
        assert engine.sync(folder).unchanged == 1


@pytest.mark.parametrize("wrong", ["2001-01-01", "2038-01-19"])
def test_the_last_version_of_a_file_holds_once_the_clock_is_right(
    engine: Engine, clock: Clock, tmp_path: Path, wrong: str
) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    file = folder / "travel.md"
    for day, paid in (("2026-11-18", 30), (wrong, 45), (wrong, 60), ("2026-11-19", 75)):
        clock(day)
        _write(file, f"Travel is paid at {paid} euros.", day)
        engine.sync(folder, keep_versions=True)
        assert _texts(engine) == [f"Travel is paid at {paid} euros."]
    for day in ("2026-11-20", "2039-01-01"):
        clock(day)
        assert _texts(engine) == ["Travel is paid at 75 euros."]
    assert len(_texts(engine, "any")) == 4


@pytest.mark.parametrize("wrong", ["2001-01-01", "2038-01-19"])
def test_memories_end_though_the_clock_was_wrong_when_they_began(engine: Engine, clock: Clock, wrong: str) -> None:
    own = Memory(engine, "ann")
    clock(wrong)
    first = own.remember("Ann pays for travel at 30 euros.")
    clock("2026-11-18")
    second = own.update(first, "Ann pays for travel at 45 euros.")
    recalled = own.recall("How much does Ann pay for travel?", models=False)
    assert [evidence.passage.document_id for evidence in recalled] == [second]
    own.forget(second)
    assert not own.recall("How much does Ann pay for travel?", models=False).evidence
