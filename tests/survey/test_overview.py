from __future__ import annotations

from pathlib import Path

from multihop import Document, Engine
from multihop.profiles import Profile
from multihop.survey import survey


def test_the_page_shows_values_with_sentence_source_and_confidence(tmp_path: Path, climate: Profile) -> None:
    said = "{} commits to reduce greenhouse gas emissions by {}% by 2030 compared to 1990 levels."
    documents = [
        Document("old.pdf", said.format("Japan", 40), "Old", {
            "country": "Japan", "date": "2015", "url": "javascript:x"}),
        Document("new.pdf", said.format("Japan", 55), "New <b>", {
            "country": "Japan", "date": "2020", "url": "https://example.org/new.pdf"}),
        Document("peru.pdf", "Emissions are high.", "Peru", {"country": "Peru"}),
    ]  # fmt: skip
    with Engine.open(tmp_path / "x.mh", create=True) as engine:
        engine.add(documents)
        survey(engine, climate, questions=[1, 5], out=tmp_path / "out")
    page = (tmp_path / "out" / "index.html").read_text("utf-8")
    cell = page[page.index('data-name="Japan"') : page.index('data-name="Peru"')]
    assert ">55% below 1990 by 2030 <sup>+1</sup></summary>" in cell
    assert "emissions by <mark>55%</mark> by 2030" in cell
    assert 'class="found contradicts c' in cell
    assert "An orange border marks contradicting values" in page
    assert cell.index("55%") < cell.index("40%")
    assert '<a href="https://example.org/new.pdf">New &lt;b&gt;, 2020, confidence' in cell
    assert "javascript:" not in page
    assert page.count(">not found</a>") == 3
    assert "a value in 1 of 4 cells" in page
    assert 'class="heat-controls"' in page and "window.print()" in page and "@media print" in page
    overview = (tmp_path / "out" / "overview.md").read_text("utf-8")
    assert "| [Japan](japan.md) | 55% below 1990 by 2030 | not found |" in overview
    report = (tmp_path / "out" / "japan.md").read_text("utf-8")
    assert "**55% below 1990 by 2030** (New" in report and "contradicted" in report
    assert "Peru › Peru" not in (tmp_path / "out" / "peru.html").read_text("utf-8")


def test_a_sentence_is_linked_to_its_file(tmp_path: Path, climate: Profile) -> None:
    folder = tmp_path / "ndc"
    folder.mkdir()
    said = "Japan commits to reduce greenhouse gas emissions by 46% by 2030 compared to 2013 levels."
    (folder / "the plan.txt").write_text(said, "utf-8")
    with Engine.open(tmp_path / "x.mh", create=True) as engine:
        engine.sync(folder, metadata={"country": "Japan"})
        found = survey(engine, climate, questions=[1], out=tmp_path / "out")
        assert survey(engine, climate, questions=[1]).groups[0].answers[0].findings[0].url == ""
    assert found.groups[0].answers[0].findings[0].url == "../ndc/the%20plan.txt"
    assert '<a href="../ndc/the%20plan.txt">the plan, confidence' in (tmp_path / "out" / "index.html").read_text(
        "utf-8"
    )
