"""A survey on the page, in a real browser: from the form to the table of countries and questions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from multihop import Engine
from multihop.server.settings import Location, Settings
from tests.server.page.driving import Page
from tests.server.page.site import Site
from tests.survey.conftest import DOCUMENTS

pytestmark = pytest.mark.browser


@pytest.fixture
def countries(tmp_path: Path) -> Iterator[Site]:
    with Engine.open(tmp_path / "ndc.mh", create=True) as engine:
        engine.add(DOCUMENTS)
    running = Site(Settings((Location("ndc", str(tmp_path / "ndc.mh")),), tmp_path / "state"))
    yield running
    running.stop()


def test_a_survey_is_run_and_read_as_a_table(browser: Page, countries: Site) -> None:
    browser.fresh(countries.address)
    browser.open()
    browser.click("header nav a", "Survey")
    browser.see("#profile")
    browser.click(".asked summary", "Questions: 8")
    assert len(browser.texts(".asked li")) == 8
    browser.write("#numbers", "1, 2")
    browser.write("#groups", "Japan, Brazil")
    browser.click("button.primary", "Run the survey")
    browser.see("table.survey", "Japan")
    assert browser.texts(".survey tbody th") == ["Japan", "Brazil"]
    assert [text.split(".")[0] for text in browser.texts(".survey thead th")] == ["country", "1", "2"]
    browser.all(".survey tr:first-child td .cell")[0].click()
    browser.see(".survey-panel h3", "Japan")
    assert "46%" in browser.see(".survey-panel").text
    assert "reduce greenhouse gas emissions by 46% by 2030" in " ".join(browser.texts(".survey-panel mark"))
    browser.click(".survey-panel .close")
    assert browser.run("return document.activeElement.className") == "cell"
    browser.write("input[type=search]", "bra")
    assert [text for text in browser.texts(".survey tbody th") if text] == ["Brazil"]
    assert "job=" in browser.hash
    # The address of the job shows the same table again, and its passages can be opened.
    browser.driver.refresh()
    browser.see("table.survey", "Brazil")
    places = "return ['thead th', 'tbody th'].map((p) => getComputedStyle(document.querySelector(p)).position)"
    assert browser.run(places) == ["sticky", "sticky"]
    browser.click(".survey tr:first-child .cell")
    browser.click(".survey-panel a.found")
    browser.see("#passage", "46%")
    browser.open("survey", index="ndc")
    browser.click(".documents a")
    browser.see("table.survey", "Japan")
    assert browser.complaints() == []


def test_a_country_that_is_not_there_is_said_on_the_page(browser: Page, countries: Site) -> None:
    browser.fresh(countries.address)
    browser.open("survey", index="ndc")
    browser.write("#groups", "Japn")
    browser.click("button.primary", "Run the survey")
    browser.see(".answer", "did you mean 'Japan'?")
