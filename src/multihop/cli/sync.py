"""`multihop sync`: sync an index with folders."""

from __future__ import annotations

import time
from collections import Counter
from typing import TYPE_CHECKING, Any

import click

from multihop.cli.indexes import open_index, open_to_add
from multihop.cli.options import embedder_option, json_option, to_option, versions_option, wait_option
from multihop.cli.output import open_console, print_json
from multihop.cli.progress import progress_bar
from multihop.cli.skip_report import SkipReport, lost_notes, print_line
from multihop.errors import IndexLocked, InvalidRecord
from multihop.index.locations import Location, redact
from multihop.rendering.phrases import one_line, pluralize
from multihop.types import FileChange, Synced, plain

if TYPE_CHECKING:
    from rich.console import Console

    from multihop.engine import Engine

_WAITING = "waiting for another writer"
_KINDS = ("added", "changed", "renamed", "removed")


@click.command(
    epilog="\b\nExample:\n  multihop sync reports/ --to wiki.mh --dry-run\n"
    "  multihop sync reports/ --to wiki.mh --watch"
)
@click.argument("sources", nargs=-1, required=True, metavar="FOLDER...")
@to_option
@click.option("--dry-run", is_flag=True, help="Show what would change without changing anything.")
@click.option("--watch", is_flag=True, help="Keep syncing until Ctrl-C; waits while another process is writing.")
@click.option(
    "--every", type=click.FloatRange(0.1, 86_400.0), default=2.0, show_default=True, metavar="SECONDS",
    help="Polling interval of --watch.",
)  # fmt: skip
@versions_option
@embedder_option
@wait_option
@json_option
def sync(
    sources: tuple[str, ...],
    path: Location,
    dry_run: bool,
    watch: bool,
    every: float,
    keep_versions: bool | None,
    embedder: str | None,
    wait: float,
    as_json: bool,
) -> None:
    """Sync an index with folders.

    New files are added, changed files are replaced, deleted files are removed; with
    --keep-versions their old versions stay for questions with --as-of. A folder is read with the options that
    multihop index used for it. Unchanged files cost next to nothing; renamed files are not embedded again.
    """
    if watch and dry_run:
        raise click.UsageError("--watch and --dry-run cannot be combined")
    if watch and as_json:
        raise click.UsageError("--watch and --json cannot be combined")
    from multihop.index.readers.web import is_url

    if urls := [source for source in sources if is_url(source)]:
        raise click.UsageError(f"{urls[0]!r} is a URL, not a folder; multihop index fetches a page again")
    console = open_console(stderr=True)
    reported: set[str] = set()
    # A dry run must not create an index.
    with open_index(path) if dry_run else open_to_add(path, embedder, wait) as engine:
        # The index stays open, because opening it costs more than checking unchanged folders.
        while True:
            try:
                _sync_once(
                    engine, sources, path, console, reported, dry_run=dry_run, as_json=as_json, quiet=watch,
                    keep_versions=keep_versions,
                )  # fmt: skip
                reported.discard(_WAITING)
            except IndexLocked as error:
                if not watch:
                    raise
                # Another writer does not end the watch; the changes are picked up later.
                if _WAITING not in reported:
                    print_line(console, f"{_WAITING}: {error}")
                reported.add(_WAITING)
            if not watch:
                return
            time.sleep(every)


def _sync_once(
    engine: Engine,
    sources: tuple[str, ...],
    path: Location,
    console: Console,
    reported: set[str],
    *,
    dry_run: bool,
    as_json: bool,
    quiet: bool,
    keep_versions: bool | None,
) -> None:
    from multihop.index.readers import SourceNames

    names = SourceNames.load(engine.store.get_blob(SourceNames.BLOB))
    lost = list(lost_notes(engine, path))
    listed: list[FileChange] = []
    reports: list[dict[str, Any]] = []
    problems: list[str] = []
    types: Counter[str] = Counter()

    def print_new(line: str) -> None:
        # While watching, the same line is printed once.
        if line not in reported and not as_json:
            print_line(console, line)
        if quiet:
            reported.add(line)

    def on_change(change: FileChange) -> None:
        if as_json:
            listed.append(change)
        elif dry_run or quiet:
            before = f"{change.before} -> " if change.before else ""
            click.echo(one_line(f"{change.kind}: {before}{change.path}"))

    for line in lost:
        print_new(line)
    for source in sources:
        skipped = SkipReport(console, strict=False, keep_all=as_json)

        def on_problem(problem: InvalidRecord, skipped: SkipReport = skipped) -> None:
            if str(problem) not in reported:
                skipped.add(problem)
            if quiet:
                reported.add(str(problem))

        with progress_bar(console, wanted=not as_json and not quiet) as progress:
            done = engine.sync(
                source,
                dry_run=dry_run,
                progress=progress,
                on_problem=on_problem,
                on_change=on_change,
                names=names,
                keep_versions=keep_versions,
            )
        skipped.print_summary()
        if not quiet and not as_json:
            click.echo(_summary(source, done, skipped))
        reports.append({"source": source, **plain(done), "files": plain(listed)})
        problems += skipped.problems
        types += skipped.types
        listed.clear()
    if as_json:
        print_json(
            {
                "index": redact(path), "sources": reports, "problems": problems, "skipped_types": types,
                "notes": [*lost, *names.notes],
            }
        )  # fmt: skip
    for note in names.notes:
        print_new(note)


def _summary(source: str, done: Synced, skipped: SkipReport) -> str:
    """Summarize the changes of a source on one line."""
    changed = [(count, kind) for kind in _KINDS if (count := getattr(done, kind))]
    would = "would be " if done.dry_run and changed else ""
    if done.unchanged or not changed:
        changed.append((done.unchanged, "unchanged"))
    (first, kind), *rest = changed
    parts = [f"{pluralize(first, 'file')} {would}{kind}", *(f"{count:,} {kind}" for count, kind in rest)]
    if skipped.count:
        parts.append(str(skipped))
    written = f"{pluralize(done.documents, 'document')} written" if done.documents and not done.dry_run else ""
    kept = f"{pluralize(done.versions, 'old version')} kept" if done.versions else ""
    said = f" ({', '.join(filter(None, (written, kept)))})" if written or kept else ""
    return one_line(f"{source}: {', '.join(parts)}{said}")
