"""Presentations, workbooks, books, mails and other documents: what is read of them, and what a broken one says."""

from __future__ import annotations

from datetime import datetime
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import openpyxl
import pptx

from multihop.errors import InvalidRecord
from multihop.index.readers import read, split
from multihop.index.readers.options import ReadOptions
from multihop.types import Document


def only(path: Path) -> Document:
    [found] = read(path)
    assert isinstance(found, Document), found
    return found


def zipped(**parts: str) -> bytes:
    data = BytesIO()
    with ZipFile(data, "w") as archive:
        for name, text in parts.items():
            archive.writestr(name.replace("__", "/").replace("_", "."), text)
    return data.getvalue()


def test_slides_are_pages(tmp_path: Path) -> None:
    show = pptx.Presentation()
    for title, text in (("Fram", "Built by Colin Archer."), ("Gjøa", "Sailed by Amundsen.")):
        slide = show.slides.add_slide(show.slide_layouts[1])
        slide.shapes.title.text, slide.placeholders[1].text = title, text
    show.slides[1].notes_slide.notes_text_frame.text = "A sloop."
    show.core_properties.title, show.core_properties.author = "Ships", "A. Writer"
    show.save(str(tmp_path / "a.pptx"))
    found = only(tmp_path / "a.pptx")
    assert (found.title, found.metadata["author"]) == ("Ships", "A. Writer")
    pieces = [(p.heading, p.text, p.page) for p in split(found)]
    assert pieces == [("Fram", "Built by Colin Archer.", 1), ("Gjøa", "Sailed by Amundsen.\n\nA sloop.", 2)]


def test_sheets_with_the_names_of_their_columns(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.active.title = "Ships"
    for row in (["Name", "Built", "Length"], ["Fram", datetime(1892, 10, 26), 39], [None] * 3, ["Gjøa", None, 21.5]):
        book.active.append(row)
    other = book.create_sheet("Notes")
    other.append(["Only words."])
    book.save(tmp_path / "a.xlsx")
    text = "# Ships\n\nName: Fram · Built: 1892-10-26 · Length: 39\nName: Gjøa · Length: 21.5\n\n# Notes\n\nOnly words."
    assert only(tmp_path / "a.xlsx").text == text


def test_restructured_text(tmp_path: Path) -> None:
    (tmp_path / "a.rst").write_text(
        "Ships\n=====\n\n:Author: A. Writer\n\nThe *Fram* was built.\n\n.. a comment\n\nPeople\n------\n\n"
        "* Colin Archer\n* Amundsen\n\n.. include:: /etc/passwd\n\n.. raw:: html\n\n   <b>no</b>\n"
    )
    found = only(tmp_path / "a.rst")
    assert (found.title, found.metadata) == ("Ships", {"author": "A. Writer"})
    assert found.text == "# Ships\n\nThe Fram was built.\n\n## People\n\nColin Archer\n\nAmundsen"
    (tmp_path / "b.rst").write_bytes("Zürich".encode("cp1252"))
    [recoded] = read(tmp_path / "b.rst", options=ReadOptions(encoding="cp1252"))
    assert isinstance(recoded, Document)
    assert recoded.text == "Zürich"


def test_mail(tmp_path: Path) -> None:
    (tmp_path / "a.eml").write_bytes(
        b"From: =?utf-8?q?K=C3=A5re?= <kare@example.org>\r\nTo: a@example.org, b@example.org\r\n"
        b"Date: Thu, 09 Apr 2020 12:30:00 +0200\r\nSubject: The\r\n Fram\r\nMIME-Version: 1.0\r\n"
        b'Content-Type: multipart/mixed; boundary="x"\r\n\r\n--x\r\nContent-Type: text/html; charset=iso-8859-1\r\n\r\n'
        b"<p>She was built in Larv\xedk.</p>\r\n--x\r\nContent-Disposition: attachment; filename=plan.pdf\r\n\r\n"
        b"x\r\n--x--\r\n"
    )
    assert only(tmp_path / "a.eml") == Document(
        "a.eml",
        "From: Kåre <kare@example.org>\nTo: a@example.org, b@example.org\nDate: 2020-04-09 12:30\n\n"
        "She was built in Larvík.\n\nAttachments: plan.pdf",
        "The Fram",
        {"from": "Kåre <kare@example.org>", "to": ("a@example.org", "b@example.org"), "date": "2020-04-09T12:30:00"},
    )


def test_saved_web_pages(tmp_path: Path) -> None:
    (tmp_path / "a.mhtml").write_bytes(
        b"Snapshot-Content-Location: https://example.org/fram\r\nMIME-Version: 1.0\r\n"
        b'Content-Type: multipart/related; boundary="x"\r\n\r\n--x\r\nContent-Type: text/html; charset=utf-8\r\n\r\n'
        b"<title>Fram</title><nav>Home</nav><p>A ship.</p>\r\n--x--\r\n"
    )
    assert only(tmp_path / "a.mhtml") == Document("a.mhtml", "A ship.", "Fram", {"url": "https://example.org/fram"})


def test_books(tmp_path: Path) -> None:
    package = (
        '<package xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata><dc:title>Ships</dc:title><dc:creator>A</dc:creator>'
        '<dc:creator>B</dc:creator></metadata><manifest><item id="two" href="b%20c.xhtml"/>'
        '<item id="one" href="a.xhtml"/>'
        '</manifest><spine><itemref idref="one"/><itemref idref="two"/><itemref idref="gone"/></spine></package>'
    )
    container = '<container><rootfiles><rootfile full-path="OEBPS/p.opf"/></rootfiles></container>'
    data = BytesIO()
    with ZipFile(data, "w") as archive:
        archive.writestr("META-INF/container.xml", container)
        archive.writestr("OEBPS/p.opf", package)
        archive.writestr("OEBPS/a.xhtml", "<h1>One</h1><p>First.</p>")
        archive.writestr("OEBPS/b c.xhtml", "<h1>Two</h1><p>Second.</p>")
    (tmp_path / "a.epub").write_bytes(data.getvalue())
    text = "# One\n\nFirst.\n\n# Two\n\nSecond."
    assert only(tmp_path / "a.epub") == Document("a.epub", text, "Ships", {"author": ("A", "B")})


def test_open_document_text(tmp_path: Path) -> None:
    names = 'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:t="urn:t" xmlns:o="urn:o"'
    content = (
        f'<o:doc {names}><o:body><o:text><text:h text:outline-level="2">Ships</text:h>'
        "<text:p>The<text:s/>Fram<text:line-break/>sailed.<text:annotation>no</text:annotation></text:p>"
        "<t:table><t:table-row><t:table-cell><text:p>Name</text:p></t:table-cell><t:table-cell><text:p>Fram</text:p>"
        "</t:table-cell></t:table-row></t:table><text:list><text:list-item><text:p>One</text:p></text:list-item></text:list>"
        "</o:text></o:body></o:doc>"
    )
    meta = '<m xmlns:dc="urn:dc"><dc:title>A Report</dc:title><dc:creator>A. Writer</dc:creator></m>'
    (tmp_path / "a.odt").write_bytes(zipped(content_xml=content, meta_xml=meta))
    text = "## Ships\n\nThe Fram\nsailed.\n\nName | Fram\n\nOne"
    assert only(tmp_path / "a.odt") == Document("a.odt", text, "A Report", {"author": "A. Writer"})


def test_broken_files(tmp_path: Path) -> None:
    for suffix in ("pptx", "xlsx", "odt", "epub"):
        for number, data in enumerate((b"", b"not an archive", zipped(a_txt="x"))):
            (tmp_path / f"{number}.{suffix}").write_bytes(data)
    found = list(read(tmp_path))
    assert len(found) == 12
    for each in found:
        assert isinstance(each, InvalidRecord)
        assert "is not a readable" in str(each)


def test_mails_that_are_none(tmp_path: Path) -> None:
    for name in ("a.eml", "a.mhtml"):
        (tmp_path / name).write_bytes(b"\x00\x01 nothing")
    assert [type(each) for each in read(tmp_path)] == [InvalidRecord] * 2


def test_of_a_page_its_main_part(tmp_path: Path) -> None:
    body = "The Fram was built by Colin Archer. " * 10
    (tmp_path / "a.html").write_text(
        f"<title>T</title><div>Menu</div><main><h1>Fram</h1><p>{body}</p></main><div>Share this</div>"
    )
    assert only(tmp_path / "a.html").text == f"# Fram\n\n{body.strip()}"
    (tmp_path / "b.html").write_text("<div>Everything</div><main>Little.</main>")
    assert only(tmp_path / "b.html").text == "Everything\n\nLittle."
