"""Presentations (.pptx), by way of python-pptx: a page for each slide, its title as heading, notes at its end."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from typing import Any
from zipfile import BadZipFile

from multihop.errors import InvalidRecord, MissingExtra
from multihop.index.readers.archives import check_size
from multihop.index.readers.files import Content, document_property

# What a package with missing or odd parts raises.
_BROKEN = (AttributeError, BadZipFile, LookupError, NotImplementedError, OSError, SyntaxError, TypeError, ValueError)


def extract(data: bytes, source: str) -> Content:
    """Take title and text out of a presentation."""
    try:
        import pptx
        from pptx.exc import PythonPptxError
    except ImportError as error:
        raise MissingExtra("Reading PPTX files", "files") from error
    try:
        check_size(data, source)
        slides: Any = pptx.Presentation(BytesIO(data))
        text = "\n\f".join("\n\n".join(_slide(slide)) for slide in slides.slides) + "\f"
        about = slides.core_properties
        told = dict(
            pair
            for name in ("author", "subject", "keywords", "category", "created")
            for pair in document_property(name, getattr(about, name))
        )
        first = next((title for slide in slides.slides if (title := _title(slide))), "")
        return Content(text, about.title if about.title not in ("", "PowerPoint Presentation") else first, told)
    except InvalidRecord:
        raise
    except (PythonPptxError, *_BROKEN) as error:
        raise InvalidRecord(f"is not a readable presentation: {error}", source=source) from error


def _title(slide: Any) -> str:
    shape = slide.shapes.title
    return " ".join(shape.text_frame.text.split()) if shape is not None else ""


def _slide(slide: Any) -> Iterator[str]:
    title = _title(slide)
    if title:
        yield f"## {title}"
    named = slide.shapes.title
    for shape in slide.shapes:
        if named is None or shape.shape_id != named.shape_id:
            yield from _shape(shape)
    if slide.has_notes_slide and (notes := slide.notes_slide.notes_text_frame):
        yield from filter(None, [notes.text.strip()])


def _shape(shape: Any) -> Iterator[str]:
    if hasattr(shape, "shapes"):
        for each in shape.shapes:
            yield from _shape(each)
    elif getattr(shape, "has_table", False):
        rows = (" | ".join(filter(None, (" ".join(c.text.split()) for c in row.cells))) for row in shape.table.rows)
        yield "\n".join(filter(None, rows))
    elif getattr(shape, "has_text_frame", False) and (text := shape.text_frame.text.replace("\v", "\n").strip()):
        yield text
