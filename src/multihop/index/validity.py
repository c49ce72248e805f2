"""Which documents hold on a day: by `valid_from` and `valid_until`, and by what supersedes them.

A document is superseded from the day on which one that names it in `supersedes` (by id or title), or that it names in
`superseded_by`, begins to hold, or the next of its series: documents of one `version_of`, in the order of `valid_from`
and `version`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from multihop.index.streams import in_batches
from multihop.protocols import Lookup, Passages, Store, View
from multihop.types import Document, Metadata, Note, Passage, Where
from multihop.types.dates import format_day, iso_day
from multihop.types.notes import NOT_IN_FORCE

_MOST = 1_000_000
_MATCHES = 30
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Successor:
    """The document that supersedes another one, and from which day on; empty for one that has no first day."""

    since: str
    id: str
    title: str


@dataclass(frozen=True, slots=True)
class Validity:
    """What the documents of an index say of the times in which they hold."""

    limits: tuple[str, ...] = ()
    """Which of `valid_from` and `valid_until` documents have."""
    superseded: Mapping[str, Successor] | None = None
    """By the id of the superseded document, the first one that supersedes it."""

    def left_out(self, day: str) -> Where | None:
        """Write the filter of the documents that do not hold on a day; None where no document says anything."""
        # What is not a date, such as "open-ended", limits nothing: dates begin with a digit.
        bounds = {"valid_from": {"gt": day, "lt": ":"}, "valid_until": {"lt": day, "gte": "0"}}
        parts: list[Where] = [{field: bounds[field]} for field in self.limits]
        if gone := sorted(id for id, by in (self.superseded or {}).items() if by.since <= day):
            parts.append({"$ids": gone})
        return {"$or": parts} if parts else None

    def reason(self, passage: Passage, day: str) -> str:
        """Describe why a document does not hold on a day."""
        by = (self.superseded or {}).get(passage.document_id)
        if by is not None and by.since <= day:
            return f"superseded by “{by.title}”{f' on {format_day(by.since)}' if by.since else ''}"
        begins, ends = (_text(passage.metadata.get(field)) for field in ("valid_from", "valid_until"))
        if begins and begins > day:
            return f"valid from {_format(begins)}"
        return f"valid until {_format(ends)}"


def read_validity(store: Store) -> Validity:
    """Read the validity of all documents of an index; those without any cost nothing."""
    limits = [f for f in ("valid_from", "valid_until") if any(isinstance(v, str) for v, _ in store.field_values(f, 2))]
    found: dict[str, list[Successor]] = {}
    for name in _values(store, "supersedes"):
        newer = _with(store, "supersedes", name)
        for target in _documents_named(store, name):
            found.setdefault(target, []).extend(_successor(d) for d in newer if d.id != target)
    for name in _values(store, "superseded_by"):
        targets = store.get_documents(_documents_named(store, name)).values()
        for older in _with(store, "superseded_by", name):
            found.setdefault(older.id, []).extend(_successor(d) for d in targets if d.id != older.id)
    for series in _values(store, "version_of"):
        versions = sorted(_with(store, "version_of", series), key=_order)
        for old, new in pairwise(versions):
            if _order(old)[:2] < _order(new)[:2]:
                found.setdefault(old.id, []).append(_successor(new))
    return Validity(tuple(limits), {id: _first(id, found) for id, by in found.items() if by})


def _first(id: str, found: Mapping[str, Sequence[Successor]]) -> Successor:
    """Return the first document that supersedes another, or supersedes the one that was to do so, before it did."""
    seen, left, later = {id}, [id], list[Successor]()
    while left:
        for by in found.get(left.pop(), ()):
            later.append(by)
            if by.id not in seen:
                seen.add(by.id)
                left.append(by.id)
    return min((by for by in later if by.id != id), key=lambda s: (s.since, s.id))


def note_left_out(validity: Validity, everything: View, held: Passages, question: str, day: str) -> Note | None:
    """Name the documents among the best matches of the question which did not hold on the day."""
    # Searched without a filter: one that lets a part of a large index through costs more than the search itself.
    [hits] = everything.lexical([Lookup(question, _MATCHES)])
    there = held.passages([id for id, _ in hits])
    passages = everything.passages([id for id, _ in hits if id not in there])
    reasons: dict[str, str] = {}
    for passage in passages.values():
        if len(reasons) < _SHOWN:
            reasons.setdefault(passage.document_id, f"“{passage.label}” {validity.reason(passage, day)}")
    if not reasons:
        return None
    text = f"left out because they are not valid on {format_day(day)}: {'; '.join(reasons.values())}"
    return Note(NOT_IN_FORCE, {"as_of": day, "documents": tuple(reasons)}, text)


def _values(store: Store, field: str) -> Iterator[str]:
    return (value for value, _ in store.field_values(field, _MOST) if isinstance(value, str))


def _with(store: Store, field: str, value: str) -> list[Document]:
    ids = store.ids_with(field, value, "", _MOST)
    return [d for some in in_batches(ids, 500) for d in store.get_documents(some).values()]


def _documents_named(store: Store, name: str) -> Sequence[str]:
    """Return the documents with an id, or else with a title."""
    if store.document(name) is not None:
        return (name,)
    listed = store.documents("", name, 1000)
    return [each.id for each in listed if each.title.casefold() == name.casefold()]


def _successor(document: Document) -> Successor:
    return Successor(_begins(document.metadata), document.id, document.title or document.id)


def _begins(metadata: Metadata) -> str:
    return iso_day(metadata.get("valid_from")) or ""


def _order(document: Document) -> tuple[str, float, str]:
    try:
        version = float(str(document.metadata.get("version", 0)).lstrip("vV"))
    except ValueError:
        version = 0.0
    return _begins(document.metadata), version, document.id


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _format(day: str) -> str:
    return format_day(day) if iso_day(day) == day else day


def combine_filters(*filters: Where | None) -> Where | None:
    """Write a filter that lets through what passes all of these."""
    given = [each for each in filters if each]
    return given[0] if len(given) == 1 else {"$and": given} if given else None
