"""`multihop index`: put documents into an index."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import click

from multihop.cli.indexes import open_index, open_to_add
from multihop.cli.options import INDEX, WORDS, embedder_option, json_option, wait_option
from multihop.cli.progress import progress_bar
from multihop.cli.screen import print_json, screen
from multihop.cli.skipped import Skipped, say
from multihop.errors import IndexNotFound, InvalidInput, InvalidRecord
from multihop.index.locations import Location, redacted
from multihop.rendering.phrases import counted
from multihop.types import Changed, Document, Metadata, Scalar, plain

if TYPE_CHECKING:
    from multihop.index.readers import SourceNames

_STDIN = "-"


def _metadata(
    context: click.Context, option: click.Parameter, given: Sequence[str]
) -> dict[str, Scalar | tuple[Scalar, ...]]:
    """Read FIELD=VALUE as a cell of a CSV file would be read; a field given several times has several values."""
    from multihop.index.readers.record import typed

    found: dict[str, tuple[Scalar, ...]] = {}
    for each in given:
        field, equals, value = (part.strip() for part in each.partition("="))
        if not (field and equals and value):
            raise click.BadParameter(f"{each!r} is not metadata; write FIELD=VALUE", context, option)
        found[field] = (*found.get(field, ()), typed(value))
    return {field: values[0] if len(values) == 1 else values for field, values in found.items()}


@click.command(
    epilog="\b\nExample:\n  multihop index corpus.jsonl --to wiki.mh\n"
    "  multihop index reports/ notes.md --to wiki.mh --embedder wordllama\n"
    "  zcat dump.jsonl.gz | multihop index - --to wiki.mh"
)
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@click.option(
    "--to", "--store", "path", required=True, type=INDEX, metavar="INDEX",
    help="The index, a folder or postgresql://…; created if it does not exist.",
)  # fmt: skip
@click.option("--distribute", is_flag=True, help="Spread an index on a server over the nodes of its Citus cluster.")
@click.option("--format", metavar="FORMAT", help="Read every source in this format, regardless of its name.")
@click.option(
    "--metadata", type=WORDS, multiple=True, callback=_metadata, metavar="FIELD=VALUE",
    help="Give every document this metadata, unless it has the field itself. May be repeated.",
)  # fmt: skip
@click.option("--strict", is_flag=True, help="Stop at the first record that cannot be read.")
@click.option("--whole", is_flag=True, help="Keep every document as one passage, for corpora that are already split.")
@click.option("--word2vec", is_flag=True, help="Also learn word vectors from the passages, for the strategy hybrid.")
@embedder_option
@wait_option
@json_option
def index(
    sources: tuple[str, ...],
    path: Location,
    distribute: bool,
    format: str | None,
    metadata: dict[str, Scalar | tuple[Scalar, ...]],
    strict: bool,
    whole: bool,
    word2vec: bool,
    embedder: str | None,
    wait: float,
    as_json: bool,
) -> None:
    """Add documents to an index, or replace those whose id it knows.

    SOURCE is a file, a folder of files, or - for JSON Lines from stdin. Files may be jsonl, json, csv, tsv, markdown,
    html, txt, pdf or docx, and compressed with gzip or zstd. A record that cannot be read is reported and skipped;
    where nothing could be indexed, the command fails.
    """
    console = screen(stderr=True)
    names, added = _names(path)
    known = names.dump()
    skipped = Skipped(console, strict=strict, keep=as_json)
    trained = None
    with ExitStack() as stack:
        records = _records(sources, format, path, names, stack)
        for note in names.notes:
            say(console, note)
        documents = _labeled(skipped.without(records), metadata)
        # An index is made for the first document, so that none is made for nothing.
        for first in documents:
            with (
                open_to_add(path, embedder, wait, distribute) as engine,
                progress_bar(console, wanted=not as_json) as progress,
            ):
                added = engine.add(chain((first,), documents), whole=whole, progress=progress, on_problem=skipped.name)
                if names.dump() != known:
                    engine.store.put_blob(names.BLOB, names.dump())
                trained = engine.train_word2vec(progress=progress) if word2vec else None
    skipped.sum_up()
    if as_json:
        said = {"index": redacted(path), **plain(added), "skipped": skipped.count, "problems": skipped.problems}
        print_json(said | {"notes": names.notes} | ({"word2vec": plain(trained)} if trained else {}))
    elif added.documents:
        click.echo(_summary(path, added, skipped.count))
        if trained:
            new = counted(trained.new, "new passage")
            click.echo(f"word2vec: {counted(trained.words, 'word')} and terms known, {new} read")
    if not added.documents:
        reason = f"{counted(skipped.count, 'record')} skipped" if skipped.count else "the sources hold no documents"
        raise click.ClickException(f"nothing was indexed: {reason}")


def _labeled(documents: Iterable[Document], metadata: Metadata) -> Iterator[Document]:
    """Give documents metadata; what they say themselves stays."""
    for document in documents:
        yield replace(document, metadata={**metadata, **document.metadata}) if metadata else document


def _names(index: Location) -> tuple[SourceNames, Changed]:
    """Open the names of the sources that the index was given before, and say at which generation it is."""
    from multihop.index.readers import SourceNames

    try:
        with open_index(index) as engine:
            kept = engine.store.get_blob(SourceNames.BLOB)
            return SourceNames.load(kept[1] if kept else None), Changed(generation=engine.store.generation)
    except IndexNotFound:
        return SourceNames(), Changed()


def _records(
    sources: Iterable[str], format: str | None, index: Location, names: SourceNames, stack: ExitStack
) -> Iterator[Document | InvalidRecord]:
    """Read all sources one after another; what is wrong with a path or a format is raised before anything is read."""
    from multihop.index.readers import read

    streams: list[Iterator[Document | InvalidRecord]] = []
    for source in sources:
        if source == _STDIN:
            streams.append(_stdin(format, names, stack))
            continue
        if isinstance(index, Path) and Path(source).is_dir() and index.resolve().is_relative_to(Path(source).resolve()):
            raise InvalidInput(
                f"the index {str(index)!r} is inside {source!r}, which is to be read; choose another folder"
            )
        streams.append(read(source, format=format, names=names))
    return chain.from_iterable(streams)


def _stdin(format: str | None, names: SourceNames, stack: ExitStack) -> Iterator[Document | InvalidRecord]:
    from multihop.index.readers import read

    # Readers read files, so stdin becomes one.
    file = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "stdin"
    with file.open("wb") as copy:
        shutil.copyfileobj(sys.stdin.buffer, copy)
    names.enter(file, temporary=True)
    for record in read(file, format=format or "jsonl", names=names):
        if isinstance(record, InvalidRecord):
            yield InvalidRecord(record.problem, source="stdin", line=record.line)
        else:
            yield record


def _summary(path: Location, added: Changed, skipped: int) -> str:
    parts = [f"{counted(added.documents, 'document')} ({counted(added.passages, 'passage')}) added to {redacted(path)}"]
    if added.replaced:
        parts.append(f"{added.replaced:,} replaced")
    if skipped:
        parts.append(f"{counted(skipped, 'record')} skipped")
    return ", ".join(parts)
