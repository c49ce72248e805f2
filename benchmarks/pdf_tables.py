"""Tables of PDF files by the geometry of three libraries: how many figures stand in a row with the right column name.

    python benchmarks/pdf_tables.py pdfs/ [--pages 80] [--only NAME] [--cells]

The folder is that of survey_documents.py's filings. It needs `pip install pdfplumber pymupdf` beside the extra `files`,
and compares the words of each library, put into columns as the reader of PDF files does, and the tables that
pdfplumber and PyMuPDF find by themselves. Looked at are the pages that state revenue, net income or total assets of
survey_filings.toml; a figure is right where its row begins with the name of it and its column names the year alone.
Columns of signs belong to the figures beside them, and rows without figures above a table are its header.
"""

from __future__ import annotations

import argparse
import re
import time
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pdfplumber
import pymupdf
import pypdfium2

from multihop.index.readers.pdf_tables import Columns, Word, named_rows, words_on
from multihop.text.units import SEPARATOR

LABELS = {
    "revenue": re.compile(r"revenues?|sales", re.IGNORECASE),
    "net_income": re.compile(r"net\s*\(?(?:income|earnings|loss)", re.IGNORECASE),
    "total_assets": re.compile(r"total\s*assets", re.IGNORECASE),
}
YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
SIGNS = re.compile(r"[€$£()%\s—–-]*")
Row = list[tuple[str, str]]
"""The cells of a row, each with the name of its column."""


class Page:
    """One page of a file, as each library sees it."""

    def __init__(self, path: Path) -> None:
        self._pdfium, self._plumber = pypdfium2.PdfDocument(path), pdfplumber.open(path)
        self._mupdf = pymupdf.open(path)
        self.at = 0

    def __len__(self) -> int:
        return len(self._pdfium)

    @property
    def pdfium(self) -> Any:
        return self._pdfium[self.at]

    @property
    def plumber(self) -> Any:
        return self._plumber.pages[self.at]

    @property
    def mupdf(self) -> Any:
        return self._mupdf[self.at]


def read_named(words: Iterator[Word]) -> Iterator[Row]:
    for said in named_rows(words, Columns()).values():
        cells = [part.rpartition(": ") for part in said.split(SEPARATOR)]
        yield [(name, value) for name, _, value in cells]


def by_pdfium(page: Page) -> Iterator[Row]:
    return read_named(words_on(page.pdfium))


def by_plumber_words(page: Page) -> Iterator[Row]:
    return read_named(
        Word(w["text"], w["x0"], w["x1"], -(w["top"] + w["bottom"]) / 2, w["bottom"] - w["top"])
        for w in page.plumber.extract_words()
    )


def by_mupdf_words(page: Page) -> Iterator[Row]:
    return read_named(
        Word(said, x0, x1, -(y0 + y1) / 2, y1 - y0) for x0, y0, x1, y1, said, *_ in page.mupdf.get_text("words")
    )


def by_plumber_tables(page: Page, strategy: str) -> Iterator[Row]:
    how = {"vertical_strategy": strategy, "horizontal_strategy": strategy}
    for table in page.plumber.extract_tables(how):
        yield from with_header(table)


def by_mupdf_tables(page: Page) -> Iterator[Row]:
    own = page.mupdf  # its tables refer to it
    for table in own.find_tables().tables:
        above = [table.header.names] if table.header.external else []
        yield from with_header([*above, *table.extract()])


def with_header(table: Sequence[Sequence[str | None]]) -> Iterator[Row]:
    rows = [[" ".join((cell or "").split()) for cell in row] for row in table]
    rows = [row for row in rows if any(row)]
    if not rows:
        return
    first = next((n for n, row in enumerate(rows) if any(map(is_figure, row[1:]))), len(rows))
    heads, below = rows[:first], rows[first:]
    width = max(map(len, rows))
    names, columns = [""] * width, list(range(width))
    held = ""
    for at in range(width):
        names[at] = " ".join(filter(None, [held, *(row[at] for row in heads if at < len(row))]))
        held = ""
        # A column of signs alone belongs to the figures behind it, and so does what stands above it.
        if at and at + 1 < width and all(SIGNS.fullmatch(row[at]) for row in below if at < len(row)):
            held, columns[at] = names[at], at + 1
    for row in below:
        cells: dict[int, str] = {}
        for at, cell in enumerate(row):
            cells[columns[at]] = f"{cells.get(columns[at], '')} {cell}".strip()
        yield [(names[at], cell) for at, cell in cells.items() if cell]


def is_figure(cell: str) -> bool:
    return amount(cell) is not None and not YEAR.fullmatch(cell)


WAYS: dict[str, Callable[[Page], Iterator[Row]]] = {
    "words of pdfium": by_pdfium,
    "words of pdfplumber": by_plumber_words,
    "words of PyMuPDF": by_mupdf_words,
    "tables of pdfplumber, by lines": lambda page: by_plumber_tables(page, "lines"),
    "tables of pdfplumber, by words": lambda page: by_plumber_tables(page, "text"),
    "tables of PyMuPDF": by_mupdf_tables,
}


def amounts(truth: Any) -> set[float]:
    """Give the figures that a page may print for an amount: in millions, thousands or units."""
    values = truth if isinstance(truth, list) else [truth]
    return {round(abs(float(v)) * factor, 3) for v in values if v != "" for factor in (1, 1e3, 1e6)}


def amount(cell: str) -> float | None:
    """Read a figure, wherever its blanks and commas stand: PyMuPDF may put them behind its digits."""
    digits = re.sub(r"[\s,$€£()%–−-]", "", cell)
    return float(digits) if re.fullmatch(r"\d+(?:\.\d+)?", digits) else None


def stating(
    filings: dict[str, Any], columns: Iterable[str], folder: Path
) -> Iterator[tuple[Page, int, str, set[str], dict[str, set[float]]]]:
    """Yield the pages that print figures of the truth, the years that their columns may name, and these figures."""
    paths = {path.stem: path for path in folder.rglob("*.pdf")}
    for file in (name for name in filings if name in paths):
        about, page = filings[file], Page(paths[file])
        years = {str(about["year"]), about["year_end"][:4]}
        for at in range(len(page)):
            page.at = at
            said = page.pdfium.get_textpage().get_text_bounded()
            printed = {amount(each) for each in re.findall(r"\d[\d,.]*\d", said)}
            here = {column: amounts(about[column]) for column in columns if LABELS[column].search(said)}
            here = {column: wanted for column, wanted in here.items() if printed & wanted}
            if here and YEAR.search(said):
                yield page, at, file, years, here


def judge(rows: list[Row], column: str, wanted: set[float], years: set[str]) -> str:
    said = "missing"
    for row in rows:
        label = row[0][1] if row else ""
        if LABELS[column].search(label):
            for name, value in row[1:]:
                if amount(value) in wanted and (named := set(YEAR.findall(name))):
                    if named <= years:
                        return "right"
                    said = "wrong"
    return said


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pages", type=int, default=0, help="look at so many pages, evenly chosen; all without it")
    parser.add_argument("--only", default="", help="measure only the ways that contain this")
    parser.add_argument("--cells", action="store_true", help="list every figure that is not right")
    given = parser.parse_args()
    filings = tomllib.loads(Path(__file__).with_name("survey_filings.toml").read_text("utf-8"))
    columns = filings.pop("columns")
    ways = {name: way for name, way in WAYS.items() if given.only in name}
    found: dict[str, Counter[str]] = {name: Counter() for name in ways}
    stated: dict[str, set[tuple[str, str]]] = {name: set() for name in ways}
    times = dict.fromkeys(ways, 0.0)
    asked, every = 0, set()
    pages = list(stating(filings, columns.keys() & LABELS.keys(), given.folder))
    step = max(1, len(pages) // given.pages) if given.pages else 1
    for page, at, file, years, figures in pages[::step]:
        page.at = at
        asked += len(figures)
        every |= {(file, column) for column in figures}
        for name, way in ways.items():
            start = time.process_time()
            rows = list(way(page))
            times[name] += time.process_time() - start
            for column, wanted in figures.items():
                verdict = judge(rows, column, wanted, years)
                found[name][verdict] += 1
                if verdict == "right":
                    stated[name].add((file, column))
                elif given.cells:
                    print(f"  {verdict:8} {name}: {file}, page {at + 1}, {column}")
    looked = len(pages[::step])
    print(f"{looked} of {len(pages)} pages, {asked} figures on them, {len(every)} different ones")
    for name, counts in found.items():
        print(
            f"{name:32} right {counts['right']} of {asked}, wrong year {counts['wrong']}, missing {counts['missing']};"
            f" different ones {len(stated[name])} of {len(every)}; {1000 * times[name] / looked:.0f} ms a page"
        )


if __name__ == "__main__":
    main()
