"""HTML: what a reader of the page would read, with headings as Markdown lines and tables as rows of cells.

The parser of the standard library is enough for that, and keeps HTML readable without an extra.
"""

from __future__ import annotations

import re
from html.parser import HTMLParser

from multihop.errors import InvalidRecord
from multihop.index.readers.decoding import decode
from multihop.index.readers.files import Content, text_format
from multihop.index.readers.record import clean
from multihop.index.readers.tables import table, table_row

_DROPPED = frozenset({"script", "style", "template", "svg", "noscript", "iframe", "nav", "footer"})
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_BLOCKS = frozenset({
    "address", "article", "aside", "blockquote", "body", "center", "dd", "details", "dialog", "div", "dl", "dt",
    "fieldset", "figcaption", "figure", "form", "header", "hr", "html", "main", "ol", "p", "pre", "section", "summary",
    "table", "tbody", "tfoot", "thead", "ul",
})  # fmt: skip
# These two keep crafted pages from raising an error, or from taking time that grows with the square of their length.
_SECTION = re.compile(r"<!\[(?:[^<>]{0,200}>)?")
_UNENDING = re.compile(r"<(?=(?:[^<>]*+<){20})")
# Left open by mistake, as a rule; a script or style that is never closed hides the rest in a browser, too.
_UNCLOSED = frozenset({"nav", "footer", "noscript"})
_CELL, _NAME = "\0", "\1"
"""Begin a cell and a cell that names a row or a column; texts hold neither character."""
_CELLS = re.compile(f"([{_CELL}{_NAME}])")
_MOST_COLUMNS = 100
_ENOUGH = 200
"""Characters from which on the main element of a page counts for the whole."""
_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?([A-Za-z0-9_-]{2,30})", re.IGNORECASE)
# The declaration was read as ASCII, so what does not extend that, such as UTF-16, cannot be meant.
_CHARSETS = re.compile(r"(?:iso-?8859-|windows-|cp|koi8-|gb|big5|euc-|shift_jis|latin|mac)", re.IGNORECASE)


def extract(data: bytes, source: str) -> Content:
    """Extract title and text from a page."""
    text = _safe(clean(_decode(data, source)))
    kept: frozenset[str] = frozenset()
    page = _parse(text, kept)
    if page.dropping in _UNCLOSED:
        # An element that is never closed would swallow the rest of the page: better to read too much.
        kept = _UNCLOSED
        page = _parse(text, kept)
    return Content(_main(text, kept) or page.text(), page.title or page.heading)


def _main(text: str, kept: frozenset[str]) -> str:
    """Return the content of the main element of a page, without headers, menus and footers."""
    for tag in ("main", "article"):
        if re.search(rf"<{tag}[\s>]", text, re.IGNORECASE):
            main = _parse(text, kept, tag).text()
            # A page may mark a teaser as its article and leave the text outside.
            if len(main) >= _ENOUGH:
                return main
    return ""


def _decode(data: bytes, source: str) -> str:
    try:
        return decode(data, source)
    except InvalidRecord:
        declared = _CHARSET.search(data[:4096])
        if not declared or not _CHARSETS.match(name := declared[1].decode("ascii")):
            raise
        try:
            return data.decode(name)
        except (LookupError, UnicodeDecodeError) as error:
            raise InvalidRecord(f"is neither UTF-8 nor {name}, as it claims: {error}", source=source) from error


def _safe(text: str) -> str:
    """Remove what the parser of the standard library cannot handle: marked sections, and tags that never end."""
    # A comment that is never closed hides nothing: the words behind it are read.
    first, *rest = text.split("<!--")
    text = "".join([first, *(part.partition("-->")[2] if "-->" in part else part for part in rest)])
    return _UNENDING.sub("&lt;", _SECTION.sub(" ", text))


def _parse(text: str, kept: frozenset[str], only: str = "") -> _Page:
    page = _Page(kept, only)
    page.feed(text)
    page.close()
    page.end()
    return page


_Row = list[tuple[bool, str]]
"""The cells of a row, each with whether it names something."""


def _row(said: str) -> _Row:
    before, *parts = _CELLS.split(said)
    cells = [(mark == _NAME, cell) for mark, cell in zip(parts[::2], parts[1::2], strict=True)]
    return [(False, before), *cells] if before.strip() else cells


def _span(value: str | None) -> int:
    return min(int(value), _MOST_COLUMNS) if value and value.isdecimal() and len(value) < 5 and int(value) else 1


def _table(rows: list[_Row]) -> str:
    cells = [[cell for _, cell in row] for row in rows]
    if rows and len(rows[0]) > 1 and all(named for named, _ in rows[0]):
        return table(cells, header=True)
    if any(row[1:] for row in rows) and all(row[0][0] for row in rows):
        # Every row has a name of its own: "Founded: 1998".
        named = [(" ".join(row[0].split()), table_row(row[1:])) for row in cells]
        return "\n".join(": ".join(filter(None, pair)) for pair in named if any(pair))
    return table(cells)


class _Page(HTMLParser):
    """Collects blocks of text, each with the line breaks that separate it from the one before."""

    def __init__(self, kept: frozenset[str], only: str = "") -> None:
        super().__init__(convert_charrefs=True)
        self._only = only
        self._inside = 0
        self._title: list[str] = []
        self._titled = False
        self.heading = ""
        self.dropping = ""
        self._drop = _DROPPED - kept
        self._depth = 0
        self._in_title = False
        self._level = ""
        self._pre = 0
        # One entry for each table that is open, since a table may stand in a cell of another.
        self._in_row = [False]
        self._item = False
        self._span = 1
        self._rows: list[_Row] = []
        self._block: list[str] = []
        self._break = "\n\n"
        self._done: list[str] = []

    @property
    def title(self) -> str:
        return " ".join(" ".join(self._title).split())

    def text(self) -> str:
        return "".join(self._done)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._inside += bool(tag == self._only and not self.dropping)
        if self.dropping:
            self._depth += tag == self.dropping
        elif tag in self._drop:
            self.dropping, self._depth = tag, 1
        elif tag == "title":
            self._in_title = not self._titled
        else:
            # A title that is never closed ends where the body begins.
            self._in_title = self._in_title and tag not in _BLOCKS
            self._open(tag)
            if tag in ("td", "th"):
                self._span = _span(dict(attrs).get("colspan"))

    def handle_endtag(self, tag: str) -> None:
        if tag == self._only and not self.dropping:
            self.end()
            self._inside = max(0, self._inside - 1)
        if self.dropping:
            self._depth -= tag == self.dropping
            self.dropping = self.dropping if self._depth else ""
        elif tag == "title":
            self._in_title = False
        # A cell ends with the next one or with its row, so that its end tag may be missing, as HTML allows.
        elif tag not in ("br", "td", "th"):
            self._close(tag)

    def handle_data(self, data: str) -> None:
        if self.dropping or (self._only and not self._inside):
            return
        if self._in_title:
            self._title.append(data)
            self._titled = self._titled or not data.isspace()
        elif self._pre:
            self._block.append(data)
        else:
            self._block.append(data.replace("\n", " "))

    def _open(self, tag: str) -> None:
        if tag in _HEADINGS:
            self.flush()
            self._level = "#" * int(tag[1])
        elif tag == "br":
            self._block.append(" " if self._in_row[-1] or self._level else "\n")
        elif tag == "li" and self._in_row[-1]:
            self._block.append(" ")
        elif tag in ("li", "tr"):
            self.flush("\n")
            self._in_row[-1] = tag == "tr"
            self._item = tag == "li"
        elif tag in ("td", "th"):
            # The cells that the one before covers as well stay empty.
            self._block += [_CELL] * (self._span - 1)
            self._block.append(_CELL if tag == "td" else _NAME)
            self._span = 1
        elif tag in _BLOCKS:
            self._boundary(tag)
            self._pre += tag == "pre"
            if tag == "table":
                self._write_rows()
                self._in_row.append(False)

    def _close(self, tag: str) -> None:
        if tag in _HEADINGS:
            self.flush()
        elif tag == "tr":
            self.flush("\n")
            self._in_row[-1] = False
        elif tag == "li" and not self._in_row[-1]:
            self.flush("\n")
            self._item = False
        elif tag in _BLOCKS:
            self._boundary(tag)
            self._pre = max(0, self._pre - (tag == "pre"))
            if tag == "table":
                self._write_rows()
            if tag == "table" and len(self._in_row) > 1:
                self._in_row.pop()

    def _boundary(self, tag: str) -> None:
        # Pages put a <div> into a heading before its words; that must not end the heading.
        in_empty_heading = self._level and not any(part.strip() for part in self._block)
        if (self._in_row[-1] and tag != "table") or in_empty_heading:
            self._block.append(" ")
        else:
            self.flush()

    def end(self) -> None:
        """Write what is left."""
        self.flush()
        self._write_rows()

    def flush(self, after: str = "\n\n") -> None:
        """End the block; `after` is the least that separates it from the next one."""
        said = "".join(self._block)
        self._block.clear()
        self._span = 1
        if not self._pre and _CELLS.search(said):
            # Written with the rest of its table, whose first row may name the columns.
            self._rows.append(_row(said))
            self._level = ""
            return
        written = self._tidy(said)
        if written.strip():
            self._write_rows()
            if self._level:
                written = " ".join(written.split())
                self.heading = self.heading or (written if self._level == "#" else "")
                written = f"{self._level} {written}"
            elif self._item and not self._pre:
                written = f"- {written}"
            self._item = False
            self._done += [self._break, written] if self._done else [written]
            self._break = after
        else:
            # Nothing was written, so the wider of two breaks in a row counts.
            self._break = max(self._break, after, key=len)
        self._level = ""

    def _write_rows(self) -> None:
        if written := _table(self._rows):
            self._done += [self._break, written] if self._done else [written]
            self._break = "\n\n"
        self._rows.clear()

    def _tidy(self, text: str) -> str:
        if self._pre:
            # Four spaces keep a comment of a program from being taken for a heading.
            lines = _CELLS.sub(" ", text).strip("\n").split("\n")
            return "\n".join(f"    {line}" if line.startswith("#") else line for line in lines).rstrip()
        lines = [" ".join(line.split()) for line in text.split("\n")]
        return "\n".join(line for line in lines if line)


HTML = text_format(extract, (".html", ".htm"), "text/html", "application/xhtml+xml")
