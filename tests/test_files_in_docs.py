"""Files that the documentation shows, such as a test of one's own part, are written down and run as they stand."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

ROOT = Path(__file__).parent.parent
FILE = re.compile(r"^ *```python\n *# (\S+\.py)\n(.+?)^ *```$", re.M | re.S)
PACKAGE = re.compile(r"\bmultihop(?:\.\w+)*\.(?=years\b)")
"""Where the new module would be imported from if it stood in the package."""


@pytest.mark.parametrize("page", ["docs/testing.md", "CONTRIBUTING.md"])
def test_the_tests_it_shows_pass(page: str, tmp_path: Path) -> None:
    blocks = FILE.findall((ROOT / page).read_text(encoding="utf-8"))
    files = {Path(name).name: PACKAGE.sub("", dedent(content)) for name, content in blocks}
    assert any(name.startswith("test_") for name in files)
    # In this repository they are loaded already.
    files.setdefault("conftest.py", 'pytest_plugins = ["multihop.testing.fixtures"]\n')
    for name, content in files.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-W", "error", "-p", "no:cacheprovider", str(tmp_path)]
    plain = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=plain)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"^\d+ passed in", done.stdout, re.M), done.stdout
