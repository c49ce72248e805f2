"""Details of documents and passages: text, metadata, outgoing and incoming links."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from multihop.engine import Engine
from multihop.protocols import View
from multihop.types import Link, plain

MAX_PASSAGES = 200
MAX_LINKS = 100
_ALL = 2**31 - 1

_End = dict[str, Any]
"""One end of a link, as in `LinkOut`."""


def document_details(engine: Engine, id: str) -> dict[str, Any] | None:
    """Return a document with its passages and their links, or None if the id is unknown."""
    view = engine.store.view()
    ids = view.passages_of([id], _ALL).get(id, [])
    document = engine.document(id)
    if document is None:
        return None
    # A book has thousands of passages; its full text is sent anyway.
    passages = view.passages(ids[:MAX_PASSAGES])
    out, into = _links(view, [*passages], id)
    return {
        "id": id, "title": document.title, "text": document.text, "metadata": plain(document.metadata),
        "aliases": list(document.aliases), "passages_total": len(ids),
        "passages": [
            {"id": p.id, "heading": p.heading, "page": p.page, "text": p.text, "links": out[p.id]}
            for p in passages.values()
        ],
        "links_to": into,
    }  # fmt: skip


def passage_details(engine: Engine, id: str) -> dict[str, Any] | None:
    """Return a passage with its links in both directions, or None if the id is unknown."""
    view = engine.store.view()
    passage = view.passages([id]).get(id)
    if passage is None:
        return None
    out, into = _links(view, [id], passage.document_id)
    return plain(passage) | {"links_from": out[id], "links_to": into}  # type: ignore[no-any-return]  # a dict of a dataclass


def _links(view: View, ids: Sequence[str], document: str) -> tuple[dict[str, list[_End]], list[_End]]:
    """Return outgoing links by passage and links to a document, each with the title of its other end."""
    leading, into = view.links_from(ids), view.links_to([document], MAX_LINKS)
    firsts = {d: ids[0] for d, ids in view.passages_of({link.target for link in leading}, 1).items()}
    known = view.passages([*firsts.values(), *(link.source for link in into)])
    titles = {d: known[id].label for d, id in firsts.items()}
    out: dict[str, list[_End]] = {id: [] for id in ids}
    for link in leading:
        out[link.source].append(_end(link, link.target, titles.get(link.target, link.target)))
    return out, [_end(link, link.source, known[link.source].label) for link in into]


def _end(link: Link, id: str, title: str) -> _End:
    return {"id": id, "title": title, "name": link.name, "ambiguity": link.ambiguity}
