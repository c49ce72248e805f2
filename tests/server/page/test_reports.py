"""Reports inside the page: with a token and without, and what a hostile one can do (nothing)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from multihop.server import tokens
from tests.server.page.driving import Page
from tests.server.page.site import Site, sample_site

pytestmark = pytest.mark.browser

_HOSTILE = """<!doctype html><title>Fine</title><style>h1 { color: rgb(1, 2, 3) }</style><h1>Fine</h1><ol></ol><script>
const told = (name, attempt) => {
  const said = (text) => document.querySelector("ol").append(Object.assign(document.createElement("li"),
    { textContent: name + " " + text }));
  try { Promise.resolve(attempt()).then(() => said("worked"), () => said("failed")); } catch { said("failed"); }
};
told("page", () => parent.document.body.innerHTML);
told("token", () => sessionStorage.getItem("multihop-token"));
told("address", () => { top.location = "/evil"; });
told("fetch", () => fetch("/v1/indexes"));
told("image", () => new Promise((onload, onerror) => Object.assign(new Image(), { onload, onerror, src: "/x.svg" })));
told("window", () => { if (!open("/")) throw new Error(); });
parent.postMessage({ open: "javascript:window.evil=1" }, "*");
parent.postMessage({ open: "../../secret.html" }, "*");
parent.postMessage({ ready: true }, "*");
</script>"""
_OVERVIEW = (
    "<!doctype html><title>Survey: towns</title><h1>Towns</h1>"
    "<a href='aa.html#q2'>Aa1</a> <a href='https://else.example/x'>source</a>"
)
_TOWN = "<!doctype html><title>Aa1 &amp; more</title><h1>Aa1</h1><p style='height:3000px'></p><h2 id='q2'>Second</h2>"


@pytest.fixture
def reports(tmp_path: Path) -> Path:
    folder = tmp_path / "reports"
    (folder / "towns").mkdir(parents=True)
    (folder / "hostile.html").write_text(_HOSTILE, encoding="utf-8")
    (folder / "towns" / "index.html").write_text(_OVERVIEW, encoding="utf-8")
    (folder / "towns" / "aa.html").write_text(_TOWN, encoding="utf-8")
    return folder


@pytest.fixture
def guarded(browser: Page, reports: Path, tmp_path: Path) -> Iterator[Site]:
    """A server that wants a token, which the browser has given."""
    file = tmp_path / "tokens.json"
    token = tokens.create(file, "reader", ["read"])
    site = sample_site(tmp_path, reports=reports, tokens=file)
    browser.fresh(site.address)
    browser.open()
    browser.write("#token-value", token)
    browser.click("#token .primary")
    browser.see(".examples")
    browser.complaints()
    yield site
    browser.driver.switch_to.default_content()
    site.stop()


def _inside(page: Page) -> None:
    page.driver.switch_to.default_content()
    page.driver.switch_to.frame(page.see("iframe.report"))


def test_reports_behind_a_token_open_in_the_page_and_lead_to_each_other(browser: Page, guarded: Site) -> None:
    browser.click("nav a", "Reports")
    browser.see(".documents", "Survey: towns")
    assert browser.texts(".documents summary") == ["1 page"]
    browser.click(".documents a", "Survey: towns")
    _inside(browser)
    browser.click("a", "Aa1")
    browser.driver.switch_to.default_content()
    browser.see("h1", "Aa1 & more")
    assert "name=towns/aa.html" in browser.hash and "part=q2" in browser.hash
    _inside(browser)
    browser.see("h2", "Second")
    assert browser.run("return scrollY") > 1000
    browser.driver.switch_to.default_content()
    browser.driver.back()
    browser.see("h1", "Survey: towns")
    assert not browser.all(".report-bar a[target]")
    assert browser.complaints() == []


def test_a_link_to_another_site_is_shown_before_it_is_followed(browser: Page, guarded: Site) -> None:
    browser.open("report", name="towns/index.html")
    _inside(browser)
    browser.click("a", "source")
    browser.driver.switch_to.default_content()
    link = browser.see(".problem a", "https://else.example/x")
    assert link.get_attribute("rel") == "noopener noreferrer"


def test_a_hostile_report_reaches_nothing(browser: Page, guarded: Site) -> None:
    browser.open("report", name="hostile.html")
    here = browser.hash
    _inside(browser)
    browser.wait(lambda _: len(browser.all("li")) == 6, "all attempts")
    assert sorted(browser.texts("li")) == [
        "address failed", "fetch failed", "image failed", "page failed", "token failed", "window failed",
    ]  # fmt: skip
    assert browser.run("return getComputedStyle(document.querySelector('h1')).color") == "rgb(1, 2, 3)"
    browser.driver.switch_to.default_content()
    assert (browser.hash, browser.run("return window.evil"), len(browser.driver.window_handles)) == (here, None, 1)
    browser.complaints()


def test_without_a_token_a_report_also_opens_in_a_tab(page: Page) -> None:
    page.open("ask")
    page.click("nav a", "Reports")
    page.click(".documents a", "First")
    _inside(page)
    page.see("h1", "A first report")
    page.driver.switch_to.default_content()
    page.click(".report-bar a", "Open in a tab")
    here, there = page.wait(lambda d: len(d.window_handles) == 2 and d.window_handles, "a second tab")
    page.driver.switch_to.window(there)
    page.see("h1", "A first report")
    page.driver.close()
    page.driver.switch_to.window(here)


def test_a_report_that_is_not_there(page: Page) -> None:
    page.open("report", name="../../etc/passwd")
    page.see(".problem", "not found")
    assert all("404" in said for said in page.complaints())
