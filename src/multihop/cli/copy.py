"""`multihop copy`: copy an index from one store to another."""

from __future__ import annotations

from functools import partial

import click

from multihop.cli.options import INDEX, json_option, wait_option
from multihop.cli.output import open_console, print_json
from multihop.cli.progress import progress_bar
from multihop.errors import InvalidInput
from multihop.index.locations import Location, redact
from multihop.rendering.phrases import pluralize
from multihop.types import plain


@click.command(
    epilog="\b\nExample:\n  multihop copy wiki.mh postgresql://indexer@db/search?index=wiki\n"
    "  multihop copy postgresql://reader@db/search?index=wiki wiki.mh"
)
@click.argument("source", type=INDEX, metavar="FROM")
@click.argument("target", type=INDEX, metavar="TO")
@click.option("--distribute", is_flag=True, help="Spread TO, on a server, over the nodes of its Citus cluster.")
@wait_option
@json_option
def copy(source: Location, target: Location, distribute: bool, wait: float, as_json: bool) -> None:
    """Copy an index: documents, passages, vectors and relations.

    FROM and TO are folders or URLs (postgresql://…). Vectors are copied, not recomputed. An interrupted copy resumes
    where it stopped. Documents that only TO has are removed. At the end both indexes are compared.
    """
    from multihop.index.copying import copy as copy_index
    from multihop.index.links.mentions import MentionLinker
    from multihop.index.stores import open_store

    if source == target:
        raise InvalidInput(f"{redact(source)!r} cannot be copied to itself")
    # Vectors are copied as stored, so no embedder is needed.
    with progress_bar(open_console(stderr=True), wanted=not as_json) as progress:
        done = copy_index(
            partial(open_store, source, MentionLinker(), wait=wait),
            partial(open_store, target, MentionLinker(), wait=wait, distribute=distribute),
            progress,
        )
    if as_json:
        print_json(plain(done))
        return
    held = done.contents
    click.echo(
        f"{pluralize(done.copied, 'document')} copied, {done.unchanged:,} unchanged, {done.removed:,} removed; "
        f"both hold {pluralize(held.documents, 'document')}, {pluralize(held.passages, 'passage')}, "
        f"{pluralize(held.vectors, 'vector')}, {pluralize(held.relations, 'relation')} (checksum {held.checksum})"
    )
