from __future__ import annotations

import json
from pathlib import Path

from .command import run


def test_questions_refer_to_what_was_said(index: Path) -> None:
    done = run("chat", "--index", index, stdin="When was Colin Archer born?\n\nAnd what did he build?\n")
    assert done.exit_code == 0, done.stderr
    assert done.stdout.startswith("1832  date, confidence")
    assert "(What did Colin Archer build?)" in done.stdout


def test_each_answer_is_a_line_of_json(index: Path) -> None:
    done = run("chat", "--index", index, "--fast", "--json", stdin="Who drew the Fram?\nWho built it?\n")
    first, second = map(json.loads, done.stdout.splitlines())
    assert first["turn"]["question"] == first["answer"]["question"] == "Who drew the Fram?"
    assert second["turn"]["resolved"] == second["answer"]["question"] != "Who built it?"
