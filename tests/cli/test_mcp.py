"""`multihop mcp` before it serves: what it refuses. How it serves is tested with the adapters."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from multihop.errors import install_command

from .command import environment, failure


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "give an --index, or --demo for the sample corpus. See: multihop mcp --help"),
        (("--demo", "--index", "sample=x.mh"), "--demo uses the index name 'sample'; give yours another name"),
        (("--demo", "--memory", "--group", "hr"), "--memory with --group or --where needs --user"),
        (("--demo", "--where", "country"), "invalid value for '--where'"),
        (("--demo", "--port", "70000"), "invalid value for '--port'"),
    ],
)
def test_wrong_usage(arguments: tuple[str, ...], message: str) -> None:
    assert message in failure("mcp", *arguments, status=2)


@pytest.mark.parametrize(
    "given",
    [
        ("a/x.mh", "b/x.mh"),
        ("x=a", "x=b"),
        ("x=a", "postgresql://reader:hunter22@db.example/news?index=x"),
        ("postgresql://reader:hunter22@db.example/one?index=x", "x=postgresql://reader:hunter22@db.example/two"),
    ],
)
@pytest.mark.parametrize("program", ["mcp", "serve"])
def test_two_indexes_of_one_name(program: str, given: tuple[str, str]) -> None:
    message = failure(program, "--index", given[0], "--store", given[1])
    assert message.startswith("two indexes have the name 'x'; rename one of them: --index NAME=")
    assert "hunter22" not in message


@pytest.mark.parametrize("program", ["mcp", "serve"])
@pytest.mark.parametrize("name", ["", "news="])
def test_a_server_that_cannot_be_reached(program: str, name: str) -> None:
    message = failure(program, "--store", f"{name}postgresql://reader:hunter22@127.0.0.1:1/news?connect_timeout=2")
    assert "127.0.0.1" in message
    assert "hunter22" not in message


@pytest.mark.parametrize("given", ["{}", "wiki={}"])
def test_an_index_that_is_not_there(tmp_path: Path, given: str) -> None:
    assert "none.mh" in failure("mcp", "--index", given.format(tmp_path / "none.mh"))


def test_other_machines_need_a_token(index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MULTIHOP_MCP_TOKEN", raising=False)
    message = failure("mcp", "--index", index, "--http", "--host", "0.0.0.0")
    assert message == (
        "the host '0.0.0.0' is open to other machines and needs a token; "
        "give one (the command takes it from MULTIHOP_MCP_TOKEN), or serve 127.0.0.1"
    )
    monkeypatch.setenv("MULTIHOP_MCP_TOKEN", "short")
    assert failure("mcp", "--index", index, "--http") == "the token has 5 characters; at least 16 are needed"


def test_without_the_extra(index: Path) -> None:
    script = (
        "import sys\nsys.modules['mcp'] = None\nimport multihop.cli\n"
        f"sys.argv = ['multihop', 'mcp', '--index', {str(index)!r}]\nmultihop.cli.main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env=environment(), check=False
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        f"error: The MCP server needs an optional dependency. Install it with: {install_command('mcp')}\n"
    )


def test_an_address_that_cannot_be_served(index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MULTIHOP_MCP_TOKEN", "a-token-of-good-length")
    message = failure("mcp", "--index", index, "--http", "--host", "203.0.113.7", "--port", "0")
    assert message == "cannot serve at 203.0.113.7, port 0: Cannot assign requested address"
