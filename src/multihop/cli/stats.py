"""`multihop stats`: counts and size of an index."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from multihop.cli.indexes import open_index
from multihop.cli.options import index_option, json_option
from multihop.cli.output import grid, open_console, print_json
from multihop.cli.processor import limitation
from multihop.index.locations import Location
from multihop.protocols import Distributed
from multihop.rendering.phrases import file_size, one_line, pluralize
from multihop.types import Stats, plain

if TYPE_CHECKING:
    from multihop.index.readers.sources import GivenSource

_MOST_SOURCES = 20


@click.command(epilog="\b\nExample:\n  multihop stats --index wiki.mh")
@index_option
@json_option
def stats(path: Location, as_json: bool) -> None:
    """Show the counts, the size and the sources of an index.

    The sources are the folders and files it was made from, with the options of multihop index stored for each.
    """
    from multihop.index.syncing import given_sources

    with open_index(path) as engine:
        statistics = engine.stats()
        nodes = engine.store.nodes() if isinstance(engine.store, Distributed) else []
        sources = given_sources(engine.store)
    if as_json:
        on = {"nodes": nodes} if nodes else {}
        of = {"sources": [_described(source) for source in sources]}
        print_json(plain(statistics) | {"bytes_per_passage": round(_bytes_per_passage(statistics), 1)} | of | on)
    else:
        on_nodes = (("" if place else "nodes", node) for place, node in enumerate(nodes))
        lacking = [("processor", lack)] if (lack := limitation()) else []
        open_console().print(grid([*_rows(statistics), *_source_rows(sources), *on_nodes, *lacking], "dim"))


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


def _described(source: GivenSource) -> dict[str, Any]:
    return {"path": source.path, "options": dict(source.options), "is_gone": source.is_gone}


def _source_rows(sources: Sequence[GivenSource]) -> Iterator[tuple[str, str]]:
    for place, source in enumerate(sources[:_MOST_SOURCES]):
        options = " ".join(_option(name, value) for name, value in sorted(source.options.items()))
        gone = "is gone" if source.is_gone else ""
        about = ", ".join(filter(None, (options, gone)))
        yield "" if place else "sources", one_line(f"{source.path} ({about})" if about else source.path)
    if (more := len(sources) - _MOST_SOURCES) > 0:
        yield "", f"and {more:,} more; --json lists all"


def _option(name: str, value: Any) -> str:
    """Write an option as on the command line."""
    flag = "--" + name.replace("_", "-")
    if isinstance(value, Mapping):
        cells = [
            (field, cell) for field, cells in value.items() for cell in (cells if isinstance(cells, list) else [cells])
        ]
        return " ".join(f"{flag} {shlex.quote(f'{field}={cell}')}" for field, cell in cells)
    if isinstance(value, bool):
        return flag if value else f"--no-{flag.removeprefix('--')}"
    return f"{flag} {shlex.quote(str(value))}"
