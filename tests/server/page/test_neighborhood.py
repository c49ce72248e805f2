"""The connections of a document, on the page: drawn, clicked, walked by keyboard, and told in words."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium.webdriver.common.keys import Keys

from multihop import Document, Engine
from multihop.server.settings import Location, Settings
from multihop.types import Relation
from tests.server.page.driving import Page
from tests.server.page.site import Site

pytestmark = pytest.mark.browser


def test_the_picture_shows_what_is_joined_and_opens_it(page: Page) -> None:
    page.open("document", index="sample", id="fram-ship")
    page.see(".around .graph a")
    assert page.texts(".around .head") == ["here", "1 step"]
    assert page.texts(".around .node .label") == ["Fram (ship)", "Colin Archer", "Fridtjof Nansen", "Roald Amundsen"]
    page.click(".around a[data-id='colin-archer#0']")
    page.see("#passage", "came into the world in Larvik")
    page.click("#passage a", "connections")
    page.see("h1", "Colin Archer")
    assert "from=colin-archer#0" in page.hash
    page.see(".around .node.here", "Colin Archer")


def test_more_steps_show_more(page: Page) -> None:
    page.open("document", index="sample", id="fram-ship")
    page.see(".around button[aria-pressed='true']", "1 step")
    few = len(page.all(".around .node"))
    page.click(".around button", "2 steps")
    page.see(".around .head", "2 steps")
    assert len(page.all(".around .node")) > few
    page.see(".around button[aria-pressed='true']", "2 steps")


def test_the_picture_is_walked_by_keyboard_and_told_in_words(page: Page) -> None:
    page.open("document", index="sample", id="fram-ship")
    page.see(".around .graph a")
    node = page.tab_to(".around a[data-id='colin-archer#0']")
    spoken = "Fram (ship) names Colin Archer"
    assert spoken in page.run("return arguments[0].querySelector('title').textContent", node)
    page.see(".link-note", spoken)
    page.tab_to(".joins summary")
    page.press(Keys.ENTER)
    page.see(".joins li", spoken)
    assert len(page.all(".joins li")) == len(page.all(".around .edge"))


@pytest.fixture
def related(tmp_path: Path) -> Iterator[Site]:
    mill = "# Dam\n\nThe dam of Aa1 broke.\n\n# Mill\n\nThe mill of Bb2 stood still.\n\n# Rest\n\nNothing more."
    with Engine.open(tmp_path / "towns.mh", create=True) as engine:
        engine.add([Document("a", mill, "Aa1"), Document("b", "A town.", "Bb2"), Document("c", "Nothing.", "Cc3")])
        engine.store.relate([Relation("a#0", "b#0", "CAUSES", 0.8, "<b>led to</b>")])
    running = Site(Settings((Location("towns", str(tmp_path / "towns.mh")),), tmp_path / "state"))
    yield running
    running.stop()


def test_relations_have_their_kind_and_their_evidence(browser: Page, related: Site) -> None:
    browser.fresh(related.address)
    browser.open("document", id="a")
    browser.see(".around .edge.k-CAUSES")
    browser.see(".link-note .kind", "causes")
    assert browser.texts(".around .node.here .label") == ["#0 Dam", "#1 Mill"]
    browser.click(".joins summary")
    assert browser.texts(".joins li") == ["#1 Mill names Bb2", "#0 Dam causes Bb2 (0.80: <b>led to</b>)"]
    browser.click(".document-passage h2 a")
    browser.wait(lambda _: browser.texts(".around .node.here .label") == ["Aa1"], "one start")
    browser.open("document", id="c")
    browser.see(".around", "None: it mentions no other document")
    assert browser.complaints() == []
