from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from multihop.engine import Engine
from multihop.rendering.phrases import file_size

from .command import failure, run, run_json


def test_a_table(index: Path) -> None:
    shown = {line[:15].strip(): line[15:].strip() for line in run("stats", "--index", index).stdout.splitlines()}
    assert shown["documents"] == "182"
    assert shown["embedder"] == "none"
    assert shown["metadata fields"].startswith("country (35 values), ")
    assert shown["size on disk"].endswith(" KiB per passage")


def test_json(index: Path) -> None:
    said = run_json("stats", "--index", index)
    assert (said["documents"], said["passages"], said["generation"]) == (182, 182, 1)
    assert said["fields"]["kind"] == 6
    assert said["bytes_per_passage"] == round(said["bytes"] / 182, 1)


def test_an_empty_index(tmp_path: Path) -> None:
    Engine.open(tmp_path / "x.mh", create=True).close()
    assert "metadata fields   none" in run("stats", "--index", tmp_path / "x.mh").stdout
    assert run_json("stats", "--index", tmp_path / "x.mh")["bytes_per_passage"] == 0


def test_no_index(tmp_path: Path) -> None:
    assert "multihop index FILE --to" in failure("stats", "--index", tmp_path / "x.mh")


@pytest.mark.parametrize(
    ("count", "said"),
    [(0, "0 bytes"), (1023, "1,023 bytes"), (1024, "1.0 KiB"), (605_083, "590.9 KiB"), (3 * 2**40, "3.0 TiB")],
)
def test_sizes(count: int, said: str) -> None:
    assert file_size(count) == said


def test_sources_and_their_options(tmp_path: Path) -> None:
    index, reports, notes = tmp_path / "x.mh", tmp_path / "reports", tmp_path / "notes"
    for folder in (reports / "old", notes):
        folder.mkdir(parents=True)
        (folder / "a.md").write_text("# A\n\nWords.")
    options = ("--metadata", "country=Costa Rica", "--metadata", "tag=a", "--metadata", "tag=b", "--whole")
    run("index", reports, "--to", index, *options, "--metadata-from-path", "{part}", "--keep-versions")
    run("index", reports / "old", "--to", index, "--no-whole")
    run("index", notes, "--to", index)
    shutil.rmtree(notes)
    # The last rows, which are wrapped.
    shown = "".join(run("stats", "--index", index).stdout.split())
    expected = (
        f" sources {notes} (is gone) {reports} (--keep-versions --metadata 'country=Costa Rica' --metadata tag=a "
        f"--metadata tag=b --metadata-from-path '{{part}}' --whole) {reports / 'old'} (--no-whole)"
    )
    assert shown.endswith("".join(expected.split()))
    told = {
        "metadata": {"country": "Costa Rica", "tag": ["a", "b"]}, "whole": True, "metadata_from_path": "{part}",
        "keep_versions": True,
    }  # fmt: skip
    assert run_json("stats", "--index", index)["sources"] == [
        {"path": str(notes), "options": {}, "is_gone": True},
        {"path": str(reports), "options": told, "is_gone": False},
        {"path": str(reports / "old"), "options": {"whole": False}, "is_gone": False},
    ]


def test_an_index_of_no_files_has_no_sources(index: Path) -> None:
    assert "sources" not in run("stats", "--index", index).stdout
    assert run_json("stats", "--index", index)["sources"] == []


def test_of_many_sources_the_first_are_shown(tmp_path: Path) -> None:
    files = [tmp_path / f"{number:02}.txt" for number in range(23)]
    for file in files:
        file.write_text("Words.")
    run("index", *files, "--to", tmp_path / "x.mh")
    shown = run("stats", "--index", tmp_path / "x.mh").stdout
    assert shown.splitlines()[-1].strip() == "and 3 more; --json lists all"
    assert len(run_json("stats", "--index", tmp_path / "x.mh")["sources"]) == 23
