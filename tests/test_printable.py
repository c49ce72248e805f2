"""A failing test prints, also from another process and whatever text it is about."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

FAILING = """
def test_half_a_pair():
    said = "half a pair \\ud83d"
    assert said == "nothing"
"""


def test_a_failure_about_half_a_surrogate_pair_prints_from_another_process(tmp_path: Path) -> None:
    (tmp_path / "test_failing.py").write_text(FAILING, encoding="utf-8")
    options = ["-p", "multihop.testing.fixtures", "-p", "no:cacheprovider", "-p", "xdist", "-n", "1", "-q"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, "test_failing.py"],
        cwd=tmp_path, env={**os.environ, "PYTHONIOENCODING": "utf-8", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True, encoding="utf-8",
    )  # fmt: skip
    assert done.returncode == 1, done.stdout + done.stderr
    assert "INTERNALERROR" not in done.stdout
    assert "half a pair \\ud83d" in done.stdout
