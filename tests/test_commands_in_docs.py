"""Commands that the documentation shows without running them are ones that exist, with the options they show.

What can run here is shown as a session and run by `test_console.py`; what is left needs a model, a cluster, data of a
benchmark or another machine, or does not end by itself.
"""

from __future__ import annotations

import re
import shlex
import sys
from itertools import takewhile
from pathlib import Path
from textwrap import dedent

import click
import pytest

from multihop.cli.program import program

ROOT = Path(__file__).parent.parent
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "training/README.md", "examples/README.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]
FENCE = re.compile(r"^( *)```(\w*)\n(.+?)^\1```$", re.M | re.S)
INLINE = re.compile(r"`(multihop|make) ([a-z][^`]*)`")
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M))


def _typed(page: Path) -> list[list[str]]:
    """The words of every line that begins with one of our programs, up to what the shell does with the output."""
    text = page.read_text(encoding="utf-8")
    blocks = [dedent(block) for _, kind, block in FENCE.findall(text) if kind in ("", "sh", "text")]
    lines = "\n".join(blocks).replace("\\\n", " ").splitlines()
    commands = [line.removeprefix("$ ") for line in lines]
    found = [line for line in commands if re.match(r"(multihop|make|python3?) ", line)]
    return [list(takewhile(lambda word: word not in ("|", ">"), shlex.split(line, comments=True))) for line in found]


def check(words: list[str]) -> None:
    """Raise where the program of this checkout would not understand these words."""
    match words:
        case ["multihop", *arguments]:
            understood(arguments)
        case ["make", *arguments]:
            assert {word for word in arguments if "=" not in word} <= TARGETS
        case ["python" | "python3", "-m", module, *_]:
            assert module in sys.stdlib_module_names | {"pytest"}
        case [_, script, *arguments]:
            source = (ROOT / script).read_text(encoding="utf-8")
            options = [word.partition("=")[0] for word in arguments if word.startswith("--")]
            assert [option for option in options if f'"{option}"' not in source] == []


def understood(arguments: list[str]) -> None:
    """Parse a command line as the program would; raises where a command or an option is unknown or misses a value."""
    command, rest = _command(arguments)
    command.make_context(command.name, rest, parent=click.Context(program))


def _command(words: list[str]) -> tuple[click.Command, list[str]]:
    """The command that words begin with, `token create` say, and what follows."""
    command: click.Command = program
    while isinstance(command, click.Group) and words:
        name, *words = words
        command = command.commands[name]
    return command, words


@pytest.mark.parametrize("page", [page for page in PAGES if _typed(page)], ids=lambda page: page.name)
def test_they_are_understood(page: Path) -> None:
    for words in _typed(page):
        try:
            check(words)
        except (AssertionError, KeyError, OSError, click.ClickException) as problem:
            pytest.fail(f"{shlex.join(words)}: {problem!r}")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_what_a_sentence_names_exists(page: Path) -> None:
    """A sentence leaves out what does not matter to it, so only names are looked at."""
    unknown = []
    for name, words in INLINE.findall(page.read_text(encoding="utf-8")):
        if name == "make":
            unknown += [word for word in words.split() if "=" not in word and word not in TARGETS]
            continue
        command, rest = _command(words.split())
        known = {option for parameter in command.params for option in parameter.opts} | {"--help"}
        unknown += [word for word in rest if word.startswith("--") and word.partition("=")[0] not in known]
    assert unknown == []
