"""Retrieval on the page, in a real browser: from the first look to an explained answer."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver.common.keys import Keys

from multihop import Document, Engine
from multihop.server.settings import Location, Settings
from tests.answering.test_conflicts import PAY, TRAVEL
from tests.index.test_validity import LEADERS
from tests.server.page.driving import FIRST, Page
from tests.server.page.site import Site, sample_site
from tests.server.page.test_reach import axe

pytestmark = pytest.mark.browser


def test_a_new_user_gets_an_explained_answer_with_one_click(page: Page) -> None:
    page.open()
    page.click(".examples a", "Roald Amundsen borrowed")
    page.see(".evidence .card", "Larvik")
    assert page.texts(".card h3 a")[:3] == ["Roald Amundsen", "Fram (ship)", "Colin Archer"]
    page.unfold(".card .scores")
    assert page.texts("#rank-3 .reached") == [
        "Fram (ship) mentions it: Colin Archer drew her lines for Fridtjof Nansen, who meant to freeze her into the "
        "ice and drift with it across the Arctic Ocean."
    ]
    assert "linked from “Fram (ship)”" in page.see("#rank-3 .reason").text
    assert "matches: Roald Amundsen, South Pole, drew, ship, borrowed, voyage" in page.see("#rank-1 .reason").text
    assert "relevant to drew the ship that Roald Amundsen" in page.see("#rank-1 .about").text
    assert page.texts("#rank-1 .text mark.word")[:2] == ["drew", "borrowed"]
    assert page.see("#rank-1 .scores summary").text.startswith("strong: over 99 %")
    assert "Roald Amundsen" in page.texts(".card mark")
    assert f"q={FIRST}" in page.hash


def test_the_chain_leads_from_the_question_by_the_sentences_that_lead_on(page: Page) -> None:
    page.ask()
    assert page.texts(".chain-box a") == ["Roald Amundsen", "Fram (ship)", "Colin Archer"]
    assert page.texts(".chain-arrow mark") == ["Roald Amundsen", "Fram", "Colin Archer"]
    assert "mentions it\nColin Archer drew her lines" in page.texts(".chain-arrow")[2]
    assert page.texts(".chain-box")[2] == "3\nColin Archer\nLarvik"
    colors = "return [...document.querySelectorAll('.chain-box')].map((e) => getComputedStyle(e).borderTopColor)"
    assert len(set(page.run(colors))) == 1
    page.click(".chain-box a", "Fram (ship)")
    page.see("#passage h2", "Fram (ship)")


def test_what_only_fills_the_budget_is_folded(page: Page) -> None:
    page.ask()
    folded = page.see(".filling summary", "Probably not needed: 1 passage")
    assert [text for text in page.texts(".filling h3 a") if text] == []
    folded.click()
    assert page.texts(".filling h3 a") == ["Fridtjof Nansen"]


def test_what_was_met_and_left_out_says_why(page: Page) -> None:
    page.ask()
    page.click(".left-out summary", "Considered but not used")
    told = page.see(".left-out li", "Ernest Shackleton").text
    assert "was in the evidence until hop 2, when Colin Archer" in told
    assert "best rank " in told
    page.see(".left-out p", " % likely); these ranked below it")
    kept = page.texts(".evidence h3 a")
    page.click(".left-out button", "candidates")
    page.see(".met li", "likely")
    below = page.texts(".met li")
    assert len(below) > 9
    assert all(re.search(r"rank \d+, .+ likely; .+ \(.+ \d", told) for told in below)
    assert not set(page.texts(".met li a")) & set(kept)


def test_a_comparison_shows_both_sides_with_their_sentences(page: Page) -> None:
    page.ask("Which treaty was adopted earlier, the Montreal Protocol or the Kyoto Protocol?")
    assert page.see(".answer-text b").text == "Montreal Protocol"
    assert page.texts(".versus-side h3") == ["Montreal Protocol ✓", "Kyoto Protocol"]
    assert page.texts(".versus-value") == ["September 1987", "December 1997"]
    assert page.texts(".versus-side.won h3") == ["Montreal Protocol ✓"]
    page.see(".sureness", " % likely")
    assert page.texts(".versus-side .cited mark") == ["September 1987", "December 1997"]
    left, right = (side.location["x"] for side in page.all(".versus-side"))
    assert left < right
    assert not page.all(".chain-section, .graph .edge.chain")


def test_a_guess_has_no_check_mark(page: Page) -> None:
    page.ask("Who was older, Colin Archer or Fridtjof Nansen?")
    page.see(".sureness", "Check the sentences")
    assert page.texts(".versus-side.won h3") == ["Colin Archer"]


def test_the_answer_stands_first_and_is_cited_by_number(page: Page) -> None:
    page.ask()
    assert page.see(".answer-text b").text == "Larvik"
    assert page.texts(".cited") == [
        "Colin Archer came into the world in Larvik in 1832, the son of Scottish emigrants. [3]"
    ]
    top = page.see(".answer-section").location["y"]
    assert top < page.see(".chain-section").location["y"] < page.see(".evidence").location["y"]
    page.run("document.querySelector('.cited .cite').focus()")
    same = page.run("return [...document.querySelectorAll('.same')].map((e) => e.classList[0])")
    assert {"cite", "chain-step", "card", "node"} <= set(same)
    page.click(".cited .cite")
    assert page.run("return document.activeElement.id") == "rank-3"
    assert page.see("#rank-3 .rank").text == "3"


def test_a_guess_does_not_look_like_a_sure_answer(page: Page) -> None:
    page.open("saved")
    page.see("h1")
    kinds = page.module(
        "parts/answer.js",
        "a[0].map((confidence) => m.answerPart({question: 'Q?', evidence: [{}], answer: {...a[1], confidence}},"
        " {cite: () => '[1]'}).outerHTML)",
        [0.9, 0.5],
        _ANSWER,
    )
    assert "Possibly" not in kinds[0] and "90 % likely" in kinds[0] and "answer-section sure" in kinds[0]
    assert "Possibly" in kinds[1] and "50 % likely. Check the sentence" in kinds[1]
    assert "answer-section guess" in kinds[1]
    verdicts = page.module(
        "parts/answer.js",
        "a[0].map(([text, confidence]) => m.answerPart({question: 'Q.', evidence: [{}],"
        " answer: {...a[1], kind: 'claim', text, confidence}}, {cite: () => '[1]'}))"
        ".map((part) => [part.className, part.querySelector('.answer-text').textContent])",
        [("supported", 0.9), ("contradicted", 0.696), ("contradicted", 0.5), ("undecided", 0.4)],
        _ANSWER,
    )
    assert verdicts == [
        ["answer-section supported", "✓ Supported 90 % likely"],
        ["answer-section contradicted", "✗ Contradicted 70 % likely"],
        ["answer-section contradicted guess", "Possibly contradicted 50 % likely. Check the sentence"],
        ["answer-section undecided", "? Not decided"],
    ]
    polar = page.module(
        "parts/answer.js",
        "a[0].map((confidence) => m.answerPart({question: 'Q?', evidence: [{}],"
        " answer: {...a[1], kind: 'yes or no', text: 'yes', confidence}}, {cite: () => '[1]'}))"
        ".map((part) => part.querySelector('.answer-text').textContent)",
        [0.9, 0.5],
        _ANSWER,
    )
    assert polar == ["Yes 90 % likely", "Possibly yes 50 % likely. Check the sentence"]


_ANSWER = {
    "text": "Larvik",
    "kind": "place",
    "sentences": [{"quote": {"passage_id": "a#0", "text": "In Larvik.", "start": 0, "end": 10}, "confidence": 0.5}],
    "parts": [],
    "statements": [],
    "notes": [],
    "source": "sentences",
}


def test_what_the_answer_cites_is_not_folded_as_unneeded(page: Page) -> None:
    page.open("saved")
    page.see("h1")
    sentences = [{"quote": {"passage_id": id}} for id in ("a#0", "c#0")]
    result = {
        "evidence": [{"passage": {"id": f"{name}#0"}} for name in "abcd"],
        "answer": {"statements": [], "sentences": sentences},
    }
    chain = {"links": [{"source": "", "target": "a#0"}], "supporting": ["b#0"], "filling": ["c#0", "d#0"]}
    groups = page.module(
        "parts/order.js",
        "Object.values(m.groupByRole(a[0], a[1])).map((each) => each.map((e) => e.passage.id))",
        result, chain,
    )  # fmt: skip
    assert groups == [["a#0"], ["c#0", "b#0"], ["d#0"]]


def test_a_comparison_within_one_passage_shows_both_sentences(page: Page) -> None:
    page.open("saved")
    page.see("h1")
    quotes = [{"passage_id": "a#0", "text": text, "start": 0, "end": 9} for text in ("Built 1931.", "Built 2003.")]
    answer = _ANSWER | {
        "text": "Nettle Vale", "kind": "one of several", "confidence": 0.2,
        "sentences": [{"quote": quote, "title": "Towers", "confidence": 0.2} for quote in quotes],
    }  # fmt: skip
    shown = page.module(
        "parts/answer.js",
        "[...m.answerPart({question: 'Q?', evidence: [{}], answer: a[0]}, {cite: () => '[1]'}).querySelectorAll('q')]"
        ".map((e) => e.textContent)",
        answer,
    )
    assert shown == ["Built 1931.", "Built 2003."]


def test_a_question_that_nothing_answers_says_what_is_missing(page: Page) -> None:
    page.ask("Who was the captain of the Titanic?")
    page.see(".answer-section.unsure", "Not sure. Not in any passage: Titanic. The closest sentence is:")
    assert not page.all(".answer-section mark, .answer-text")
    # What leads nowhere is drawn as a chain nowhere.
    page.see(".graph .edge.link")
    assert not page.all(".chain-section, .last-link, .graph .edge.chain, .graph .in-chain")
    assert "the chain is blue" not in page.see(".graph-section .link-note").text


def test_an_unsure_answer_says_how_far_the_chain_led(page: Page) -> None:
    page.ask("Which school did the man attend who drew the ship that Amundsen borrowed?")
    page.see(".answer-section.unsure", "Not sure. ")
    said = page.see(".last-link", "The chain ends at").text
    # It ends where the closest sentence is.
    assert "Colin Archer drew her lines for Fridtjof Nansen" in said or "He sailed south in the Fram" in said
    assert not page.all(".answer-section mark, .answer-text")
    page.see(".chain-section")


def test_yes_or_no_about_two_things_shows_both(page: Page) -> None:
    page.open("saved")
    page.see("h1")
    sides = [
        {"title": title, "quote": {"passage_id": f"{title}#0", "text": "Born in Oslo.", "start": 0, "end": 13}}
        for title in ("Amundsen", "Nansen")
    ]
    answer = _ANSWER | {"text": "yes", "kind": "yes or no", "confidence": 0.9, "sentences": sides}
    page.module(
        "parts/answer.js",
        "document.body.append(m.answerPart({question: 'Q?', evidence: [{}], answer: a[0]},"
        " {cite: () => '[1]', link: (id) => id, both: () => 'Both'}))",
        answer,
    )
    assert page.texts(".versus-side h3") == ["Amundsen#0", "Nansen#0"]
    assert not page.all(".versus-side.won")


def test_a_claim_gets_a_verdict_with_its_sentence(page: Page) -> None:
    page.ask("Roald Amundsen led the first party to stand at the South Pole.")
    page.see(".answer-section.supported .answer-text", "✓ Supported")
    page.see(".cited", "led the first")
    page.ask("Colin Archer came into the world in Larvik in 1851.")
    # About 70 % likely, so that it may be shown as a guess.
    page.see(".answer-section.contradicted .answer-text", "ontradicted")
    page.see(".cited", "in Larvik in 1832")
    assert page.texts(".cited mark") == ["1832"]


def _there(file: Path) -> Callable[[Any], bool]:
    return lambda _: file.exists() and file.stat().st_size > 0


def test_the_chain_is_saved_as_a_picture(page: Page) -> None:
    page.ask()
    name = "in-which-town-was-the-naval-architect-born-who"
    for button, ending, start in (("SVG", "svg", b"<svg"), ("PNG", "png", b"\x89PNG")):
        page.click(".chain-buttons button", button)
        page.wait(_there(page.downloads / f"{name}.{ending}"), ending)
        assert (page.downloads / f"{name}.{ending}").read_bytes().startswith(start)
    drawn = (page.downloads / f"{name}.svg").read_text(encoding="utf-8")
    assert all(title in drawn for title in ("Roald Amundsen", "Fram (ship)", "Colin Archer", "Larvik"))


def test_every_result_has_a_link_to_copy(page: Page) -> None:
    # A result without a chain, too.
    page.ask("When was Colin Archer born?")
    assert not page.all(".chain-section")
    page.see(".summary button", "Copy link")


def test_weak_evidence_is_said_to_be_weak(page: Page) -> None:
    page.ask("Which football club won the league in Peru?")
    page.see(".weak", "This is weak evidence: the best passage is only ")
    page.see(".answer-section", "Not sure. The evidence is weak too. ")


def test_hops_appear_while_the_server_still_works(page: Page, site: Site) -> None:
    site.held.hold()
    page.open("ask", q=FIRST, k=5)
    page.see(".step", "Hop 1")
    assert page.see(".step.waiting")
    assert not page.all(".result")
    assert not [text for text in page.texts(".step") if text.startswith("Hop 2")]
    site.held.let_go()
    page.see(".result .card")
    page.see(".timeline", "everything the question names is covered")
    assert not page.all(".step")


def test_the_chain_grows_while_the_server_still_works(page: Page, site: Site) -> None:
    site.held.hold()
    page.open("ask", q=FIRST, k=5)
    page.see(".chain-section h2", "The chain so far")
    assert page.see(".chain-step .chain-box", "Fram (ship)")
    assert not page.all(".result")
    site.held.let_go()
    page.see(".result .card")
    assert page.texts(".chain-section h2") == ["Chain"]
    assert not page.all(".chain-step.arriving")


def test_a_draft_is_shown_as_one_until_it_is_checked(page: Page, site: Site) -> None:
    site.held.hold("answer")
    page.open("ask", q=FIRST, k=5)
    draft = page.see(".answer-section.writing", "Draft answer")
    assert "Possibly Larvik" in draft.text
    assert "Not checked yet" in draft.text
    assert not page.all(".answer-text b, .sureness, .result")
    page.see(".step.waiting", "Checking the answer…")
    for theme in ("light", "dark"):
        page.theme(theme)
        assert axe(page) == [], theme
    page.click(".answer-section .cite", "Colin Archer")
    page.see("#passage", "Larvik")
    page.driver.back()
    site.held.let_go()
    page.see(".result .answer-text", "Larvik")
    page.see(".result .sureness", "% likely")
    assert not page.all(".writing, .step")
    assert len(page.all(".answer-section")) == 1


def test_a_long_passage_is_shown_from_the_sentence_that_answers(page: Page, tmp_path: Path) -> None:
    rows = [f"Ticket: {name} · Price: {price} euros" for price, name in enumerate(("Adult", "Child", "Family"), 10)]
    text = "\n".join([*rows * 5, "", "Children under six enter free of charge.", "Dogs are not allowed in the museum."])
    with Engine.open(tmp_path / "visit.mh", create=True) as engine:
        engine.add([Document("visit", text, "Visiting")])
    visit = Site(Settings((Location("visit", str(tmp_path / "visit.mh")),), tmp_path / "state"))
    try:
        page.fresh(visit.address)
        page.ask("Are dogs allowed in the museum?")
        assert page.see(".evidence .text").text == "Dogs are not allowed in the museum."
        page.click(".evidence .card-foot button", "Show in full")
        lines = page.see(".evidence .text").text.split("\n")
        assert lines[:2] == rows[:2]
        assert lines[-1] == "Children under six enter free of charge. Dogs are not allowed in the museum."
        assert not [summary for summary in page.texts(".graph-section summary") if summary.startswith("Links")]
    finally:
        visit.stop()


def test_hops_are_said_aloud(page: Page, site: Site) -> None:
    site.held.hold()
    page.open("ask", q=FIRST, k=5)
    page.wait(
        lambda _: "Hop 1: 3 queries, 5 in" in page.run("return document.querySelector('[aria-live]').textContent"),
        "said",
    )
    site.held.let_go()
    page.wait(
        lambda _: "5 passages found in 2 hops" in page.run("return document.querySelector('[aria-live]').textContent"),
        "said",
    )


def test_a_click_in_the_graph_opens_the_passage_and_the_way_back_closes_it(page: Page) -> None:
    page.ask()
    page.click(".graph a[data-id='colin-archer#0']")
    dialog = page.see("#passage", "came into the world in Larvik")
    assert "[3] linked from “Fram (ship)”" in dialog.text
    assert "Named by" in dialog.text
    asked = "return performance.getEntriesByType('resource').filter((e) => e.name.endsWith('/stream')).length"
    assert page.run(asked) == 1
    page.driver.back()
    page.wait(lambda _: not page.all("#passage[open]"), "closed")
    assert page.all(".result")
    page.click(".graph a[data-id='fram-ship#0']")
    page.see("#passage h2", "Fram (ship)")
    page.click("#passage .close")
    page.wait(lambda _: "passage=" not in page.hash, "closed")


def test_the_graph_shows_what_came_from_where_and_what_left(page: Page) -> None:
    page.ask()
    page.see(".graph .edge.link")
    edges = {(e.get_attribute("data-from"), e.get_attribute("data-to")) for e in page.all(".graph .edge.chain")}
    assert edges == {("roald-amundsen#0", "fram-ship#0"), ("fram-ship#0", "colin-archer#0")}
    edges = {(e.get_attribute("data-from"), e.get_attribute("data-to")) for e in page.all(".graph .edge.link")}
    assert ("fram-ship#0", "fridtjof-nansen#0") in edges
    assert not page.all(".graph .node.left")
    page.click(".graph-section button", "Show 2 more, considered but not used")
    left = {e.get_attribute("data-id") for e in page.all(".graph .node.left")}
    assert left == {"ernest-shackleton#0", "terra-nova-expedition#0"}
    page.click(".graph-section button", "Show only the evidence")
    assert not page.all(".graph .node.left")
    places = [page.all(f".graph a[data-id='{id}#0'] rect")[0].rect["x"] for id in ("roald-amundsen", "fram-ship")]
    assert places[0] < places[1]


def test_a_passage_stands_out_wherever_it_is_shown(page: Page) -> None:
    page.ask()
    page.see(".graph .edge.link")
    page.run("document.querySelector('#rank-3 h3 a').focus()")
    assert page.run("return [...document.querySelectorAll('.same')].map((e) => e.dataset.id)") == ["colin-archer#0"] * 4
    page.run("document.querySelector(\".graph a[data-id='colin-archer#0']\").focus()")
    page.see(".link-note", "Fram (ship) names Colin Archer: “Colin Archer drew her lines")


def test_a_passage_of_the_graph_is_expanded_and_folded_again(page: Page) -> None:
    page.ask()
    page.see(".graph .edge.link")
    before = {e.get_attribute("data-id") for e in page.all(".graph .node")}
    page.run("document.querySelector(\".expander[data-around='roald-amundsen#0']\").focus()")
    page.press(Keys.ENTER)
    page.see(".graph .expander[aria-expanded='true']")
    after = {e.get_attribute("data-id") for e in page.all(".graph .node")}
    assert before < after
    assert page.run("return document.activeElement.getAttribute('aria-expanded')") == "true"
    edges = {(e.get_attribute("data-from"), e.get_attribute("data-to")) for e in page.all(".graph .edge.link")}
    for new in after - before:
        assert ("roald-amundsen#0", new) in edges or (new, "roald-amundsen#0") in edges
    page.press(Keys.ENTER)
    page.wait(lambda _: {e.get_attribute("data-id") for e in page.all(".graph .node")} == before, "folded again")


def test_two_passages_are_read_side_by_side(page: Page) -> None:
    page.ask("Which treaty was adopted earlier, the Montreal Protocol or the Kyoto Protocol?")
    page.click(".both a", "Read both side by side")
    page.see("#passage .one-passage:nth-child(2)")
    assert set(page.texts("#passage h2")) == {"Montreal Protocol", "Kyoto Protocol"}
    left, right = (e.location["x"] for e in page.all("#passage .one-passage"))
    assert left < right
    page.driver.back()
    page.wait(lambda _: not page.all("#passage[open]"), "closed")
    page.click("#rank-1 h3 a")
    page.see("#passage .one-passage")
    assert len(page.all("#passage .one-passage")) == 1
    page.run("const s = document.getElementById('beside'); s.selectedIndex = 1; s.dispatchEvent(new Event('change'))")
    page.see("#passage .one-passage:nth-child(2)")
    assert "beside=" in page.hash
    page.press(Keys.ESCAPE)
    page.wait(lambda _: "passage=" not in page.hash and "beside=" not in page.hash, "closed")


def test_the_way_back_leads_to_where_one_had_scrolled(page: Page) -> None:
    page.open("documents", index="sample")
    page.see(".documents li", "Ada Lovelace")
    page.run("scrollTo(0, 700)")
    page.wait(lambda _: page.run("return scrollY") == 700, "scrolled")
    page.run("document.querySelectorAll('.documents li a')[20].click()")
    page.see(".document h1")
    assert page.run("return scrollY") == 0
    page.driver.back()
    page.see(".documents li", "Ada Lovelace")
    page.wait(lambda _: page.run("return scrollY") == 700, "where it was")


def test_replacements_are_edges_of_the_graph_and_lines_of_the_trace(page: Page) -> None:
    question = "Why does the ozone layer matter, what damages it and how is it being protected?"
    page.ask(question, strategy="replace")
    page.see(".timeline", "Edward Jenner → Montreal Protocol")
    page.click(".graph-section button", "considered but not used")
    edge = page.wait(lambda _: page.all(".graph .edge.replaced"), "an edge")[0]
    assert (edge.get_attribute("data-from"), edge.get_attribute("data-to")) == (
        "edward-jenner#0",
        "montreal-protocol#0",
    )


def test_coverage_is_charted_hop_by_hop(page: Page) -> None:
    question = "Why does the ozone layer matter, what damages it and how is it being protected?"
    page.ask(question, strategy="replace")
    chart = page.see(".steps-chart")
    assert chart.get_attribute("aria-label") == "Names found: 67 % after hop 1, 100 % after hop 2"
    rows = [row.text.replace("\n", " ") for row in page.all(".coverage tbody tr")]
    assert rows[1].startswith("montreal protocol bridge")
    assert rows[1].endswith("Montreal Protocol")


def test_hops_that_changed_nothing_stand_together(page: Page) -> None:
    question = "Why does the ozone layer matter, what damages it and how is it being protected?"
    page.ask(question, strategy="aspects")
    assert not page.all("#hop-5")[0].is_displayed()
    page.click(".quiet-hops summary", "nothing entered or left")
    page.see("#hop-5")
    assert "aspects" in page.hash


def test_the_filter_narrows_the_answer_and_names_its_fields(page: Page) -> None:
    page.open("ask")
    page.write("#question", "Who sailed to the Pole?")
    page.click(".more-options summary")
    page.click(".values .chip", "Norway")
    assert page.see("#where").get_attribute("value") == 'country="Norway"'
    assert page.see(".values .chip", "Norway").get_attribute("aria-pressed") == "true"
    page.see("#where").send_keys(Keys.ENTER)
    page.see(".result .card")
    page.unfold(".card .scores")
    page.see(".more-options summary", 'country="Norway"')
    assert {text for text in page.texts(".card .metadata > span") if text.startswith("country")} == {"country Norway"}
    assert 'where=country="Norway"' in page.hash


def test_days_and_sources_that_disagree(browser: Page, tmp_path: Path) -> None:
    place = tmp_path / "company.mh"
    with Engine.open(place, create=True) as engine:
        engine.add((*TRAVEL, *LEADERS))
    site = sample_site(tmp_path, indexes=(Location("company", str(place)),))
    try:
        browser.fresh(site.address)
        browser.ask(PAY)
        told = browser.see(".result p.no", "Two sources disagree").text
        assert "“Travel rules” (2021-03-01) says “Kittiwake pays travel at 30 euros a day.”" in told
        assert "“New travel rules” (2024-05-03) says “Kittiwake pays travel at 45 euros a day.”" in told
        assert told.endswith("newer: “New travel rules”.")
        browser.see(".answer-section .note-line", "Two sources disagree")
        browser.ask("Who leads Kittiwake?")
        browser.see(".answer-section", "Jon Berg")
        browser.click(".more-options summary")
        browser.run("arguments[0].value = '2024-05-02'", browser.see("#as-of"))
        browser.click("form.ask .primary", "Ask")
        browser.see(".answer-section", "Pia Holm")
        browser.see(".result p.soft", "“Kittiwake (2024)” valid from 3 May 2024")
        assert "as_of=2024-05-02" in browser.hash
        assert browser.complaints() == []
    finally:
        site.stop()


def test_no_value_of_a_field_fills_the_answer(page: Page) -> None:
    page.open("ask")
    page.write("#question", "Who sailed to the Pole?")
    page.click(".more-options summary")
    page.see("#at-most").send_keys("country=1", Keys.ENTER)
    page.see(".result .card")
    page.unfold(".card .scores")
    countries = [text for text in page.texts(".card .metadata > span") if text.startswith("country")]
    assert len(countries) == len({*countries}) > 1
    assert "at_most=country=1" in page.hash
    page.click(".summary a", "Compare with bm25")
    page.see(".compared-sides")
    page.click(".more-options summary")
    assert page.see("#at-most").get_attribute("value") == "country=1"


def test_an_index_with_dated_documents_is_asked_as_of_a_day(page: Page, tmp_path: Path) -> None:
    allowances = [
        Document("old", "The allowance for a day of travel is 40 euro.", metadata={"superseded_by": "new"}),
        Document("new", "The allowance for a day of travel is 55 euro."),
    ]
    page.open("ask")
    page.see(".examples")
    assert not page.all("#as-of")
    with Engine.open(tmp_path / "rules.mh", create=True) as engine:
        engine.add(allowances)
    site = Site(Settings((Location("rules", str(tmp_path / "rules.mh")),), tmp_path / "state"))
    try:
        page.fresh(site.address)
        page.open("ask", q="What is the allowance for a day of travel?", as_of="2026-05-01")
        page.see(".result .card", "55 euro")
        page.click(".more-options summary", "as of 2026-05-01")
        assert page.see("#as-of").get_attribute("value") == "2026-05-01"
        assert page.texts(".card h3 a") == ["new"]
    finally:
        site.stop()


def test_the_strategy_and_the_budget_are_kept_in_the_address(page: Page) -> None:
    page.open("ask")
    page.write("#question", FIRST)
    page.click(".more-options summary")
    page.write("#k", "3")
    page.run("const s = document.getElementById('strategy'); s.value = 'bm25'; s.dispatchEvent(new Event('change'))")
    page.click("button.primary")
    page.see(".result .card")
    assert len(page.all(".card")) == 3
    assert "strategy=bm25" in page.hash
    assert "k=3" in page.hash
    page.driver.refresh()
    page.see(".result .card")
    page.click(".more-options summary", "Options · bm25 · at most 3 passages")
    assert page.see("#strategy").get_attribute("value") == "bm25"


def test_the_field_has_the_focus_and_a_slash_goes_back_to_it(page: Page) -> None:
    page.open("ask")
    page.see(".examples")
    assert page.run("return document.activeElement.id") == "question"
    page.run("document.activeElement.blur()")
    page.run("document.body.dispatchEvent(new KeyboardEvent('keydown', {key: '/', bubbles: true}))")
    assert page.run("return document.activeElement.id") == "question"


def test_strategies_are_grouped_and_say_why_they_cannot_run(page: Page) -> None:
    page.open("ask")
    page.click(".more-options summary")
    page.see("#strategy")
    groups = page.run("return [...document.querySelectorAll('#strategy optgroup')].map((g) => g.label)")
    assert groups == ["Recommended", "Other strategies", "Better with a language model", "Baselines", "Needs vectors"]
    refused = page.run("return [...document.querySelectorAll('#strategy option:disabled')].map((o) => o.textContent)")
    missing = "this index has no vectors; index with --embedder"
    assert refused == [f"dense ({missing})", f"hybrid-rrf ({missing})"]


def test_the_way_back_leads_to_the_question_before(page: Page) -> None:
    page.ask()
    page.write("#question", "Which treaty was adopted earlier, the Montreal Protocol or the Kyoto Protocol?")
    page.press(Keys.ENTER)
    page.see(".card", "Kyoto Protocol")
    page.driver.back()
    page.see(".card", "Larvik")
    assert page.see("#question").get_attribute("value") == FIRST
    assert page.driver.title == f"{FIRST} · multihop"
    page.driver.forward()
    page.see(".card", "Kyoto Protocol")


def test_comparing_shows_what_both_found_and_what_only_one_did(page: Page) -> None:
    page.ask()
    page.click(".summary a", "Compare with bm25")
    page.see(".compared", "Both found 3 passages. Only auto found 2, only bm25 found 2.")
    assert page.texts(".side-a .alone a") == ["Colin Archer", "Fridtjof Nansen"]
    assert page.texts(".side-b .alone a") == ["Ernest Shackleton", "Terra Nova Expedition"]
    assert page.texts(".share-bar span") == ["only auto 2", "both 3", "only bm25 2"]
    assert "came into the world in Larvik" in page.texts(".side-a .alone .snippet")[0]
    page.click(".side-a .alone a")
    page.see("#passage", "Larvik")


def test_up_to_four_strategies_are_compared(page: Page) -> None:
    page.open("compare", q=FIRST, k=5)
    page.see(".compared", "Both found")
    for place, strategy in (("c", "replace"), ("d", "aspects")):
        page.run("document.getElementById(arguments[0]).value = arguments[1]", place, strategy)
    page.click("button.primary")
    page.see(".compared", "All 4 found")
    assert [text.split()[0] for text in page.texts(".side h2")] == ["auto", "bm25", "replace", "aspects"]
    assert page.texts(".side-c .ranked small.soft, .side-c .ranked small.alone-mark")
    colors = "return [...document.querySelectorAll('.side')].map((e) => getComputedStyle(e).borderTopColor)"
    assert len(set(page.run(colors))) == 4
    assert not page.all(".compared-sides .hop-badge")


def test_a_long_passage_is_shown_in_full_on_demand(page: Page) -> None:
    text = "Long passages are cut. " + "The lighthouse keeper counted the waves. " * 40 + "At last he slept."
    page.open("documents")
    page.run(
        "return fetch('v1/indexes/sample/documents/keeper', {method: 'PUT', body: arguments[0], "
        "headers: {'content-type': 'application/json'}}).then((r) => r.status)",
        json.dumps({"title": "The keeper", "text": text}),
    )
    try:
        page.ask("Which lighthouse keeper counted the waves?", k=1)
        button = page.see(".card button", "Show in full")
        height = page.all(".card .text")[0].size["height"]
        button.click()
        assert page.all(".card .text")[0].size["height"] > height
        assert button.get_attribute("aria-expanded") == "true"
    finally:
        page.run("return fetch('v1/indexes/sample/documents/keeper', {method: 'DELETE'}).then((r) => r.status)")


def test_a_long_answer_is_shown_a_part_at_a_time(page: Page) -> None:
    things = "engineer, explorer, composer, scientist, ship, bridge, volcano, treaty, machine, city, island"
    page.ask(f"Which {things}, year, British, first, years, world, built, born?", k=120)
    page.click(".filling summary")
    folded = int(page.see(".filling summary").text.split()[-2])
    assert folded > 100
    assert len(page.all(".filling .card")) == 50
    page.click("button", f"50 of {folded} shown")
    assert len(page.all(".filling .card")) == 100
    cards = "return [...document.querySelectorAll('.filling .card')].indexOf(document.activeElement.closest('.card'))"
    assert page.run(cards) == 50
    page.click("button", f"100 of {folded} shown")
    assert len(page.all(".card")) == 120
    assert not [b for b in page.all("button") if b.is_displayed() and "Show more" in b.text]


def test_an_answer_is_saved_as_json_and_as_markdown(page: Page) -> None:
    page.ask()
    page.click(".save summary", "Save as")
    assert json.loads(_saved(page, "JSON", "json"))["evidence"][2]["passage"]["id"] == "colin-archer#0"
    assert _saved(page, "Markdown", "md").startswith(f"# {FIRST}\n")


def _saved(page: Page, button: str, ending: str) -> str:
    page.click(".summary button", button)
    file = page.downloads / f"in-which-town-was-the-naval-architect-born-who.{ending}"
    page.wait(lambda _: file.exists() and file.stat().st_size, file.name)
    return file.read_text(encoding="utf-8")


def test_a_question_can_be_canceled_and_asked_again(page: Page, site: Site) -> None:
    site.held.hold()
    page.open("ask", q=FIRST, k=5)
    page.see(".step", "Hop 1")
    page.click(".step.waiting button", "Cancel")
    page.see(".problem", "You canceled this question.")
    site.held.let_go()
    page.click(".problem button", "Try again")
    page.see(".card", "Larvik")


def test_leaving_in_the_middle_of_an_answer_is_no_mistake(page: Page, site: Site) -> None:
    site.held.hold()
    page.open("ask", q=FIRST, k=5)
    page.see(".step", "Hop 1")
    page.click("nav a", "Documents")
    page.see(".documents li", "Ada Lovelace")
    site.held.let_go()
    page.driver.back()
    page.see(".card", "Larvik")
