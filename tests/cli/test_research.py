from __future__ import annotations

from pathlib import Path

from multihop import Engine

from ..index.test_validity import LEADERS
from .command import failure, run, run_json

QUESTION = "How did the Difference Engine differ from the Analytical Engine?"


def test_a_report_and_the_log_of_its_hops(index: Path, tmp_path: Path) -> None:
    out = tmp_path / "report.md"
    asked = ("research", QUESTION, "--index", index, "--max-hops", "5", "--min-hops", "2", "--threshold", ".7")
    done = run(*asked, "--out", out)
    assert (done.exit_code, done.stdout) == (0, "")
    assert out.read_text().startswith(f"# {QUESTION}\n\n## Definition")
    assert "## Sources" in out.read_text()
    assert done.stderr.startswith("📋 Identified Aspects (3):\n  1. [CORE] ")
    assert "[Hop 1] Subquery: " in done.stderr
    assert "  Decision: " in done.stderr
    assert run(*asked).stdout == out.read_text()


def test_a_report_as_of_a_day(tmp_path: Path) -> None:
    with Engine.open(tmp_path / "x.mh", create=True) as engine:
        engine.add(LEADERS)
    asked = ("research", "By whom is Kittiwake led?", "--index", tmp_path / "x.mh", "--as-of")
    for day, leader in (("2024-05-02", "Pia Holm"), ("2024-05-03", "Jon Berg")):
        report = run(*asked, day).stdout
        assert [name for name in ("Pia Holm", "Jon Berg") if f"led by {name}" in report] == [leader]
    assert "as_of is a day such as 2024-05-03" in failure(*asked, "soon")


def test_the_threshold_adapts(index: Path) -> None:
    found = run_json("research", QUESTION, "--index", index, "--adaptive", "--max-hops", "4")
    assert found["metadata"]["aspect_coverage"]["total_aspects"] == 3
    assert "needed" in failure("research", QUESTION, "--index", index, "--min-hops", "5", "--max-hops", "2")
