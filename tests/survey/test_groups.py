from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from multihop import Document, Engine, profiles
from multihop.errors import InvalidInput
from multihop.profiles import Profile
from multihop.survey import survey
from multihop.survey.groups import chosen_groups

DEAL = "This agreement is made on 3 May 2024 between Birch Ltd and Cedar Ltd. It is governed by the laws of Norway."


@pytest.fixture
def contracts() -> Profile:
    return profiles.load("contracts")


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    with Engine.open(tmp_path / "x.mh", create=True) as opened:
        yield opened


def members(engine: Engine, profile: Profile) -> dict[str, tuple[str, ...]]:
    return {name: group.documents for name, group in chosen_groups(engine, profile, None)[0].items()}


def test_files_of_equal_titles_are_rows_of_their_own(engine: Engine, contracts: Profile) -> None:
    engine.add([Document(f"deals/{n}.pdf", DEAL, "(anonymous)") for n in range(8)])
    engine.add(Document("deals/other.pdf", DEAL, "Lease of the mill"))
    found = survey(engine, contracts, questions=[1])
    assert [g.group for g in found.groups] == ["Lease of the mill", *(f"deals/{n}.pdf" for n in range(8))]
    assert not any("several documents" in note for note in found.notes)
    assert {c.document for c in found.groups[3].answers[0].chunks} == {"deals/2.pdf"}


def test_what_is_put_together_is_said(engine: Engine, contracts: Profile) -> None:
    engine.add(
        [
            Document("a/1.pdf", DEAL, "Lease", {"contract": "Mill"}),
            Document("a/2.pdf", DEAL.replace("3 May", "4 June"), "Lease", {"contract": "Mill"}),
            Document("b/Mill.pdf", DEAL),
        ]
    )
    assert members(engine, contracts) == {"Mill": ("a/1.pdf", "a/2.pdf"), "b/Mill.pdf": ("b/Mill.pdf",)}
    found = survey(engine, contracts)
    assert "several documents in one row, by 'contract': Mill (a/1.pdf, a/2.pdf)" in found.notes
    dated = next(a for a in found.groups[0].answers if any(f.unit == "date" for f in a.findings))
    assert {f.document for f in dated.findings} == {"a/1.pdf", "a/2.pdf"} and all(f.contradicts for f in dated.findings)


@pytest.mark.parametrize(
    ("by", "rows"),
    [
        ("file", {"a/1.pdf": ("a/1.pdf",), "a/2.pdf": ("a/2.pdf",), "b/3.pdf": ("b/3.pdf",)}),
        ("title", {"Lease": ("a/1.pdf", "b/3.pdf"), "Loan": ("a/2.pdf",)}),
        ("folder", {"a": ("a/1.pdf", "a/2.pdf"), "b": ("b/3.pdf",)}),
        ("year", {"2020": ("a/1.pdf", "a/2.pdf"), "2021": ("b/3.pdf",)}),
    ],
)
def test_rows_can_be_chosen(engine: Engine, contracts: Profile, by: str, rows: dict[str, tuple[str, ...]]) -> None:
    engine.add(
        [
            Document("a/1.pdf", DEAL, "Lease", {"year": 2020}),
            Document("a/2.pdf", DEAL, "Loan", {"year": 2020}),
            Document("b/3.pdf", DEAL, "Lease", {"year": 2021}),
        ]
    )
    found = survey(engine, contracts, questions=[1], by=by)
    assert [g.group for g in found.groups] == list(rows)
    for group in found.groups:
        assert {c.document for c in group.answers[0].chunks} == set(rows[group.group])


def test_a_folder_of_files_is_surveyed_without_an_index(tmp_path: Path) -> None:
    folder = tmp_path / "ndc"
    folder.mkdir()
    (folder / "japan.txt").write_text("Japan will reduce emissions by 46% by 2030 compared to 2013 levels.", "utf-8")
    found = survey(folder, "climate", questions=[1])
    assert [(g.group, g.answers[0].value) for g in found.groups] == [("Japan", "46% below 2013 by 2030")]
    assert [f.name for f in tmp_path.iterdir()] == ["ndc"]
    with pytest.raises(InvalidInput, match="no index, folder or file"):
        survey(tmp_path / "none", "climate")


def test_the_wrong_index_is_told_before_anything_is_changed(engine: Engine) -> None:
    engine.add([Document(f"{n}.pdf", "A report on nothing in particular.", "Report") for n in range(3)])
    before = engine.store.generation
    with pytest.raises(InvalidInput, match="no document has the metadata field 'country'"):
        survey(engine, "climate")
    assert engine.store.generation == before
