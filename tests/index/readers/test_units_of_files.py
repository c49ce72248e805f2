"""Tables, lists and mails in files of each format, and the units that are made of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import docx
import openpyxl
import pptx
import pytest

from multihop.index.readers import read, split
from multihop.text.units import units
from multihop.types import Document

from .test_pdf import pdf

TABLE = [["Name", "Office", "Since"], ["Pia Holm", "Sandnes", "2011"], ["J. R. Moe", "Florø", "No. 4"]]
ROWS = [
    ("row", "Name: Pia Holm · Office: Sandnes · Since: 2011"),
    ("row", "Name: J. R. Moe · Office: Florø · Since: No. 4"),
]


def _word(path: Path) -> None:
    word = docx.Document()
    word.add_paragraph("All of them. Now:")
    table = word.add_table(rows=3, cols=3)
    for row, cells in zip(table.rows, TABLE, strict=True):
        for cell, text in zip(row.cells, cells, strict=True):
            cell.text = text
    for item in ("Gloves", "Rope"):
        word.add_paragraph(item, style="List Bullet")
    word.save(str(path))


def _workbook(path: Path) -> None:
    book = openpyxl.Workbook()
    for row in TABLE:
        book.active.append(row)
    book.save(path)


def _slides(path: Path) -> None:
    show = pptx.Presentation()
    slide = show.slides.add_slide(show.slide_layouts[1])
    slide.shapes.title.text, slide.placeholders[1].text = (
        "Plan",
        "Revenue is up in all five offices of the group\nA new office in Florø is opened in the autumn",
    )
    table = slide.shapes.add_table(3, 3, 0, 0, 100, 100).table
    for place, cells in enumerate(TABLE):
        for column, text in enumerate(cells):
            table.cell(place, column).text = text
    show.save(str(path))


def _bytes(data: bytes) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        path.write_bytes(data)

    return write


def _text(text: str) -> Callable[[Path], None]:
    return _bytes(text.encode())


SENTENCES = [("sentence", "All of them."), ("sentence", "Now:")]
SLIDE = [
    ("line", "Revenue is up in all five offices of the group"),
    ("line", "A new office in Florø is opened in the autumn"),
]
ITEMS = [("item", "- Gloves"), ("item", "- Rope")]
LINES = [("line", "Gloves"), ("line", "Rope")]
MAIL = (
    "From: Pia Holm <pia@example.org>\nTo: j@example.org\nDate: Tue, 03 Mar 2026 10:11:00 +0100\nSubject: Hoses\n\n"
    "They came. Thanks\n\n> Did they?\n> I hope so.\n"
)
CASES = {
    "a.md": (
        _text("All of them. Now:\n\n| Name | Office | Since |\n|--|--|--|\n| Pia Holm | Sandnes | 2011 |\n"
              "| J. R. Moe | Florø | No. 4 |\n\n- Gloves\n- Rope\n\n```sh\n# copies. All\ncp $a b\n```\n"),
        [*SENTENCES, *ROWS, *ITEMS, ("code", "# copies. All"), ("code", "cp $a b")],
    ),
    "a.docx": (_word, [*SENTENCES, *ROWS, *LINES]),
    "a.xlsx": (_workbook, ROWS),
    "a.csv": (_text("\n".join(",".join(row) for row in TABLE)), ROWS),
    "a.html": (
        _text("<p>All of them. Now:<table>" + "".join("<tr><td>" + "<td>".join(row) for row in TABLE)
              + "</table><ul><li>Gloves<li>Rope</ul>"),
        [*SENTENCES, *ROWS, *ITEMS],
    ),
    "a.pptx": (_slides, [*SLIDE, *ROWS]),
    "a.eml": (
        _text(MAIL),
        [
            ("field", "From: Pia Holm <pia@example.org>"), ("field", "To: j@example.org"),
            ("field", "Date: 2026-03-03 10:11"), ("sentence", "They came."), ("line", "Thanks"),
            ("sentence", "Did they?"), ("sentence", "I hope so."),
        ],
    ),
    "a.pdf": (
        _bytes(pdf("Annual report\nAll of them came to the meeting in Sandnes and\nin Bergen.")),
        [("line", "Annual report"), ("sentence", "All of them came to the meeting in Sandnes and\nin Bergen.")],
    ),
    "a.txt": (_text("List\n\nAll of them. Now:\n\n- Gloves\n- Rope\n"), [*SENTENCES, *ITEMS]),
    "a.rst": (
        _text("All of them. Now:\n\n======== ====== =====\nName     Office Since\n======== ====== =====\n"
              "Pia Holm Oslo   2011\n======== ====== =====\n"),
        [*SENTENCES, ("row", "Name: Pia Holm · Office: Oslo · Since: 2011")],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_units_of_files(name: str, tmp_path: Path) -> None:
    write, expected = CASES[name]
    write(tmp_path / name)
    [document] = read(tmp_path / name)
    assert isinstance(document, Document), document
    found = [(unit.kind, unit.of(piece.text)) for piece in split(document) for unit in units(piece.text)]
    assert found == expected
