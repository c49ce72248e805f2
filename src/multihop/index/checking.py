"""Documents that can be indexed: what a caller gives is checked before anything is stored."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

from multihop.errors import InvalidRecord
from multihop.index.readers import NOBODY, checked_id, checked_metadata
from multihop.index.streams import Seen
from multihop.protocols import Store
from multihop.types import ALLOW, Check, Document, Listed

_BATCH, _MOST_NAMED = 500, 5


def usable_documents(
    documents: Iterable[Document | InvalidRecord],
    taken: Callable[[str], Document | None] | None,
    on_problem: Callable[[InvalidRecord], object] | None,
) -> Iterator[Document]:
    """Yield the documents that can be indexed; what is wrong with the others is raised, or given to `on_problem`."""
    seen = Seen()
    for document in documents:
        try:
            usable = _check(document)
            if not seen.add(usable.id):
                raise InvalidRecord(f"two documents of one call have the id {usable.id!r}; give each its own")
            # The very same document takes nobody's place: work done again after a crash meets its own documents.
            if taken is not None and taken(usable.id) not in (None, usable):
                raise InvalidRecord(
                    f"the index has a document {usable.id!r} already; give another id, or ask to replace it"
                )
        except InvalidRecord as problem:
            if on_problem is None:
                problem.add_note("To pass over what cannot be indexed, give add an on_problem, such as print.")
                raise
            on_problem(problem)
        else:
            yield usable


def _check(document: Document | InvalidRecord) -> Document:
    if isinstance(document, InvalidRecord):
        raise document
    if not isinstance(document, Document):
        raise InvalidRecord(f"expected a multihop.Document, got {type(document).__name__}")
    if not isinstance(document.id, str):
        raise InvalidRecord(f"a document id is a text, got {document.id!r:.80}")
    checked_id(document.id)
    if not isinstance(document.text, str):
        raise InvalidRecord(
            f"the text of document {document.id!r} must be a string, not {type(document.text).__name__}"
        )
    if not document.text.strip():
        raise InvalidRecord(f"document {document.id!r} has no text")
    if not isinstance(document.title, str):
        raise InvalidRecord(f"document {document.id!r} has the title {document.title!r:.80}; a title is a text")
    if not isinstance(document.aliases, tuple | list) or not all(isinstance(a, str) for a in document.aliases):
        raise InvalidRecord(f"document {document.id!r} has the aliases {document.aliases!r:.80}; give a list of texts")
    if not isinstance(document.metadata, Mapping):
        raise InvalidRecord(f"document {document.id!r} has the metadata {document.metadata!r:.80}; give a mapping")
    try:
        document = replace(document, metadata=checked_metadata(document.metadata))
    except InvalidRecord as problem:
        raise InvalidRecord(f"document {document.id!r} has {problem}") from problem
    # An index has no rows for an empty list: it would be that of a document without the field, which all may read.
    if names_nobody(document):
        raise InvalidRecord(f"document {document.id!r}: {NOBODY}")
    return document


def names_nobody(document: Document | Listed) -> bool:
    """Return whether the list of readers is empty, as only versions that did not refuse that have stored it."""
    return document.metadata.get(ALLOW) in ((), [])


def check_rights(store: Store) -> list[Check]:
    """Report the documents whose list of readers is empty."""
    found = [document.id for document in _listed(store) if names_nobody(document)]
    if not found:
        return []
    named = ", ".join(found[:_MOST_NAMED]) + (", …" if len(found) > _MOST_NAMED else "")
    said = f"{len(found)} with an empty list {ALLOW!r}; add again with names, or without the list: {named}"
    return [Check("readers of documents", False, said)]


def _listed(store: Store) -> Iterator[Listed]:
    after = ""
    while part := store.documents(after, "", _BATCH):
        after = part[-1].id
        yield from part
