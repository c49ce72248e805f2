"""The command line as its users meet it: a process with pipes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from .command import command, environment, forked, process


def test_from_file_to_evidence(corpus: Path, tmp_path: Path) -> None:
    indexed = process("index", corpus, "--to", tmp_path / "x.mh")
    assert indexed.returncode == 0
    assert len(indexed.stdout.splitlines()) == 1
    assert [line[:8] for line in indexed.stderr.splitlines()] == ["skipped ", "skipped "]
    asked = process(
        "ask", "-", "--index", tmp_path / "x.mh", "--where", "year>=1995", "--json", stdin="What is Beta, or Alpha?"
    )
    assert asked.returncode == 0
    assert asked.stderr == ""
    assert [e["passage"]["id"] for e in json.loads(asked.stdout)["evidence"]] == ["beta#0"]


def test_strict_and_stdin(corpus: Path, tmp_path: Path) -> None:
    done = forked("index", "-", "--to", tmp_path / "x.mh", "--strict", stdin=corpus.read_text())
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith("error: stdin:2: is not valid JSON")


def test_pipes_get_neither_color_nor_bar(index: Path) -> None:
    asked = forked("ask", "Fram", "--fast", "--explain", "--index", index)
    shown = (process(*arguments, "--index", index) for arguments in (("show", "fram-ship"), ("stats",), ("verify",)))
    for done in (asked, *shown):
        assert done.returncode == 0
        assert done.stderr == ""
        assert "\x1b" not in done.stdout


def test_mistakes_are_one_line(tmp_path: Path) -> None:
    for arguments, status in ((("ask", "x", "--index", tmp_path / "no"), 1), (("aks",), 2), (("ask", "--wat"), 2)):
        done = process(*arguments)
        assert (done.returncode, done.stdout) == (status, "")
        (line,) = done.stderr.splitlines()
        assert line.startswith("error: ")


def test_a_reader_that_goes_away_is_no_error(index: Path) -> None:
    for output in (["--json"], ["--explain"]):
        arguments = command("ask", "Fram", "--fast", "--index", index, *output)
        with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()) as running:
            assert running.stdout is not None
            assert running.stderr is not None
            running.stdout.close()
            assert running.stderr.read() == b""
        assert running.returncode == 141, "as for any program that a closed pipe ends"


def test_an_encoding_without_the_characters(index: Path) -> None:
    shown = process("ask", "Dvořák", "--fast", "--index", index, "-k", "1", "--explain", PYTHONIOENCODING="ascii")
    assert shown.returncode == 0
    assert shown.stdout.isascii()
    said = process("ask", "Dvořák", "--fast", "--index", index, "-k", "1", "--json", PYTHONIOENCODING="ascii")
    assert json.loads(said.stdout)["question"] == "Dvořák"


def test_help_loads_neither_engine_nor_rich() -> None:
    script = (
        "import sys\nimport multihop.cli\nsys.argv = ['multihop', 'ask', '--help']\n"
        "try:\n    multihop.cli.main()\n"
        "except SystemExit:\n    print(sorted({'numpy', 'rich', 'tantivy', 'multihop.engine'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=environment(), check=True)
    assert done.stdout.splitlines()[-1] == "[]"
