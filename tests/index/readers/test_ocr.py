"""Scanned pages: pictures of text, which are recognized where a page has no text of its own."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import numpy as np
import pypdf
import pytest
from PIL import Image, ImageDraw, ImageFont

from multihop import Engine
from multihop.errors import MissingExtra
from multihop.index.readers import ocr, pdf as reader
from multihop.index.readers.page_image import render_page
from multihop.types import OCR_CONFIDENCE, SCANNED, UNREAD, Document, Metadata, Passage

from .test_pdf import only, pdf

LINES = ("Travel rules of Kittiwake", "", "Pia Holm leads the office in Sandnes.", "Travel is paid at 45 euros a day.")


def picture(*lines: str) -> bytes:
    """Draw lines of text, as a scanner would see them, on a small page: every pixel takes its time."""
    image = Image.new("RGB", (720, 480), "white")
    draw, font = ImageDraw.Draw(image), ImageFont.load_default(size=34)
    for number, line in enumerate(lines):
        draw.text((40, 60 + 60 * number), line, fill="black", font=font)
    out = BytesIO()
    image.save(out, "PDF", resolution=150)
    return out.getvalue()


def joined(*files: bytes) -> bytes:
    writer, out = pypdf.PdfWriter(), BytesIO()
    for data in files:
        writer.append(BytesIO(data))
    writer.write(out)
    return out.getvalue()


@pytest.fixture
def without_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """Hide RapidOCR from this process and from the one that reads files."""
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text("import sys; sys.modules['rapidocr'] = None")
    with monkeypatch.context() as without:
        without.setitem(sys.modules, "rapidocr", None)
        without.syspath_prepend(tmp_path / "site")
        yield without


@pytest.mark.release
@pytest.mark.skipif(shutil.which("tesseract") is None, reason="needs tesseract-ocr")
@pytest.mark.usefixtures("without_models")
def test_tesseract_reads_where_it_is_all_there_is(tmp_path: Path) -> None:
    test_only_pages_without_text_are_recognized(tmp_path)
    test_quotes_are_marked_on_scanned_pages(tmp_path)


def test_a_broken_tesseract_reads_nothing(tmp_path: Path, without_models: pytest.MonkeyPatch) -> None:
    program = tmp_path / "bin" / "tesseract"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho 5\techo\nexit 1\n")
    program.chmod(0o755)
    without_models.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    ocr._languages.cache_clear()
    path = tmp_path / "rules.pdf"
    path.write_bytes(joined(pdf("The first page has text."), picture(*LINES)))
    found = only(path)
    ocr._languages.cache_clear()
    assert isinstance(found, Document)
    assert (found.text.strip(), SCANNED in found.metadata) == ("The first page has text.", False)


@pytest.mark.release  # pages are recognized anew for each quote
def test_quotes_are_marked_on_scanned_pages(tmp_path: Path) -> None:
    path = tmp_path / "scan.pdf"
    path.write_bytes(joined(picture("Something else."), picture(*LINES)))
    image = render_page(path, 1, "Pia Holm leads the office")
    assert (image.page, image.marked) == (2, True)
    pixels = np.array(Image.open(BytesIO(image.png)).convert("RGB")).astype(int)
    rows, columns = np.nonzero(pixels[:, :, 0] - pixels[:, :, 2] > 50)
    height, width = pixels.shape[:2]
    # The third line, from its left end to about the middle of the page.
    assert 170 / 480 < rows.min() / height < rows.max() / height < 230 / 480
    assert 20 / 720 < columns.min() / width < 60 / 720
    assert 400 / 720 < columns.max() / width < 500 / 720
    assert not render_page(path, 2, "nothing like this is here").marked


@pytest.mark.release  # every page is drawn, and two recognized
def test_only_pages_without_text_are_recognized(tmp_path: Path) -> None:
    path = tmp_path / "rules.pdf"
    path.write_bytes(joined(pdf("The first page has text."), picture(*LINES), picture()))
    found = only(path)
    assert isinstance(found, Document)
    first, second, *_ = found.text.split("\f")
    assert first.strip() == "The first page has text."
    assert second.strip() == "\n".join(LINES)
    assert found.metadata[SCANNED] == (2,)
    assert 0.9 < float(str(found.metadata[OCR_CONFIDENCE])) <= 1.0


def test_pages_with_text_are_cited_as_before() -> None:
    about: Metadata = {SCANNED: (2, 3), OCR_CONFIDENCE: 0.97}
    cited = [Passage("a#0", "a", 0, "Rules", "text", metadata=about, page=page).citation for page in (1, 2, None)]
    assert cited == ["Rules, p. 1", "Rules, p. 2 (scanned, 0.97)", "Rules"]


def test_words_side_by_side_stand_in_one_row() -> None:
    lines = [
        ocr.Line(100, 130, 400, 500, "90,000", 0.9), ocr.Line(102, 132, 50, 100, "Pay", 0.9),
        ocr.Line(140, 170, 50, 150, "Bonus", 0.9), ocr.Line(240, 270, 50, 180, "Signed", 0.9),
    ]  # fmt: skip
    assert ocr._text(lines) == "Pay 90,000\nBonus\n\nSigned"


def test_without_the_extra_the_command_that_installs_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ocr, "available", lambda: False)
    with pytest.raises(MissingExtra, match=r"reading scanned pages needs .*\[ocr\]"):
        reader.extract(picture(*LINES), "rules.pdf")


def test_scanned_pages_beside_text_are_read_once_the_extra_is_there_and_cited_as_scanned(
    tmp_path: Path, without_models: pytest.MonkeyPatch
) -> None:
    (tmp_path / "scans").mkdir()
    (tmp_path / "scans" / "rules.pdf").write_bytes(joined(picture(*LINES), pdf("This page has text.")))

    def sync(engine: Engine) -> tuple[int, Metadata]:
        changed = engine.sync(tmp_path / "scans").changed
        [document] = engine.documents()
        return changed, document.metadata

    with Engine.open(tmp_path / "scans.mh", create=True) as engine:
        without_models.setenv("PATH", "")
        assert sync(engine)[1][UNREAD] == (1,)
        assert sync(engine)[0] == 0
        without_models.undo()
        changed, about = sync(engine)
        assert (changed, about[SCANNED], UNREAD in about) == (1, (1,), False)
        assert sync(engine)[0] == 0
        cited = {e.passage.citation for e in engine.retrieve("How much is paid for travel?", models=False)}
        assert f"rules, p. 1 (scanned, {about[OCR_CONFIDENCE]})" in cited
        assert engine.retrieve("travel", where={OCR_CONFIDENCE: {"gte": 0.5}}, models=False).evidence
        assert not engine.retrieve("travel", where={OCR_CONFIDENCE: {"gte": 1.1}}, models=False).evidence
