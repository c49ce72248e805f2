"""Old versions of documents, which a sync keeps instead of overwriting: "ID@1", "ID@2", each until the next begins.

The current document keeps its id, names the last old one in `supersedes` and, unless it says when it holds itself,
holds from the day on which it changed.
"""

from __future__ import annotations

import re
from dataclasses import replace

from multihop.protocols import Store
from multihop.types import Document, Scalar
from multihop.types.dates import day_before, iso_day

_VERSION = re.compile(r".+@\d+", re.DOTALL)


def with_history(store: Store, now: Document, held: Document | None, day: str) -> tuple[Document, Document | None]:
    """Return a document as the successor of its old versions, and the one that it replaces, if its text differs.

    `held` is what the index has of it, and `day` the one from which on the new one holds.
    """
    last = _count(store, now.id)
    if held is None:
        return (_succeeding(now, f"{now.id}@{last}", day) if last else now), None
    if (held.text, held.title) == (now.text, now.title):
        return _carry_over(now, held), None
    # After a crash the old one may be there already; nothing names it yet.
    number = last if last and _is_kept(store, held, f"{now.id}@{last}") else last + 1
    new = _succeeding(now, f"{now.id}@{number}", day)
    return new, _ended(held, f"{now.id}@{number}", day_before(iso_day(new.metadata["valid_from"]) or day))


def end_version(store: Store, document: Document, until: str) -> Document:
    """Return a document that is to be removed as an old version, which held until a day."""
    return _ended(document, f"{document.id}@{_count(store, document.id) + 1}", until)


def _ended(document: Document, id: str, until: str) -> Document:
    given = iso_day(document.metadata.get("valid_until"), last=True)
    last = until if given is None else min(given, until)
    return replace(document, id=id, metadata={**document.metadata, "valid_until": last})


def _count(store: Store, id: str) -> int:
    number = 0
    while store.document(f"{id}@{number + 1}") is not None:
        number += 1
    return number


def _is_kept(store: Store, held: Document, id: str) -> bool:
    old = store.document(id)
    return old is not None and (old.text, old.title) == (held.text, held.title) and id not in _superseded_ids(held)


def _superseded_ids(document: Document) -> tuple[Scalar, ...]:
    given = document.metadata.get("supersedes", ())
    return given if isinstance(given, tuple) else (given,)


def _succeeding(now: Document, old: str, day: str) -> Document:
    supersedes = tuple(dict.fromkeys((*_superseded_ids(now), old)))
    begins = {} if iso_day(now.metadata.get("valid_from")) else {"valid_from": day}
    return replace(now, metadata={**now.metadata, **begins, "supersedes": supersedes})


def _carry_over(now: Document, held: Document) -> Document:
    """Add to an unchanged document what a sync recorded of its old versions."""
    old = [id for id in _superseded_ids(held) if _VERSION.fullmatch(str(id)) and id not in _superseded_ids(now)]
    begins = held.metadata.get("valid_from")
    for id in old:
        now = _succeeding(now, str(id), str(begins))
    return now
