"""One browser and one server for all tests of the page; whatever the browser complains of fails the test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.server.page.driving import Page, opened
from tests.server.page.site import Site, sample_site


@pytest.fixture(scope="package")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    reports = tmp_path_factory.mktemp("reports")
    (reports / "first.html").write_text("<!doctype html><title>First</title><h1>A first report</h1>", encoding="utf-8")
    running = sample_site(tmp_path_factory.mktemp("site"), hostile=True, reports=reports)
    yield running
    running.stop()


@pytest.fixture(scope="package")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    with opened(tmp_path_factory.mktemp("profile")) as page:
        yield page


@pytest.fixture
def page(browser: Page, site: Site) -> Iterator[Page]:
    """The browser, as fresh as for a new visitor; at the end its console must be empty."""
    browser.fresh(site.address)
    yield browser
    site.held.let_go()
    assert browser.complaints() == []
