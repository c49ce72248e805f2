"""Who can use the page: by keyboard, on a phone, with weak eyes, on a thin line; in a real browser."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import pytest
from selenium.webdriver.common.keys import Keys

from tests.server.page.driving import FIRST, Page

pytestmark = pytest.mark.browser

_ASPECTS = "Why does the ozone layer matter, what damages it and how is it being protected?"
VIEWS: list[dict[str, Any]] = [
    {"view": "ask"},
    {"view": "ask", "q": FIRST, "k": 5},
    {"view": "ask", "q": "Which treaty was adopted earlier, the Montreal Protocol or the Kyoto Protocol?", "k": 5},
    {"view": "ask", "q": "Colin Archer came into the world in Larvik in 1851.", "k": 5},
    {"view": "ask", "q": "Who was the captain of the Titanic?", "k": 5},
    {"view": "ask", "q": _ASPECTS, "k": 21, "strategy": "aspects"},
    {"view": "ask", "q": "Gjallarbrú " + "x" * 300, "index": "hostile"},
    {"view": "ask", "q": FIRST, "k": 5, "passage": "fram-ship#0"},
    {"view": "compare", "q": FIRST, "k": 5, "a": "auto", "b": "bm25", "c": "replace", "d": "aspects"},
    {"view": "chat", "q": FIRST},
    {"view": "research", "q": "What is penicillin and what are its health risks?", "hops": 2},
    {"view": "documents"},
    {"view": "document", "id": "fram-ship"},
    {"view": "document", "id": "evil-1", "index": "hostile"},
    {"view": "document", "id": "fram-ship", "from": "fram-ship#0", "passage": "colin-archer#0"},
    {"view": "survey"},
    {"view": "reports"},
    {"view": "saved"},
    {"view": "report", "name": "first.html"},
    {"view": "ask", "index": "nowhere"},
]
_READY = ".examples, .result, .compared, .documents, h1, .problem"
# Every text on the page against the color behind it, as WCAG counts contrast.
_CONTRAST = """
const rgb = (c) => c.match(/[\\d.]+/g).map(Number);
const light = ([r, g, b]) => { const f = (v) => (v /= 255) <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4;
  return .2126 * f(r) + .7152 * f(g) + .0722 * f(b); };
const behind = (e) => { for (; e; e = e.parentElement) { const c = rgb(getComputedStyle(e).backgroundColor);
  if (c.length < 4 || c[3] === 1) return c; } return rgb(getComputedStyle(document.body).backgroundColor); };
const poor = new Set();
const all = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
for (let n; (n = all.nextNode());) {
  const e = n.parentElement, s = getComputedStyle(e);
  if (!n.textContent.trim() || !e.getClientRects().length || e.closest('.unseen, .skip, script, noscript')) continue;
  const a = light(rgb(e.closest('svg') ? s.fill : s.color)), b = light(behind(e));
  const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
  if (ratio < 4.5 && !e.matches('.start-mark'))
    poor.add([e.tagName, e.getAttribute('class'), ratio.toFixed(2), n.textContent.slice(0, 30)].join(' '));
}
return [...poor];
"""
# Graphs are drawn anew for their room, a moment after it changed. What blinks without end is not waited for.
_SETTLED = """const ends = (a) => a.effect.getComputedTiming().endTime < Infinity;
  return !document.getAnimations().some((a) => a.playState === 'running' && ends(a)) &&
  [...document.querySelectorAll('.graph')].every((g) => {
    const drawn = g.querySelector('svg');
    return !drawn || !g.clientWidth || Number(drawn.getAttribute('width')) === Math.floor(g.clientWidth);
  })"""
_AXE = (files("axe_core_python") / "axe.min.js").read_text(encoding="utf-8")
_UNNAMED = """
const named = (e) =>
  (e.getAttribute('aria-label') ?? '').trim() || e.textContent.trim() || e.labels?.[0]?.textContent.trim();
return [...document.querySelectorAll('a, button, input, select, textarea, progress, dialog[open]')]
  .filter((e) => !named(e)).map((e) => e.outerHTML.slice(0, 120));
"""


def axe(page: Page) -> list[str]:
    """What axe-core finds in what is shown now."""
    # Text that fades in has too little contrast until it has arrived.
    page.wait(lambda _: page.run(_SETTLED), "the page has settled")
    page.run(_AXE)
    # A rule that is off by default: what voice control is told must contain what is written.
    rules = "{ rules: { 'label-content-name-mismatch': { enabled: true } } }"
    run = f"axe.run(document, {rules})"
    done = f"const done = arguments[0]; {run}.then((r) => done(r.violations), (e) => done(String(e)))"
    found = page.driver.execute_async_script(done)
    assert isinstance(found, list), found
    # To tell icons from letters that rule reads pixels, of which the browser says that it could be faster.
    assert [said for said in page.complaints() if "willReadFrequently" not in said] == []
    return [f"{each['id']}: {node['html'][:400]}" for each in found for node in each["nodes"]]


def _look(page: Page, view: str, **values: object) -> None:
    page.open(view, **values)
    page.see(_READY)
    if "q" in values:
        page.see(".result, .compared, .turn a, section.aspect")
    if "passage" in values:
        page.see("#passage .text")
    if view == "document":
        page.see(".around .graph a")


@pytest.mark.parametrize("where", VIEWS, ids=str)
def test_a_view_can_be_read_by_everybody(page: Page, where: dict[str, Any]) -> None:
    """One visit of each view: names and headings, contrast and axe-core in both themes at three widths."""
    _look(page, **where)
    assert page.run(_UNNAMED) == []
    assert page.run("return document.querySelectorAll('h1').length") == 1
    ids = page.run("return [...document.querySelectorAll('[id]')].map((e) => e.id)")
    assert len(ids) == len(set(ids))
    # What is folded is looked at too; where it stays folded, axe-core takes it to lie over what is below it.
    page.run("for (const folded of document.querySelectorAll('details')) folded.open = true")
    page.run("for (const more of document.querySelectorAll('.card .quiet[aria-expanded=\"false\"]')) more.click()")
    for theme, paper in (("light", "rgb(255, 255, 255)"), ("dark", "rgb(21, 24, 28)")):
        page.theme(theme)
        assert page.run("return getComputedStyle(document.body).backgroundColor") == paper
        assert page.run(_CONTRAST) == []
        for width, height in ((1280, 900), (768, 1024), (360, 740)):
            page.size(width, height)
            page.wait(lambda _: page.run(_SETTLED), "graphs that fit the width")
            assert axe(page) == [], (theme, width)
    width, widest = page.run(
        "return [document.documentElement.scrollWidth, "
        "Math.max(0, ...[...document.querySelectorAll('dialog[open]')].map((d) => d.scrollWidth))]"
    )
    assert width <= 360
    assert widest <= 360


def test_the_names_of_the_views_are_whole_and_all_visible_on_a_phone(page: Page) -> None:
    page.size(360, 740)
    page.open("ask")
    page.see(".examples")
    boxes = page.run("return [...document.querySelectorAll('nav a')].map((a) => a.getBoundingClientRect().toJSON())")
    assert len(boxes) == 8
    assert max(box["height"] for box in boxes) < 50
    assert max(box["right"] for box in boxes) <= 360


def test_everything_works_without_a_mouse(page: Page) -> None:
    page.open("ask")
    page.see(".examples")
    page.press(FIRST, Keys.TAB, Keys.TAB, Keys.ENTER, Keys.TAB, Keys.TAB)
    assert page.run("return document.activeElement.id") == "k"
    page.press(Keys.BACKSPACE, Keys.BACKSPACE, "5", Keys.ENTER)
    page.see(".graph a")
    page.tab_to(".graph a[data-id='fram-ship#0']", most=100)
    page.press(Keys.ENTER)
    page.see("#passage h2", "Fram (ship)")
    page.press(Keys.ESCAPE)
    page.wait(lambda _: not page.all("#passage[open]"), "closed")
    assert "passage=" not in page.hash
    page.tab_to(".timeline summary", most=100)
    page.press(Keys.ENTER)
    page.see(".queries")


def test_the_first_tab_leads_past_the_header(page: Page) -> None:
    page.open("compare")
    page.see("#question")
    page.press(Keys.TAB)
    assert page.run("return document.activeElement.className") == "skip"
    page.press(Keys.ENTER)
    assert page.run("return document.activeElement.id") == "main"
    page.tab_to("#question", most=1)


def _loaded(page: Page) -> tuple[int, int]:
    """How many requests the page has made, none of them to another host, and their bytes."""
    entries = page.run(
        "return [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]"
        ".map((e) => [e.name, e.transferSize])"
    )
    assert all(name.startswith(page.site) for name, _ in entries)
    return len(entries), sum(size for _, size in entries)


def test_a_visit_is_small_and_asks_nobody_else(page: Page) -> None:
    page.driver.execute_cdp_cmd("Network.enable", {})
    page.driver.execute_cdp_cmd("Network.clearBrowserCache", {})
    page.open()
    page.see(".examples a")
    requests, size = _loaded(page)
    assert 5 < requests <= 10
    assert 20_000 < size <= 40_000
    page.ask()
    requests, size = _loaded(page)
    assert 5 < requests <= 15
    assert 0 < size <= 120_000


@pytest.mark.parametrize(
    ("where", "shown"),
    [
        ({}, ".examples a"),
        ({"view": "ask", "q": "Who designed the Fram?"}, ".evidence .card"),
        ({"view": "ask", "q": FIRST, "k": 5, "strategy": "bm25", "where": "country=Norway"}, ".graph .node"),
        ({"view": "documents", "index": "sample"}, ".documents li"),
        ({"view": "documents", "search": "ship"}, ".documents li"),
        ({"view": "document", "id": "fram-ship"}, ".around .node"),
        ({"view": "document", "id": "evil-1", "from": "evil-1#0", "index": "hostile"}, ".around .node"),
    ],
    ids=str,
)
def test_what_a_view_shows_is_asked_for_once_and_the_lists_come_with_the_page(
    page: Page, where: dict[str, Any], shown: str
) -> None:
    page.open(**where)
    page.see(shown)
    asked = page.run("return performance.getEntriesByType('resource').map((e) => e.name)")
    names = [name.removeprefix(page.site) for name in asked]
    assert len(names) == len(set(names)), names
    assert not set(names) & {"v1/indexes", "v1/strategies", "v1/views", "v1/profiles", "v1/reports"}
    if "where" not in where and "search" not in where:
        assert not page.run("return [...begun.keys()]")


def test_a_second_visit_asks_for_no_file_again(page: Page) -> None:
    page.ask()
    page.open("documents")
    page.see(".documents li")
    sizes = page.run(
        "return performance.getEntriesByType('resource').filter((e) => /_[0-9a-f]{16}/.test(e.name))"
        ".map((e) => e.transferSize)"
    )
    assert len(sizes) >= 4
    assert set(sizes) == {0}


def test_the_shape_of_the_page_stands_there_until_it_is_loaded(page: Page) -> None:
    page.driver.execute_cdp_cmd("Network.enable", {})
    page.driver.execute_cdp_cmd("Network.setBlockedURLs", {"urls": ["*bundle/app.js"]})
    try:
        page.open("ask")
        assert page.see(".skeleton .field").size["height"] > 100
    finally:
        page.driver.execute_cdp_cmd("Network.setBlockedURLs", {"urls": []})
    page.complaints()
    page.open("ask")
    page.see(".examples")
    assert not page.all(".skeleton")
