"""Passages of PDF files on the page: its page as an image with the quote marked, the file, and joined lines."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from multihop import Engine
from multihop.server.settings import Location, Settings
from tests.index.readers.test_pdf import pdf
from tests.server.page.driving import Page
from tests.server.page.site import Site

pytestmark = pytest.mark.browser
_PAGE = (
    "The Meridian was a research ship that was built for the\n"
    "Institute of Marine Research by the yard in Larvik.\n"
    "Her keel was laid in 1931 and she was launched in the\n"
    "spring of the next year."
)


@pytest.fixture
def papers(tmp_path: Path) -> Iterator[Site]:
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "meridian.pdf").write_bytes(pdf("Annual report of the institute.", _PAGE, title="Ships of the institute"))
    with Engine.open(tmp_path / "papers.mh", create=True) as engine:
        engine.sync(folder)
    running = Site(Settings((Location("papers", str(tmp_path / "papers.mh")),), tmp_path / "state"))
    yield running
    running.stop()


def test_a_passage_of_a_pdf_shows_its_page_with_the_quote_marked(browser: Page, papers: Site) -> None:
    browser.fresh(papers.address)
    browser.ask("Which yard built the Meridian?")
    browser.click(".card h3 a")
    image = browser.see("#passage .page-image img")
    assert image.get_attribute("alt") == "Page 2 of the file, with the quote marked"
    assert 890 < browser.run("return arguments[0].naturalWidth", image) < 910
    assert "built for the Institute of Marine Research by the yard in Larvik. Her keel" in browser.see("#passage").text
    browser.click("#passage button", "Download the file")
    browser.wait(lambda _: (browser.downloads / "meridian.pdf").exists(), "the file")
    browser.click("#passage a", "its document")
    browser.see(".document button", "Download the file")
    assert browser.complaints() == []


def test_lines_of_prose_are_joined_and_others_stay(browser: Page, papers: Site) -> None:
    browser.fresh(papers.address)
    browser.open()
    browser.see("#question")
    prose = _PAGE + "\n\n- first of the points that are listed on this page\n- second of them"
    joined = browser.module("parts/reflow.js", "m.reflow(a[0])", prose)
    assert joined == prose.replace("for the\n", "for the ").replace("Larvik.\n", "Larvik. ").replace("the\ns", "the s")
    rows = "Name: Pia Holm of the institute · Office: Sandnes\nName: Jon Vik of the institute · Office: Bergen"
    assert browser.module("parts/reflow.js", "m.reflow(a[0])", rows) == rows
