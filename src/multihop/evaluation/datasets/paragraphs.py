"""Questions that bring their own paragraphs, and the corpus that their union makes.

Three shapes are in use: `context` with `supporting_facts` (HotpotQA, 2WikiMultiHopQA), `paragraphs` with
`is_supporting` (MuSiQue) and `contexts` with `is_supporting` (other sets of HippoRAG).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any, NamedTuple

from multihop.evaluation.datasets.dataset import Question
from multihop.evaluation.datasets.gold import Draft, Reference
from multihop.evaluation.datasets.rows import Row
from multihop.evaluation.datasets.shuffle import content_key
from multihop.index.readers.record import FreshIds, clean, to_document
from multihop.types import Document


class Paragraph(NamedTuple):
    """A paragraph as a question row holds it."""

    title: str
    text: str
    gold: bool


def has_paragraphs(row: Row) -> bool:
    """Return whether a row is a question with paragraphs of its own."""
    return "question" in row.fields and any(name in row.fields for name in ("context", "paragraphs", "contexts"))


def paragraphs(row: Row) -> list[Paragraph]:
    """Return the paragraphs of a row in one shape."""
    gold = set(fact_titles(row))
    try:
        if "context" in row.fields:
            parsed = [Paragraph(title, join_sentences(text), title in gold) for title, text in row.items("context")]
        else:
            given = row.items("paragraphs") or row.items("contexts")
            parsed = [Paragraph(p["title"], join_sentences(_text(p)), bool(p.get("is_supporting"))) for p in given]
        # Checked here, where the row is known: further on it would be a crash without file and line.
        if not all(isinstance(p.title, str) and isinstance(p.text, str) for p in parsed):
            raise TypeError("a title or text is not a string")
    except (TypeError, ValueError, KeyError, AttributeError) as error:
        raise row.wrong("a paragraph is not of the form [title, [sentence, …]] or {title, text}") from error
    return parsed


def fact_titles(row: Row) -> list[str]:
    """Return the titles of `supporting_facts`, a list of [title, sentence number]."""
    facts = row.items("supporting_facts")
    if not all(isinstance(fact, list) and fact and isinstance(fact[0], str) for fact in facts):
        raise row.wrong("'supporting_facts' must be a list of [title, sentence number]")
    return [fact[0] for fact in facts]


def join_sentences(text: str | list[str]) -> str:
    """Make one text of sentences, which HotpotQA stores with their spaces and 2WikiMultiHopQA without."""
    return text if isinstance(text, str) else " ".join(sentence.strip() for sentence in text)


def _text(paragraph: dict[str, Any]) -> Any:
    return paragraph["paragraph_text"] if "paragraph_text" in paragraph else paragraph["text"]


def draft(row: Row) -> Draft:
    """Make a question of a row; gold is known by title and text, so that repeated titles do no harm."""
    id = row.text("id", "_id", needed=False) or f"row-{row.line}"
    # Ids of MuSiQue tell how many hops a question has: 2hop__…, 3hop1__….
    kind, _, rest = id.partition("__")
    question = Question(
        id=id,
        text=row.text("question"),
        gold=(),
        hops=int(kind[0]) if rest and kind[:1].isdecimal() and kind[1:4] == "hop" else None,
        type=row.text("type", needed=False) or (kind if rest else ""),
        answer=row.first_text("answer"),
    )
    return Draft.of(question, _references(row), row)


def _references(row: Row) -> Iterator[Reference]:
    parsed = paragraphs(row)
    yield from (Reference(p.title, content_key(clean(p.title), clean(p.text))) for p in parsed if p.gold)
    # Full-wiki files name gold that is not among their paragraphs; a corpus of Wikipedia may have it.
    present = {p.title for p in parsed}
    yield from (Reference(title) for title in dict.fromkeys(fact_titles(row)) if title not in present)


def union(rows: Iterable[Row]) -> Iterator[Document]:
    """Return every paragraph of all rows once: the same title and text are one document, other texts are others."""
    return distinct((row, paragraph.title, paragraph.text) for row in rows for paragraph in paragraphs(row))


def distinct(records: Iterable[tuple[Row, str, str]]) -> Iterator[Document]:
    """Make documents of titles and texts, each known by its title, a repeated title by a number after it."""
    seen: set[bytes] = set()
    ids = FreshIds()
    for row, title, text in records:
        # Half of the hash is enough to tell them apart, and one is held for every paragraph.
        key = content_key(title, text)[:16]
        if key in seen or not text.strip():
            continue
        seen.add(key)
        name = partial(ids.pick, f"line {row.line}")
        yield to_document({"title": title, "text": text}, row.source, row.line, name)
