"""`multihop show`: look at a passage or a document, and at its links."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

import click

from multihop.cli.indexes import open_index
from multihop.cli.options import WORDS, index_option, json_option
from multihop.cli.screen import grid, print_json, screen
from multihop.errors import UnknownName, suggestion
from multihop.index.locations import Location
from multihop.rendering.phrases import one_line, passage_name, pluralize, printable
from multihop.types import Link, Metadata, Passage, plain

if TYPE_CHECKING:
    from rich.console import Console

    from multihop.engine import Engine
    from multihop.protocols import View

_PASSAGES = 20
_LINKS = 20
_ALL = 2**31
_NEAR = 50
_IDS_COMPARED = 20_000


@click.command(
    epilog="\b\nExample:\n  multihop show fram-ship --index wiki.mh\n  multihop show fram-ship#0 --index wiki.mh --json"
)
@click.argument("id", type=WORDS)
@index_option
@json_option
def show(id: str, path: Location, as_json: bool) -> None:
    """Show a passage or a document with its links.

    ID is that of a passage, such as fram-ship#0, or of a document, such as fram-ship.
    """
    with open_index(path) as engine:
        sight = _look(engine, id)
    if as_json:
        print_json(_as_json(sight))
    else:
        _print(screen(), sight)


@dataclass(frozen=True, slots=True)
class _Sight:
    """Passages of a document and how many it has in all, their links, and what the ends of the links are called."""

    passages: tuple[Passage, ...]
    total: int
    out: tuple[Link, ...]
    into: tuple[Link, ...]
    titles: dict[str, str]


def _look(engine: Engine, id: str) -> _Sight:
    view = engine.store.view()
    found = view.passages([id])
    document = found[id].document_id if found else id
    ids = view.passages_of([document], _ALL).get(document, [])
    if not ids:
        raise unknown(engine, id, "passage or document")
    passages = tuple((found or view.passages(ids[:_PASSAGES])).values())
    out = view.links_from([p.id for p in passages])
    into = view.links_to([document], _LINKS)
    return _Sight(passages, len(ids), tuple(out), tuple(into), _titles(view, out, into))


def _titles(view: View, out: list[Link], into: list[Link]) -> dict[str, str]:
    firsts = {d: ids[0] for d, ids in view.passages_of({link.target for link in out}, 1).items()}
    found = view.passages([*firsts.values(), *(link.source for link in into)])
    targets = {d: one_line(found[id].title) or d for d, id in firsts.items()}
    return targets | {link.source: passage_name(found[link.source]) for link in into}


def unknown(engine: Engine, id: str, what: str) -> UnknownName:
    """Say that there is no such id, and which is nearest: of those with its words, and of the first ones."""
    from multihop.protocols import Lookup

    view = engine.store.view()
    hits = view.lexical([Lookup(id, _NEAR)])[0]
    near = {p.document_id for p in view.passages(hit for hit, _ in hits).values()}
    # In a large index only some ids can be compared; those with the same words are the likeliest.
    known = near.union(islice(engine.store.document_ids(), _IDS_COMPARED))
    return UnknownName(f"there is no {what} {id!r}: {suggestion(id, known)}")


def _as_json(sight: _Sight) -> dict[str, Any]:
    first = sight.passages[0]
    return {
        "document": first.document_id,
        "title": first.title,
        "metadata": plain(first.metadata),
        "passages_total": sight.total,
        "passages": [
            {
                "id": p.id,
                "heading": p.heading,
                "page": p.page,
                "text": p.text,
                "links_out": [_link(link, link.target, sight) for link in sight.out if link.source == p.id],
            }
            for p in sight.passages
        ],
        "links_in": [_link(link, link.source, sight) for link in sight.into],
    }


def _link(link: Link, end: str, sight: _Sight) -> dict[str, Any]:
    return {"name": link.name, "id": end, "title": sight.titles[end], "ambiguity": link.ambiguity}


def _print(console: Console, sight: _Sight) -> None:
    from rich.text import Text

    first = sight.passages[0]
    console.print(
        Text.assemble((one_line(first.title) or first.document_id, "bold"), (f"  {first.document_id}", "dim"))
    )
    if first.metadata:
        console.print(Text(_metadata(first.metadata), "dim"))
    for passage in sight.passages:
        console.print()
        page = f"  p. {passage.page}" if passage.page else ""
        console.print(Text(one_line(f"{passage.id}  {passage.heading}{page}"), "dim"))
        console.print(printable(passage.text))
        links = [(link.name, sight.titles[link.target], link.target) for link in sight.out if link.source == passage.id]
        _print_links(console, f"names {pluralize(len(links), 'document')}", "→", links)
    if sight.total > len(sight.passages):
        console.print()
        console.print(Text(f"{len(sight.passages)} of the document's {sight.total:,} passages", "dim"))
    into = [(link.name, sight.titles[link.source], link.source) for link in sight.into]
    # No more were read, so there may be others.
    many = f"{len(into)} or more passages" if len(into) == _LINKS else pluralize(len(into), "passage")
    _print_links(console, f"named by {many}", "in", into)


def _metadata(metadata: Metadata) -> str:
    said = (f"{field}: {', '.join(map(str, v)) if isinstance(v, tuple) else v}" for field, v in metadata.items())
    return one_line("  ·  ".join(said))


def _print_links(console: Console, heading: str, to: str, links: list[tuple[str, str, str]]) -> None:
    from rich.text import Text

    console.print()
    console.print(Text(heading, "bold"))
    if links:
        rows = ((f"  “{one_line(name)}”", f"{to} {title}", one_line(id)) for name, title, id in links)
        console.print(grid(rows, "cyan", "", "dim"))
