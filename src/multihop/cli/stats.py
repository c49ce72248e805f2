"""`multihop stats`: counts and size of an index."""

from __future__ import annotations

import click

from multihop.cli.indexes import open_index
from multihop.cli.options import index_option, json_option
from multihop.cli.output import grid, open_console, print_json
from multihop.cli.processor import limitation
from multihop.index.locations import Location
from multihop.protocols import Distributed
from multihop.rendering.phrases import file_size, one_line, pluralize
from multihop.types import Stats, plain


@click.command(epilog="\b\nExample:\n  multihop stats --index wiki.mh")
@index_option
@json_option
def stats(path: Location, as_json: bool) -> None:
    """Show the counts of an index and its size on disk."""
    with open_index(path) as engine:
        statistics = engine.stats()
        nodes = engine.store.nodes() if isinstance(engine.store, Distributed) else []
    if as_json:
        on = {"nodes": nodes} if nodes else {}
        print_json(plain(statistics) | {"bytes_per_passage": round(_bytes_per_passage(statistics), 1)} | on)
    else:
        on_nodes = (("" if place else "nodes", node) for place, node in enumerate(nodes))
        lacking = [("processor", lack)] if (lack := limitation()) else []
        open_console().print(grid([*_rows(statistics), *on_nodes, *lacking], "dim"))


def _bytes_per_passage(statistics: Stats) -> float:
    return statistics.bytes / statistics.passages if statistics.passages else 0.0


def _rows(statistics: Stats) -> list[tuple[str, str]]:
    fields = ", ".join(f"{one_line(name)} ({pluralize(n, 'value')})" for name, n in statistics.fields.items())
    counts = ("documents", "passages", "names", "mentions", "relations", "vectors")
    return [
        *((name, f"{getattr(statistics, name):,}") for name in counts),
        ("embedder", statistics.embedder or "none"),
        ("metadata fields", fields or "none"),
        ("size on disk", f"{file_size(statistics.bytes)}, {file_size(_bytes_per_passage(statistics))} per passage"),
        ("generation", f"{statistics.generation:,}"),
        ("format", f"{statistics.format}"),
    ]
