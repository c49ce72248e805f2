"""`multihop export`: write the documents of an index as JSON Lines, which `multihop index` can read."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TextIO

import click

from multihop.cli.filters import where_option
from multihop.cli.indexes import open_index
from multihop.cli.list import prefix_option, search_option
from multihop.cli.options import PATH, index_option, json_option
from multihop.cli.output import print_json
from multihop.errors import InvalidInput
from multihop.index.locations import Location
from multihop.rendering.phrases import pluralize
from multihop.types import Document, plain


@click.command(
    epilog="\b\nExample:\n  multihop export --index wiki.mh --out wiki.jsonl\n"
    "  multihop export --index wiki.mh --where country=Norway | gzip > norway.jsonl.gz"
)
@index_option
@where_option
@prefix_option
@search_option
@click.option("--out", type=PATH, metavar="FILE", help="The file to write; by default stdout.")
@json_option
def export(path: Location, where: dict[str, Any], prefix: str, search: str, out: Path | None, as_json: bool) -> None:
    """Write documents as JSON Lines."""
    if as_json and out is None:
        raise click.UsageError("--json prints a summary on stdout, so the documents need --out FILE")
    if out is not None and out.exists():
        raise InvalidInput(f"{str(out)!r} already exists; choose another file or delete it first")
    with open_index(path) as engine:
        listed = engine.documents(where=where or None, prefix=prefix, search=search)
        # Skip a document that another process deletes after it was listed.
        documents = (document for each in listed if (document := engine.document(each.id)) is not None)
        if out is None:
            count = write_documents(documents, sys.stdout)
        else:
            # Fails if the file was created since the check above.
            with out.open("x", encoding="utf-8") as file:
                count = write_documents(documents, file)
    if as_json:
        print_json({"documents": count, "out": str(out)})
    else:
        click.echo(f"{pluralize(count, 'document')} written", err=True)


def write_documents(documents: Iterable[Document], out: TextIO) -> int:
    """Write documents one per line and return their number."""
    count = 0
    # In other encodings, escape characters that they may lack.
    unicode = (out.encoding or "").lower().replace("-", "") == "utf8"
    for document in documents:
        out.write(json.dumps(plain(document), ensure_ascii=not unicode) + "\n")
        count += 1
    return count
