"""`multihop list`: list the documents of an index, or the values of a metadata field."""

from __future__ import annotations

from itertools import islice
from typing import Any

import click

from multihop.cli.filters import where_option
from multihop.cli.indexes import open_index
from multihop.cli.options import TEXT, index_option, json_option
from multihop.cli.output import grid, open_console, print_json
from multihop.errors import UnknownName, suggestion
from multihop.index.locations import Location
from multihop.rendering.phrases import one_line, pluralize
from multihop.types import plain

prefix_option = click.option(
    "--prefix", type=TEXT, default="", help="Only documents whose id or title starts with this."
)
search_option = click.option("--search", type=TEXT, default="", help="Only documents whose id or title contains this.")


@click.command(
    "list",
    epilog="\b\nExample:\n  multihop list --index wiki.mh --where country=Norway\n"
    "  multihop list --index wiki.mh --values country",
)
@index_option
@where_option
@prefix_option
@search_option
@click.option("--values", "field", type=TEXT, metavar="FIELD", help="List the values of a metadata field instead.")
@click.option("--limit", type=click.IntRange(1), default=100, show_default=True, help="Maximum number to list.")
@json_option
def list_documents(
    path: Location, where: dict[str, Any], prefix: str, search: str, field: str | None, limit: int, as_json: bool
) -> None:
    """List documents, or the values of a metadata field."""
    if field is not None:
        if where or prefix or search:
            raise click.UsageError("--values counts all documents; leave out --where, --prefix and --search")
        _list_values(path, field, limit, as_json)
        return
    with open_index(path) as engine:
        # Read one more than shown, to tell whether there are more.
        documents = list(islice(engine.documents(where=where or None, prefix=prefix, search=search), limit + 1))
    shown = documents[:limit]
    if as_json:
        print_json({"documents": [plain(d._asdict()) for d in shown], "more": len(documents) > limit})
        return
    open_console().print(grid(((one_line(d.id), one_line(d.title)) for d in shown), "bold"))
    cut = f"; there are more than --limit {limit}" if len(documents) > limit else ""
    click.echo(f"{pluralize(len(shown), 'document')}{cut}", err=True)


def _list_values(path: Location, field: str, limit: int, as_json: bool) -> None:
    with open_index(path) as engine:
        values = engine.values(field, limit=limit)
        if not values:
            known = suggestion(field, engine.stats().fields)
            raise UnknownName(f"no document has the metadata field {field!r}: {known}")
    if as_json:
        print_json({"field": field, "values": [{"value": value, "documents": count} for value, count in values]})
    else:
        open_console().print(grid((one_line(str(value)), f"{count:,}") for value, count in values))
