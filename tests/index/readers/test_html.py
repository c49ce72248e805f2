from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from multihop.errors import InvalidRecord
from multihop.index.readers import html, read
from multihop.types import Document

from ...patience import patience
from .reading import written


def page(tmp_path: Path, text: str | bytes) -> Document:
    path = tmp_path / "page.html"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    [found] = read(path)
    assert isinstance(found, Document), found
    return found


PAGE = """<!doctype html>
<html><head><title>Rivers &amp; Lakes</title><style>p {color: red}</style></head>
<body><nav><a href="/">Home</a></nav>
<h1>Rivers</h1>
<p>The <b>Rhine</b>
flows&nbsp;north.<br>It is long.</p>
<ul><li>one<li>two</ul>
<h2><span>Big</span> <em>ones</em></h2>
<table><tr><th>Name</th><th>Length</th></tr><tr><td><p>Nile</p></td><td>6650 km</td><td></td></tr></table>
<pre># not a heading
  kept</pre>
<script>document.write("<p>no</p>")</script>
<footer>Imprint</footer></body></html>"""

TEXT = """# Rivers

The Rhine flows north.
It is long.

- one
- two

## Big ones

Name: Nile · Length: 6650 km

    # not a heading
  kept"""


def test_a_page(tmp_path: Path) -> None:
    assert page(tmp_path, PAGE) == Document("page.html", TEXT, "Rivers & Lakes")


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("<h1>Head</h1><p>x", "Head"),
        ("<h2>Lower</h2><p>x", "page"),
        ("<title>Q</title><p>x", "Q"),
        ("<title>Open<body><p>x", "Open"),
        ("<title>One</title><p>x<title>Two</title>", "One"),
    ],
)
def test_titles(tmp_path: Path, text: str, title: str) -> None:
    found = page(tmp_path, text)
    assert found.title == title
    assert "x" in found.text


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("<nav>menu<p>Body", "menu\n\nBody"),
        ("a<nav>menu</nav>b<footer>f</footer>", "ab"),
        ("<h2><div>Head</div></h2>x", "## Head\n\nx"),
        ("<h2>Open<p>Body", "## Open\n\nBody"),
        ("<table><tr><td>a<table><tr><td>b<td>c</table><td>d</table>e", "a\n\nb | c\n\nd\n\ne"),
        ("<div>a<div>b</div>c</div>", "a\n\nb\n\nc"),
        ("1 &lt; 2 &#38; &eacute; <b>x</b>y", "1 < 2 & é xy"),
        ("<p dir=rtl>שלום עולם</p>", "שלום עולם"),
        ("a<!-- hidden <p> -->b<!-- never closed", "ab never closed"),
        ("<!--[if IE]>old<![endif]-->a<![if !IE]>b<![endif]>c <![", "a b c"),
        ("a < b and <unknown>c</unknown> </p> d", "a < b and c\n\nd"),
    ],
)
def test_markup_becomes_text(tmp_path: Path, text: str, plain: str) -> None:
    assert page(tmp_path, text).text == plain


@pytest.mark.release  # long pages
@pytest.mark.parametrize("unit", ["<", "<p", "<p ", "<a b='", "<!--", "<![", "&#", "<td>", "<h1>", "<pre>", "</", "a<"])
def test_crafted_pages_come_to_an_end(unit: str) -> None:
    with patience():
        html.extract(unit.encode() * 100_000, "page")


PARTS = """
< </ > <p> <nav> </nav> <table> <tr> <td> </table> <h1> </h1> <pre> <li> <!-- --> <![ CDATA[ ]]> <? <! & &#0; a
= " ' <script> </script> <title> <svg/>"""


@given(st.lists(st.sampled_from([*PARTS.split(), "\n", " ", "\0"])).map("".join))
def test_anything_is_survived(text: str) -> None:
    assert isinstance(html.extract(text.encode(), "page").text, str)


def test_a_declared_charset_is_believed_when_the_page_is_not_utf_8(tmp_path: Path) -> None:
    assert page(tmp_path, '<meta charset="iso-8859-1"><p>café'.encode("latin-1")).text == "café"
    assert page(tmp_path, '<meta content="text/html; charset=Shift_JIS"><p>東京'.encode("shift_jis")).text == "東京"


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"<p>caf\xe9", r":1: is not UTF-8 text: byte 0xe9 at position 7 of the line"),
        (b"<meta charset=rot13><p>caf\xe9", r":1: is not UTF-8 text"),
        (b"<meta charset=shift_jis><p>caf\xe9\xff", r": is neither UTF-8 nor shift_jis, as it claims"),
        (b"<script>only()</script>", ": the text is empty"),
    ],
)
def test_pages_that_cannot_be_read(tmp_path: Path, data: bytes, problem: str) -> None:
    path = tmp_path / "page.htm"
    path.write_bytes(data)
    [found] = read(path)
    assert isinstance(found, InvalidRecord)
    assert f"page.htm{problem}" in str(found)


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<table><tr><th>Name<th>Office<tr><td>Pia<td>Sandnes</table>", "Name: Pia · Office: Sandnes"),
        ("<table><thead><tr><th>A</th><th>B</th></tr></thead><tr><td colspan=2>x<td>y</table>z", "A: x · y\n\nz"),
        ("<table><tr><th>Founded<td>1998<tr><th>Port<td>Bergen</table>", "Founded: 1998\nPort: Bergen"),
        ("<table><tr><th>A<th>B</table>", "A | B"),
        ("<table><tr><td>A<td>B<td>C<tr><td>1<td>2<td>3</table>", "A: 1 · B: 2 · C: 3"),
        ("<p>x<table><tr><td>never<td>closed", "x\n\nnever | closed"),
        ("<table><tr><th>A<th>B<tr><td><ul><li>x<li>y</ul><td>z</table><ul><li><p>i</p></ul>", "A: x y · B: z\n\n- i"),
    ],
)
def test_rows_carry_the_names_of_their_columns(tmp_path: Path, page: str, text: str) -> None:
    [found] = read(written(tmp_path / "t.html", page))
    assert isinstance(found, Document)
    assert found.text == text
