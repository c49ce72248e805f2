"""What documents and language models say is shown, never run: on the page, and in the files that are made of it."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from multihop import Document, Engine
from multihop.lm import Model
from multihop.server.settings import Location
from multihop.testing.lm import ScriptedLM
from tests.answering.test_conflicts import PAY, TRAVEL
from tests.cli.command import run
from tests.index.test_validity import LEADERS
from tests.lm.able import able
from tests.server.page.driving import FIRST, Page
from tests.server.page.site import EVIL, sample_site

pytestmark = pytest.mark.browser


def tainted(value: Any) -> Any:
    """Put markup behind every text of an answer; its form and its numbers stay."""
    match value:
        case str():
            return value + EVIL
        case list():
            return [tainted(each) for each in value]
        case Mapping():
            return {name: tainted(each) for name, each in value.items()}
    return value


def hostile(step: str, inputs: Mapping[str, str]) -> Any:
    if step == "cited_answer":
        return {"answer": f"Larvik {EVIL}", "statements": [{"text": f"Larvik {EVIL}.", "citations": [1]}]}
    return tainted(able(step, inputs))


@dataclass(frozen=True)
class HostileModel:
    def open(self) -> Model:
        return Model(ScriptedLM(hostile), sleep=lambda _: None)


def test_what_a_language_model_says_stays_text(browser: Page, tmp_path: Path) -> None:
    site = sample_site(tmp_path, lm=HostileModel())
    try:
        browser.fresh(site.address)
        shown = ""
        for strategy in ("auto", "gap"):
            browser.ask(FIRST, k=5, strategy=strategy)
            for closed in browser.all("main details:not([open])"):
                browser.run("arguments[0].open = true", closed)
            assert browser.run("return window.evil") is None
            assert not browser.all("main img, main script, svg[onload], a[href^='javascript']")
            shown += browser.run("return document.querySelector('main').textContent")
        assert "onerror=window.evil" in shown
        assert browser.complaints() == []
    finally:
        site.stop()


def test_uploaded_files_stay_text(page: Page, tmp_path: Path) -> None:
    """Names, front matter and markup of files, where they are read and where they are refused."""
    image = "<img src=x onerror=window.evil=1>"
    note = tmp_path / f"{image}.md"
    note.write_text(f"---\ntitle: Skerry {image}\nkind: {EVIL!r}\n---\nThe skerry lies off Sandnes. {EVIL}\n")
    web = tmp_path / "page.html"
    web.write_text(
        f"<title>Reef {image.replace('<', '&lt;')}</title><p>The reef is near.{EVIL}<svg onload=window.evil=1>"
    )
    refused = tmp_path / f"{image}.exe"
    refused.write_bytes(b"\0")
    page.open("documents", index="hostile")
    page.click(".upload summary")
    page.see("#files").send_keys("\n".join(map(str, (note, web, refused))))
    page.click(".upload button", "Upload")
    page.see(".upload-state .yes", "2 documents added.")
    page.see(".upload-state .no", ".exe")
    page.open("documents", index="hostile")
    page.click(".documents a", f"Skerry {image}")
    page.see("h1", f"Skerry {image}")
    page.see(".metadata", EVIL)
    page.open("ask", index="hostile", q="Where does the skerry lie?", k=5)
    page.see(".card", image)
    assert page.run("return window.evil") is None
    assert not page.all("main img, main script, svg[onload], a[href^='javascript']")
    assert all("415" in said for said in page.complaints())


def test_conflicts_days_conversations_and_reports_stay_text(browser: Page, tmp_path: Path) -> None:
    place = tmp_path / "evil.mh"
    documents = [
        replace(d, title=f"{d.title} {EVIL}", text=f"{d.text} See {EVIL} here.", metadata={**d.metadata, EVIL: EVIL})
        for d in (*TRAVEL, *LEADERS)
    ]
    with Engine.open(place, create=True) as engine:
        engine.add(documents)
    site = sample_site(tmp_path, indexes=(Location("evil", str(place)),))

    def check(selector: str, text: str = "onerror=window.evil") -> None:
        browser.see(selector, text)
        assert browser.run("return window.evil") is None
        assert not browser.all("main img, main script, svg[onload], a[href^='javascript']")

    try:
        browser.fresh(site.address)
        browser.ask(PAY)
        check(".result p.no", EVIL)
        browser.ask("Who leads Kittiwake?", as_of="2024-05-02")
        check(".result p.soft", f"“Kittiwake (2024) {EVIL}” valid from 3 May 2024")
        for view in ("chat", "research"):
            browser.open(view, index="evil")
            browser.write("#question", f"Who leads Kittiwake {EVIL}?")
            browser.click("form button.primary")
            check(".turn" if view == "chat" else "main section")
        browser.open("survey", index="evil")
        browser.write("#questions", f"Who leads Kittiwake {EVIL}?")
        browser.click("button.primary", "Run the survey")
        check("table.heat")
        assert browser.complaints() == []
    finally:
        site.stop()


@pytest.fixture
def index(tmp_path: Path) -> Path:
    """Documents that try to become markup, scripts or formulas with every field they have."""
    place = tmp_path / "evil.mh"
    target = f"# Targets {EVIL}\n\nBrazil will reduce emissions by 55% by 2030 {EVIL} compared with 1990 levels."
    formula = '=HYPERLINK("http://evil.example","x")'
    with Engine.open(place, create=True) as engine:
        engine.add(
            [
                Document(
                    f"ndc {EVIL}", target, f"NDC of Brazil {EVIL}", {"country": f"Brazil {EVIL}", EVIL: EVIL}, (EVIL,)
                ),
                Document(formula, f"{formula} The NDC of Brazil {EVIL} cuts emissions.", formula, {"country": formula}),
            ]
        )
        engine.relate()
    return place


def survey(index: Path, out: Path) -> None:
    run("survey", "--profile", "climate", "--index", index, "--out", out, "--question", "1", "--no-word2vec")


def test_files_that_are_made_of_hostile_documents_run_nothing(browser: Page, index: Path, tmp_path: Path) -> None:
    survey(index, tmp_path / "survey")
    for name in ("html", "svg"):
        run("graph", "--index", index, f"ndc {EVIL}", "--out", tmp_path / f"graph.{name}")
    pages = sorted([*(tmp_path / "survey").rglob("*.html"), *tmp_path.glob("graph.*")])
    assert len(pages) > 3
    for file in pages:
        browser.driver.get(file.as_uri())
        assert browser.run("return window.evil") is None, file.name
        assert not browser.all("img, a[href^='javascript'], svg[onload]"), file.name
        assert "evil" in browser.run("return document.documentElement.textContent"), file.name
        assert [said for said in browser.complaints() if "favicon" not in said] == []


def test_tables_that_are_made_of_hostile_documents_hold_no_formulas(index: Path, tmp_path: Path) -> None:
    """A spreadsheet computes what begins with = + - or @."""
    survey(index, tmp_path / "survey")
    cells = [
        cell
        for file in (tmp_path / "survey").rglob("*.csv")
        for row in csv.reader(file.read_text(encoding="utf-8-sig").splitlines())
        for cell in row
    ]
    assert any("HYPERLINK" in cell for cell in cells)
    assert [cell for cell in cells if cell.startswith(("=", "+", "@"))] == []
