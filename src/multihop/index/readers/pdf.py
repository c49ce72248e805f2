"""PDF, page after page, by way of pypdf; tables by way of pdfium, which knows where words stand."""

from __future__ import annotations

import logging
import re
import struct
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from io import BytesIO
from typing import Any

from multihop.errors import InvalidRecord, MissingExtra, needs_extra
from multihop.index.readers import ocr
from multihop.index.readers.files import Content, binary_format, document_property
from multihop.index.readers.ocr import Recognized
from multihop.index.readers.pdf_tables import Columns, letters, named_rows, words_on
from multihop.types import OCR_CONFIDENCE, SCANNED, UNREAD

_DIGIT = re.compile(r"\d")
_MOST_CELLS = 20
_SHORT, _FEW, _MOSTLY = 20, 20, 0.6
_HYPHENATED = re.compile(r"(?<=[a-zà-ÿ])-\n(?=[a-zà-ÿ])")
# What programs write where nobody gave a title: "(anonymous)", "Microsoft Word - Document1", "Layout 1", "report.docx".
_JUNK_TITLE = re.compile(
    r"\(?(?:anonymous|unspecified|untitled(?: document)?|no title|title|none|null)\)?[ -]?\d*"
    r"|(?:Microsoft \w+ - )?(?:Document|Presentation|Book|Mappe|Dokument|Layout|Slide|Folie)\s?\d*"
    r"|(?:Microsoft \w+ - |.{0,80}\\).*|\S{1,80}\.(?:docx?|indd|pptx?|xlsx?|qxd|pdf|dvi|tex|ps|rtf|odt)",
    re.IGNORECASE,
)
# A broken file surfaces in pypdf as whatever its parser tripped over, not only as its own errors.
_BROKEN = (
    ArithmeticError, AssertionError, AttributeError, LookupError, NotImplementedError, OSError, RecursionError,
    TypeError, ValueError, struct.error, zlib.error,
)  # fmt: skip


def extract(data: bytes, source: str) -> Content:
    """Extract title and text from a PDF file; a form feed ends every page."""
    with needs_extra("Reading PDF files", "files"):
        import pypdf
        from pypdf.errors import DependencyError, PyPdfError
    try:
        with _silence_logger("pypdf"):
            reader = pypdf.PdfReader(BytesIO(data))
            content = _content(reader, data, source)
            has_pictures = not content.text.strip() and any(_has_pictures(page) for page in reader.pages)
    except InvalidRecord:
        raise
    except (PyPdfError, DependencyError, *_BROKEN) as error:
        reason = str(error) or type(error).__name__
        raise InvalidRecord(f"is not a readable PDF file: {reason}", source=source) from error
    if not content.text.strip():
        if has_pictures and not ocr.available():
            raise MissingExtra("The file has no text: reading scanned pages", "ocr")
        raise InvalidRecord("contains no text", source=source)
    return content


def _has_pictures(page: Any) -> bool:
    resources = page.get("/Resources")
    return bool(resources is not None and resources.get_object().get("/XObject"))


def _content(reader: Any, data: bytes, source: str) -> Content:
    if reader.is_encrypted and not reader.decrypt(""):
        raise InvalidRecord("is encrypted; save a copy without a password", source=source)
    read = list(_pages(reader))
    blank = [place for place, page in enumerate(read) if page is not None and not page.strip()]
    recognizes = ocr.available()
    scanned = ocr.recognize(data, blank) if blank and recognizes else {}
    unread = () if recognizes else tuple(place + 1 for place in blank if _has_pictures(reader.pages[place]))
    pages = [scanned[place].text if place in scanned else page or "" for place, page in enumerate(read)]
    if any(_DIGIT.search(page) for page in pages):
        pages = _with_tables(pages, data)
    # As pdftotext does; a form feed stands for the second line break of a paragraph.
    text = _HYPHENATED.sub("", "\n\f".join(pages)).rstrip("\n\f") + "\f"
    title = str((reader.metadata and reader.metadata.title) or "")
    about = dict(_properties(reader.metadata)) | _about_scans(scanned) | ({UNREAD: unread} if unread else {})
    return Content(text, "" if _JUNK_TITLE.fullmatch(title.strip()) else title, about)


def _about_scans(scanned: Mapping[int, Recognized]) -> dict[str, object]:
    """Note which pages were recognized, and how sure that is on the worst of them."""
    if not scanned:
        return {}
    least = min(page.confidence for page in scanned.values())
    return {SCANNED: tuple(place + 1 for place in scanned), OCR_CONFIDENCE: least}


def _with_tables(pages: list[str], data: bytes) -> list[str]:
    """Write rows of tables with the names of their columns; without pdfium pages stay as they are."""
    try:
        import pypdfium2
    except ImportError:
        return pages
    try:
        pdf = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError:
        return pages
    before, written = Columns(), []
    for place, page in enumerate(pages):
        if page and place < len(pdf) and _is_broken_up(page):
            page = _rejoin(pdf[place], page)
        rows = named_rows(words_on(pdf[place]), before) if page and place < len(pdf) else {}
        written.append(_replace_rows(page, rows) if rows else page)
    return written


def _is_broken_up(page: str) -> bool:
    """Return whether letters are missing, or most lines hold one cell or word, as where a file places each alone."""
    lines = [line.strip() for line in page.split("\n") if line.strip()]
    short = sum(len(line) < _SHORT for line in lines)
    return "\0" in page or (len(lines) > _FEW and short > _MOSTLY * len(lines))


def _rejoin(page: Any, read: str) -> str:
    """Return the text of a page by where its words stand; what was `read` of it, where that is no better."""
    text = str(page.get_textpage().get_text_bounded()).replace("\r", "").replace("\f", "\n").strip()
    return text if text and (text.count("\n") < read.count("\n") or "\0" in read) else read


def _replace_rows(page: str, rows: dict[str, str]) -> str:
    """Put rows with names in the place of lines that hold the same letters: one for a row, or one for a cell."""
    lines, out, left = page.split("\n"), [], dict(rows)
    at = 0
    while at < len(lines):
        said = ""
        for end in range(at, min(len(lines), at + _MOST_CELLS)):
            said += letters(lines[end])
            if said in rows:
                left.pop(said, None)
                out.append(rows[said])
                at = end + 1
                break
        else:
            out.append(lines[at])
            at += 1
    # Of a table that was extracted column by column, the rows follow at the end of the page.
    return "\n".join([*out, "", *left.values()] if left else out)


def _properties(metadata: Any) -> Iterator[tuple[str, object]]:
    """Yield what the file says about itself; a property that cannot be read is none."""
    for field in ("author", "subject", "keywords", "creation_date"):
        with suppress(*_BROKEN):
            # The oldest pypdf that will do has no property for keywords.
            if value := getattr(metadata, field, None) or (metadata or {}).get(f"/{field.title()}"):
                yield from document_property(field, value)


def _pages(reader: Any) -> Iterator[str | None]:
    """Yield the text of each page; one that is listed several times is read once and None after that."""
    seen: set[tuple[int, int]] = set()
    for page in reader.pages:
        reference = page.indirect_reference
        if reference is not None:
            if (reference.idnum, reference.generation) in seen:
                yield None
                continue
            seen.add((reference.idnum, reference.generation))
        yield page.extract_text().replace("\f", "\n").strip()


@contextmanager
def _silence_logger(name: str) -> Iterator[None]:
    """Silence a logger: what it logs is reported as an error."""
    logger = logging.getLogger(name)
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(level)


PDF = binary_format(extract, (".pdf",), "application/pdf")
