"""Conversations and research reports on the page, in a real browser."""

from __future__ import annotations

import pytest
from selenium.webdriver.common.keys import Keys

from tests.server.page.driving import FIRST, Page

pytestmark = pytest.mark.browser

BROAD = "What is penicillin and what are its health risks?"


def ask(page: Page, question: str, turns: int) -> None:
    page.write("#question", question)
    page.press(Keys.ENTER)
    page.wait(lambda _: len(page.all(".turn a")) and len(page.all(".turn")) == turns, f"{turns} turns")
    page.see(f".turn:nth-of-type({turns}) a", "Evidence and chain")


def test_follow_up_questions_are_understood_from_the_answers_before(page: Page) -> None:
    page.open()
    page.click("header nav a", "Chat")
    page.see("h1", "Chat")  # the view before has a field for questions, too
    ask(page, FIRST, 1)
    page.see(".turn b", "Larvik")
    ask(page, "And when was he born?", 2)
    assert "Understood as: When was Colin Archer born?" in page.texts(".turn")[1]
    page.click(".turn:first-of-type a.cite")
    page.see("#passage", "Larvik")
    page.press(Keys.ESCAPE)
    # Another view and back: the conversation is still there.
    page.click("header nav a", "Documents")
    page.see("h1", "Documents")
    page.click("header nav a", "Chat")
    assert len(page.all(".turn")) == 2
    page.click("button", "Start over")
    page.wait(lambda _: not page.all(".turn"), "an empty conversation")


def test_a_conversation_goes_on_from_an_answer(page: Page) -> None:
    page.ask()
    page.click(".summary a", "Ask a follow-up")
    page.see(".turn b", "Larvik")
    ask(page, "When did he die?", 2)
    assert "Colin Archer" in page.texts(".turn")[1]


def test_an_empty_question_is_not_asked(page: Page) -> None:
    for view in ("chat", "research"):
        page.open(view)
        page.click("button.primary")
        page.see("#form-problem", "Enter a question.")
        assert page.run("return document.activeElement.id") == "question"


def test_a_report_on_every_aspect(page: Page) -> None:
    page.open()
    page.click("header nav a", "Research")
    page.write("#question", BROAD)
    page.click(".more-options summary")
    page.write("#hops", "4")
    page.click("button.primary", "Write a report")
    page.see("section h2", "Definition of penicillin")
    page.see(".more-options summary", "at most 4 hops")
    assert "hops=4" in page.hash
    assert "1 of 2 aspects covered" in page.see(".summary").text
    assert page.see("section ul").text == "Health risks of penicillin"
    assert page.see("section ol").text == "Penicillin"
    page.click("details summary", "Log of the hops")
    page.see("pre.log", "[Hop 1] Subquery: ")
    page.click("section a.cite")
    page.see("#passage", "first antibiotic")
    page.press(Keys.ESCAPE)
    page.click("button", "Save as Markdown")
    file = page.downloads / "what-is-penicillin-and-what-are-its-health-risks.md"
    page.wait(lambda _: file.exists(), "the file")
    assert file.read_text(encoding="utf-8").startswith(f"# {BROAD}")
