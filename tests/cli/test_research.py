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


def test_a_report_on_some_documents_counts_passages(index: Path) -> None:
    asked = ("research", QUESTION, "--index", index, "--max-hops", "2", "--where")
    found = run_json(*asked, "country=United Kingdom,Norway")
    assert "difference-engine#0" in found["report"]["titles"]
    done = run(*asked, "country=Norway")
    assert "difference-engine" not in done.stdout
    assert "relevant passages (total: " in done.stderr
    assert "document" not in done.stderr
    assert "no document has country = 'Norwy': did you mean 'Norway'?" in run(*asked, "country=Norwy").stderr


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


def test_hops_that_contradict_each_other_are_refused_and_a_small_limit_alone_is_not(index: Path) -> None:
    asked = ("research", QUESTION, "--index", index, "--max-hops", "2")
    assert "min_hops must not be more than max_hops; got 5 and 2" in failure(*asked, "--min-hops", "5")
    assert "[Hop 2]" in run(*asked).stderr


def test_a_file_that_cannot_be_written_is_refused_before_the_first_hop(index: Path, tmp_path: Path) -> None:
    said = failure("research", QUESTION, "--index", index, "--out", tmp_path / "none" / "report.md")
    assert f"there is no folder {str(tmp_path / 'none')!r} for the report" in said
    assert "[Hop 1]" not in said
