"""Reading further: a document from its beginning, one of its pages, or the surroundings of a passage."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from multihop.engine import Engine
from multihop.errors import InvalidInput, UnknownName, suggestion
from multihop.protocols.arguments import check_arguments
from multihop.rendering.tokens import Tokenizer, estimate_tokens
from multihop.types import Document, Metadata, plain

_NEAR = 50


@dataclass(frozen=True, slots=True)
class Page:
    """A part of a document's text, from `start` to `end` in characters."""

    document_id: str
    title: str
    metadata: Metadata
    text: str
    start: int
    end: int
    length: int
    """Characters of the whole document."""
    page: int | None = None
    """The page that it begins on, where the document has pages."""

    @property
    def next_start(self) -> int | None:
        """Where to go on reading; None at the end."""
        return self.end if self.end < self.length else None

    def to_dict(self) -> dict[str, Any]:
        """Turn it into plain values."""
        return {**plain(self), "next_start": self.next_start}


def read(
    engine: Engine,
    id: str,
    *,
    tokens: int = 1000,
    start: int | None = None,
    page: int | None = None,
    count: Tokenizer = estimate_tokens,
) -> Page:
    """Read at most `tokens` tokens of a document, by its id or by that of a passage.

    A document is read from its beginning, from `start` or from a `page` on; a passage with its surroundings.
    """
    check_arguments(locals())
    passage = engine.index().passages.passages([id]).get(id)
    document = engine.document(passage.document_id if passage else id)
    if document is None:
        raise UnknownName(f"document or passage {id!r:.80} not found: {_similar(engine, id)}")
    whole = len(document.text)
    if start is not None and not 0 <= start <= whole:
        raise InvalidInput(f"the document has {whole} characters; start={start} is beyond its end")
    if page is not None:
        first, last = _page_span(document, page)
        start = max(first, start or 0)
        whole_page = start, last
        end = _fitting(document.text, *whole_page, tokens, count)
    elif passage is not None and start is None:
        place = max(0, document.text.find(passage.text))
        start, end = _around(document.text, place, place + len(passage.text), tokens, count)
    else:
        start = start or 0
        end = _fitting(document.text, start, whole, tokens, count)
    number = 1 + document.text.count("\f", 0, start) if "\f" in document.text else None
    return Page(
        document.id, document.title, document.metadata, document.text[start:end], start, end, whole, number
    )  # fmt: skip


def _page_span(document: Document, page: int) -> tuple[int, int]:
    # The reader ends every page with a form feed.
    ends = [place for place, letter in enumerate(document.text) if letter == "\f"]
    if not ends:
        raise InvalidInput(f"the document {document.id!r:.80} has no pages; read it from a start in characters")
    if not 1 <= page <= len(ends):
        raise InvalidInput(f"the document has {len(ends)} pages; got page {page}")
    return (ends[page - 2] + 1 if page > 1 else 0), ends[page - 1]


def _fitting(source: str, start: int, end: int, tokens: int, count: Tokenizer) -> int:
    """Return the last place up to which the text fits: the end, or the end of a line or word."""
    if count(source[start:end]) <= tokens:
        return end
    low, high = start + 1, end
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if count(source[start:middle]) <= tokens else (low, middle - 1)
    # Half a line is better than half of the budget.
    line, word = source.rfind("\n", start, low), source.rfind(" ", start, low)
    return next((at + 1 for at in (line, word) if at - start > (low - start) // 2), low)


def _around(source: str, start: int, end: int, tokens: int, count: Tokenizer) -> tuple[int, int]:
    """Widen a passage on both sides as far as the budget allows; a longer one is cut."""
    if count(source[start:end]) >= tokens:
        return start, _fitting(source, start, end, tokens, count)
    side = (tokens - count(source[start:end])) // 2
    before = len(source[:start]) - _fitting(source[:start][::-1], 0, start, side, count)
    after = _fitting(source, end, len(source), tokens - count(source[before:end]), count)
    return before, after


def _similar(engine: Engine, id: str) -> str:
    # Among matching passages: comparing with every id of a large index would take too long.
    near = engine.retrieve(id, k=_NEAR, strategy="bm25") if id.strip() else ()
    known = {name for e in near for name in (e.passage.id, e.passage.document_id)}
    return suggestion(id, known) if known else "search finds the ids"
