"""HTML, SVG, Markdown and whole files."""

from __future__ import annotations

import csv
import stat
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from multihop.rendering.csv import csv_line, to_csv, unescape_formula
from multihop.rendering.files import write_atomically
from multihop.rendering.html import Markup, el, join, page, table
from multihop.rendering.markdown import escape, table as markdown_table
from multihop.rendering.svg import caption, drawing

HOSTILE = "<script>&\"'\x00\ud800"


def test_whatever_is_not_markup_is_escaped() -> None:
    made = el("p", HOSTILE, el("br"), Markup("<b>x</b>"), title=HOSTILE, class_="a", hidden=True, id=None)
    safe = "&lt;script&gt;&amp;&quot;&#x27;\ufffd\ufffd"
    assert made == f'<p title="{safe}" class="a" hidden>{safe}<br><b>x</b></p>'
    assert join(["<", el("i", 1)], " & ") == "&lt; &amp; <i>1</i>"


def test_a_table_heads_its_rows_and_can_be_scrolled_by_keyboard() -> None:
    made = table(["a", "b"], [["x", el("td", "y", class_="n")]])
    assert '<th scope="col">a</th>' in made
    assert '<tr><th scope="row">x</th><td class="n">y</td></tr>' in made
    assert made.startswith('<div class="scroll" tabindex="0"><table>')


def test_a_page_holds_all_it_needs() -> None:
    made = page("T & t", el("main", "x"), style="p{}", script="go()", class_="wide")
    assert made.startswith('<!doctype html>\n<html lang="en"><head><meta charset="utf-8">')
    assert "<title>T &amp; t</title><style>p{}</style></head>" in made
    assert '<body class="wide"><main>x</main><script>go()</script></body></html>\n' in made


def test_a_drawing_is_well_formed_and_named() -> None:
    alone = ET.fromstring(drawing(10, 20, caption(1, 2, HOSTILE * 5), title=HOSTILE))
    assert alone.get("viewBox") == "0 0 10 20"
    assert alone.get("aria-label") == HOSTILE.translate({0: "\ufffd", 0xD800: "\ufffd"})
    [text] = alone
    assert str(text.text).endswith("…") and len(str(text.text)) <= 40
    inside = drawing(10, 20, title="t", id="c", about="told")
    assert '<title id="c-t">t</title><desc id="c-d">told</desc>' in inside


def test_markdown() -> None:
    assert escape("a *b*\n| <c> &lt; \u202e") == "a \\*b\\* \\| &lt;c&gt; &amp;lt; "
    assert markdown_table(["a", "b"], [["1", "2"]]) == ["| a | b |", "|---|---|", "| 1 | 2 |"]


def test_no_cell_of_a_table_is_a_formula() -> None:
    text = [
        "=1+1",
        "@SUM(A1)",
        " \t=x",
        "＝x",
        "-2+cmd|' /C calc'!A0",
        "+x",
        "-5.2",
        "+47 12",
        "-1.5e-7",
        "-",
        -5,
        None,
        "a=b",
    ]
    [line] = to_csv(text, [])  # type: ignore[arg-type]  # as cells of a table may be
    cells = next(csv.reader([line]))
    assert [cell[:1] for cell in cells] == ["'"] * 6 + ["-", "+", "-", "-", "-", "", "a"]
    again = next(csv.reader([csv_line(cells)]))
    assert again == cells
    assert [unescape_formula(cell) for cell in csv_cells(text)] == [str(cell or "") for cell in text]


def csv_cells(values: Sequence[object]) -> list[str]:
    return next(csv.reader([csv_line(values)]))


def test_a_file_is_replaced_whole_and_nothing_else_is_left(tmp_path: Path) -> None:
    file = tmp_path / "x.txt"
    write_atomically(file, "one\n")
    write_atomically(file, "two\ud800\n")
    assert file.read_text("utf-8") == "two?\n"
    secret = tmp_path / "secret"
    write_atomically(secret, "s", private=True)
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match="folder"):
        write_atomically(tmp_path / "folder", "cannot replace a folder")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["folder", "secret", "x.txt"]
