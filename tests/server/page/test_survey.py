"""A survey on the page, in a real browser: from the form to the table of countries and questions."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from multihop import Engine
from multihop.server.settings import Location, Settings
from tests.index.readers.test_pdf import pdf
from tests.server.page.driving import Page
from tests.server.page.site import Site
from tests.server.page.test_reach import axe
from tests.survey.conftest import DOCUMENTS

pytestmark = pytest.mark.browser


@pytest.fixture
def countries(tmp_path: Path) -> Iterator[Site]:
    with Engine.open(tmp_path / "ndc.mh", create=True) as engine:
        engine.add(DOCUMENTS)
    running = Site(Settings((Location("ndc", str(tmp_path / "ndc.mh")),), tmp_path / "state"))
    yield running
    running.stop()


def choose(browser: Page, selector: str, value: str) -> None:
    script = (
        "const s = document.querySelector(arguments[0]); s.value = arguments[1]; s.dispatchEvent(new Event('change'))"
    )
    browser.see(selector)
    browser.run(script, selector, value)


def test_a_survey_is_run_and_read_as_a_table(browser: Page, countries: Site) -> None:
    browser.fresh(countries.address)
    browser.open()
    browser.click("header nav a", "Survey")
    choose(browser, "#asked", "profile:climate")
    browser.click(".asked summary", "Questions: 8")
    assert len(browser.texts(".asked li")) == 8
    browser.write("#numbers", "1, 2")
    browser.write("#groups", "Japan, Brazil")
    browser.click("button.primary", "Run the survey")
    browser.see("table.heat", "Japan")
    assert browser.texts(".heat tbody th") == ["Japan", "Brazil"]
    assert [text.split(".")[0] for text in browser.texts(".heat thead th")] == ["country", "1", "2"]
    browser.see("main .soft", "The darker a cell, the likelier its value.")
    browser.all(".heat tbody tr:first-child td summary")[0].click()
    browser.see(".heat-panel h2", "Japan")
    assert "46%" in browser.see(".heat-panel").text
    assert browser.texts(".heat-panel mark") == ["46%"]
    browser.click(".heat-panel .close")
    assert browser.run("return document.activeElement.tagName") == "SUMMARY"
    browser.write(".heat-controls [name=name]", "bra")
    assert [text for text in browser.texts(".heat tbody th") if text] == ["Brazil"]
    assert browser.see(".heat-controls output").text == "1 of 2"
    assert "job=" in browser.hash
    # The address of the job shows the same table again, and its passages can be opened.
    browser.driver.refresh()
    browser.see("table.heat", "Brazil")
    places = "return ['thead th', 'tbody th'].map((p) => getComputedStyle(document.querySelector(p)).position)"
    assert browser.run(places) == ["sticky", "sticky"]
    browser.click(".heat tbody tr:first-child summary")
    browser.click(".heat-panel a.found")
    browser.see("#passage", "46%")
    browser.open("survey", index="ndc")
    browser.click(".documents a")
    browser.see("table.heat", "Japan")
    assert browser.complaints() == []


def test_a_folder_is_asked_in_plain_words(browser: Page, tmp_path: Path) -> None:
    folder = tmp_path / "deals"
    folder.mkdir()
    for name, sales in (("mill", "771,700"), ("yard", "12,050"), ("quay", "98,300")):
        text = f"Auditor: Grant Thornton\n\n| EUR thousand | 2023 |\n|---|---|\n| Net sales | {sales} |\n"
        (folder / f"{name}.md").write_text(text)
    (folder / "plan.pdf").write_bytes(pdf("Annual report.", "Net sales in 2023 were EUR 4.5 million."))
    with Engine.open(tmp_path / "deals.mh", create=True) as engine:
        engine.sync(folder)
    site = Site(Settings((Location("deals", str(tmp_path / "deals.mh")),), tmp_path / "state"))
    try:
        browser.fresh(site.address)
        browser.open("survey", index="deals")
        choose(browser, "#asked", "annual-reports")
        assert "Total assets" in str(browser.see("#questions").get_attribute("value"))
        choose(browser, "#asked", "")
        browser.write("#questions", "Revenue in 2023\nWho audits it?\nNumber of employees")
        browser.click("button.primary", "Run the survey")
        browser.see("table.heat", "mill.md")
        assert browser.texts(".heat tbody th") == ["mill.md", "plan.pdf", "quay.md", "yard.md"]
        cells = browser.texts(".heat tbody tr:first-child td")
        assert cells == ["EUR 771,700,000", "Grant Thornton", "not found"]
        shapes = "return [...document.querySelectorAll(arguments[0])].map((e) => e.getBoundingClientRect().height)"
        assert len(set(browser.run(shapes, ".heat-controls :is(input, select, button)"))) == 1
        # No name is broken over two lines.
        assert len(set(browser.run(shapes, ".heat .row-name"))) == 1
        # By the numbers, not by how they are written.
        browser.click(".heat thead button", "1. Revenue in 2023")
        assert browser.texts(".heat tbody th") == ["plan.pdf", "yard.md", "quay.md", "mill.md"]
        browser.click(".heat tbody tr:first-child summary")
        assert "4.5 million" in browser.see(".heat-panel mark").text
        assert browser.see(".heat-panel .page-image img").get_attribute("alt") == (
            "Page 2 of the file, with the quote marked"
        )
        for mark in browser.all(".heat .mark")[:2]:
            mark.click()
        browser.click(".heat-controls .compare")
        assert browser.texts(".heat-compared thead th") == ["plan.pdf", "yard.md"]
        for theme in ("light", "dark"):
            browser.theme(theme)
            assert axe(browser) == [], theme
        browser.theme("light")
        assert browser.complaints() == []
    finally:
        site.stop()


def test_a_country_that_is_not_there_is_said_on_the_page(browser: Page, countries: Site) -> None:
    browser.fresh(countries.address)
    browser.open("survey", index="ndc")
    choose(browser, "#asked", "profile:climate")
    browser.write("#groups", "Japn")
    browser.click("button.primary", "Run the survey")
    browser.see(".answer", "did you mean 'Japan'?")


COLUMNS = (
    "Revenue in 2023", "Net profit in 2023", "Total assets in 2023", "Number of employees", "Who audits it?",
    "Headquarters", "Chief executive", "Operating profit in 2023",
)  # fmt: skip


def test_fifteen_files_and_eight_questions_fit_a_screen(browser: Page, tmp_path: Path) -> None:
    folder = tmp_path / "reports"
    folder.mkdir()
    for number in range(15):
        rows = ("Revenue", "Operating profit", "Net profit", "Total assets")
        figures = "\n".join(f"| {row} | {620_000 + 1_700 * number + place} |" for place, row in enumerate(rows))
        text = (
            f"Auditor: Grant Thornton\n\nHeadquarters: Gothenburg\n\nChief executive: Ingrid Hansen\n\n"
            f"Number of employees: {8_400 + number}\n\n| EUR thousand | 2023 |\n|---|---|\n{figures}\n"
        )
        (folder / f"report-{number + 1:02}.md").write_text(text)
    with Engine.open(tmp_path / "reports.mh", create=True) as engine:
        engine.sync(folder)
    site = Site(Settings((Location("reports", str(tmp_path / "reports.mh")),), tmp_path / "state"))
    try:
        browser.fresh(site.address)
        browser.open("survey", index="reports")
        browser.see("#questions")
        browser.run("document.querySelector('#questions').value = arguments[0]", "\n".join(COLUMNS))
        browser.click("button.primary", "Run the survey")
        browser.see("table.heat", "report-15.md")
        assert len(browser.all(".heat thead th")) == 9
        shown = "const b = document.querySelector('.heat tbody tr:last-child').getBoundingClientRect();"
        right, bottom = browser.run(f"{shown} scrollTo(0, 0); return [b.right, b.bottom]")
        assert right <= 1280
        assert bottom <= 900
    finally:
        site.stop()


def test_what_is_not_installed_says_so_before_the_click(
    browser: Page, countries: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("rapidfuzz", "rustworkx"):
        monkeypatch.setitem(sys.modules, name, None)
    browser.fresh(countries.address)
    browser.open("ask", index="ndc")
    browser.click(".more-options summary")
    refused = browser.run("return [...document.querySelectorAll('#strategy option:disabled')].map((o) => o.text)")
    said = {text.partition(" (")[0]: text for text in refused}
    assert all("needs pip install" in said[name] for name in ("graph", "hybrid"))
    browser.open("survey", index="ndc")
    browser.see(".notice", "Profiles are not available on this server: pip install")
    assert browser.run("return document.querySelector('#asked option[value=\"profile:climate\"]').disabled")
    assert browser.see("#questions").is_enabled()
