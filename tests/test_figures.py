"""Figures that several pages show are the same on each: README repeats what benchmarks wrote into the documentation."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
NAMES = {"HotpotQA": "hotpotqa", "2WikiMultiHopQA": "2wiki", "2Wiki": "2wiki", "HoVer": "hover", "EX-FEVER": "exfever"}
Figures = dict[tuple[str, str], dict[str, str]]


def rows(page: str, heading: str) -> list[list[str]]:
    """Give the cells of the first table behind a heading, without emphasis and code marks."""
    [_, behind] = (ROOT / page).read_text(encoding="utf-8").split(heading, 1)
    [table] = re.findall(r"(?:^\|.*\n)+", behind, re.M)[:1]
    return [[cell.strip(" *`") for cell in line.strip("|").split("|")] for line in table.splitlines()]


def in_readme() -> Figures:
    """By set and passages, then by strategy: recall@5 and all-gold@21."""
    (_, _, *systems), _, *sets = rows("README.md", "## Measured")
    return {(NAMES[name.split(",")[0]], size): dict(zip(systems, cells, strict=True)) for name, size, *cells in sets}


def in_the_ablation() -> Figures:
    (_, *sets), _, *lines = rows("docs/auto.md", "## Ablation")
    # A line is named by the strategy in it: `auto` stands behind the last part that was added.
    named = {line[0].strip("`"): line[1:] for line in lines}
    lines_of = {
        "bm25": named["bm25"],
        "auto-fast": next(cells for name, cells in named.items() if name.startswith("auto-fast")),
        "auto": next(cells for name, cells in named.items() if name.endswith(": `auto")),
    }
    keys = [(NAMES[name], size) for name, size in (each.split(", ") for each in sets)]
    return {key: {system: cells[n] for system, cells in lines_of.items()} for n, key in enumerate(keys)}


def test_readme_shows_the_figures_of_the_ablation() -> None:
    assert in_readme() == in_the_ablation()


@pytest.mark.parametrize("key", in_readme(), ids=" ".join)
def test_bm25_is_the_same_in_the_results(key: tuple[str, str]) -> None:
    """What needs no model does not change from run to run."""
    name, size = key
    shown = rows("docs/results.md", f"{name} dev: {_questions(name)} questions over {size} passages, k = 21")
    [found] = [dict(zip(shown[0], line, strict=True)) for line in shown if line[0] == "bm25"]
    recall, all_gold = found["recall@5"], found["all-gold@21"].split()[0]
    assert in_readme()[key]["bm25"] == f"{recall} / {all_gold}".replace("0.", ".")


def _questions(name: str) -> str:
    lines = rows("README.md", "## Measured")[2:]
    return next(
        told.group()
        for first, *_ in lines
        if NAMES[first.split(",")[0]] == name and (told := re.search(r"\d+(?= (?:questions|covered))", first))
    )
