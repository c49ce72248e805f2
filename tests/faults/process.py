"""How the tests of this folder start another process that knows the package."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import multihop

from ..forking import run


def environment() -> dict[str, str]:
    paths = [str(Path(multihop.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}


def answer(script: str, *arguments: object) -> Any:
    """Run a script to its end, and give what it printed, read as JSON."""
    ended = run([sys.executable, script, *map(str, arguments)], environment(), stderr=None)
    assert ended.returncode == 0
    return json.loads(ended.stdout)
