"""What is handed out: dependencies whose licenses are known, and a bill of materials."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


def loaded(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "release" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def test_every_dependency_has_a_license_that_is_fit(tmp_path: Path) -> None:
    bom = tmp_path / "bom.json"
    done = subprocess.run(
        [sys.executable, ROOT / "release" / "licenses.py", "--bom", bom],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    parts = {part["name"]: part for part in json.loads(bom.read_text())["components"]}
    assert parts["tantivy"]["scope"] == "required"
    assert parts["fastapi"]["scope"] == "optional"
    assert parts["starlette"]["version"]


@pytest.mark.parametrize(
    ("license", "core", "fit"),
    [
        ("MIT", True, True),
        ("Apache-2.0 OR GPL-3.0-only", True, True),
        ("BSD-3-Clause AND GPL-3.0-only", True, False),
        ("GNU General Public License v3 (GPLv3)", False, False),
        ("AGPL-3.0-only", False, False),
        ("LGPL-3.0-only", False, True),
        ("LGPL-3.0-only", True, False),
        ("GNU Lesser General Public License v3", False, True),
        ("MPL-2.0 AND MIT", True, True),
        ("Apache-2.0 WITH LLVM-exception", True, True),
        ("unknown", False, False),
        ("not installed", False, False),
    ],
)
def test_which_licenses_are_fit(license: str, core: bool, fit: bool) -> None:
    assert loaded("licenses").Dependency("x", "1", license, core).fit is fit
