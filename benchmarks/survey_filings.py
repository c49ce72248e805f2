"""Tables in plain words, measured on annual reports as they were filed: nine columns, against what the files state.

    python benchmarks/survey_filings.py FOLDER [--truth FILE.toml] [--index FOLDER.mh] [--cells]

FOLDER has PDF files named as the sections of the truth, such as APPLE_2022_10K.pdf; `git clone
https://github.com/patronus-ai/financebench` has those of `survey_filings.toml` under pdfs/. Files that are missing are
left out. A value is right when it is what the file states, wrong when it is another; its page is right when the words
that it is quoted from stand on it. Files that rules were written on are counted by themselves.
"""

from __future__ import annotations

import argparse
import tempfile
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pypdfium2

from multihop import text
from multihop.engine import Engine
from multihop.index.readers.pdf_tables import letters
from multihop.survey import survey
from multihop.survey.findings import Finding

COLUMNS = {
    "revenue": "Revenue in {year}", "net_income": "Net income in {year}", "total_assets": "Total assets in {year}",
    "employees": "Number of employees", "auditor": "Who audits it?", "headquarters": "Headquarters",
    "chief_executive": "Chief executive officer", "year_end": "Fiscal year end", "shares": "Shares outstanding",
}  # fmt: skip
MONEY = ("revenue", "net_income", "total_assets")


def is_right(found: Finding, column: str, truth: Any) -> bool:
    for value in truth if isinstance(truth, list) else [truth]:
        if isinstance(value, str):
            if text.contains(text.words(found.value), text.words(value)) or found.value == value:
                return True
        elif found.number is not None:
            wanted = value * 1e6 if column in MONEY else value
            if abs(found.number - wanted) <= 1e-6 * abs(wanted):
                return True
    return False


def is_on_page(found: Finding, path: Path) -> bool:
    if found.page is None:
        return False
    said = letters(pypdfium2.PdfDocument(path)[found.page - 1].get_textpage().get_text_bounded())
    return all(letters(word) in said for word in found.words.split())


def measure(engine: Engine, folder: Path, truth: Mapping[str, Mapping[str, Any]], *, cells: bool) -> Counter[str]:
    counts: Counter[str] = Counter()
    for year in sorted({about["year"] for about in truth.values()}):
        asked = [heading.format(year=year) for heading in COLUMNS.values()]
        of_year = [name for name, about in truth.items() if about["year"] == year]
        for row in survey(engine, ask=asked, groups=[f"{name}.pdf" for name in of_year]).groups:
            path = folder / row.group
            about = truth[path.stem]
            for column, answer in zip(COLUMNS, row.answers, strict=True):
                first, value = answer.findings[0] if answer.findings else None, about[column]
                if first is None:
                    outcome = "missed" if value != "" else "rightly not found"
                else:
                    outcome = "right" if value != "" and is_right(first, column, value) else "wrong"
                part = "tuned" if about.get("tuned") else "held out"
                counts[f"{part} {outcome}"] += 1
                counts[f"{part} cells"] += 1
                counts[f"{part} stated"] += value != ""
                counts[f"{part} page right"] += first is not None and outcome == "right" and is_on_page(first, path)
                counts[f"{column} {outcome}"] += 1
                if cells and outcome in ("wrong", "missed"):
                    said = (
                        f"{first.text!r} ({first.confidence:.2f}, p. {first.page}: {first.sentence[:110]!r})"
                        if first
                        else "-"
                    )
                    print(f"  {outcome:6} {path.stem:28} {column:15} {value!r}: {said}", flush=True)
    return counts


def show(name: str, counts: Counter[str], outcomes: Iterable[str] = ("right", "wrong", "missed", "page right")) -> None:
    said = ", ".join(f"{outcome} {counts[f'{name} {outcome}']}" for outcome in outcomes)
    total = f" of {counts[f'{name} cells']} cells, {counts[f'{name} stated']} stated" if counts[f"{name} cells"] else ""
    print(f"{name:16} {said}{total}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--truth", type=Path, default=Path(__file__).with_suffix(".toml"))
    parser.add_argument("--index", default="", help="an index to keep; files are read again only where they changed")
    parser.add_argument("--cells", action="store_true", help="list every cell that is not right")
    given = parser.parse_args()
    every = tomllib.loads(given.truth.read_text("utf-8"))
    truth = {name: about for name, about in every.items() if (given.folder / f"{name}.pdf").is_file()}
    if not truth:
        parser.error(f"{given.folder} has none of the files of {given.truth}, such as {next(iter(every))}.pdf")
    with (
        tempfile.TemporaryDirectory() as place,
        Engine.open(given.index or Path(place) / "x.mh", create=True) as engine,
    ):
        engine.sync(given.folder)
        counts = measure(engine, given.folder, truth, cells=given.cells)
    for part in ("tuned", "held out"):
        if counts[f"{part} cells"]:
            show(part, counts)
    for column in COLUMNS:
        show(column, counts, ("right", "wrong", "missed"))


if __name__ == "__main__":
    main()
