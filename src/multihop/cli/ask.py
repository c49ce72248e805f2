"""`multihop ask`: find the evidence for a question or a claim."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from multihop.cli.indexes import open_asked
from multihop.cli.options import PROFILE
from multihop.cli.output import open_console, warn
from multihop.cli.question_command import QuestionCommand, fast_option, question_command
from multihop.errors import InvalidInput
from multihop.rendering.phrases import printable
from multihop.types.notes import LM_NOT_USED

if TYPE_CHECKING:
    from rich.console import Console

    from multihop import Strategy
    from multihop.types import Hop, Result


@click.command(
    epilog="\b\nExample:\n"
    '  multihop ask "Who built the ship that Amundsen borrowed?" --index wiki.mh -k 5 --explain\n'
    '  multihop ask "Which treaties bind Japan?" --index wiki.mh --where "year>=1990" --where country=Japan,Brazil\n'
    '  multihop ask "Who may sign for Kittiwake?" --index handbook.mh --index contracts.mh\n'
    '  multihop ask "…" --index wiki.mh --strategy gap --lm openai/gpt-4.1-mini --explain'
)
@question_command("[QUESTION]")
@click.option("--profile", type=PROFILE, metavar="NAME", help="Score with a domain profile (strategy hybrid).")
@click.option("--max-hops", type=int, metavar="N", help="Traversal depth of the strategy graph, 1 to 3; default 2.")
@fast_option
def ask(command: QuestionCommand, profile: str | None, max_hops: int | None, fast: bool) -> None:
    """Find the evidence for a question or a claim.

    Returns at most k passages that together answer QUESTION, or decide it if it is a claim, with the reason for each.
    Use - as QUESTION to read it from stdin.
    """
    with open_asked(command.indexes, command.embedder) as engine:
        chosen = _configure_strategy(command.strategy, profile, max_hops)
        if command.prompts is not None:
            # A profile or a number of hops changes the strategy, and the prompts were optimized for the original.
            if not isinstance(chosen, str):
                raise InvalidInput("--prompts cannot be combined with --profile or --max-hops")
            chosen = command.strategy_with_prompts()
        # The documented log of `aspects` is printed hop by hop; other traces are printed at the end.
        log_hops = command.explain and command.question is not None and not command.as_json
        live = _print_hop if log_hops and command.strategy == "aspects" else None
        result = command.ask(engine.retrieve, chosen, on_hop=live, models=not fast)
        if result is None:
            return
        _warn_about_failures(result)
        command.show(engine, result, result, _print)


def _configure_strategy(strategy: str, profile: str | None, max_hops: int | None) -> str | Strategy:
    """Apply --profile or --max-hops to a strategy."""
    from multihop.profiles import load
    from multihop.strategies import graph, hybrid

    if profile is not None and strategy not in ("auto", "hybrid"):
        raise InvalidInput(f"--profile requires the strategy hybrid, not {strategy!r}")
    if max_hops is not None and strategy != "graph":
        raise InvalidInput(f"--max-hops is for --strategy graph; {strategy!r} decides by itself when to stop")
    if profile is not None:
        return hybrid(load(profile))
    return strategy if max_hops is None else graph(max_hops)


def _warn_about_failures(result: Result) -> None:
    """Warn on stderr when language model calls failed; the result does not depend on them."""
    for note in result.trace.notes:
        if note.code == LM_NOT_USED:
            warn(note.text)
    calls = result.trace.lm_calls
    failed = [c.problem for c in calls if c.problem]
    if failed:
        # All calls usually fail for the same reason.
        reasons = ", ".join(dict.fromkeys(failed))
        warn(f"the language model failed in {len(failed)} of {len(calls)} calls; rules were used instead: {reasons}")


def _print_hop(hop: Hop) -> None:
    """Print a hop of the aspects strategy while the next one runs."""
    from multihop.programs.research.log import hop_log

    console = open_console()
    console.print("\n".join(printable(line) for line in hop_log(hop, "passage")))
    if hop.decision.stop:
        console.print()


def _print(console: Console, result: Result) -> None:
    from multihop.cli.evidence import chain_text, conflict_lines, coverage_line, evidence_table, shortage_line

    if result.evidence:
        console.print(evidence_table(result))
        console.print()
    if result.chain.links:
        console.print(chain_text(result, result.chain))
    console.print(coverage_line(result.coverage))
    for line in conflict_lines(result):
        console.print(line)
    if result.short:
        console.print(shortage_line(result))
