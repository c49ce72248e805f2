"""Every part of the loop has a test of its own that names it, beside the contract it keeps."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from multihop import parts

SEAMS = {"plan", "write", "search", "select", "assess", "decide"}
TESTS = Path(__file__).parent


def _parts() -> dict[str, str]:
    """Every public class of the parts that fills a seam, with the module it stands in."""
    found = {}
    for file in sorted(Path(parts.__path__[0]).rglob("*.py")):
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            methods = {n.name for n in getattr(node, "body", ()) if isinstance(n, ast.FunctionDef)}
            if isinstance(node, ast.ClassDef) and methods & SEAMS and not node.name.startswith("_"):
                found[node.name] = file.stem
    return found


PARTS = _parts()


def test_the_parts_are_found() -> None:
    assert {"RulePlanner", "FollowLinks", "Bm25Searcher", "LearnedFusion", "EntityAssessor", "FixedHops"} <= set(PARTS)


@pytest.mark.parametrize("name", PARTS)
def test_a_test_names_it(name: str) -> None:
    files = [f for f in TESTS.rglob("test_*.py") if f.name not in ("test_contracts.py", Path(__file__).name)]
    naming = [f.name for f in files if re.search(rf"\b{name}\b", f.read_text(encoding="utf-8"))]
    assert naming, f"no test under tests/parts names {name}; put one into test_{PARTS[name]}.py"


@pytest.mark.parametrize("name", PARTS)
def test_it_keeps_its_contract(name: str) -> None:
    suites = [text for f in TESTS.rglob("test_*.py") if "Contract)" in (text := f.read_text(encoding="utf-8"))]
    assert any(re.search(rf"\b{name}\(", text) for text in suites), f"no contract suite under tests/parts runs {name}"
