"""PostgreSQL and the embedded store give the same table, cell by cell."""

from __future__ import annotations

import csv
from pathlib import Path

from multihop import Engine
from multihop.profiles import Profile
from multihop.survey import survey
from multihop.testing.contracts.corpus import HashEmbedder

from .conftest import DOCUMENTS


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
