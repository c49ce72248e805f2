"""The example programs run as they stand, and say what they are for."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

import multihop

from .disturbance import python_path
from .forking import run

EXAMPLES = Path(__file__).parent.parent / "examples"
SOURCE = str(Path(multihop.__file__).parents[1])
SAID = {
    "langchain_chain": [
        "answer: Larvik [3]",
        "  [3] colin-archer#0, hop 2: linked from",
        "Who reached the South Pole first? see Roald Amundsen, Fram (ship)",
        "Who drifted across the Arctic Ocean? see Fram (ship), Fridtjof Nansen",
    ],
    "llamaindex_query_engine": ["the model read ", "  3. Colin Archer (colin-archer), hop 2: linked from", "  4. "],
    "haystack_pipeline": [
        "[3] Colin Archer (linked from",
        "Colin Archer came into the world",
        "Question: Who drew the ship",
    ],
    "dspy_agent": ["answer: Colin Archer", "[3] Colin Archer | Colin Archer came into", "retrieved: "],
    "research_report": [
        "## Definition of Analytical Engine",
        "The Analytical Engine was a general-purpose machine",
        "not covered: Advantages/disadvantages of penicillin",
    ],
    "agent": ["Larvik (came into the world in Larvik) [colin-archer#0]", "3 calls of at most 4, ", "missing: "],
    "mcp_client": [
        "tools: retrieve_evidence, ",
        "  3. Colin Archer, hop 2: linked",
        "and marie-tharp#0? better ones",
    ],
}


def test_every_example_is_run_and_listed() -> None:
    names = {path.stem for path in EXAMPLES.glob("*.py")}
    assert names == set(SAID)
    listed = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    assert all(f"`{name}.py`" in listed for name in names)


@pytest.mark.parametrize("name", SAID)
def test_the_example_runs(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    # Where a framework keeps a cache or a settings file, it is not to be the user's own.
    own = {"PYTHONPATH": python_path(SOURCE), "HOME": str(tmp_path), "DSPY_CACHEDIR": str(tmp_path / "cache")}
    done = run(
        [sys.executable, "-W", "error", str(EXAMPLES / f"{name}.py")],
        dict(os.environ) | own | {"PYTHONIOENCODING": "utf-8"},
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    for expected in SAID[name]:
        assert any(line.startswith(expected) for line in lines), done.stdout
