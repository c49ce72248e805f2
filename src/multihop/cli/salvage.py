"""`multihop salvage`: recover documents from a damaged index."""

from __future__ import annotations

from pathlib import Path

import click

from multihop.cli.export import write_documents
from multihop.cli.options import PATH, index_option, json_option
from multihop.cli.output import print_json
from multihop.errors import InvalidInput
from multihop.index.locations import Location
from multihop.rendering.phrases import pluralize


@click.command(
    epilog="\b\nExample:\n  multihop salvage --index broken.mh --out saved.jsonl\n"
    "  multihop index saved.jsonl --to whole.mh"
)
@index_option
@click.option("--out", required=True, type=PATH, metavar="FILE", help="The file to write the documents to.")
@json_option
def salvage(path: Location, out: Path, as_json: bool) -> None:
    """Recover documents from a damaged index as JSON Lines.

    The index itself is not changed. Incomplete documents are written too and listed. Exits with 1 if anything is
    missing.
    """
    from multihop.index.stores.sqlite.salvage import salvage as read

    if not isinstance(path, Path):
        raise InvalidInput("salvage reads the folder of an index; PostgreSQL has its own tools for damaged databases")
    # Never overwrite: the existing file may be all that is left of the index.
    if out.exists():
        raise InvalidInput(f"{str(out)!r} already exists; choose another file or delete it first")
    recovered = read(path)
    with out.open("x", encoding="utf-8") as file:
        write_documents(recovered.documents, file)
    if as_json:
        print_json({"documents": len(recovered.documents), "incomplete": recovered.incomplete, "lost": recovered.lost})
    else:
        click.echo(f"{pluralize(len(recovered.documents), 'document')} written to {out}")
        for id in recovered.incomplete:
            click.echo(f"{id!r} is incomplete", err=True)
        if recovered.lost:
            click.echo(f"{pluralize(recovered.lost, 'document')} could not be read", err=True)
    if recovered.incomplete or recovered.lost:
        raise click.exceptions.Exit(1)
