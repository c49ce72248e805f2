"""`multihop delete`: delete documents from an index."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from multihop.cli.filters import where_option
from multihop.cli.indexes import open_index
from multihop.cli.options import PATH as PATH_TYPE, TEXT, index_option, json_option, wait_option
from multihop.cli.output import print_json
from multihop.cli.show import unknown_id
from multihop.errors import InvalidInput
from multihop.index.locations import Location
from multihop.rendering.phrases import one_line, pluralize


@click.command(
    epilog="\b\nExample:\n  multihop delete fram-ship colin-archer --index wiki.mh\n"
    "  multihop delete --where country=Norway --index wiki.mh --dry-run\n"
    "  multihop delete --source reports/ --index wiki.mh"
)
@click.argument("ids", nargs=-1, type=TEXT, metavar="[ID]...")
@where_option
@click.option(
    "--source", type=PATH_TYPE, metavar="PATH",
    help="Delete what was read from this folder or file, even if it is gone, and forget its options.",
)  # fmt: skip
@click.option("--dry-run", is_flag=True, help="Only list what would be deleted.")
@index_option
@wait_option
@json_option
def delete(
    ids: tuple[str, ...],
    where: dict[str, Any],
    source: Path | None,
    dry_run: bool,
    path: Location,
    wait: float,
    as_json: bool,
) -> None:
    """Delete documents by id, by metadata or by source.

    Ids that are not in the index are listed and skipped. A document from a synced folder comes back with the next sync
    unless its file is gone.
    """
    from multihop.index.syncing import PATH, ids_from

    if [bool(ids), bool(where), source is not None].count(True) != 1:
        raise click.UsageError("give the ids of documents, --where CONDITION or --source PATH, and only one of them")
    with open_index(path, wait=wait) as engine:
        if where:
            ids = tuple(document.id for document in engine.documents(where=where))
            if not ids:
                hints = (hint.text for hint in engine.filter_hints(where))
                raise InvalidInput(". ".join(("no document meets the condition", *hints)))
        if source is not None:
            ids = tuple(ids_from(engine.store, source))
        if dry_run:
            # The same id may be given twice.
            _list([id for id in dict.fromkeys(ids) if engine.document(id) is not None], as_json)
            return
        # Looked up first, since afterwards it is unknown which ones existed.
        missing, from_files = [], 0
        for id in dict.fromkeys(ids):
            document = engine.document(id)
            if document is None:
                missing.append(id)
            elif PATH in document.metadata:
                from_files += 1
        deleted = (engine.delete(ids) if source is None else engine.delete(source=source)).documents
        if as_json:
            print_json({"deleted": deleted, "unknown": missing, "generation": engine.store.generation})
        if not deleted and source is None:
            raise unknown_id(engine, missing[0], "document")
    if not as_json:
        unknown = f"; not in the index: {one_line(', '.join(missing))}" if missing else ""
        click.echo(f"{pluralize(deleted, 'document')} deleted{unknown}")
        if from_files and (source is None or source.exists()):
            said = f"{pluralize(from_files, 'document')} came from files; the next sync adds them again"
            click.echo(f"{said} unless the files are gone", err=True)


def _list(ids: list[str], as_json: bool) -> None:
    if as_json:
        print_json({"would_delete": ids})
        return
    for id in ids:
        click.echo(one_line(id))
    click.echo(f"{pluralize(len(ids), 'document')} would be deleted", err=True)
