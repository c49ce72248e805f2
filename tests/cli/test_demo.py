from __future__ import annotations

import re
import tempfile
from pathlib import Path

import pytest
from click.testing import Result

from multihop.engine import Engine
from multihop.testing import sample_questions
from multihop.types import Document

from .command import failure, run, run_json


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Result]:
    """The index of a demonstration, and what was printed."""
    place = tmp_path_factory.mktemp("demo") / "d.mh"
    return place, run("demo", "--to", place)


def test_shows_questions_evidence_one_trace_and_what_to_do_next(shown: tuple[Path, Result]) -> None:
    place, done = shown
    assert done.exit_code == 0
    assert done.stderr == ""
    assert done.stdout.startswith("182 documents, 5 questions, 5 passages each")
    assert done.stdout.count(" hops · ") == 5
    assert done.stdout.count("stopped after hop") == 1
    assert "✓  Fram (ship) " in done.stdout
    assert re.search(r"over all 52 sample questions: auto \d+, plain\s+BM25 \d+\.", done.stdout)
    hints = done.stdout.partition("next:\n")[2].splitlines()
    assert [hint.split()[:2] for hint in hints] == [["multihop", "ask"], ["multihop", "show"]]
    assert all(str(place) in hint for hint in hints)
    assert "\x1b" not in done.stdout


def test_json_and_again_into_its_own_index(shown: tuple[Path, Result]) -> None:
    said = run_json("demo", "--to", shown[0])
    assert said["of"] == len(sample_questions())
    assert said["complete"]["auto"] > said["complete"]["bm25"] > 0
    asked = said["questions"]
    assert {2, 3, 4} <= {question["hops"] for question in asked}
    assert {"claim", "question"} == {question["kind"] for question in asked}
    assert {"comparison", "multi-aspect"} & {question["type"] for question in asked}
    for question in asked:
        marked = {e["id"].partition("#")[0] for e in question["evidence"] if e["gold"]}
        assert question["complete"] == (marked == set(question["gold"]))
        assert len(question["evidence"]) == 5


def test_a_temporary_folder_by_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    place = Path(run_json("demo")["index"])
    assert place.parent == tmp_path
    assert run("ask", "Fram", "--index", place).exit_code == 0


def test_a_foreign_folder_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    assert "folder without an index" in failure("demo", "--to", tmp_path)


def test_an_index_of_the_user_is_left_alone(tmp_path: Path) -> None:
    for number, document in enumerate(
        (Document("mine", "My own text."), Document("fram-ship", "Not that of the sample."))
    ):
        place = tmp_path / f"{number}.mh"
        with Engine.open(place, create=True) as engine:
            engine.add(document)
        assert f"already holds other documents, such as {document.id!r}" in failure("demo", "--to", place)
        with Engine.open(place) as engine:
            assert engine.stats().documents == 1
            assert engine.document(document.id) == document
