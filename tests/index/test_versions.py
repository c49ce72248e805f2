"""Old versions that a sync keeps: questions as of a day before are answered from them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from multihop import Engine
from multihop.types import Synced

from ..cli.command import run, run_json

QUESTION = "Who leads Kittiwake?"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    return tmp_path / "docs"


@pytest.fixture(params=["folder", "server"])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    place = request.getfixturevalue("address") if request.param == "server" else tmp_path / "docs.mh"
    with Engine.open(place, create=True) as opened:
        yield opened


def write(folder: Path, text: str, day: str, name: str = "kittiwake.md") -> None:
    place = folder / name
    place.write_text(f"# Kittiwake\n\n{text}\n")
    when = datetime.fromisoformat(day).replace(hour=12, tzinfo=UTC).timestamp()
    os.utime(place, (when, when))


def sync(engine: Engine, folder: Path, *, keep: bool | None = None) -> Synced:
    return engine.sync(folder, keep_versions=keep)


def leaders(engine: Engine, day: str | None) -> list[str]:
    found = engine.retrieve(QUESTION, as_of=day, models=False)
    return sorted(e.passage.text.removeprefix("Kittiwake is led by ") for e in found)


def grow(engine: Engine, folder: Path) -> None:
    write(folder, "Kittiwake is led by Pia.", "2020-01-10")
    sync(engine, folder, keep=True)
    write(folder, "Kittiwake is led by Jon.", "2022-05-03")
    sync(engine, folder)
    write(folder, "Kittiwake is led by Eva.", "2024-02-01")
    sync(engine, folder)


def test_each_day_has_its_version(engine: Engine, folder: Path) -> None:
    grow(engine, folder)
    assert [d.id for d in engine.documents()] == ["kittiwake.md", "kittiwake.md@1", "kittiwake.md@2"]
    days = ("2019-01-01", "2022-05-02", "2022-05-03", "2024-01-31", "2024-02-01", None)
    assert [leaders(engine, day) for day in days] == [["Pia."], ["Pia."], ["Jon."], ["Jon."], ["Eva."], ["Eva."]]
    assert leaders(engine, "any") == ["Eva.", "Jon.", "Pia."]
    before = engine.retrieve(QUESTION, as_of="2023-01-01", models=False).trace.notes[0].text
    assert "“Kittiwake” superseded by “Kittiwake” on 3 May 2022" in before
    assert "“Kittiwake” valid from 1 February 2024" in before


def test_old_versions_are_deleted_by_the_day_until_which_they_held(engine: Engine, folder: Path) -> None:
    grow(engine, folder)
    assert engine.delete(where={"valid_until": {"lt": "2023"}}).documents == 1
    assert [d.id for d in engine.documents()] == ["kittiwake.md", "kittiwake.md@2"]


def test_without_being_told_nothing_is_kept(engine: Engine, folder: Path) -> None:
    write(folder, "Kittiwake is led by Pia.", "2020-01-10")
    sync(engine, folder)
    write(folder, "Kittiwake is led by Jon.", "2022-05-03")
    assert sync(engine, folder).versions == 0
    assert leaders(engine, "any") == ["Jon."]


def test_a_file_that_is_read_again_gets_no_new_version(engine: Engine, folder: Path) -> None:
    grow(engine, folder)
    done = engine.sync(folder, metadata={"source": "handbook"})
    assert (done.versions, done.replaced) == (0, 1)
    assert [leaders(engine, day) for day in ("2021-01-01", None)] == [["Pia."], ["Eva."]]
    now = engine.document("kittiwake.md")
    assert now is not None
    assert (now.metadata["source"], now.metadata["valid_from"]) == ("handbook", "2024-02-01")


def test_a_renamed_file_keeps_its_past(engine: Engine, folder: Path) -> None:
    grow(engine, folder)
    (folder / "kittiwake.md").rename(folder / "company.md")
    assert sync(engine, folder).versions == 0
    assert [leaders(engine, day) for day in ("2023-01-01", None)] == [["Jon."], ["Eva."]]
    write(folder, "Kittiwake is led by Ove.", "2025-01-01", "company.md")
    sync(engine, folder)
    assert [leaders(engine, day) for day in ("2023-01-01", "2024-06-01", None)] == [["Jon."], ["Eva."], ["Ove."]]


def test_a_file_that_goes_held_until_yesterday_and_may_come_back(engine: Engine, folder: Path) -> None:
    grow(engine, folder)
    (folder / "kittiwake.md").unlink()
    done = sync(engine, folder)
    assert (done.removed, done.versions) == (1, 1)
    yesterday = (datetime.now(UTC).date() - timedelta(days=1)).isoformat()
    assert [leaders(engine, day) for day in ("2023-01-01", yesterday, None)] == [["Jon."], ["Eva."], []]
    write(folder, "Kittiwake is led by Eva.", date.today().isoformat())
    sync(engine, folder)
    assert [leaders(engine, day) for day in ("2023-01-01", yesterday, None)] == [["Jon."], ["Eva."], ["Eva."]]


def test_what_a_file_says_of_its_validity_counts(engine: Engine, folder: Path) -> None:
    for day, leader, since in (("2020-01-10", "Pia", "2015-01-01"), ("2022-05-03", "Jon", "2021-01-01")):
        write(folder, f"---\nx: y\n---\nEffective date: {since}\n\nKittiwake is led by {leader}.", day)
        sync(engine, folder, keep=True)
    found = {day: engine.retrieve(QUESTION, as_of=day, models=False) for day in ("2020-12-31", "2021-01-01")}
    assert ["Pia" in each.evidence[0].passage.text for each in found.values()] == [True, False]
    assert [len(each.evidence) for each in found.values()] == [1, 1]


def test_records_of_a_table_have_versions_too(engine: Engine, folder: Path) -> None:
    table = folder / "people.jsonl"
    for leader, others in (("Pia", '{"id": "m", "text": "Maud is a ship."}\n'), ("Jon", "")):
        table.write_text(f'{{"id": "k", "text": "Kittiwake is led by {leader}."}}\n{others}')
        sync(engine, folder, keep=True)
    assert [d.id for d in engine.documents()] == ["k", "k@1", "m@1"]


def test_on_the_command_line(tmp_path: Path, folder: Path) -> None:
    index = tmp_path / "line.mh"
    write(folder, "Kittiwake is led by Pia.", "2020-01-10")
    run("index", folder, "--to", index, "--keep-versions")
    write(folder, "Kittiwake is led by Jon.", "2022-05-03")
    said = run("sync", folder, "--to", index).stdout
    assert ": 1 file changed (1 document written, 1 old version kept)" in said
    old = run_json("ask", QUESTION, "--index", index, "--as-of", "2021-01-01", "--fast")
    assert [e["passage"]["id"] for e in old["evidence"]] == ["kittiwake.md@1#0"]
    write(folder, "Kittiwake is led by Eva.", "2024-02-01")
    assert run_json("sync", folder, "--to", index, "--no-keep-versions")["sources"][0]["versions"] == 0
