"""How soon the web page can be used, how much it transfers, and whether the browser's console stays empty.

A real headless Chromium visits `multihop serve --demo` on the loopback address, every time with an empty cache. A view
can be used when what it is for is on the screen; a question is clicked on the start page and timed until a first answer
is painted, which may be a draft, and until the checked one is, of a server that has answered others and of one that has
just started. Aims: at most 1 s (3 s on slow 3G) for a view and 1.5 s for a first answer, 40 kB and 10 requests for the
start, no console error. Needs Chromium and its driver (Debian: apt-get install chromium chromium-driver).

    python benchmarks/page.py
    python benchmarks/page.py --visits 50 --cpu 4     # a processor that is four times slower
    python benchmarks/page.py --slow-3g               # 400 kbit/s, and 400 ms until an answer begins
    python benchmarks/page.py --links hotpotqa.mh dev.jsonl     # whether every link that a reason names is drawn
    python benchmarks/page.py --links hotpotqa.mh dev.jsonl --keep tests/server/page/hotpotqa.json.gz    # for a test
    python benchmarks/page.py --pictures docs/images     # only the pictures of the docs
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import survey_questions
from selenium import webdriver

from multihop import Engine

QUESTION = "Who designed the ship that Amundsen borrowed?"
PICTURED = (
    "On which island is the composer buried who travelled on an identity paper named after the man for whom the Fram "
    "was built?"
)
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1280,900",
         "--disable-background-networking", "--disable-component-update", "--no-first-run",
         "--hide-scrollbars")  # fmt: skip
CLAIM = "Fridtjof Nansen crossed the inland ice of Greenland on skis in 1898."
LEADER = "Who is the chief executive of Baltic Instruments NV?"
DRAWN = "Where was the man born who drew the ship that Amundsen borrowed?"
BROAD = "What is penicillin and what are its health risks?"
COMPARISON = "Which treaty was adopted earlier, the Montreal Protocol or the Kyoto Protocol?"


def asking(question: str) -> str:
    return f"#/ask?{urlencode({'q': question, 'k': 5, 'index': 'sample'})}"


PICTURES = {
    "page": (asking(PICTURED), ".graph .edge.link", 1280, 1100),
    "page-start": ("#/ask?index=sample", ".examples a", 1280, 780),
    "page-comparison": (asking(COMPARISON), ".versus", 1280, 520),
    "page-claim": (asking(CLAIM), ".answer-section", 1280, 520),
    "page-survey": ("#/survey?index=reports", "#questions", 1280, 900),
    "page-pdf": (
        f"#/ask?{urlencode({'q': LEADER, 'k': 5, 'index': 'reports', 'passage': 'report-03.pdf#0'})}",
        ".page-image img",
        1280,
        900,
    ),
    "page-chat": (f"#/chat?{urlencode({'q': DRAWN, 'index': 'sample'})}", ".turn a.cite", 1280, 800),
    "page-research": (f"#/research?{urlencode({'q': BROAD, 'index': 'sample'})}", "section.aspect", 1280, 780),
    "page-phone": (asking(PICTURED), ".evidence .card", 390, 844),
}
"""For each picture of the docs: the address, what must be there, width and height."""
VIEWS = {
    "start, with questions to click": ("", ".examples a"),
    "answer, its first chain": (asking(QUESTION), ".chain-step"),
    "answer, with all its evidence": (asking(QUESTION), ".evidence .card"),
    "document, with what lies around it": ("#/document?id=fram-ship", ".around .node"),
    "list of documents": ("#/documents", ".documents li"),
}
NEW_SERVERS = 8
"""So many servers are started to time their first answer."""
SLOW_3G = {"offline": False, "latency": 400, "downloadThroughput": 50_000, "uploadThroughput": 50_000}
# Said when the element is there and painted; before the page's own scripts, so that nothing is missed.
WATCH = """(() => {
  const look = () => {
    if (!document.querySelector(%r)) return requestAnimationFrame(look);
    requestAnimationFrame(() => { window.usable = performance.now(); });
  };
  requestAnimationFrame(look);
})()"""
# It watches for changes: a look at every frame would have the browser draw all the time, on the server's processors.
CLICK = """const [number, done] = arguments;
const links = document.querySelectorAll('.examples:not(.recent) a');
const begun = performance.now();
const painted = (selector) => new Promise((resolve) => {
  const seen = new MutationObserver(() => {
    if (!document.querySelector(selector)) return;
    seen.disconnect();
    requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now() - begun)));
  });
  seen.observe(document.body, { childList: true, subtree: true });
});
Promise.all(['.answer-section', '.result .answer-section'].map(painted)).then(done);
links[number % links.length].click();"""
SIZES = """return [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
  .map((e) => e.transferSize)"""


@dataclass
class Visits:
    """What came of visiting one view many times."""

    milliseconds: list[float] = field(default_factory=list)
    kilobytes: float = 0.0
    requests: int = 0
    complaints: list[str] = field(default_factory=list)

    def row(self, name: str) -> str:
        ordered = sorted(self.milliseconds)
        p95 = ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))]
        return (
            f"| {name} | {statistics.median(ordered):.0f} ms | {p95:.0f} ms | {ordered[-1]:.0f} ms "
            f"| {self.kilobytes:.0f} kB | {self.requests} | {len(self.complaints)} |"
        )


def reports(place: Path, folder: Path) -> None:
    """Make an index of the annual reports of companies that do not exist, for the pictures of a survey and of a PDF."""
    made = random.Random("pictures")
    folder.mkdir()
    for number in range(14):
        survey_questions.write(survey_questions.report(made), folder / f"report-{number + 1:02}.pdf")
    with Engine.open(place, create=True) as engine:
        engine.sync(folder)


@contextmanager
def serving(*indexes: str) -> Iterator[str]:
    """Serve the demo, and other indexes after it."""
    with tempfile.TemporaryDirectory() as state:
        line = [sys.executable, "-m", "multihop", "serve", "--demo", "--port", "0", "--state", state]
        line += [word for index in indexes for word in ("--index", index)]
        process = subprocess.Popen(line, stdout=subprocess.PIPE, encoding="utf-8")
        try:
            assert process.stdout is not None
            address = re.search(r"http://\S+", process.stdout.readline())
            assert address, "the server did not start"
            yield f"{address.group()}/"
        finally:
            process.terminate()
            process.wait()


@contextmanager
def browsing(slower: float, *, slow_line: bool) -> Iterator[webdriver.Chrome]:
    options = webdriver.ChromeOptions()
    for flag in FLAGS:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    options.binary_location = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))
    driver = webdriver.Chrome(options, webdriver.ChromeService(shutil.which("chromedriver")))
    try:
        driver.execute_cdp_cmd("Network.enable", {})
        driver.execute_cdp_cmd("Network.setCacheDisabled", {"cacheDisabled": True})
        if slow_line:
            driver.execute_cdp_cmd("Network.emulateNetworkConditions", SLOW_3G)
        if slower > 1:
            driver.execute_cdp_cmd("Emulation.setCPUThrottlingRate", {"rate": slower})
        yield driver
    finally:
        driver.quit()


def loaded(driver: webdriver.Chrome) -> tuple[float, int]:
    """Give the kilobytes and requests of the page until now."""
    sizes = driver.execute_script(SIZES)
    return sum(sizes) / 1000, len(sizes)


def visit(driver: webdriver.Chrome, address: str, selector: str, visits: Visits) -> None:
    driver.get("about:blank")
    script = {"source": WATCH % selector}
    added = driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", script)
    driver.get(address)
    while (usable := driver.execute_script("return window.usable")) is None:
        time.sleep(0.01)
    driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", added)
    visits.milliseconds.append(usable)
    visits.kilobytes, visits.requests = loaded(driver)
    logged = driver.get_log("browser")  # type: ignore[no-untyped-call]  # selenium leaves it so
    visits.complaints += [entry["message"] for entry in logged]


def click(driver: webdriver.Chrome, site: str, number: int, *clicks: Visits) -> None:
    """Click a question of the start page, another one every time, and time its first and its checked answer."""
    visit(driver, site, ".examples a", clicks[0])
    clicks[0].milliseconds.pop()
    for visits, milliseconds in zip(clicks, driver.execute_async_script(CLICK, number), strict=True):
        visits.milliseconds.append(milliseconds)
        visits.kilobytes, visits.requests = loaded(driver)


def pictures(driver: webdriver.Chrome, site: str, folder: Path) -> None:
    """Save the pictures of the docs: start page, answers, survey, PDF page, chat, research, and a phone."""
    # Nothing should be caught in the middle of its arrival.
    still = {"features": [{"name": "prefers-reduced-motion", "value": "reduce"}]}
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", still)
    for name, (place, selector, width, height) in PICTURES.items():
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        # The first question waits until the ranker is loaded.
        for _ in range(2 if name == "page" else 1):
            visit(driver, site + place, selector, Visits())
        if name == "page-survey":
            run_survey(driver)
        if name == "page-chat":
            ask_on(driver, "And when was he born?")
        if name == "page-pdf":
            # The quote is marked anew when the answer is there.
            time.sleep(3)
            while not driver.execute_script("return document.querySelector('.page-image img')"):
                time.sleep(0.1)
        driver.save_screenshot(str(folder / f"{name}.png"))


def ask_on(driver: webdriver.Chrome, question: str) -> None:
    """Ask a follow-up question in a conversation."""
    fill = "const field = document.querySelector('#question'); field.value = arguments[0]; field.form.requestSubmit()"
    driver.execute_script(fill, question)
    while not driver.execute_script("return document.querySelector('.turn:nth-of-type(2) a')"):
        time.sleep(0.1)


def run_survey(driver: webdriver.Chrome) -> None:
    """Run a survey in the page and open a cell."""
    asked = "\n".join(survey_questions.COLUMNS["reports"][:6])
    fill = (
        "document.querySelector('#questions').value = arguments[0]; document.querySelector('form.ask').requestSubmit()"
    )
    driver.execute_script(fill, asked)
    while not driver.execute_script("return document.querySelector('.heat td.found')"):
        time.sleep(0.1)
    driver.execute_script("document.querySelector('.heat td.found summary').click()")
    while not driver.execute_script("return document.querySelector('.page-image img')"):
        time.sleep(0.1)


# How many links the reasons of a result and its chain name, and how many of them are lines of the graph.
COUNT = """const [result, done] = arguments;
import(new URL('parts/graph-model.js', location.origin)).then((m) => {
  const titles = Object.fromEntries(result.evidence.map(({ passage: p }) => [p.id, p.title || p.document_id]));
  const graph = m.graphOf(result, [], (id) => titles[id] ?? id);
  const shown = graph.edges.filter((e) => e.kind === 'chain' || e.kind === 'link');
  const lines = new Set(shown.map((e) => `${e.from}\\n${e.to}`));
  const pairs = new Set(shown.flatMap((e) => [`${e.from}\\n${e.to}`, `${e.to}\\n${e.from}`]));
  const said = result.evidence.flatMap((e) => m.sourcesOf(e).map((s) => `${s.via}\\n${e.passage.id}`));
  const chain = result.chain.links.filter((l) => l.source).map((l) => `${l.source}\\n${l.target}`);
  done([said.length, said.filter((t) => lines.has(t)).length, chain.length, chain.filter((p) => pairs.has(p)).length]);
}, (error) => done(String(error)))"""


def links(driver: webdriver.Chrome, site: str, index: Path, questions: Path, most: int, keep: Path | None) -> None:
    """Ask questions of an index and count the links that are named and those that are drawn."""
    driver.get(site)
    totals = [0, 0, 0, 0]
    kept = []
    with Engine.open(index) as engine, questions.open(encoding="utf-8") as lines:
        asked = [json.loads(line)["question"] for line in islice(lines, most)]
        for question in asked:
            result = engine.retrieve(question, k=10).to_dict()
            kept.append(drawn_from(result))
            counts = driver.execute_async_script(COUNT, result)
            assert isinstance(counts, list), counts
            totals = [total + count for total, count in zip(totals, counts, strict=True)]
    print(f"{len(asked)} questions: reasons name {totals[0]} links, {totals[1]} are drawn;", end=" ")
    print(f"chains have {totals[2]}, {totals[3]} are drawn")
    if keep:
        keep.write_bytes(gzip.compress(json.dumps(kept, ensure_ascii=False, indent=0).encode(), mtime=0))


def drawn_from(result: dict[str, Any]) -> dict[str, Any]:
    """Give of a result what its graph is drawn from, without any text of its passages."""
    evidence = [
        {name: e[name] for name in ("rank", "reason")}
        | {"because": e.get("because", []), "passage": {name: e["passage"][name] for name in ("id", "title")}}
        for e in result["evidence"]
    ]
    kept = ("number", "entered", "left", "replaced")
    hops = [{name: hop[name] for name in kept} | {"found": []} for hop in result["trace"]["hops"]]
    along = [link | {"quote": {"text": ""}} for link in result["chain"]["links"]]
    return {"evidence": evidence, "trace": {"hops": hops}, "chain": {"links": along}}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--visits", type=int, default=20, help="how often each view is visited")
    parser.add_argument("--cpu", type=float, default=1.0, help="how many times slower the processor is made")
    parser.add_argument("--slow-3g", action="store_true", help="visit over a slow line")
    parser.add_argument(
        "--links",
        nargs=2,
        type=Path,
        metavar=("INDEX", "QUESTIONS"),
        help="count links of 100 answers, measure nothing",
    )
    parser.add_argument(
        "--keep", type=Path, metavar="FILE", help="keep there what the graphs of --links are drawn from"
    )
    parser.add_argument(
        "--pictures", type=Path, metavar="FOLDER", help="save the pictures of the docs, measure nothing"
    )
    options = parser.parse_args()
    if options.pictures:
        with tempfile.TemporaryDirectory() as folder, browsing(1, slow_line=False) as driver:
            reports(Path(folder) / "reports.mh", Path(folder) / "reports")
            with serving(f"reports={folder}/reports.mh") as site:
                pictures(driver, site, options.pictures)
        return
    with serving() as site, browsing(options.cpu, slow_line=options.slow_3g) as driver:
        if options.links:
            index, questions = options.links
            links(driver, site, index, questions, most=100, keep=options.keep)
            return
        line = "slow 3G" if options.slow_3g else "loopback"
        print(f"{options.visits} visits each, empty cache, {line}, processor {options.cpu:g} times slower\n")
        print("| view | usable after, p50 | p95 | slowest | transfer | requests | console |")
        print("|---|---|---|---|---|---|---|")
        for name, (place, selector) in VIEWS.items():
            visits = Visits()
            visit(driver, site + place, selector, Visits())
            for _ in range(options.visits):
                visit(driver, site + place, selector, visits)
            print(visits.row(name), flush=True)
            for said in visits.complaints[:3]:
                print(f"  {said}")
        first, checked = Visits(), Visits()
        for number in range(options.visits):
            click(driver, site, number, first, checked)
        print(first.row("from a click to a first answer"))
        print(checked.row("from a click to the checked answer"), flush=True)
    first, checked = Visits(), Visits()
    for number in range(min(NEW_SERVERS, options.visits)):
        with serving() as site, browsing(options.cpu, slow_line=options.slow_3g) as driver:
            click(driver, site, number, first, checked)
    print(first.row("new server: from a click to a first answer"))
    print(checked.row("new server: from a click to the checked answer"))


if __name__ == "__main__":
    main()
