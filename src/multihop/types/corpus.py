"""What is indexed, what links it, and what the index says of itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from multihop.types.plain import SHOWN_IF_SET

Scalar = str | int | float | bool
"""One metadata value. A document may hold several under one field, as a tuple."""
Metadata = Mapping[str, "Scalar | tuple[Scalar, ...]"]
Where = Mapping[str, Any]
"""A filter: {"country": "Japan"}, {"country": ["Japan", "Brazil"]} or {"year": {"gte": 1990, "lt": 2000}}."""
SCANNED, OCR_CONFIDENCE = "file.scanned_pages", "file.ocr_confidence"
"""Metadata of a document with scanned pages: which were recognized, and how sure that is on the worst of them."""
UNREAD = "file.unread_pages"
"""Metadata of a document with scanned pages that were not recognized: which."""


@dataclass(frozen=True, slots=True)
class Document:
    """A text to index, known by its `id`; adding the same id again replaces it."""

    id: str
    text: str
    title: str = ""
    metadata: Metadata = field(default_factory=dict)
    aliases: tuple[str, ...] = ()


class Piece(NamedTuple):
    """A part of a document's text under one heading, before it becomes a passage of the index."""

    heading: str
    text: str
    page: int | None = None
    """The page that it begins on, where the document has pages."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a document, the unit of evidence. Its id is the document's id, "#" and its position."""

    id: str
    document_id: str
    position: int
    title: str
    text: str
    heading: str = ""
    metadata: Metadata = field(default_factory=dict)
    page: int | None = field(default=None, metadata=SHOWN_IF_SET)
    """The page of its document that it begins on, where that has pages."""

    @property
    def label(self) -> str:
        """What to call the passage when speaking of it: its title, or its document where that has none."""
        return self.title or self.document_id

    @property
    def citation(self) -> str:
        """Return where the passage stands: "NDC of Chile, p. 17", "Handbook › Leave › Parents"."""
        return self.cited_at(0)

    def cited_at(self, place: int) -> str:
        """Cite a position in the text, such as the beginning of a quote, with its page."""
        heading = f" › {self.heading}" if self.heading and self.heading != self.title else ""
        page = self.page_at(place)
        return f"{self.label}{heading}{f', p. {page}' if page else ''}{self._scan_remark(page)}"

    def _scan_remark(self, page: int | None) -> str:
        given = self.metadata.get(SCANNED, ())
        is_scan = page is not None and page in (given if isinstance(given, tuple) else (given,))
        return f" (scanned, {self.metadata.get(OCR_CONFIDENCE)})" if is_scan else ""

    def page_at(self, place: int) -> int | None:
        """Return the page that a place of the text is on; None where the document has no pages."""
        # A passage may go on over several pages; a form feed in its text ends each.
        return self.page + self.text.count("\f", 0, place) if self.page else None


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file that documents were read from, as it was then; they carry its `path` as their field "file.path".

    A file of the same size, modification time (in nanoseconds, 0 for one that cannot be relied on) and `recipe` (how
    it is to be read) has not changed; one of the same `digest` holds the same bytes.
    """

    folder: str
    path: str
    size: int
    modified: int
    digest: str
    recipe: str
    problem: str = ""
    """What could not be read of it."""


class Listed(NamedTuple):
    """A document as a list of many shows it: without its text."""

    id: str
    title: str
    metadata: Metadata


@dataclass(frozen=True, slots=True)
class Mention:
    """A stretch of text that names one or more documents; several when the name is ambiguous.

    `ambiguity` says for each of them how many share the name with equal precedence: a document whose whole title it is
    comes before those that share it only without their parentheses.
    """

    surface: str
    documents: tuple[str, ...]
    ambiguity: tuple[int, ...]
    start: int = 0
    end: int = 0


class Link(NamedTuple):
    """The passage `source` names the document `target`.

    `ambiguity` counts the documents that share the name with equal precedence, `spread` the passages that use it.
    """

    source: str
    target: str
    name: str
    ambiguity: int = 1
    spread: int = 1


RelationKind = Literal["SUPPORTS", "EXPLAINS", "CONTRADICTS", "FOLLOWS", "TEMPORAL_FOLLOWS", "CAUSES"]


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation of the passage `source` to the passage `target`.

    `confidence` lies in [0, 1], `evidence` is what indicates it (a cue, a shared term), `method` says who found it.
    """

    source: str
    target: str
    kind: RelationKind
    confidence: float
    evidence: str = ""
    method: str = "rules"

    @property
    def ends(self) -> tuple[str, str]:
        return self.source, self.target


@dataclass(frozen=True, slots=True)
class PassagePair:
    """Two passages that may stand in a relation, how alike they are (0 to 1), and by which names one names the other.

    `first` has the smaller id; `names` holds (id of the passage that says it, the name as folded words).
    """

    first: Passage
    second: Passage
    similarity: float = 0.0
    names: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Related:
    """What one call of relate did: how many passages it looked at, and how many relations the index holds now."""

    passages: int = 0
    relations: int = 0
    rebuilt: bool = False
    """True when all relations were found anew, because that was asked for or because the rules have changed."""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Changed:
    """What one call of add or delete did."""

    documents: int = 0
    replaced: int = 0
    passages: int = 0
    generation: int = 0


class FileChange(NamedTuple):
    """What a sync did with a file, or would do: its path, and for a renamed one the path it had."""

    kind: Literal["added", "changed", "renamed", "removed"]
    path: str
    before: str = ""


@dataclass(frozen=True, slots=True)
class Synced:
    """What one sync did, or with `dry_run` would do: files by what became of them, then documents and passages."""

    added: int = 0
    changed: int = 0
    renamed: int = 0
    removed: int = 0
    unchanged: int = 0
    documents: int = 0
    """Documents that were added or replaced."""
    replaced: int = 0
    deleted: int = 0
    versions: int = 0
    """Old versions that were kept."""
    passages: int = 0
    problems: int = 0
    """Records and files that could not be read."""
    generation: int = 0
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class Stats:
    """The size of an index, as its truth counts it."""

    documents: int
    passages: int
    names: int
    mentions: int
    vectors: int
    generation: int
    format: int
    embedder: str | None
    bytes: int
    fields: Mapping[str, int] = field(default_factory=dict)
    relations: int = 0


@dataclass(frozen=True, slots=True)
class Check:
    """One comparison made by verify: a cache against the truth, and whether it had to be repaired."""

    name: str
    ok: bool
    detail: str
    repaired: bool = False
