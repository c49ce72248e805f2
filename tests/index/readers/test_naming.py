from __future__ import annotations

from pathlib import Path

import pytest

from multihop.errors import InvalidRecord
from multihop.index.readers import SourceNames, read
from multihop.index.readers.sources import GivenSource
from multihop.types import Document


@pytest.fixture
def folders(tmp_path: Path) -> Path:
    for name in ("a", "b", "deep/a", "a/sub"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "README.md").write_text(f"This is {name}.")
    return tmp_path


def ids(names: SourceNames, *paths: Path) -> list[str]:
    found = [record for path in paths for record in read(path, names=names)]
    assert not [record for record in found if isinstance(record, InvalidRecord)]
    return [record.id for record in found if isinstance(record, Document)]


def again(names: SourceNames) -> SourceNames:
    """What the next call knows of the sources of this one."""
    return SourceNames.load((1, names.dump()))


def test_folders_read_together_do_not_share_ids(folders: Path) -> None:
    names = SourceNames()
    found = ids(names, folders / "a", folders / "b", folders / "deep" / "a")
    assert found == ["README.md", "sub/README.md", "b/README.md", "a/README.md"]
    assert names.notes[0].startswith(f"{folders / 'b'}: the ids of its files begin with 'b/', because another source")
    assert len(names.notes) == 2


def test_the_names_are_the_same_in_every_later_call(folders: Path) -> None:
    names = SourceNames()
    ids(names, folders / "a", folders / "b")
    later = again(names)
    assert ids(later, folders / "b", folders / "a") == ["b/README.md", "README.md", "sub/README.md"]
    assert not later.notes


def test_a_file_alone_keeps_the_id_that_it_has_from_its_folder(folders: Path) -> None:
    names = SourceNames()
    ids(names, folders / "b", folders / "a")
    assert ids(again(names), folders / "a" / "sub" / "README.md", folders / "a" / "README.md") == [
        "a/sub/README.md",
        "a/README.md",
    ]


def test_a_file_that_came_before_its_folder_keeps_its_id(folders: Path) -> None:
    names = SourceNames()
    assert ids(names, folders / "a" / "sub" / "README.md") == ["README.md"]
    assert ids(again(names), folders / "a") == ["a/README.md", "README.md"]


def test_files_given_alone_do_not_share_ids(folders: Path) -> None:
    names = SourceNames()
    found = ids(names, folders / "a" / "README.md", folders / "deep" / "a" / "README.md", folders / "b" / "README.md")
    assert found == ["README.md", "a/README.md", "b/README.md"]
    other = folders / "other" / "a"
    other.mkdir(parents=True)
    (other / "README.md").write_text("Other.")
    later = again(names)
    assert ids(later, other / "README.md") == ["a~2/README.md"]
    assert "its id is 'a~2/README.md'" in later.notes[0]


def test_a_folder_within_another_is_not_named_anew(folders: Path) -> None:
    names = SourceNames()
    ids(names, folders / "a")
    assert ids(again(names), folders / "a" / "sub") == ["sub/README.md"]


def test_a_name_that_a_folder_has_inside_is_taken(folders: Path) -> None:
    (folders / "a" / "b").mkdir()
    (folders / "a" / "b" / "README.md").write_text("Within a.")
    found = ids(SourceNames(), folders / "a", folders / "b")
    assert found == ["README.md", "b/README.md", "sub/README.md", "b~2/README.md"]


def test_a_file_that_two_sources_hold_is_read_once_and_that_is_said(folders: Path) -> None:
    names = SourceNames()
    ids(names, folders / "a")
    [said] = read(folders / "a" / "README.md", names=names)
    assert str(said) == f"{folders / 'a' / 'README.md'}: was read already, as part of another source"


def test_links_lead_to_the_same_names(folders: Path) -> None:
    (folders / "link").symlink_to(folders / "a")
    names = SourceNames()
    ids(names, folders / "b", folders / "a")
    assert ids(again(names), folders / "link" / "sub") == ["a/sub/README.md"]


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "json"])
def test_equal_ids_in_two_files_are_a_problem_of_the_second(tmp_path: Path, suffix: str) -> None:
    rows = {"csv": "id,text\n7,{}\n", "jsonl": '{{"id": 7, "text": "{}"}}\n', "json": '[{{"id": 7, "text": "{}"}}]'}
    for name in ("a", "b"):
        (tmp_path / f"{name}.{suffix}").write_text(rows[suffix].format(name))
    first, second = read(tmp_path)
    assert first == Document("7", "a")
    assert f"b.{suffix}:" in str(second)
    assert "the id '7' is that of a document read before" in str(second)


def test_records_of_one_title_are_told_apart_across_files(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.jsonl").write_text('{"title": "Vienna", "text": "x"}\n')
    assert ids(SourceNames(), tmp_path / "a.jsonl", tmp_path / "b.jsonl") == ["Vienna", "Vienna~2"]


def test_what_cannot_be_reached_is_not_gone(tmp_path: Path) -> None:
    missing, unreachable = tmp_path / "missing", tmp_path / ("x" * 1000)
    paths = (tmp_path, missing, missing / "inner", unreachable)
    assert [GivenSource(str(path), "", True).is_gone for path in paths] == [False, True, True, False]
