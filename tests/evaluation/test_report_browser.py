"""The page in a real browser: it fits a phone, fetches nothing, and its filter works."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from html import escape, unescape
from pathlib import Path
from typing import Any

import pytest

from multihop.evaluation.datasets import Question
from multihop.evaluation.report import html
from multihop.evaluation.runs import Run
from multihop.evaluation.summary import summarize
from multihop.evaluation.system_answers import BELOW, Loss, SystemAnswer

_BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = pytest.mark.browser
_FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--window-size=1400,1000",
    "--virtual-time-budget=5000", "--dump-dom",
)  # fmt: skip
# The page allows no script but its own, so it is looked at from the page around it.
_AROUND = """<!doctype html><meta charset="utf-8"><pre id="result"></pre>
<iframe id="frame" style="width:{width}px;height:2000px;border:0" srcdoc="{page}"></iframe>
<script>
frame.addEventListener("load", () => {{
  const page = frame.contentDocument, window_ = frame.contentWindow, form = page.getElementById("filter");
  const shown = () => [...page.querySelectorAll(".case")].filter((c) => c.getClientRects().length).length;
  const out = {{ width: page.documentElement.scrollWidth, filter: !form.hidden, before: shown() }};
  out.fetched = window_.performance.getEntriesByType("resource").length;
  out.ran = Boolean(window_.evil);
  out.outside = [...page.querySelectorAll("svg.chart text")].filter((t) => {{
    const a = t.getBoundingClientRect(), b = t.ownerSVGElement.getBoundingClientRect();
    return a.left < b.left - 4 || a.right > b.right + 4 || a.top < b.top - 4 || a.bottom > b.bottom + 4;
  }}).map((t) => t.textContent);
  out.smallest = Math.min(...[...page.querySelectorAll("svg.chart text")].map((t) => t.getBoundingClientRect().height));
  form.elements.who.value = "1";
  form.dispatchEvent(new Event("input"));
  out.filtered = shown();
  out.count = page.getElementById("count").textContent;
  page.getElementById("open").click();
  out.open = page.querySelectorAll(".case[open]").length;
  out.opened = page.documentElement.scrollWidth;
  result.textContent = JSON.stringify(out);
}});
</script>"""


def _page() -> str:
    evil = "<script>window.evil = 1</script><img src=x onerror='window.evil = 1'>"
    questions = tuple(Question(f"q{i}", f"Question {i} {evil}", (f"a{i}", f"b{i}"), 2 + i % 2) for i in range(6))
    first = {
        q.id: SystemAnswer(q.id, q.gold[: 2 if i < 2 else 1], seconds=0.001, losses=(Loss(q.gold[1], BELOW, 7),))
        for i, q in enumerate(questions)
    }
    trace = {
        "hops": [{"queries": [["a query", "x" * 180, 5, 5]], "entered": ["w" * 90 + "#0"], "left": [], "pool": 5,
                  "decision": "enough"}],
        "evidence": [["a0#0", "A" * 90, 1, evil]],
    }  # fmt: skip
    second = {
        q.id: SystemAnswer(
            q.id, q.gold[: 2 if i > 0 else 1], seconds=0.5, coverage=(0.4, 0.9), stages={"search": 0.5}, trace=trace
        )
        for i, q in enumerate(questions)
    }
    manifest = {
        "dataset": {"name": "sample", "split": "dev", "source": "s" * 200, "notes": []}, "index": {"passages": 12},
        "systems": {"bm25": {}, "a-rather-long-name": {}}, "k": 10, "versions": {},
    }  # fmt: skip
    run = Run(Path("run"), manifest, questions, {"bm25": first, "a-rather-long-name": second})
    return html(run, summarize(run))


@pytest.fixture(scope="module", params=[390, 1280])
def seen(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[int, dict[str, Any]]:
    """What the browser says of the page at the width of a phone and of a desk."""
    folder = tmp_path_factory.mktemp("browser")
    file = folder / "around.html"
    file.write_text(_AROUND.format(width=request.param, page=escape(_page())), encoding="utf-8")
    done = subprocess.run(
        [str(_BROWSER), *_FLAGS, f"--user-data-dir={folder / 'profile'}", file.as_uri()],
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    found = re.search(r'<pre id="result">(.*?)</pre>', done.stdout, re.DOTALL)
    assert found and found[1], done.stderr
    return request.param, json.loads(unescape(found[1]))


def test_page_is_no_wider_than_the_screen(seen: tuple[int, dict[str, Any]]) -> None:
    width, page = seen
    assert page["width"] <= width
    assert page["opened"] <= width


def test_page_fetches_nothing_and_runs_nothing_but_its_own_script(seen: tuple[int, dict[str, Any]]) -> None:
    _, page = seen
    assert page["fetched"] == 0
    assert page["ran"] is False


def test_labels_of_charts_lie_inside_them_and_can_be_read(seen: tuple[int, dict[str, Any]]) -> None:
    _, page = seen
    assert page["outside"] == []
    assert page["smallest"] >= 9


def test_filter_shows_the_questions_of_one_winner(seen: tuple[int, dict[str, Any]]) -> None:
    _, page = seen
    assert page["filter"] is True
    assert (page["before"], page["filtered"], page["open"]) == (5, 4, 4)
    assert page["count"] == "4 of 5 shown"
