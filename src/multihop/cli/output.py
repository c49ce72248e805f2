"""Output of the commands: consoles, tables, JSON, warnings."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import click

from multihop.rendering.phrases import CONTROL, printable

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.table import Table

_WIDTH = 100
_MAX_WIDTH = 110


def open_console(*, stderr: bool = False) -> Console:
    """Open a console: as wide as the terminal up to a readable width, else fixed; markup is not interpreted."""
    from rich.console import Console

    from multihop.cli.console import PipedConsole

    if not (sys.stderr if stderr else sys.stdout).isatty():
        # Fixed width, so that the same command writes the same file everywhere.
        return PipedConsole(stderr=stderr, markup=False, emoji=False, highlight=False, width=_WIDTH)
    console = Console(stderr=stderr, markup=False, emoji=False, highlight=False)
    # Very long lines are hard to read.
    console.width = min(console.width, _MAX_WIDTH)
    return console


def grid(rows: Iterable[Sequence[RenderableType]], *styles: str) -> Table:
    """Lay out rows in columns without lines; `styles` apply to the first columns."""
    from rich.table import Table

    table = Table.grid(padding=(0, 3, 0, 0))
    for style in styles:
        table.add_column(style=style)
    for row in rows:
        table.add_row(*row)
    for column in table.columns:
        # Long paths are wrapped, not shortened.
        column.overflow = "fold"
    return table


def table(header: Sequence[str], rows: Iterable[Sequence[str]], **style: Any) -> Table:
    """Lay out rows below a header without lines; the first column is left-aligned, the others right-aligned."""
    from rich.table import Table

    laid_out = Table(box=None, padding=(0, 2, 0, 0), **{"header_style": "dim", **style})
    for place, name in enumerate(header):
        laid_out.add_column(name, justify="right" if place else "left")
    for row in rows:
        laid_out.add_row(*row)
    return laid_out


def print_json(value: Any, *, indent: int | None = 2) -> None:
    """Print a JSON value, with escapes if stdout is not UTF-8; without indent it is one line."""
    unicode = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    written = json.dumps(value, ensure_ascii=not unicode, indent=indent)
    # The same JSON, but nothing in it controls a terminal.
    click.echo(CONTROL.sub(lambda control: json.dumps(control[0])[1:-1], written))


def warn(message: str) -> None:
    """Print a warning on stderr."""
    click.echo(f"warning: {printable(message)}", err=True)
