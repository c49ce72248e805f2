"""Signing in on the page with a real, small OpenID Connect provider."""

from __future__ import annotations

from pathlib import Path

import pytest
from selenium.webdriver.common.keys import Keys

from multihop import Engine
from multihop.server.settings import Location, Oidc
from tests.server.page.driving import Page
from tests.server.page.site import sample_site
from tests.server.test_oidc import CLIENT, issuer, pytestmark as ignored
from tests.server.test_rights import DOCUMENTS

__all__ = ["issuer"]
pytestmark = [pytest.mark.browser, ignored]


def test_each_user_sees_their_documents_after_signing_in(browser: Page, issuer: str, tmp_path: Path) -> None:
    place = tmp_path / "company.mh"
    with Engine.open(place, create=True) as engine:
        engine.add(DOCUMENTS)
    site = sample_site(tmp_path, indexes=(Location("company", str(place)),), oidc=Oidc(issuer, CLIENT, secret="s"))
    try:
        browser.fresh(site.address)
        browser.open("documents", index="company")
        browser.click("#token .primary", "Sign in")
        browser.click("button", "Deny")
        browser.see("#token", "Signing in failed: ")
        assert "error" not in browser.driver.current_url
        browser.click("#token .primary", "Sign in")
        browser.click("button", "jon")
        # Back at the view that asked for it, without the code in the address.
        browser.see(".documents li", "Plan of Kittiwake")
        assert "Pay" not in browser.texts(".documents a")
        assert browser.driver.current_url == browser.address("documents", index="company")
        assert browser.run("return Object.keys(sessionStorage)") == ["multihop-token"]
        browser.click("header button", "Token")
        browser.click("#token button", "Delete it")
        browser.click("#token .primary", "Sign in")
        browser.click("button", "eli")
        browser.see(".documents li", "Pay")
        # A code that somebody else put into the address is not used.
        browser.run("sessionStorage.clear(); sessionStorage.setItem('multihop-sign-in', arguments[0])",
                    '{"state": "ours", "verifier": "x", "hash": "#/documents"}')  # fmt: skip
        browser.driver.get(f"{site.address}?code=theirs&state=theirs")
        browser.see("#token", "belongs to another sign-in")
        # A token still works beside it, and Enter sends what was typed.
        browser.write("#token-value", "mh_wrong")
        browser.press(Keys.ENTER)
        browser.see("#token", "Your sign-in has expired, or was rejected.")
    finally:
        site.stop()
