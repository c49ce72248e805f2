"""Drives a real headless Chromium: find, click, type, wait for what should come."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from selenium import webdriver
from selenium.common.exceptions import NoSuchElementException, StaleElementReferenceException
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait

_FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-dev-shm-usage",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--window-size=1280,900",
)  # fmt: skip
_PATIENCE = 120
"""Seconds after which something is taken never to come; a page that works shows it much sooner."""
FIRST = (
    "In which town was the naval architect born who drew the ship that Roald Amundsen borrowed for his voyage "
    "towards the South Pole?"
)


class Page:
    """What a person can do with the page, and what they see of it."""

    def __init__(self, driver: webdriver.Chrome, downloads: Path) -> None:
        self.driver = driver
        self.downloads = downloads
        self.site = ""

    # --- going places ---

    def fresh(self, site: str) -> None:
        """Forget everything, and look at the page as on a desk with a light theme."""
        self.site = site
        self.driver.get(f"{site}icon.svg")
        self.run("localStorage.clear(); sessionStorage.clear()")
        self.size(1280, 900)
        self.theme("light")
        self.driver.get("about:blank")
        self.complaints()

    def open(self, view: str = "", **values: object) -> None:
        self.driver.get("about:blank")
        self.driver.get(self.address(view, **values))

    def address(self, view: str = "", **values: object) -> str:
        return f"{self.site}#/{view}?{urlencode(values)}" if view else self.site

    def ask(self, question: str = FIRST, k: int = 5, **values: object) -> None:
        """Open the address of a question and wait for its answer."""
        self.open("ask", q=question, k=k, **values)
        self.see(".result .evidence, .result .soft")

    # --- seeing ---

    def see(self, selector: str, text: str = "") -> WebElement:
        """Wait until something is shown, with this text in it."""

        def shown(_: Any) -> WebElement | None:
            return next((e for e in self.all(selector) if text in e.text and e.is_displayed()), None)

        found: WebElement = self.wait(shown, f"{selector} with {text!r}")
        return found

    def wait(self, condition: Callable[[Any], Any], what: str) -> Any:
        patient = WebDriverWait(self.driver, _PATIENCE, 0.05, (NoSuchElementException, StaleElementReferenceException))
        return patient.until(condition, what)

    def all(self, selector: str) -> list[WebElement]:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def texts(self, selector: str) -> list[str]:
        return [e.text for e in self.all(selector)]

    def run(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(script, *arguments)

    def module(self, name: str, expression: str, *arguments: Any) -> Any:
        """Evaluate an expression with the exports of a module of the page as `m`."""
        script = (
            "const done = arguments[arguments.length - 1], a = arguments;"
            f"import(new URL('{name}', location.origin)).then((m) => ({expression}))"
            ".then(done, (e) => done('threw: ' + e.message))"
        )
        return self.driver.execute_async_script(script, *arguments)

    @property
    def hash(self) -> str:
        return str(self.run("return decodeURIComponent(location.hash.replaceAll('+', ' '))"))

    def complaints(self) -> list[str]:
        """What the console said since the last look."""
        return [entry["message"] for entry in self.driver.get_log("browser")]  # type: ignore[no-untyped-call]  # selenium leaves it so

    # --- doing ---

    def click(self, selector: str, text: str = "") -> None:
        self.see(selector, text).click()

    def write(self, selector: str, text: str) -> None:
        field = self.see(selector)
        field.clear()
        field.send_keys(text)

    def unfold(self, selector: str) -> None:
        """Open what is folded."""
        self.see(f"{selector} > summary")
        self.run("for (const folded of document.querySelectorAll(arguments[0])) folded.open = true", selector)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.driver.switch_to.active_element.send_keys(key)

    def tab_to(self, selector: str, most: int = 60) -> WebElement:
        """Press Tab until something has the focus."""
        for _ in range(most):
            self.press(Keys.TAB)
            if self.run("return document.activeElement.matches(arguments[0])", selector):
                return self.driver.switch_to.active_element
        raise AssertionError(f"{selector} cannot be reached by {most} tabs")

    def size(self, width: int, height: int) -> None:
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)

    def theme(self, name: str) -> None:
        features = [{"name": "prefers-color-scheme", "value": name}]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})


def _found(*names: str) -> str | None:
    return next(filter(None, map(shutil.which, names)), None)


@contextmanager
def opened(profile: Path) -> Iterator[Page]:
    """Start the browser with an empty profile, and end it."""
    options = webdriver.ChromeOptions()
    for flag in (*_FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    options.add_experimental_option("prefs", {"download.default_directory": str(profile)})
    options.binary_location = str(_found("chromium", "chromium-browser", "google-chrome"))
    driver = webdriver.Chrome(options, webdriver.ChromeService(_found("chromedriver")))
    # A window that nobody has clicked into has no focus, and hears of none.
    driver.execute_cdp_cmd("Emulation.setFocusEmulationEnabled", {"enabled": True})
    driver.set_script_timeout(_PATIENCE)
    try:
        yield Page(driver, profile)
    finally:
        driver.quit()
