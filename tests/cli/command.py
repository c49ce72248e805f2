"""Runs the command line: inside this process through click, and as a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from inspect import signature
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

import multihop
from multihop.cli.program import program

from .. import forking
from ..disturbance import python_path

SOURCE = Path(multihop.__file__).parents[1]
# Before click 8.2 the two streams are one unless asked otherwise; from then on they are always apart.
_APART: dict[str, Any] = {"mix_stderr": False} if "mix_stderr" in signature(CliRunner).parameters else {}
# Whatever the machine that runs the tests wants from terminals must not change what they see.
NEUTRAL = {"COLUMNS": None, "FORCE_COLOR": None, "NO_COLOR": None, "TTY_COMPATIBLE": None}


def run(*arguments: str | Path, stdin: str | bytes | None = None) -> Result:
    return CliRunner(**_APART).invoke(
        program, [str(a) for a in arguments], input=stdin, env=NEUTRAL, prog_name="multihop", catch_exceptions=False
    )


def run_json(*arguments: str | Path, stdin: str | bytes | None = None) -> Any:
    done = run(*arguments, "--json", stdin=stdin)
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout)


def failure(*arguments: str | Path, status: int = 1, stdin: str | bytes | None = None) -> str:
    """Run a command that must fail, with one line on stderr and nothing on stdout; give the line."""
    done = run(*arguments, stdin=stdin)
    assert done.exit_code == status, done.output
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith("error: ")
    return line.removeprefix("error: ")


def command(*arguments: str | Path) -> list[str]:
    return [sys.executable, "-W", "error", "-m", "multihop", *map(str, arguments)]


def environment(**changes: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in NEUTRAL}
    return kept | {"PYTHONPATH": python_path(SOURCE), "PYTHONIOENCODING": "utf-8"} | changes


def process(*arguments: str | Path, stdin: str = "", **changes: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(*arguments), input=stdin, env=environment(**changes), capture_output=True, encoding="utf-8", check=False
    )


def forked(*arguments: str | Path, stdin: str = "", **changes: str) -> subprocess.CompletedProcess[str]:
    """Run a command as a process of its own that has the package imported already."""
    return forking.run(command(*arguments), environment(**changes), input=stdin)
