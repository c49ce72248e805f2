"""The count of lines, and the list of why each file is not smaller."""

from __future__ import annotations

import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "release" / "lines.py"
LINES = runpy.run_path(str(SCRIPT))


def test_blank_lines_comments_and_docstrings_do_not_count() -> None:
    source = (
        '"""What\nit is."""\n\nimport os  # for getpid\n\n# A comment.\n\n\ndef f():\n    """Say."""\n    return os\n'
    )
    assert LINES["count_code"](source) == 3


def test_every_file_says_why_it_is_not_smaller_and_every_reason_is_of_a_file() -> None:
    source, reasons = LINES["SOURCE"], LINES["read_reasons"]()
    files = [file.relative_to(source).as_posix() for file in source.rglob("*.py")]
    used = {name: LINES["patterns_of"](name, reasons) for name in files}
    assert [name for name, patterns in used.items() if not patterns] == []
    assert set(reasons) == set(used.values())


def test_rooms_and_files_add_up_to_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for room in ("cli", "rendering"):
        shutil.copytree(LINES["SOURCE"] / room, tmp_path / room)
    monkeypatch.setitem(LINES["main"].__globals__, "SOURCE", tmp_path)
    LINES["main"]([])
    by_room = capsys.readouterr().out
    LINES["main"](["--files"])
    by_file = capsys.readouterr().out
    assert by_room.splitlines()[-1] == by_file.splitlines()[-1]
    assert "cli/index.py: `multihop index`: add documents to an index." in by_file


def test_any_folder_can_be_counted(tmp_path: Path) -> None:
    (tmp_path / "room").mkdir()
    (tmp_path / "room" / "one.py").write_text('"""One."""\n\na = 1\n')
    (tmp_path / "two.py").write_text("a = 1\nb = (\n    2\n)\n")
    run = subprocess.run([sys.executable, SCRIPT, tmp_path], capture_output=True, encoding="utf-8", check=True)
    assert [line.split() for line in run.stdout.splitlines()] == [["4", "two.py"], ["1", "room"], ["5", "in", "all"]]
