"""`multihop index`: add documents to an index."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from multihop.cli.indexes import open_to_add
from multihop.cli.options import TEXT, embedder_option, json_option, to_option, versions_option, wait_option
from multihop.cli.output import open_console, print_json
from multihop.cli.progress import progress_bar
from multihop.cli.skip_report import SkipReport, lost_notes, print_line
from multihop.errors import InvalidInput, InvalidRecord
from multihop.index.locations import Location, redact
from multihop.rendering.phrases import pluralize
from multihop.types import Document, Metadata, Scalar, Synced, plain

if TYPE_CHECKING:
    from multihop.index.readers import SourceNames
    from multihop.index.readers.options import ReadOptions

_STDIN = "-"


def _parse_metadata(
    context: click.Context, option: click.Parameter, given: Sequence[str]
) -> dict[str, Scalar | tuple[Scalar, ...]]:
    """Parse FIELD=VALUE, typed like a CSV cell; a repeated field has several values."""
    from multihop.index.readers.record import parse_cell

    fields: dict[str, tuple[Scalar, ...]] = {}
    for each in given:
        field, equals, value = (part.strip() for part in each.partition("="))
        if not (field and equals and value):
            raise click.BadParameter(f"{each!r} is not metadata; write FIELD=VALUE", context, option)
        fields[field] = (*fields.get(field, ()), parse_cell(value))
    return {field: values[0] if len(values) == 1 else values for field, values in fields.items()}


@click.command(
    epilog="\b\nExample:\n  multihop index corpus.jsonl --to wiki.mh\n"
    "  multihop index reports/ notes.md --to wiki.mh --embedder wordllama\n"
    "  zcat dump.jsonl.gz | multihop index - --to wiki.mh"
)
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@to_option
@click.option("--distribute", is_flag=True, help="Spread an index on a server over the nodes of its Citus cluster.")
@click.option("--format", metavar="FORMAT", help="Format of every source, regardless of file names.")
@click.option(
    "--metadata", type=TEXT, multiple=True, callback=_parse_metadata, metavar="FIELD=VALUE",
    help="Metadata for every document that lacks the field. May be repeated.",
)  # fmt: skip
@click.option(
    "--profile", type=TEXT, metavar="NAME",
    help="Extract the labels of this domain profile (country, date …) from file names, folders and front pages.",
)  # fmt: skip
@click.option(
    "--metadata-from-path", type=TEXT, metavar="PATTERN",
    help="Extract metadata from the path of each file in its folder, such as {country}/{year}.",
)  # fmt: skip
@click.option("--text-field", type=TEXT, metavar="FIELD", help="Record field that holds the text.")
@click.option("--title-field", type=TEXT, metavar="FIELD", help="Record field that holds the title.")
@click.option("--id-field", type=TEXT, metavar="FIELD", help="Record field that holds the id.")
@click.option("--encoding", type=TEXT, metavar="NAME", help="Encoding of text files that are not UTF-8.")
@click.option("--allow-private", is_flag=True, help="Also fetch URLs on private networks.")
@click.option("--strict", is_flag=True, help="Stop at the first record that cannot be read.")
@click.option(
    "--whole/--no-whole",
    default=None,
    help="Index every document as one passage, for corpora that are already split.",
)
@click.option(
    "--reset-options", is_flag=True,
    help="Forget the options that earlier calls gave the sources; multihop stats lists them.",
)  # fmt: skip
@versions_option
@click.option("--word2vec", is_flag=True, help="Also train word vectors on the passages, for the strategy hybrid.")
@embedder_option
@click.option("--encoder", is_flag=True, help="Compute vectors with the built-in encoder.")
@wait_option
@json_option
def index(
    sources: tuple[str, ...],
    path: Location,
    distribute: bool,
    format: str | None,
    metadata: dict[str, Scalar | tuple[Scalar, ...]],
    profile: str | None,
    allow_private: bool,
    strict: bool,
    reset_options: bool,
    word2vec: bool,
    embedder: str | None,
    encoder: bool,
    wait: float,
    as_json: bool,
    **how: Any,
) -> None:
    """Add documents to an index, or replace existing ones.

    SOURCE is a file, a folder, a URL (https://…), or - for JSON Lines from stdin. Files may be jsonl, json, csv, tsv,
    markdown, rst, html, mhtml, txt, pdf, docx, pptx, xlsx, odt, epub or eml, and compressed with gzip or zstd. A
    document with an existing id is replaced. Unreadable records are reported and skipped; the command fails if nothing
    could be indexed.

    A folder or file that was indexed before is synced: only changes are read, and deleted documents are removed, as
    multihop sync does.
    """
    from multihop.index.readers import SourceNames
    from multihop.index.readers.options import ReadOptions
    from multihop.index.stores import index_exists, remove_unused
    from multihop.profiles import load
    from multihop.survey.labels import label_index

    if encoder and embedder:
        raise InvalidInput(f"--encoder and --embedder {embedder} name two embedders; an index has one, so give one")
    embedder = "encoder" if encoder else embedder
    given: dict[str, Any] = {"format": format, "metadata": metadata or None, **how}
    options = ReadOptions.of({}, **given)
    console = open_console(stderr=True)
    labeled_by = load(profile) if profile else None
    skipped = SkipReport(console, strict=strict, keep_all=as_json)
    done, trained, names = Synced(), None, SourceNames()
    with ExitStack() as stack:
        # A new index stays only if there was a document for it.
        if not index_exists(path):
            stack.callback(remove_unused, path)
        # Opened first, so that its problems are reported before anything is fetched or read.
        engine = stack.enter_context(open_to_add(path, embedder, wait, distribute))
        places = [_resolve_source(source, path, format, stack, private=allow_private) for source in sources]
        names = SourceNames.load(engine.store.get_blob(SourceNames.BLOB))
        names.notes += lost_notes(engine, path)
        done = Synced(generation=engine.store.generation)
        progress = stack.enter_context(progress_bar(console, wanted=not as_json))
        for place in places:
            if place.origin:
                records = _read_copy(place, options, names, metadata)
                added = engine.add(records, whole=options.whole, progress=progress, on_problem=skipped.add)
                part = Synced(**{f: v for f, v in plain(added).items() if f in Synced.__slots__})
            else:
                part = engine.sync(
                    place.path, **given, reset_options=reset_options, progress=progress, on_problem=skipped.add,
                    names=names,
                )  # fmt: skip
            done = _add_counts(done, part)
        if labeled_by is not None:
            label_index(engine, labeled_by, partial(print_line, console), progress)
        trained = engine.train_word2vec(progress=progress) if word2vec else None
    for note in names.notes:
        print_line(console, note)
    skipped.print_summary()
    if as_json:
        said = {
            "index": redact(path), **plain(done), "skipped": skipped.count, "skipped_types": skipped.types,
            "problems": skipped.problems,
        }  # fmt: skip
        # Only sync has dry runs.
        del said["dry_run"]
        print_json(said | {"notes": names.notes} | ({"word2vec": plain(trained)} if trained else {}))
    elif done.documents or done.unchanged or done.deleted:
        click.echo(_summary(path, done, skipped))
        if trained:
            new = pluralize(trained.new, "new passage")
            click.echo(f"word2vec: {pluralize(trained.words, 'word')} and terms, trained on {new}")
    if not (done.documents or done.unchanged or done.deleted):
        reason = skipped if skipped.count else "the sources contain no documents"
        raise click.ClickException(f"nothing was indexed: {reason}")


class _Source(NamedTuple):
    """A file or folder to read, and the origin of a temporary copy: "stdin" or a URL."""

    path: Path
    origin: str = ""


def _resolve_source(source: str, index: Location, format: str | None, stack: ExitStack, *, private: bool) -> _Source:
    """Resolve a source; an invalid path or format raises before anything is read."""
    from multihop.index.readers import web
    from multihop.index.readers.formats import format_named, format_of
    from multihop.index.readers.naming import existing

    if format is not None:
        format_named(format)
    if source == _STDIN:
        # Readers need a file, so copy stdin to one.
        copied = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "stdin"
        with copied.open("wb") as copy:
            shutil.copyfileobj(sys.stdin.buffer, copy)
        return _Source(copied, "stdin")
    if web.is_url(source):
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        return _Source(web.fetch(source, folder, private=private), source)
    place = existing(source)
    if isinstance(index, Path) and place.is_dir() and index.resolve().is_relative_to(place.resolve()):
        raise InvalidInput(f"the index {str(index)!r} is inside {source!r}, which is to be read; choose another folder")
    if not place.is_dir() and format is None:
        format_of(place)
    return _Source(place)


def _read_copy(
    place: _Source, options: ReadOptions, names: SourceNames, metadata: Metadata
) -> Iterator[Document | InvalidRecord]:
    """Read a temporary copy and add metadata that its documents lack; a web page gets its URL as id."""
    from multihop.index.readers import read

    names.enter(place.path, temporary=True)
    default = "jsonl" if place.origin == "stdin" else None
    for record in read(place.path, format=options.format or default, names=names, options=options):
        if isinstance(record, InvalidRecord):
            yield InvalidRecord(record.problem, source=place.origin, line=record.line)
        elif place.origin == "stdin":
            yield replace(record, metadata={**metadata, **record.metadata})
        else:
            url = place.origin
            id = url if record.id == place.path.name else record.id
            title = url if record.title == place.path.stem else record.title
            yield replace(record, id=id, title=title, metadata={**metadata, "url": url, **record.metadata})


def _add_counts(total: Synced, part: Synced) -> Synced:
    # Sum all fields, so that new ones are included; these two are not counts.
    counts = {f.name: getattr(total, f.name) + getattr(part, f.name) for f in fields(Synced)}
    return Synced(**{**counts, "generation": part.generation, "dry_run": False})


def _summary(path: Location, done: Synced, skipped: SkipReport) -> str:
    parts = [f"{pluralize(done.documents, 'document')} ({pluralize(done.passages, 'passage')}) added to {redact(path)}"]
    others = {"of them replacing existing ones": done.replaced, "deleted": done.deleted}
    parts += [f"{count:,} {what}" for what, count in others.items() if count]
    if done.unchanged:
        parts.append(f"{pluralize(done.unchanged, 'file')} unchanged")
    if skipped.count:
        parts.append(str(skipped))
    return ", ".join(parts)
