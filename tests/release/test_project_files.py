"""The files that make it a project: hooks and hosted CI run the recipes of the Makefile, and nothing else."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RECIPES = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M))


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_hooks_are_the_lint_that_make_test_runs() -> None:
    hooks = re.findall(r"^        entry: make (\S+)$", text(".pre-commit-config.yaml"), re.M)
    [before_unit] = re.findall(r"^\t\$\(MAKE\) -j 2 (.+) unit$", text("Makefile"), re.M)
    assert hooks == before_unit.split()


@pytest.mark.parametrize(
    "name", [".github/workflows/ci.yml", ".ci/run", ".github/PULL_REQUEST_TEMPLATE.md", "CONTRIBUTING.md", "README.md"]
)
def test_recipes_that_are_named_exist(name: str) -> None:
    named = set(re.findall(r"\bmake ([a-z][a-z-]+)(?=[`\n ]*(?:[`\n]|DATA|#|  ))", text(name)))
    assert named
    assert named <= RECIPES


def test_recipes_for_marked_tests_look_where_they_are() -> None:
    """Others are not even imported, which takes longer than some of those that are wanted."""
    places = dict(re.findall(r"pytest (?:-q )?-m (\w+) ((?:tests/\S+ ?)+)", text("Makefile")))
    assert set(places) == set(re.findall(r'"(\w+): [^"]+; run by make', text("pyproject.toml")))
    for file in (ROOT / "tests").rglob("test_*.py"):
        for marker in places.keys() & set(re.findall(r"pytest\.mark\.(\w+)", file.read_text(encoding="utf-8"))):
            assert any(file.is_relative_to(ROOT / place) for place in places[marker].split()), (marker, file)


def test_hosted_ci_runs_every_python_that_the_package_is_for() -> None:
    classifiers = re.findall(r'Python :: (3\.\d+)"', text("pyproject.toml"))
    [tested] = re.findall(r'python: (\["3\.11", "3\.12".+\])', text(".github/workflows/ci.yml"))
    assert re.findall(r"3\.\d+", tested) == classifiers


def test_paths_in_hosted_ci_exist() -> None:
    paths = re.findall(r"\btests/\S+", text(".github/workflows/ci.yml"))
    assert paths
    assert [path for path in paths if not (ROOT / path).exists()] == []


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("github-workflows", ".github/workflows/ci.yml"),
        ("github-issue-forms", ".github/ISSUE_TEMPLATE/bug.yml"),
        ("github-issue-forms", ".github/ISSUE_TEMPLATE/idea.yml"),
        ("github-issue-config", ".github/ISSUE_TEMPLATE/config.yml"),
        ("compose-spec", "deploy/compose.yaml"),
        ("citation-file-format", "CITATION.cff"),
    ],
)
def test_files_are_what_their_readers_take(kind: str, name: str) -> None:
    """By the schemas that come with the linter: nothing is asked of a network."""
    line = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{kind}", str(ROOT / name)]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.release
def test_wheel_and_sdist_are_built_the_same_twice_and_hold_what_they_should(tmp_path: Path) -> None:
    line = [sys.executable, str(ROOT / "release" / "check.py"), "--no-install", "--out", str(tmp_path)]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert {file.name.rpartition(".")[2] for file in tmp_path.iterdir()} == {"whl", "gz"}
