"""Documents and passages as a reader of the index sees them: their text, and the links that go out and come in."""

from __future__ import annotations

from typing import Any

from multihop.engine import Engine
from multihop.protocols import View
from multihop.types import Link, Passage, plain

MOST_PASSAGES = 200
MOST_LINKS = 100
_ALL = 2**31 - 1


def document(engine: Engine, id: str) -> dict[str, Any] | None:
    """Show a document with its passages and their links; None when there is none of that id."""
    view = engine.store.view()
    ids = view.passages_of([id], _ALL).get(id, [])
    found = engine.document(id)
    if found is None:
        return None
    # A book has thousands of passages; its whole text is sent anyway.
    passages = list(view.passages(ids[:MOST_PASSAGES]).values())
    out = view.links_from([p.id for p in passages])
    into = view.links_to([id], MOST_LINKS)
    titles = _titles(view, out, into)
    return {
        "id": id, "title": found.title, "text": found.text, "metadata": plain(found.metadata),
        "aliases": list(found.aliases), "passages_total": len(ids),
        "passages": [
            {"id": p.id, "heading": p.heading, "page": p.page, "text": p.text, "links": _out(out, p, titles)}
            for p in passages
        ],
        "links_to": _into(into, titles),
    }  # fmt: skip


def passage(engine: Engine, id: str) -> dict[str, Any] | None:
    """Show a passage, what it names and what names its document; None when there is none of that id."""
    view = engine.store.view()
    found = view.passages([id]).get(id)
    if found is None:
        return None
    out = view.links_from([id])
    into = view.links_to([found.document_id], MOST_LINKS)
    titles = _titles(view, out, into)
    links = {"links_from": _out(out, found, titles), "links_to": _into(into, titles)}
    return plain(found) | links  # type: ignore[no-any-return]  # a dataclass always becomes a dict


def _out(links: list[Link], passage: Passage, titles: dict[str, str]) -> list[dict[str, Any]]:
    return [_end(link, link.target, titles) for link in links if link.source == passage.id]


def _into(links: list[Link], titles: dict[str, str]) -> list[dict[str, Any]]:
    return [_end(link, link.source, titles) for link in links]


def _end(link: Link, id: str, titles: dict[str, str]) -> dict[str, Any]:
    return {"id": id, "title": titles.get(id, id), "name": link.name, "ambiguity": link.ambiguity}


def _titles(view: View, out: list[Link], into: list[Link]) -> dict[str, str]:
    """What the documents that links lead to, and the passages that they come from, are called."""
    firsts = {d: ids[0] for d, ids in view.passages_of({link.target for link in out}, 1).items()}
    found = view.passages([*firsts.values(), *(link.source for link in into)])
    targets = {d: found[id].label for d, id in firsts.items()}
    return targets | {link.source: found[link.source].label for link in into}
