"""`multihop delete`: delete documents from an index."""

from __future__ import annotations

from typing import Any

import click

from multihop.cli.filters import where_option
from multihop.cli.indexes import open_index
from multihop.cli.options import TEXT, index_option, json_option, wait_option
from multihop.cli.output import print_json
from multihop.cli.show import unknown_id
from multihop.errors import InvalidInput
from multihop.index.locations import Location
from multihop.rendering.phrases import one_line, pluralize


@click.command(
    epilog="\b\nExample:\n  multihop delete fram-ship colin-archer --index wiki.mh\n"
    "  multihop delete --where country=Norway --index wiki.mh --dry-run"
)
@click.argument("ids", nargs=-1, type=TEXT, metavar="[ID]...")
@where_option
@click.option("--dry-run", is_flag=True, help="Only list what would be deleted.")
@index_option
@wait_option
@json_option
def delete(
    ids: tuple[str, ...], where: dict[str, Any], dry_run: bool, path: Location, wait: float, as_json: bool
) -> None:
    """Delete documents by id or by metadata.

    Ids that are not in the index are listed and skipped. A document from a synced folder comes back with the next sync
    unless its file is gone.
    """
    from multihop.index.syncing import PATH

    if bool(ids) == bool(where):
        raise click.UsageError("give the ids of documents, or --where CONDITION, and not both")
    with open_index(path, wait=wait) as engine:
        if where:
            ids = tuple(document.id for document in engine.documents(where=where))
            if not ids:
                hints = (hint.text for hint in engine.filter_hints(where))
                raise InvalidInput(". ".join(("no document meets the condition", *hints)))
        if dry_run:
            # The same id may be given twice.
            _list([id for id in dict.fromkeys(ids) if engine.document(id) is not None], as_json)
            return
        # Looked up first, since afterwards it is unknown which ones existed.
        documents = {id: engine.document(id) for id in dict.fromkeys(ids)}
        missing = [id for id, document in documents.items() if document is None]
        from_files = sum(document is not None and PATH in document.metadata for document in documents.values())
        deleted = engine.delete(ids).documents
        if as_json:
            print_json({"deleted": deleted, "unknown": missing, "generation": engine.store.generation})
        if not deleted:
            raise unknown_id(engine, missing[0], "document")
    if not as_json:
        unknown = f"; not in the index: {one_line(', '.join(missing))}" if missing else ""
        click.echo(f"{pluralize(deleted, 'document')} deleted{unknown}")
        if from_files:
            said = f"{pluralize(from_files, 'document')} came from files; the next sync adds them again"
            click.echo(f"{said} unless the files are gone", err=True)


def _list(ids: list[str], as_json: bool) -> None:
    if as_json:
        print_json({"would_delete": ids})
        return
    for id in ids:
        click.echo(one_line(id))
    click.echo(f"{pluralize(len(ids), 'document')} would be deleted", err=True)
