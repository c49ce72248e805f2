"""`multihop verify`: check an index and repair its caches."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from multihop.cli.indexes import open_with_vectors
from multihop.cli.options import embedder_option, index_option, json_option
from multihop.cli.output import grid, open_console, print_json
from multihop.index.locations import Location
from multihop.rendering.phrases import one_line
from multihop.types import Check, plain

if TYPE_CHECKING:
    from rich.text import Text


@click.command(
    epilog="\b\nExample:\n  multihop verify --index wiki.mh\n  multihop verify --index wiki.mh --no-repair --json"
)
@index_option
@click.option("--no-repair", is_flag=True, help="Only report; change nothing.")
@embedder_option
@json_option
def verify(path: Location, no_repair: bool, embedder: str | None, as_json: bool) -> None:
    """Check an index and repair its search caches.

    Caches that differ from the documents are rebuilt. Exits with 1 if problems remain.
    """
    with open_with_vectors(path, embedder) as engine:
        checks = engine.check(repair=not no_repair)
    sound = all(check.ok for check in checks)
    if as_json:
        print_json({"ok": sound, "checks": plain(checks)})
    else:
        open_console().print(grid((check.name, _verdict(check), one_line(check.detail)) for check in checks))
    if not sound:
        raise click.exceptions.Exit(1)


def _verdict(check: Check) -> Text:
    from rich.text import Text

    if not check.ok:
        return Text("wrong", "red")
    return Text("repaired", "yellow") if check.repaired else Text("ok", "green")
