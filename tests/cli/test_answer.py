from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from multihop import Engine
from multihop.cli.answer import print_answer

from .command import failure, run, run_json

QUESTION = "When was Colin Archer born?"


def test_an_answer_shows_its_sentences_and_the_chain(index: Path) -> None:
    done = run("answer", QUESTION, "--index", index)
    assert done.exit_code == 0, done.stderr
    found = run_json("answer", QUESTION, "--index", index)
    lines = done.stdout.splitlines()
    assert lines[0] == f"{found['text']}  date, confidence {found['confidence']:.2f}"
    assert lines[1].startswith(f"{found['sentences'][0]['confidence']:.2f}  ")
    assert "chain" in lines


def test_a_claim_is_shown_part_by_part(index: Path) -> None:
    done = run("answer", "Colin Archer came into the world in Larvik in 1832.", "--index", index)
    assert done.stdout.startswith("supported  claim, confidence 0.")
    parts = run("answer", "Colin Archer came into the world in Larvik in 1832, and wrote ten operas.", "--index", index)
    assert "supported: Colin Archer came into the world in Larvik in 1832" in parts.stdout


@pytest.mark.parametrize(
    ("asked", "confidence", "first"),
    [
        (QUESTION, 0.5, "Possibly 1832  date, confidence 0.50"),
        (QUESTION, 0.9, "1832  date, confidence 0.90"),
        ("Colin Archer came into the world in 1832.", 0.5, "Possibly supported  claim, confidence 0.50"),
        ("Colin Archer came into the world in 1832.", 0.9, "supported  claim, confidence 0.90"),
    ],
)
def test_a_guess_is_introduced_as_one(sample: Engine, asked: str, confidence: float, first: str) -> None:
    written = io.StringIO()
    print_answer(Console(file=written, width=200), replace(sample.answer(asked), confidence=confidence))
    assert written.getvalue().splitlines()[0] == first


def test_without_models_the_closest_sentence_is_shown(index: Path) -> None:
    lines = run("answer", QUESTION, "--index", index, "--fast").stdout.splitlines()
    assert lines[0] == "Not sure. The closest sentence is:"
    assert lines[1].startswith("no reader looked for an answer")
    assert "1832" in lines[2]


def test_nonsense_is_not_answered(index: Path) -> None:
    done = run("answer", "xqzzyv wplk", "--index", index)
    assert (done.exit_code, done.stdout.strip()) == (0, "no sentence answers this")


def test_the_question_may_come_from_stdin(index: Path) -> None:
    assert run_json("answer", "-", "--index", index, stdin=QUESTION)["question"] == QUESTION


def test_an_unknown_strategy_is_one_line(index: Path) -> None:
    assert "did you mean 'auto'?" in failure("answer", QUESTION, "--index", index, "--strategy", "atuo")
