"""What a person keeps of their work on the page, in a real browser: questions, pins, notes, drafts."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from multihop import Document, Engine
from multihop.server.settings import Location, Settings
from tests.server.page.driving import FIRST, Page
from tests.server.page.site import Site, sample_site

pytestmark = pytest.mark.browser


def test_questions_are_kept_and_asked_again(page: Page) -> None:
    page.ask()
    page.ask("Which treaty was adopted earlier, the Montreal Protocol or the Kyoto Protocol?")
    page.click("nav a", "Saved")
    page.see("h1", "Saved")
    assert [text.split("?")[0] for text in page.texts(".examples a")][1] == FIRST.removesuffix("?")
    page.click(".examples a", "South Pole")
    page.see(".result .card")
    page.click("nav a", "Saved")
    page.see(".examples li")
    assert len(page.all(".examples li")) == 2
    assert page.texts(".examples a")[0] == FIRST
    page.click("button", "Delete all questions")
    page.see(".saved", "None yet.")
    assert page.run("return JSON.parse(localStorage.getItem('multihop:sample')).questions") == []


def test_recent_questions_are_offered_on_the_start_page(page: Page) -> None:
    page.ask("When was Colin Archer born?")
    page.click("nav a", "Ask")
    page.see(".recent li", "1832")
    page.click(".recent a", "When was Colin Archer born?")
    page.see(".answer-text", "1832")
    words = page.module(
        "parts/sureness.js",
        "a[0].map(([kind, text, confidence]) => m.inWords({kind, text, confidence, statements: []}))",
        [
            ("date", "1832", 0.9),
            ("date", "1832", 0.5),
            ("date", "", 0.1),
            ("claim", "supported", 0.5),
            ("claim", "", 0),
        ],
    )
    assert words == ["1832", "Possibly 1832", "", "Possibly supported", "not decided"]


def test_an_index_without_examples_invites_to_add_and_to_browse(browser: Page, tmp_path: Path) -> None:
    for name, documents in (("empty", []), ("plain", [Document("a", "A text.")])):
        with Engine.open(tmp_path / f"{name}.mh", create=True) as engine:
            engine.add(documents)
    places = tuple(Location(name, str(tmp_path / f"{name}.mh")) for name in ("empty", "plain"))
    site = Site(Settings(places, tmp_path / "state"))
    try:
        browser.fresh(site.address)
        browser.open("ask", index="empty")
        browser.see(".invitation", "This index is empty")
        assert browser.texts(".invitation a") == ["Add the first documents"]
        browser.open("ask", index="plain")
        browser.see(".invitation a", "Browse 1 document")
        browser.click(".invitation a", "Add documents")
        browser.see(".upload")
        assert browser.complaints() == []
    finally:
        site.stop()


def test_a_passage_is_pinned_rated_and_noted_and_all_of_it_is_exported(page: Page) -> None:
    page.ask()
    page.click("#rank-1 .keeping button", "Pin")
    assert page.see("#rank-1 .keeping button", "Pinned").get_attribute("aria-pressed") == "true"
    page.click("#rank-2 .keeping button[title='This does not help']")
    page.click("#rank-3 h3 a")
    page.click("#passage .keeping button", "Note")
    page.write("#passage .note textarea", "=born in *Larvik*")
    page.write("#passage .note input", "Ships")
    page.click("#passage .note button", "Save")
    page.see("#passage .keeping button", "✎ =born in *Larvik*")
    page.open("saved")
    page.see("h3", "Ships")
    assert page.texts("h3") == ["Ships", "No collection"]
    assert page.texts(".saved .documents div > a")[0] == "Colin Archer"
    page.see(".for", FIRST)
    markdown = page.module(
        "parts/saved-export.js",
        "import('/saved-items.js').then((k) => m.savedMarkdown('sample', k.savedItems('sample')))",
    )
    assert "## Ships\n\n- **Colin Archer** (`colin-archer#0`): found for “" in markdown
    assert "\n  > =born in \\*Larvik\\*\n" in markdown
    assert ": does not help, found for “" in markdown
    table = page.module(
        "parts/saved-export.js", "import('/saved-items.js').then((k) => m.savedCsv(k.savedItems('sample')))"
    )
    rows = {row["passage"]: row for row in csv.DictReader(table.splitlines())}
    assert (rows["colin-archer#0"]["note"], rows["colin-archer#0"]["collection"]) == ("'=born in *Larvik*", "Ships")
    page.click(".buttons button", "JSON")
    file = page.downloads / "sample-saved.json"
    page.wait(lambda _: file.exists() and file.stat().st_size, file.name)
    assert set(json.loads(file.read_text(encoding="utf-8"))["passages"]) == set(rows)
    page.click("button", "Delete all passages")
    page.see(".saved", "None yet. Pin")


def test_feedback_is_sent_to_a_server_that_asks_for_it(browser: Page, tmp_path: Path) -> None:
    site = sample_site(tmp_path, feedback=True)
    try:
        browser.fresh(site.address)
        browser.ask("When was Colin Archer born?")
        browser.click(".feedback button", "Right")
        browser.see(".feedback", "Your rating is stored on this server.")
        qrels = "return fetch('v1/indexes/sample/feedback').then((r) => r.json())"
        asked = {"question": "When was Colin Archer born?", "gold": ["colin-archer#0"]}
        assert browser.run(qrels) == asked
        assert browser.complaints() == []
    finally:
        site.stop()


def test_what_is_being_written_is_there_again_after_another_view(page: Page) -> None:
    page.open("ask", index="sample")
    page.write("#question", "Who drew the")
    page.click("nav a", "Documents")
    page.click(".upload summary")
    page.write("#new-text", "A text half")
    page.open("ask", index="hostile")
    page.see(".examples, form.ask")
    assert page.see("#question").get_attribute("value") == "Who drew the"
    page.open("documents", index="sample")
    page.click(".upload summary")
    assert page.see("#new-text").get_attribute("value") == "A text half"
    page.open("ask", index="sample")
    page.see("#question").send_keys(" Fram?\n")
    page.see(".result .card")
    page.click("nav a", "Ask")
    page.see(".examples")
    assert page.see("#question").get_attribute("value") == ""


def test_another_program_s_writing_in_the_browser_does_no_harm(page: Page) -> None:
    page.open("ask")
    page.run("localStorage.setItem('multihop:sample', '{broken')")
    page.open("saved")
    page.see(".saved", "None yet.")
