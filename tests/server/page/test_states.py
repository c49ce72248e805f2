"""What the page says when something is wrong, and how it keeps to what it was told; in a real browser."""

from __future__ import annotations

from pathlib import Path
from threading import Event

import pytest
from selenium.webdriver.common.keys import Keys

from multihop.lm import LmSpec
from multihop.server import tokens
from multihop.testing.lm import ScriptedLM
from tests.lm.able import server
from tests.server.page.driving import FIRST, Page
from tests.server.page.site import EVIL, sample_site

pytestmark = pytest.mark.browser


def test_an_empty_question_is_pointed_out_and_not_asked(page: Page) -> None:
    page.open("ask")
    page.write("#question", "   ")
    page.click("button.primary")
    page.see(".wrong", "Enter a claim or a question first.")
    assert page.run("return document.activeElement.id") == "question"
    assert page.see("#question").get_attribute("aria-invalid") == "true"
    assert not page.all(".step")


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("#k", "0", "a whole number from 1 to 1000"),
        ("#k", "2.5", "a whole number from 1 to 1000"),
        ("#where", "country", "“country” is not a condition."),
        ("#where", "year=1990; year>=1980", "has both a value and bounds"),
        ("#at-most", "country", "“country” is not a limit."),
        ("#at-most", "country=1; year=0", "“year=0” is not a limit."),
    ],
)
def test_wrong_options_are_pointed_out_before_they_are_sent(page: Page, field: str, value: str, said: str) -> None:
    page.open("ask")
    page.write("#question", "Who?")
    page.click(".more-options summary")
    page.write(field, value)
    page.click("button.primary")
    page.see(".wrong", said)


def test_a_value_that_no_document_has_gets_a_hint(page: Page) -> None:
    page.open("ask", q="Who went into the ice?", where="country=norway")
    page.see(".main-column .no", "No document has country = 'norway': did you mean 'Norway'?")


def test_what_the_server_refuses_is_shown_as_it_says_it(page: Page) -> None:
    page.open("ask", q="Who?", where="contry=Norway")
    page.see(".problem", "no document has the metadata field 'contry': did you mean 'country'?")
    page.open("ask", q="Who?", strategy="atuo")
    page.see(".problem", "there is no strategy 'atuo'")
    page.open("document", id="nobody")
    page.see(".problem", "there is no document 'nobody' in this index")
    assert all("422" in said or "404" in said for said in page.complaints())


def test_an_unknown_index_in_the_address_offers_those_there_are(page: Page) -> None:
    page.open("ask", index="wikki", q=FIRST)
    page.see(".problem", "Index “wikki” not found on this server.")
    page.click(".problem a", "sample")
    page.see(".examples")


def test_an_unknown_view_in_the_address_leads_to_the_start(page: Page) -> None:
    page.open("nowhere")
    page.see(".problem", "Page “nowhere” not found.")
    page.click(".problem a")
    page.see("h1", "Find the evidence")


def test_a_server_that_is_gone_is_said_so_and_asked_again(browser: Page, tmp_path: Path) -> None:
    site = sample_site(tmp_path)
    browser.fresh(site.address)
    browser.open("ask")
    browser.see(".examples")
    site.stop()
    browser.write("#question", FIRST)
    browser.press(Keys.ENTER)
    browser.see(".problem", "The server is not responding. Is it still running?")
    browser.see(".problem button", "Try again")
    # The view has the focus, for screen readers, without a line around it.
    assert browser.run("return getComputedStyle(document.activeElement).outlineStyle") == "none"
    assert all("ERR_CONNECTION" in said for said in browser.complaints())


def test_a_server_with_tokens_asks_for_one(browser: Page, tmp_path: Path) -> None:
    file = tmp_path / "tokens.json"
    token = tokens.create(file, "reader", ["read"])
    site = sample_site(tmp_path, tokens=file)
    try:
        browser.fresh(site.address)
        browser.open()
        browser.see("#token-value")
        browser.click("#token button", "Cancel")
        browser.see(".problem", "This server requires a token.")
        browser.click(".problem button", "Enter a token")
        browser.write("#token-value", "mh_wrong")
        browser.press(Keys.ENTER)
        browser.see("#token", "The token was rejected.")
        browser.write("#token-value", token)
        browser.click("#token .primary")
        browser.see(".examples")
        browser.driver.refresh()
        browser.click(".examples a")
        browser.see(".card")
        assert token not in str(browser.run("return Object.values(localStorage)"))
        browser.open("documents")
        browser.see(".documents li")
        assert not browser.all(".upload")
        browser.open("survey")
        browser.see(".notice", "requires the right “survey”")
        assert not browser.all("button.primary")
        browser.click("header button", "Token")
        browser.write("#token-value", "mh_other")
        browser.click("#token .primary")
        browser.see("#token", "The token was rejected.")
        browser.write("#token-value", token)
        browser.press(Keys.ENTER)
        browser.see("header button", "Token").click()
        browser.click("#token button", "Delete it")
        browser.see("#token", "This server requires a token")
        assert browser.run("return sessionStorage.length") == 0
        assert all("401" in said for said in browser.complaints())
    finally:
        site.stop()


def test_a_model_is_watched_while_it_writes_and_then_checked(browser: Page, tmp_path: Path) -> None:
    said = [f"Colin Archer came into the world in Larvik. {list(range(1, 20))}", "He wrote operas. [99]"]
    lm = ScriptedLM({"cited_answer": {"answer": "Larvik", "statements": said}})
    checked = Event()
    with server(lm, before_last=checked.wait) as (url, _):
        site = sample_site(tmp_path, lm=LmSpec("openai/scripted", url))
        browser.fresh(site.address)
        browser.ask()
        browser.see(".writing .answer-text", "Larvik")
        browser.see(".writing .statement", "Colin Archer came into the world in Larvik.")
        assert browser.texts(".chain-box a")[0] == "Roald Amundsen"
        assert not browser.all(".statement a")
        checked.set()
        # What was written is replaced by what was checked: an element that was found may be gone when it is read.
        browser.see(".statement", "He wrote operas. not supported by any passage")
        browser.see(".answer-section", "1 of 2 statements are not supported by the sentences they cite.")
        assert "Colin Archer" in [a.get_attribute("title") for a in browser.all(".statement a.cite")]
        assert not browser.all(".writing")
        browser.wait(lambda _: not browser.all(".step"), "the steps are over")
        assert browser.complaints() == []
        site.stop()


def test_hostile_texts_stay_texts(page: Page) -> None:
    page.ask("What is the Gjallarbrú, and where does Helheim lie?", k=5, index="hostile")
    page.see(".card", EVIL)
    page.unfold(".card .scores")
    page.see(".metadata", EVIL)
    page.click(".graph a[data-id='evil-1#0']")
    page.see("#passage", "javascript:window.evil=1")
    page.open("documents", index="hostile")
    page.see(".documents li", EVIL)
    page.click(".documents a", "Helheim")
    page.see("h1", "Helheim")
    page.see(".around .node", "Gjallarbrú")
    page.click(".joins summary")
    page.see(".joins li", "<img src=x")
    page.open("compare", index="hostile", q=f"Gjallarbrú {EVIL}", k=5)
    page.see(".compared")
    page.open("ask", index=EVIL, q=EVIL)
    page.see(".problem", EVIL)
    assert page.run("return window.evil") is None
    assert not page.all("main img, main script, a[href^='javascript']")


def test_the_page_follows_the_theme_of_the_system_until_told_otherwise(page: Page) -> None:
    page.open("ask")
    light = _paper(page)
    page.theme("dark")
    page.see("h1")
    dark = _paper(page)
    assert (light, dark) == ("rgb(255, 255, 255)", "rgb(21, 24, 28)")
    page.open("ask")
    page.click(".theme")
    assert _paper(page) == light
    page.driver.refresh()
    page.see("h1")
    assert _paper(page) == light


def _paper(page: Page) -> str:
    return str(page.run("return getComputedStyle(document.body).backgroundColor"))
