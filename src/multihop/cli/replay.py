"""`multihop replay`: check that an index still returns a saved result."""

from __future__ import annotations

import json
from pathlib import Path

import click

from multihop.cli.indexes import open_with_vectors
from multihop.cli.options import PATH, embedder_option, index_option, json_option
from multihop.cli.output import print_json
from multihop.errors import InvalidInput, cause
from multihop.index.locations import Location
from multihop.rendering.phrases import one_line, pluralize, shorten

_MAX_DIFFERENCES = 20
"""Differences to list: the first ones show where the traces diverge, the rest follow from them."""
_MAX_LENGTH = 100


@click.command(epilog="\b\nExample:\n  multihop replay trace.json --index wiki.mh")
@click.argument("file", type=PATH)
@index_option
@embedder_option
@json_option
def replay(file: Path, path: Location, embedder: str | None, as_json: bool) -> None:
    """Check that an index still returns a saved result.

    FILE is the output of `multihop ask --json`. The question is asked again, and everything except times is compared.
    Exits with 1 if anything differs.
    """
    from multihop.evaluation.replay import replay as again

    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{str(file)!r} cannot be read: {cause(error)}") from error
    with open_with_vectors(path, embedder) as engine:
        done = again(engine, text)
    if as_json:
        listed = [{"place": d.place, "was": d.was, "now": d.now} for d in done.differences]
        summary = {"entered": done.entered, "left": done.left, "notes": done.notes}
        print_json({"same": done.same, "differences": listed, **summary})
    else:
        for note in done.notes:
            click.echo(note)
        click.echo("the same" if done.same else f"{pluralize(len(done.differences), 'difference')}")
        for sign, ids in (("+", done.entered), ("-", done.left)):
            for id in ids:
                click.echo(f"{sign} {one_line(id)}")
        for each in done.differences[:_MAX_DIFFERENCES]:
            click.echo(f"{each.place}: {_format_value(each.was)} → {_format_value(each.now)}")
        if len(done.differences) > _MAX_DIFFERENCES:
            click.echo(f"… and {len(done.differences) - _MAX_DIFFERENCES} more; --json lists all")
    if not done.same:
        raise click.exceptions.Exit(1)


def _format_value(value: object) -> str:
    return "nothing" if value is None else shorten(one_line(json.dumps(value, ensure_ascii=False)), _MAX_LENGTH)
