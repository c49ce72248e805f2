"""Presentations (.pptx), by way of python-pptx: a page for each slide, its title as heading, notes at its end."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from typing import Any

from multihop.errors import needs_extra
from multihop.index.readers.archives import convert_errors
from multihop.index.readers.files import OFFICE, Content, binary_format, document_properties
from multihop.index.readers.tables import table


def extract(data: bytes, source: str) -> Content:
    """Extract title and text from a presentation."""
    with needs_extra("Reading PPTX files", "files"):
        import pptx
        from pptx.exc import PythonPptxError
    with convert_errors(data, source, "presentation", PythonPptxError):
        slides: Any = pptx.Presentation(BytesIO(data))
        text = "\n\f".join("\n\n".join(_slide(slide)) for slide in slides.slides) + "\f"
        about = slides.core_properties
        first = next((title for slide in slides.slides if (title := _title(slide))), "")
        # What the program writes by itself is no title.
        title = about.title if about.title not in ("", "PowerPoint Presentation") else first
        return Content(text, title, document_properties(about))


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
        rows = [[cell.text for cell in row.cells] for row in shape.table.rows]
        yield table(rows, header=bool(shape.table.first_row) or None)
    elif getattr(shape, "has_text_frame", False):
        # A line of a slide says one thing, so each stands by itself.
        yield from filter(None, (p.text.replace("\v", "\n").strip() for p in shape.text_frame.paragraphs))


PPTX = binary_format(extract, (".pptx",), f"{OFFICE}presentationml.presentation")
