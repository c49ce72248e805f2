from __future__ import annotations

import json
from pathlib import Path

import pytest

from multihop.index.stores.sqlite import lock

from .command import failure, run, run_json


def test_deletes_what_is_there_and_names_what_is_not(index: Path) -> None:
    done = run("delete", "fram-ship", "nothing", "colin-archer", "--index", index)
    assert (done.exit_code, done.stdout) == (0, "2 documents deleted; not in the index: nothing\n")
    assert run_json("stats", "--index", index)["documents"] == 180
    assert "no passage or document 'fram-ship'" in failure("show", "fram-ship", "--index", index)


def test_json(index: Path) -> None:
    said = run_json("delete", "fram-ship", "nothing", "--index", index)
    assert said == {"deleted": 1, "unknown": ["nothing"], "generation": 2}


def test_fails_when_nothing_was_there(index: Path) -> None:
    said = failure("delete", "fram-shp", "nothing", "--index", index)
    assert said == "there is no document 'fram-shp': did you mean 'fram-ship'?"
    done = run("delete", "nothing", "--index", index, "--json")
    assert done.exit_code == 1
    assert json.loads(done.stdout)["deleted"] == 0
    assert done.stderr.startswith("error: there is no document 'nothing'")


def test_a_busy_index(index: Path) -> None:
    with lock.writing(index, 0.0):
        assert "is being written by" in failure("delete", "fram-ship", "--index", index, "--wait", "0.1")
    assert run("delete", "fram-ship", "--index", index).exit_code == 0


def test_by_metadata(index: Path) -> None:
    norway = [d["id"] for d in run_json("list", "--index", index, "--where", "country=Norway")["documents"]]
    assert run_json("delete", "--where", "country=Norway", "--index", index, "--dry-run") == {"would_delete": norway}
    shown = run("delete", "--where", "country=Norway", "--index", index, "--dry-run")
    assert shown.stdout.splitlines() == norway
    assert run_json("stats", "--index", index)["documents"] == 182
    assert run_json("delete", "--where", "country=Norway", "--index", index)["deleted"] == len(norway)
    left = run_json("list", "--index", index, "--limit", "200")["documents"]
    assert len(left) == 182 - len(norway)
    assert not any(document["metadata"].get("country") == "Norway" for document in left)


def test_a_condition_that_nothing_meets_deletes_nothing(index: Path) -> None:
    said = failure("delete", "--where", "country=norway", "--index", index)
    assert said == ("no document meets the condition. no document has country = 'norway': did you mean 'Norway'?")
    assert "only one of them" in failure("delete", "--index", index, status=2)
    assert "only one of them" in failure("delete", "fram-ship", "--where", "country=Norway", "--index", index, status=2)
    assert run_json("stats", "--index", index)["documents"] == 182


@pytest.fixture
def reports(tmp_path: Path) -> Path:
    """A folder of two files, as a source of the index x.mh beside it."""
    folder = tmp_path / "reports"
    folder.mkdir()
    for name in ("a", "b"):
        (folder / f"{name}.txt").write_text(f"The report {name}.")
    run("index", folder, "--to", tmp_path / "x.mh", "--metadata", "country=Norway")
    return folder


def test_by_source(reports: Path, tmp_path: Path) -> None:
    index = tmp_path / "x.mh"
    shown = run("delete", "--source", reports, "--index", index, "--dry-run")
    assert shown.stdout.splitlines() == ["a.txt", "b.txt"]
    done = run("delete", "--source", reports / "a.txt", "--index", index)
    assert done.stdout == "1 document deleted\n"
    assert "came from files; the next sync adds them again" in done.stderr
    reports.rename(tmp_path / "moved")
    done = run("delete", "--source", reports, "--index", index)
    assert (done.stdout, done.stderr) == ("1 document deleted\n", "")
    (tmp_path / "moved").rename(reports)
    run("sync", reports, "--to", index)
    documents = run_json("list", "--index", index)["documents"]
    assert [document["metadata"].get("country") for document in documents] == [None, None]


def test_by_source_in_json(reports: Path, tmp_path: Path) -> None:
    index = tmp_path / "x.mh"
    assert run_json("delete", "--source", reports, "--index", index, "--dry-run") == {
        "would_delete": ["a.txt", "b.txt"]
    }
    assert run_json("delete", "--source", reports, "--index", index) == {"deleted": 2, "unknown": [], "generation": 2}


def test_a_source_whose_documents_are_gone_is_forgotten(reports: Path, tmp_path: Path) -> None:
    index = tmp_path / "x.mh"
    run("delete", "a.txt", "b.txt", "--index", index)
    done = run("delete", "--source", reports, "--index", index)
    assert (done.exit_code, done.stdout) == (0, "0 documents deleted\n")
    assert run_json("stats", "--index", index)["sources"] == []


def test_an_unknown_source(reports: Path, index: Path, tmp_path: Path) -> None:
    said = failure("delete", "--source", tmp_path / "report", "--index", tmp_path / "x.mh")
    assert said == f"the index has no documents from '{tmp_path / 'report'}'; did you mean '{reports}'?"
    assert failure("delete", "--source", reports, "--index", index).endswith("; it has no sources")
    both = failure("delete", "a.txt", "--source", reports, "--index", tmp_path / "x.mh", status=2)
    assert "only one of them" in both
