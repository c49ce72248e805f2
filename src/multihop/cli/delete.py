"""`multihop delete`: take documents out of an index."""

from __future__ import annotations

import click

from multihop.cli.indexes import open_index
from multihop.cli.options import WORDS, index_option, json_option, wait_option
from multihop.cli.screen import print_json
from multihop.cli.show import unknown
from multihop.index.locations import Location
from multihop.rendering.phrases import counted, one_line


@click.command(epilog="\b\nExample:\n  multihop delete fram-ship colin-archer --index wiki.mh")
@click.argument("ids", nargs=-1, required=True, type=WORDS, metavar="ID...")
@index_option
@wait_option
@json_option
def delete(ids: tuple[str, ...], path: Location, wait: float, as_json: bool) -> None:
    """Delete documents by id. Ids that are not in the index are listed and skipped."""
    with open_index(path, wait=wait) as engine:
        missing = [id for id in dict.fromkeys(ids) if engine.document(id) is None]
        deleted = engine.delete(ids).documents
        if as_json:
            print_json({"deleted": deleted, "unknown": missing, "generation": engine.store.generation})
        if not deleted:
            raise unknown(engine, missing[0], "document")
    if not as_json:
        click.echo(_summary(deleted, missing))


def _summary(deleted: int, missing: list[str]) -> str:
    done = f"{counted(deleted, 'document')} deleted"
    return f"{done}; not in the index: {one_line(', '.join(missing))}" if missing else done
