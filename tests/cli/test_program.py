from __future__ import annotations

from pathlib import Path

import pytest

import multihop
from multihop.cli.program import program

from .command import failure, process, run

COMMANDS = (
    "demo", "index", "sync", "relate", "ask", "answer", "chat", "verdict", "list", "show", "graph", "stats", "delete",
    "export", "verify", "salvage", "strategies", "research", "survey", "profile", "eval", "compare", "replay", "adapt",
    "optimize", "copy", "serve", "token", "mcp", "completion",
)  # fmt: skip
WITHOUT_JSON = ("serve", "token", "mcp", "completion")
"""What prints nothing but where it listens, and a group of commands."""


@pytest.mark.parametrize("arguments", [(), ("--help",), ("-h",)])
def test_help_lists_the_commands_in_the_order_of_their_use(arguments: tuple[str, ...]) -> None:
    done = run(*arguments)
    assert done.exit_code == 0
    listed = [line.split()[0] for line in done.stdout.partition("Commands:\n")[2].partition("\n\n")[0].splitlines()]
    assert tuple(listed) == COMMANDS
    assert "..." not in done.stdout.partition("Commands:")[2], "a description is cut off"


def test_every_command_is_tested_here() -> None:
    assert tuple(program.commands) == COMMANDS


@pytest.mark.parametrize("command", COMMANDS)
def test_help_pages_have_an_example(command: str) -> None:
    done = run(command, "--help")
    assert done.exit_code == 0
    assert f"Example:\n    multihop {command}" in done.stdout
    assert ("--json" in done.stdout) == (command not in WITHOUT_JSON)


def test_version() -> None:
    assert run("--version").stdout == f"multihop {multihop.__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("aks",), "there is no command 'aks': did you mean 'ask'? See: multihop --help"),
        (("zzzzzz",), "known: adapt, answer, ask, chat, compare, completion, copy"),
        (("stats", "--indx", "x"), "Did you mean '--index'? See: multihop stats --help"),
        (("--jsn",), "no such option '--jsn'"),
        (("list",), "missing option '--index' / '--store'. See: multihop list --help"),
        (("ask", "x"), "missing option '--index' / '--store'. See: multihop ask --help"),
        (("ask", "x", "--index", "y", "-k", "many"), "'many' is not a valid integer. See: multihop ask --help"),
        (("delete", "x", "--index", "y", "--wait", "-1"), "invalid value for '--wait'"),
        (("show", "\udcff", "--index", "y"), "invalid value for 'ID': this is not UTF-8 text."),
    ],
)
def test_wrong_usage_is_one_line_and_status_2(arguments: tuple[str, ...], message: str) -> None:
    assert message in failure(*arguments, status=2)


def test_lists_and_help_keep_their_lines() -> None:
    missing = run("completion")
    assert missing.exit_code == 2
    assert missing.stderr.splitlines() == [
        "error: missing argument 'bash|zsh|fish'. Choose from:", "  bash,", "  zsh,", "  fish",
        "See: multihop completion --help",
    ]  # fmt: skip
    alone = run("profile")
    assert "\nCommands:\n" in alone.output
    assert "error" not in alone.output


def test_an_interruption_is_one_line_and_status_130(index: object, monkeypatch: pytest.MonkeyPatch) -> None:
    from multihop.engine import Engine

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Engine, "retrieve", interrupted)
    done = run("ask", "x", "--index", str(index))
    assert (done.exit_code, done.stdout, done.stderr.strip()) == (130, "", "error: interrupted")


def test_a_refusal_of_the_operating_system_is_one_line(index: object, monkeypatch: pytest.MonkeyPatch) -> None:
    from multihop.engine import Engine

    def refused(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", "/somewhere")

    monkeypatch.setattr(Engine, "retrieve", refused)
    assert failure("ask", "x", "--index", str(index)) == "/somewhere: Permission denied"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_for_a_shell(shell: str) -> None:
    done = run("completion", shell)
    assert done.exit_code == 0
    assert f"_MULTIHOP_COMPLETE={shell}_complete" in done.stdout


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("multihop sy", "sync"),
        ("multihop ask --strategy gr", "graph"),
        ("multihop ask --profile cli", "climate"),
        ("multihop ask --ind", "--index"),
        ("multihop verdict --top", "--top-k"),
    ],
)
def test_what_is_completed(typed: str, found: str) -> None:
    words = typed.split()
    asked = {"_MULTIHOP_COMPLETE": "bash_complete", "COMP_WORDS": typed, "COMP_CWORD": str(len(words) - 1)}
    done = process(**asked)
    assert f"plain,{found}" in done.stdout.splitlines()


def test_the_budget_has_two_names_everywhere() -> None:
    for name in ("ask", "verdict", "eval", "optimize", "survey"):
        assert "-k, --top-k" in run(name, "--help").stdout


def test_a_new_profile_is_the_one_that_is_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    refused = run("profile", "new", "climate")
    assert refused.exit_code == 1
    assert "'climate' is the name of a built-in profile" in refused.stderr
    assert not list(tmp_path.iterdir())
    assert run("profile", "new", "my-climate").stdout.startswith("written to my-climate.toml")
    assert run("profile", "check", "my-climate.toml").exit_code == 0
