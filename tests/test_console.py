"""The sessions in a shell that the documentation shows are run as they stand there: each command, and what it prints.

A block with the fence `console` is such a session; blanks and line breaks of the output do not count, `...` stands for
anything. What a reader types without a result to compare, such as starting a server, is in blocks with other fences.
"""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

ROOT = Path(__file__).parent.parent
PAGES = ["README.md", "docs/tutorial.md"]
SESSION = re.compile(r"^```console\n(.+?)^```$", re.M | re.S)
COMMAND = re.compile(r"^\$ (.+(?:\\\n.+)*)\n((?:(?!\$ ).*\n)*)", re.M)
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@pytest.fixture
def shell(tmp_path: Path) -> dict[str, str]:
    """The environment of a shell in which `multihop` is the one of this checkout."""
    program = tmp_path / "bin" / "multihop"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m multihop "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    paths = {"PATH": f"{program.parent}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT / "src"), "HOME": str(tmp_path)}
    return dict(os.environ) | paths | {"COLUMNS": "110", "PYTHONIOENCODING": "utf-8"}


@pytest.mark.parametrize("page", PAGES)
def test_sessions_do_what_they_show(page: str, shell: dict[str, str], tmp_path: Path) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    commands = [found for block in SESSION.findall(text) for found in COMMAND.findall(dedent(block))]
    assert commands
    for typed, shown in commands:
        done = subprocess.run(["bash", "-c", typed], cwd=tmp_path, env=shell, capture_output=True, encoding="utf-8")
        said = done.stdout + done.stderr
        assert done.returncode == 0, (typed, said)
        assert doctest.OutputChecker().check_output(shown, said, OPTIONS), f"$ {typed}\n{said}\ninstead of\n{shown}"
