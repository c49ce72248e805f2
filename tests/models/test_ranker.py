"""The ranker: what it is given, and that it tells evidence from what only shares words."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from multihop.models import onnx, ranker
from multihop.models.ranker import LINK, PASSAGE, QUESTION, inputs, rows
from multihop.models.wordpiece import END, START, tokens

QUESTION_TEXT = "Who drew the ship that Amundsen borrowed?"
FRAM = (
    "Fram (ship): The Fram is a wooden schooner, shaped so that pack ice would squeeze her upwards. Colin Archer drew "
    "her lines. Roald Amundsen later borrowed her for his voyage towards the South Pole.",
    "Roald Amundsen: He sailed south in the Fram after letting almost everyone believe he was bound for the north.",
)
AMUNDSEN = (
    "Roald Amundsen: Roald Amundsen was the Norwegian explorer who led the first party to stand at the South Pole.",
    "Fram (ship): Roald Amundsen later borrowed her for his voyage towards the South Pole.",
)
TEA = ("Tea: Tea is made of the leaves of a shrub. Architects like to drink it.", "")


pytestmark = pytest.mark.usefixtures("read_anew")


def test_a_row_is_question_passage_and_link() -> None:
    [(row, passage), (alone, _)] = rows("who", [("a passage", "a link"), ("a passage", "")])
    assert row == [START, *tokens("who", 9), END, *tokens("a passage", 9), END, *tokens("a link", 9), END]
    assert alone == row[: len(alone)]
    assert passage == 3
    arrays = inputs((row, passage))
    assert arrays["input_ids"].tolist() == [row]
    assert arrays["token_type_ids"].tolist() == [[0] * 3 + [1] * (len(row) - 3)]


def test_long_texts_are_cut() -> None:
    [(row, passage)] = rows("why " * 500, [("word " * 500, "link " * 500)])
    assert passage == QUESTION + 2
    assert len(row) == QUESTION + PASSAGE + LINK + 4


def test_evidence_scores_above_shared_words() -> None:
    model = ranker()
    assert model is not None
    ship, explorer, tea = model.score(QUESTION_TEXT, [FRAM, AMUNDSEN, TEA])
    assert ship > tea + 1
    assert explorer > tea + 1


def test_a_score_does_not_depend_on_its_company() -> None:
    model = ranker()
    assert model is not None
    several = model.score(QUESTION_TEXT, [FRAM, AMUNDSEN, TEA, TEA, AMUNDSEN])
    assert several[1] == several[4] == model.score(QUESTION_TEXT, [AMUNDSEN])[0]
    assert model.score(QUESTION_TEXT, []).shape == (0,)
    assert np.array_equal(several, model.score(QUESTION_TEXT, [FRAM, AMUNDSEN, TEA, TEA, AMUNDSEN]))


def test_without_onnxruntime_there_is_no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    assert onnx.load("ranker") is None


def test_it_reports_to_nobody_and_leaves_nothing_on_the_disk(tmp_path: Path) -> None:
    script = "from multihop.models import ranker; print(ranker().score('Who?', [('Fram: A ship.', '')]).shape)"
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": os.environ.get("PYTHONPATH", "")}
    environment |= dict.fromkeys(("HOME", "TMPDIR", "XDG_CACHE_HOME", "XDG_DATA_HOME"), str(tmp_path))
    ran = subprocess.run(
        [sys.executable, "-B", "-c", script], env=environment, cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert ran.stdout == "(1,)\n"
    assert list(tmp_path.iterdir()) == []
