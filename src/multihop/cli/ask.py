"""`multihop ask`: find the evidence for a question or a claim."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from multihop.cli.opening import open_with_vectors
from multihop.cli.options import WORDS, embedder_option, index_option, json_option
from multihop.cli.screen import print_json, screen, shown
from multihop.cli.where import filter_of
from multihop.errors import InvalidFilter, InvalidInput

if TYPE_CHECKING:
    from multihop.engine import Engine
    from multihop.loop import Strategy
    from multihop.types import Hop, Result


def _where(context: click.Context, option: click.Parameter, conditions: Sequence[str]) -> dict[str, Any]:
    try:
        return filter_of(conditions)
    except InvalidFilter as error:
        raise click.BadParameter(str(error), context, option) from error


where_option = click.option(
    "--where",
    type=WORDS,
    multiple=True,
    callback=_where,
    metavar="CONDITION",
    help="Keep to documents whose metadata match: country=Japan, country=Japan,Brazil, year>=1990, "
    'code="007" (quotes force text). May be repeated.',
)


@click.command(
    epilog="\b\nExample:\n"
    '  multihop ask "Who built the ship that Amundsen borrowed?" --index wiki.mh -k 5 --explain\n'
    '  multihop ask "Which treaties bind Japan?" --index wiki.mh --where "year>=1990" --where country=Japan,Brazil'
)
@click.argument("question", type=WORDS)
@index_option
@click.option("-k", "k", type=int, default=21, show_default=True, help="How many passages at most.")
@click.option("--strategy", type=WORDS, default="auto", show_default=True, help="See: multihop strategies.")
@click.option("--profile", type=WORDS, metavar="NAME", help="Score with a domain profile (strategy hybrid).")
@click.option("--max-hops", type=int, metavar="N", help="How far the strategy graph walks, 1 to 3; by default 2.")
@where_option
@click.option("--explain", is_flag=True, help="Show the trace too: the plan, every hop and why it ended.")
@embedder_option
@json_option
def ask(
    question: str,
    path: Path,
    k: int,
    strategy: str,
    profile: str | None,
    max_hops: int | None,
    where: dict[str, Any],
    explain: bool,
    embedder: str | None,
    as_json: bool,
) -> None:
    """Find the evidence for a question or a claim.

    Gives at most k passages that together answer QUESTION, or decide it if it is a claim, and says why each is there.
    With - as QUESTION it is read from stdin.
    """
    asked = sys.stdin.buffer.read().decode(errors="replace").strip() if question == "-" else question
    with open_with_vectors(path, embedder) as engine:
        live = _tell if explain and strategy == "aspects" and not as_json else None
        chosen = _with_profile(strategy, profile) if profile else strategy
        chosen = chosen if max_hops is None else _walking(strategy, max_hops)
        result = engine.retrieve(asked, k=k, strategy=chosen, where=where or None, on_hop=live)
        if as_json:
            print_json(result.to_dict())
        else:
            _print(result, engine, explain)


def _with_profile(strategy: str, profile: str) -> Strategy:
    from multihop.profiles import load
    from multihop.strategies import hybrid

    if strategy not in ("auto", "hybrid"):
        raise InvalidInput(f"--profile goes with the strategy hybrid, not with {strategy!r}")
    return hybrid(load(profile))


def _walking(strategy: str, max_hops: int) -> Strategy:
    from multihop.strategies import graph

    if strategy != "graph":
        raise InvalidInput(f"--max-hops is for --strategy graph; {strategy!r} decides by itself when to stop")
    return graph(max_hops)


def _tell(hop: Hop) -> None:
    """Show a hop of the aspects strategy while the next one is under way."""
    from multihop.research import hop_log

    console = screen()
    console.print("\n".join(shown(line) for line in hop_log(hop)))
    if hop.decision.stop:
        console.print()


def _print(result: Result, engine: Engine, explain: bool) -> None:
    from multihop.cli.evidence import coverage_line, evidence_table, shortage_line

    console = screen()
    if result.evidence:
        console.print(evidence_table(result))
        console.print()
    console.print(coverage_line(result.coverage))
    if result.short:
        console.print(shortage_line(result))
    if explain:
        from multihop.cli.trace import trace_tree

        console.print()
        console.print(trace_tree(result, engine))
