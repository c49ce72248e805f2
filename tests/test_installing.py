"""The command that adds an extra is one that works for what is running; the extras and their sets hold together."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import multihop
from multihop.errors import MissingExtra, install_command

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]
SETS = {"all", "app", "frameworks", "research"}


def test_a_checkout_is_named_by_its_folder() -> None:
    assert install_command("files") == f'pip install --editable "{ROOT.resolve()}[files]"'
    assert str(MissingExtra("Reading", "files")).endswith(f" Install it with: {install_command('files')}")


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A folder that holds the package as an installer would leave it, without what says where it came from."""
    package = tmp_path / "site" / "multihop"
    package.mkdir(parents=True)
    for name in ("__init__.py", "_lazy.py", "errors.py"):
        shutil.copy(Path(multihop.__file__).parent / name, package)
    shutil.copytree(Path(multihop.__file__).parent / "types", package / "types")
    information = tmp_path / "site" / "multihop-0.2.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.4\nName: multihop\nVersion: 0.2.0\n")
    return tmp_path / "site"


@pytest.mark.parametrize(
    ("origin", "target"),
    [
        (None, "multihop[files]"),
        ("damaged", "multihop[files]"),
        ({"url": "file:///w/multihop-0.2.0-py3-none-any.whl", "archive_info": {}},
         "multihop[files] @ file:///w/multihop-0.2.0-py3-none-any.whl"),
        ({"url": "file:///src/multihop", "dir_info": {}}, "multihop[files] @ file:///src/multihop"),
        ({"url": "https://git.example/m.git", "vcs_info": {"vcs": "git", "commit_id": "abc"}},
         "multihop[files] @ git+https://git.example/m.git@abc"),
    ],
)  # fmt: skip
def test_what_was_installed_is_named_by_where_it_came_from(installed: Path, origin: object, target: str) -> None:
    if origin is not None:
        text = origin if isinstance(origin, str) else json.dumps(origin)
        (installed / "multihop-0.2.0.dist-info" / "direct_url.json").write_text(text)
    code = "from multihop.errors import install_command; print(install_command('files'))"
    line = [sys.executable, "-S", "-c", code]
    done = subprocess.run(line, env={"PYTHONPATH": str(installed)}, capture_output=True, text=True, check=True)
    assert shlex.split(done.stdout) == ["pip", "install", target]


def test_every_extra_that_a_message_names_exists() -> None:
    sources = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py"))
    named = set(re.findall(r'(?:MissingExtra|needs_extra)\([^)]*?, "([\w-]+)"\)', sources))
    assert {"server", "files", "lm"} <= named <= set(EXTRAS)


def test_all_is_everything() -> None:
    def within(extra: str) -> set[str]:
        inner = [re.fullmatch(r"multihop\[(.+)\]", each) for each in EXTRAS[extra]]
        named = {name for match in inner if match for name in match[1].split(",")}
        return {extra}.union(*(within(name) for name in named))

    assert within("all") == set(EXTRAS)


def test_the_page_on_installing_names_every_dependency_and_extra() -> None:
    page = (ROOT / "docs" / "install.md").read_text(encoding="utf-8")
    core = {re.split(r"[<>=]", each)[0].lower().replace("_", "-") for each in PROJECT["dependencies"]}
    assert {name for name in core if f"| `{name}` |" not in page} == set()
    assert {name for name in EXTRAS if f"| `{name}` |" not in page} == set()


def test_the_version_is_in_one_place() -> None:
    assert PROJECT["dynamic"] == ["version", "entry-points"]
    assert "version" not in PROJECT
    assert f"## [{multihop.__version__}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"\nversion: {multihop.__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
