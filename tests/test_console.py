"""The sessions in a shell that the documentation shows are run as they stand there: each command, and what it prints.

A block with the fence `console` is such a session; blanks and line breaks of the output do not count, `...` stands for
anything. What a reader types without a result to compare, such as starting a server, is in blocks with other fences.
"""

from __future__ import annotations

import doctest
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from textwrap import dedent
from typing import TYPE_CHECKING

import pytest

from multihop import Engine
from multihop.testing import sample_documents

from .cli.command import run
from .disturbance import SETTING, python_path

if TYPE_CHECKING:
    from .index.stores.postgres.server import Server

ROOT = Path(__file__).parent.parent
TYPED = ["docs/tutorial.md"]
"""What a new reader follows step by step is typed into a shell as well."""
PAGES = ["README.md", *TYPED] + [
    f"docs/{name}.md"
    for name in ("answers", "aspects", "cli", "deployment", "hybrid", "profiles", "scaling", "strategies", "surveys")
]
ADDRESS = re.compile(r"postgresql://\w+@db\.example/search\?index=(\w+)")
CONTRIBUTIONS = {
    "japan": "# Target\n\nJapan commits to reduce greenhouse gas emissions by 46% by 2030 compared to 2013 levels.\n\n"
    "# Scope\n\nThe base year is 2013. Gases covered: CO2, CH4 and N2O.\n",
    "brazil": "Brazil will cut emissions by 37 percent below 2005 levels in 2025.\n",
}
SESSION = re.compile(r"^```console\n(.+?)^```$", re.M | re.S)
COMMAND = re.compile(r"^\$ ((?:.*\\\n)*.+)\n((?:(?!\$ ).*\n)*)", re.M)
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@pytest.fixture
def shell(tmp_path: Path) -> dict[str, str]:
    """The environment of a shell in which `multihop` is the one of this checkout."""
    program = tmp_path / "bin" / "multihop"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m multihop "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    paths = {"PATH": f"{program.parent}:{os.environ['PATH']}", "PYTHONPATH": python_path(ROOT / "src")}
    return dict(os.environ) | paths | {"HOME": str(tmp_path)} | {"COLUMNS": "110", "PYTHONIOENCODING": "utf-8"}


def commands(page: str) -> list[tuple[str, str]]:
    """What is typed, each with what is shown for it."""
    text = (ROOT / page).read_text(encoding="utf-8")
    found = [command for block in SESSION.findall(text) for command in COMMAND.findall(dedent(block))]
    assert found
    return found


@pytest.mark.release  # a new process for each command
@pytest.mark.parametrize("page", TYPED)
def test_sessions_in_a_shell_do_what_they_show(page: str, shell: dict[str, str], tmp_path: Path) -> None:
    for typed, shown in commands(page):
        done = subprocess.run(["bash", "-c", typed], cwd=tmp_path, env=shell, capture_output=True, encoding="utf-8")
        said = done.stdout + done.stderr
        assert done.returncode == 0, (typed, said)
        assert doctest.OutputChecker().check_output(shown, said, OPTIONS), f"$ {typed}\n{said}\ninstead of\n{shown}"


@pytest.mark.parametrize("page", PAGES)
def test_sessions_do_what_they_show(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    """In this process, since starting a program takes longer than most of what it does; with what they begin with."""
    monkeypatch.chdir(tmp_path)
    if page != "docs/cli.md":
        _materials()
    for typed, shown in commands(page):
        if typed.startswith("pg_"):
            continue  # programs of the server: run by tests/index/stores/postgres/test_moving.py
        if there := ADDRESS.search(typed):
            server: Server = request.getfixturevalue("postgres")
            name = f"shown_{there.group(1)}{os.environ.get(SETTING, '')}"
            typed = typed.replace(there.group(), server.address(name))
        name, *arguments = shlex.split(typed, comments=True)
        if name != "multihop":
            subprocess.run(["bash", "-c", typed], check=True)
            continue
        file = arguments.pop() if ">" in arguments else None
        done = run(*(each for each in arguments if each != ">"))
        if file:
            Path(file).write_text(done.stdout, encoding="utf-8")
        out = "" if file else done.stdout
        assert bool(done.exit_code) == shown.startswith("error: "), (typed, out, done.stderr)
        # A terminal shows both streams, in an order that cannot be told here.
        either = (out + done.stderr, done.stderr + out)
        fits = (doctest.OutputChecker().check_output(shown, said, OPTIONS) for said in either)
        assert any(fits), f"$ {typed}\n{either[0]}\ninstead of\n{shown}"


def _materials() -> None:
    """Put the sample, as an index and as a file, and two contributions of countries into the working folder."""
    with Engine.open("sample.mh", create=True) as engine:
        engine.add(sample_documents())
    run("export", "--index", "sample.mh", "--out", "corpus.jsonl")
    Path("ndc").mkdir()
    for name, text in CONTRIBUTIONS.items():
        Path("ndc", f"{name}.md").write_text(text, encoding="utf-8")
