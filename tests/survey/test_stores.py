"""PostgreSQL and the embedded store give the same table, cell by cell."""

from __future__ import annotations

import csv
import random
from pathlib import Path

from multihop import Engine
from multihop.profiles import Profile
from multihop.survey import survey
from multihop.testing.contracts.corpus import HashEmbedder

from .conftest import DOCUMENTS
from .test_reading import Finder


def cells(folder: Path, name: str) -> dict[tuple[str, str], str]:
    rows = list(csv.DictReader((folder / name).read_text("utf-8").splitlines()))
    assert rows
    return {
        (f"{row['country']} {row['question_number']} {i}", column): row[column]
        for i, row in enumerate(rows)
        for column in row
    }


def test_both_stores_give_the_same_table(engine: Engine, climate: Profile, address: str, tmp_path: Path) -> None:
    engine.relate()
    survey(engine, climate, hop=True, out=tmp_path / "embedded")
    with Engine.open(address, create=True, embedder=HashEmbedder()) as other:
        other.add(DOCUMENTS)
        other.relate()
        survey(other, climate, hop=True, out=tmp_path / "postgres")
    for name in ("survey.csv", "passages.csv"):
        assert cells(tmp_path / "postgres", name) == cells(tmp_path / "embedded", name)


def test_both_stores_give_the_same_cells_in_plain_words(address: str, tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    made = random.Random("stores")
    for number in range(50):
        sales, staff = made.randint(100, 900_000), made.randint(2, 9000)
        (folder / f"{number:02}.md").write_text(
            f"Auditor: Firm {number}\n\nKey figures (EUR thousand)\n\n| Item | 2023 | 2022 |\n|---|---|---|\n"
            f"| Net sales | {sales:,} | {sales + 5:,} |\n| Total assets | {2 * sales:,} | 7 |\n\n"
            f"At the end of the year we had {staff:,} employees. It was signed on {1 + number % 28} May 2020."
        )
    asked = [f"{what} in {year}" for what in ("Revenue", "Total assets", "Net profit") for year in (2022, 2023)]
    asked += ["Number of employees", "Who audits it?", *(f"Date of signature {n}" for n in range(8))]
    tables = []
    for place in (tmp_path / "x.mh", address):
        # What the built-in reader would make of the same lines is the same in both; this one takes no time.
        with Engine.open(place, create=True, reader=Finder(["employees", "May 2020"])) as engine:
            engine.sync(folder)
            tables.append([[a.to_dict() for a in group.answers] for group in survey(engine, ask=asked).groups])
    assert sum(map(len, tables[0])) == 800
    assert tables[0] == tables[1]
