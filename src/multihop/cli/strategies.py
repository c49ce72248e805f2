"""`multihop strategies`: list the named strategies."""

from __future__ import annotations

import click

from multihop.cli.options import json_option
from multihop.cli.output import grid, open_console, print_json


@click.command(epilog="\b\nExample:\n  multihop strategies\n  multihop strategies --json")
@json_option
def strategies(as_json: bool) -> None:
    """List the strategies for `ask --strategy`.

    With --json, print every part of each strategy.
    """
    from multihop.strategies import STRATEGIES

    if as_json:
        print_json([strategy.describe() for strategy in STRATEGIES.values()])
        return
    open_console().print(grid(((s.name, s.description) for s in STRATEGIES.values()), "bold"))
