"""The documentation as a site: links and anchors lead somewhere, the reference is whole, nothing is from elsewhere."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import multihop
from multihop.cli.program import program

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.release


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("docs") / "site"
    line = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    loaded = re.compile(r'<(?:script|img|iframe)[^>]+src="(?:https?:)?//|<link[^>]+href="(?:https?:)?//')
    pages = sorted(site.rglob("*.html"))
    assert len(pages) > 40
    assert [page.name for page in pages if loaded.search(page.read_text(encoding="utf-8"))] == []


def test_the_reference_holds_everything_there_is(site: Path) -> None:
    indexed = json.loads((site / "search" / "search_index.json").read_text(encoding="utf-8"))["docs"]
    titles = {(entry["location"].partition("#")[0], entry["title"]) for entry in indexed}
    assert {("reference/python.html", name) for name in multihop.__all__} <= titles
    assert {("reference/command-line.html", f"multihop {name}") for name in program.commands} <= titles
    assert ("reference/http.html", "POST /v1/indexes/{index}/retrieve") in titles
    assert ("reference/mcp.html", "retrieve_evidence") in titles
    told = ("Tables", "Result", "Trace", "Hop", "Runs", "Models")
    assert {("reference/formats.html", name) for name in told} <= titles
