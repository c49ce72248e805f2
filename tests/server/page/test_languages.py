"""Texts of other scripts on the page, and the system's own colors, in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from multihop import Document, Engine
from multihop.server.settings import Location, Settings
from tests.server.page.driving import FIRST, Page
from tests.server.page.site import Site

pytestmark = pytest.mark.browser

_DIRECTION = "return getComputedStyle(document.querySelector(arguments[0])).direction"


@pytest.fixture
def scripts(browser: Page, tmp_path: Path) -> Iterator[Page]:
    with Engine.open(tmp_path / "scripts.mh", create=True) as engine:
        engine.add(
            [
                Document("jisr", "جسر النور يقع في مدينة الواحة. بناه سالم الحداد.", "جسر النور"),
                Document("salim", "سالم الحداد مهندس ولد في بلدة الزهراء.", "سالم الحداد"),
                Document("migdal", "מגדל האור עומד בעיר הנמל. נעמי לוי תכננה אותו.", "מגדל האור"),
                Document("toukyou", "灯台塔は港町に建つ。設計者は山田花子である。", "灯台塔"),
                Document("yamada", "山田花子は山の村で生まれた。", "山田花子"),
            ]
        )
    site = Site(Settings((Location("scripts", str(tmp_path / "scripts.mh")),), tmp_path / "state"))
    browser.fresh(site.address)
    yield browser
    assert browser.complaints() == []
    site.stop()


def test_arabic_and_hebrew_are_laid_out_from_right_to_left(scripts: Page) -> None:
    scripts.ask("أين ولد سالم الحداد؟", k=3)
    for place in ("#question", ".card h3", ".card .text", ".cited q"):
        assert scripts.run(_DIRECTION, place) == "rtl", place
    assert scripts.run("return getComputedStyle(document.documentElement).direction") == "ltr"
    scripts.open("document", id="migdal")
    scripts.see("h1", "מגדל האור")
    assert scripts.run(_DIRECTION, "h1") == scripts.run(_DIRECTION, ".document-passage .text") == "rtl"
    scripts.open("documents", search="מגדל")
    scripts.see(".snippet mark", "מגדל")
    assert scripts.run(_DIRECTION, ".snippet") == "rtl"


def test_names_in_scripts_without_spaces_are_marked(scripts: Page) -> None:
    scripts.ask("灯台塔の設計者はどこで生まれたか?", k=2)
    scripts.see(".card", "山田花子")
    assert "灯台塔" in scripts.texts(".card mark, .card .leads")
    assert scripts.run(_DIRECTION, ".card .text") == "ltr"


def test_the_colors_of_the_system_still_tell_found_from_not_found(page: Page) -> None:
    page.driver.execute_cdp_cmd(
        "Emulation.setEmulatedMedia", {"features": [{"name": "forced-colors", "value": "active"}]}
    )
    page.ask("Why does the ozone layer matter, what damages it and how is it being protected?", strategy="replace")
    page.see(".mark-dot.on", "✓")
    page.see(".mark-dot:not(.on)", "–")
    painted = "const s = getComputedStyle(document.querySelector(arguments[0])); return [s.backgroundColor, s.color]"
    on, off = page.run(painted, ".mark-dot.on"), page.run(painted, ".mark-dot:not(.on)")
    assert on[0] != on[1] and on != off
    page.see(".graph .node")
    stroke = "return getComputedStyle(document.querySelector(arguments[0])).stroke"
    paper = page.run("return getComputedStyle(document.body).backgroundColor")
    assert paper not in (page.run(stroke, ".graph .node rect"), page.run(stroke, ".graph .edge"))


def test_print_tells_found_from_not_found_too(page: Page) -> None:
    page.ask("Why does the ozone layer matter, what damages it and how is it being protected?", strategy="replace")
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print", "features": []})
    try:
        page.see(".mark-dot.on", "✓")
        page.see(".mark-dot:not(.on)", "–")
        assert page.see(".filling .card, .card").is_displayed()
    finally:
        page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})


def test_a_question_is_the_title_of_its_answer(page: Page) -> None:
    page.ask()
    assert page.driver.title == f"{FIRST} · multihop"
