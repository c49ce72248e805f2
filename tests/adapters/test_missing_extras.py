"""Without its framework an adapter says what to install."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import multihop
from multihop.errors import install_command

SOURCE = str(Path(multihop.__file__).parents[1])


@pytest.mark.parametrize(
    ("adapter", "package", "extra"),
    [
        ("langchain", "langchain_core", "langchain"),
        ("llamaindex", "llama_index", "llama-index"),
        ("haystack", "haystack", "haystack"),
        ("dspy", "dspy", "lm"),
        ("mcp", "mcp", "mcp"),
    ],
)
def test_the_exact_command_is_said(adapter: str, package: str, extra: str) -> None:
    script = (
        f"import sys\nsys.modules[{package!r}] = None\nfrom multihop.errors import MissingExtra\n"
        f"try:\n    import multihop.adapters.{adapter}\n"
        "except MissingExtra as error:\n    print(error.extra, '|', error)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env={"PYTHONPATH": SOURCE}, check=True
    )
    said, _, message = done.stdout.partition(" | ")
    assert said == extra
    assert message.endswith(f"Install it with: {install_command(extra)}\n")
