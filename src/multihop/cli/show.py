"""`multihop show`: print a passage or a document with its links."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

import click

from multihop.cli.indexes import open_index
from multihop.cli.options import TEXT, index_option, json_option
from multihop.cli.output import grid, open_console, print_json
from multihop.errors import UnknownName, suggestion
from multihop.index.locations import Location
from multihop.rendering.phrases import one_line, passage_name, pluralize, printable
from multihop.types import Link, Metadata, Passage, plain

if TYPE_CHECKING:
    from rich.console import Console

    from multihop.engine import Engine
    from multihop.protocols import View

_MAX_PASSAGES = 20
_MAX_LINKS = 20
_UNLIMITED = 2**31
_CANDIDATES = 50
_IDS_COMPARED = 20_000


@click.command(
    epilog="\b\nExample:\n  multihop show fram-ship --index wiki.mh\n  multihop show fram-ship#0 --index wiki.mh --json"
)
@click.argument("id", type=TEXT)
@index_option
@json_option
def show(id: str, path: Location, as_json: bool) -> None:
    """Show a passage or a document with its links.

    ID is the id of a passage, such as fram-ship#0, or of a document, such as fram-ship.
    """
    with open_index(path) as engine:
        contents = _load_contents(engine, id)
    if as_json:
        print_json(_as_json(contents))
    else:
        _print(open_console(), contents)


@dataclass(frozen=True, slots=True)
class _Contents:
    """Passages of a document, their total number, their links, and the titles of the link targets."""

    passages: tuple[Passage, ...]
    total: int
    out: tuple[Link, ...]
    into: tuple[Link, ...]
    titles: dict[str, str]


def _load_contents(engine: Engine, id: str) -> _Contents:
    view = engine.store.view()
    loaded = view.passages([id])
    document = loaded[id].document_id if loaded else id
    ids = view.passages_of([document], _UNLIMITED).get(document, [])
    if not ids:
        raise unknown_id(engine, id, "passage or document")
    passages = tuple((loaded or view.passages(ids[:_MAX_PASSAGES])).values())
    out = view.links_from([p.id for p in passages])
    into = view.links_to([document], _MAX_LINKS)
    return _Contents(passages, len(ids), tuple(out), tuple(into), _titles(view, out, into))


def _titles(view: View, out: list[Link], into: list[Link]) -> dict[str, str]:
    firsts = {d: ids[0] for d, ids in view.passages_of({link.target for link in out}, 1).items()}
    passages = view.passages([*firsts.values(), *(link.source for link in into)])
    targets = {d: one_line(passages[id].title) or d for d, id in firsts.items()}
    return targets | {link.source: passage_name(passages[link.source]) for link in into}


def unknown_id(engine: Engine, id: str, what: str) -> UnknownName:
    """Make the error for an unknown id, with the nearest existing id."""
    from multihop.protocols import Lookup

    view = engine.store.view()
    hits = view.lexical([Lookup(id, _CANDIDATES)])[0]
    near = {p.document_id for p in view.passages(hit for hit, _ in hits).values()}
    # A large index has too many ids to compare; those that match its words are the likeliest.
    known = near.union(islice(engine.store.document_ids(), _IDS_COMPARED))
    return UnknownName(f"there is no {what} {id!r}: {suggestion(id, known)}")


def _as_json(contents: _Contents) -> dict[str, Any]:
    first = contents.passages[0]
    return {
        "document": first.document_id,
        "title": first.title,
        "metadata": plain(first.metadata),
        "passages_total": contents.total,
        "passages": [
            {
                "id": p.id,
                "heading": p.heading,
                "page": p.page,
                "text": p.text,
                "links_out": [_link(link, link.target, contents) for link in contents.out if link.source == p.id],
            }
            for p in contents.passages
        ],
        "links_in": [_link(link, link.source, contents) for link in contents.into],
    }


def _link(link: Link, end: str, contents: _Contents) -> dict[str, Any]:
    return {"name": link.name, "id": end, "title": contents.titles[end], "ambiguity": link.ambiguity}


def _print(console: Console, contents: _Contents) -> None:
    from rich.text import Text

    first = contents.passages[0]
    id = one_line(first.document_id)
    console.print(Text.assemble((one_line(first.title) or id, "bold"), (f"  {id}", "dim")))
    if first.metadata:
        console.print(Text(_metadata(first.metadata), "dim"))
    for passage in contents.passages:
        console.print()
        page = f"  p. {passage.page}" if passage.page else ""
        console.print(Text(one_line(f"{passage.id}  {passage.heading}{page}"), "dim"))
        console.print(printable(passage.text))
        links = [
            (link.name, contents.titles[link.target], link.target) for link in contents.out if link.source == passage.id
        ]
        _print_links(console, f"names {pluralize(len(links), 'document')}", "→", links)
    if contents.total > len(contents.passages):
        console.print()
        console.print(Text(f"{len(contents.passages)} of the document's {contents.total:,} passages", "dim"))
    into = [(link.name, contents.titles[link.source], link.source) for link in contents.into]
    # Reading stopped at the limit, so there may be more.
    many = f"{len(into)} or more passages" if len(into) == _MAX_LINKS else pluralize(len(into), "passage")
    _print_links(console, f"named by {many}", "in", into)


def _metadata(metadata: Metadata) -> str:
    said = (f"{field}: {', '.join(map(str, v)) if isinstance(v, tuple) else v}" for field, v in metadata.items())
    return one_line("  ·  ".join(said))


def _print_links(console: Console, heading: str, to: str, links: list[tuple[str, str, str]]) -> None:
    from rich.text import Text

    console.print()
    console.print(Text(heading, "bold"))
    if links:
        rows = ((f"  “{one_line(name)}”", f"{to} {one_line(title)}", one_line(id)) for name, title, id in links)
        console.print(grid(rows, "cyan", "", "dim"))
