"""`multihop stats`: counts and size of an index."""

from __future__ import annotations

import click

from multihop.cli.indexes import open_index
from multihop.cli.options import index_option, json_option
from multihop.cli.output import grid, open_console, print_json
from multihop.index.locations import Location
from multihop.processor import limitation
from multihop.protocols import Distributed
from multihop.rendering.phrases import file_size, one_line, pluralize
from multihop.types import Stats, plain


@click.command(epilog="\b\nExample:\n  multihop stats --index wiki.mh")
@index_option
@json_option
def stats(path: Location, as_json: bool) -> None:
    """Show the counts of an index and its size on disk."""
    with open_index(path) as engine:
        found = engine.stats()
        nodes = engine.store.nodes() if isinstance(engine.store, Distributed) else []
    if as_json:
        on = {"nodes": nodes} if nodes else {}
        print_json(plain(found) | {"bytes_per_passage": round(_bytes_per_passage(found), 1)} | on)
    else:
        on_nodes = (("" if place else "nodes", node) for place, node in enumerate(nodes))
        lacking = [("processor", lack)] if (lack := limitation()) else []
        open_console().print(grid([*_rows(found), *on_nodes, *lacking], "dim"))


def _bytes_per_passage(found: Stats) -> float:
    return found.bytes / found.passages if found.passages else 0.0


def _rows(found: Stats) -> list[tuple[str, str]]:
    fields = ", ".join(f"{one_line(name)} ({pluralize(n, 'value')})" for name, n in found.fields.items())
    counts = ("documents", "passages", "names", "mentions", "relations", "vectors")
    return [
        *((name, f"{getattr(found, name):,}") for name in counts),
        ("embedder", found.embedder or "none"),
        ("metadata fields", fields or "none"),
        ("size on disk", f"{file_size(found.bytes)}, {file_size(_bytes_per_passage(found))} per passage"),
        ("generation", f"{found.generation:,}"),
        ("format", f"{found.format}"),
    ]
