"""`multihop strategies`: the settings of the loop that have a name."""

from __future__ import annotations

import click

from multihop.cli.options import json_option
from multihop.cli.output import grid, open_console, print_json


@click.command(epilog="\b\nExample:\n  multihop strategies\n  multihop strategies --json")
@json_option
def strategies(as_json: bool) -> None:
    """List the strategies that `ask --strategy` knows.

    With --json every part of them is written out.
    """
    from multihop.strategies import STRATEGIES

    if as_json:
        print_json([strategy.describe() for strategy in STRATEGIES.values()])
        return
    open_console().print(grid(((s.name, s.description) for s in STRATEGIES.values()), "bold"))
