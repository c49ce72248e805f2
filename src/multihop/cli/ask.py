"""`multihop ask`: find the evidence for a question or a claim."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from multihop.cli.batch import BatchChoice, batch_options
from multihop.cli.indexes import open_with_vectors
from multihop.cli.options import (
    PROFILE,
    WORDS,
    LmChoice,
    budget_option,
    embedder_option,
    index_option,
    json_option,
    lm_options,
    prompts_option,
    strategy_option,
)
from multihop.cli.screen import print_json, screen, warn
from multihop.cli.where import filter_of
from multihop.errors import InvalidFilter, InvalidInput
from multihop.index.locations import Location
from multihop.rendering.phrases import printable

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
    help="Only documents whose metadata match: country=Japan, country=Japan,Brazil, year>=1990, country!=Peru, "
    'title~=part, country=* (any), "a=1 | b=2" (either), code="007" (quotes force text). May be repeated.',
)
keep_option = click.option(
    "--keep",
    type=WORDS,
    multiple=True,
    callback=_where,
    metavar="CONDITION",
    help="Return only such documents, as for --where, though hops may lead over others. May be repeated.",
)


@click.command(
    epilog="\b\nExample:\n"
    '  multihop ask "Who built the ship that Amundsen borrowed?" --index wiki.mh -k 5 --explain\n'
    '  multihop ask "Which treaties bind Japan?" --index wiki.mh --where "year>=1990" --where country=Japan,Brazil\n'
    '  multihop ask "…" --index wiki.mh --strategy gap --lm openai/gpt-4.1-mini --explain'
)
@click.argument("question", type=WORDS, required=False)
@index_option
@budget_option
@strategy_option
@click.option("--profile", type=PROFILE, metavar="NAME", help="Score with a domain profile (strategy hybrid).")
@click.option("--max-hops", type=int, metavar="N", help="How far the strategy graph walks, 1 to 3; by default 2.")
@where_option
@keep_option
@click.option("--fast", is_flag=True, help="Rank without models: several times faster, less accurate.")
@click.option("--explain", is_flag=True, help="Also show the trace: the plan, every hop and why it stopped.")
@batch_options
@lm_options
@prompts_option
@embedder_option
@json_option
def ask(
    question: str | None,
    path: Location,
    k: int,
    strategy: str,
    profile: str | None,
    max_hops: int | None,
    where: dict[str, Any],
    keep: dict[str, Any],
    fast: bool,
    explain: bool,
    batch: BatchChoice,
    lm: LmChoice,
    prompts: Path | None,
    embedder: str | None,
    as_json: bool,
) -> None:
    """Find the evidence for a question or a claim.

    Gives at most k passages that together answer QUESTION, or decide it if it is a claim, and says why each is there.
    With - as QUESTION it is read from stdin.
    """
    asked = batch.question(question)
    with open_with_vectors(path, embedder) as engine:
        chosen = _chosen(strategy, profile, max_hops)
        if prompts is not None:
            if not isinstance(chosen, str):
                raise InvalidInput("--prompts cannot be combined with --profile or --max-hops")
            chosen = lm.prompted(chosen, prompts)
        live = _tell if explain and asked is not None and strategy == "aspects" and not as_json else None
        ask_one = partial(
            engine.retrieve,
            k=k,
            strategy=chosen,
            where=where or None,
            keep=keep or None,
            on_hop=live,
            lm=lm.open(),
            models=not fast,
        )
        if asked is None:
            batch.run(ask_one, as_json=as_json)
            return
        result = ask_one(asked)
        _warn_of_failures(result)
        for hint in engine.filter_hints(where) if result.short else ():
            warn(hint)
        if as_json:
            print_json(result.to_dict())
        else:
            _print(result, engine, explain)


def _chosen(strategy: str, profile: str | None, max_hops: int | None) -> str | Strategy:
    """Fit a strategy to what was asked for it."""
    from multihop.profiles import load
    from multihop.strategies import graph, hybrid

    if profile is not None and strategy not in ("auto", "hybrid"):
        raise InvalidInput(f"--profile requires the strategy hybrid, not {strategy!r}")
    if max_hops is not None and strategy != "graph":
        raise InvalidInput(f"--max-hops is for --strategy graph; {strategy!r} decides by itself when to stop")
    if profile is not None:
        return hybrid(load(profile))
    return strategy if max_hops is None else graph(max_hops)


def _warn_of_failures(result: Result) -> None:
    """Say on stderr when a language model did not do what it was asked; the answer stands without it."""
    from multihop.engine import UNASKED

    for note in result.trace.notes:
        if note.endswith(UNASKED):
            warn(note)
    calls = result.trace.lm_calls
    failed = [c.problem for c in calls if c.problem]
    if failed:
        reasons = ", ".join(dict.fromkeys(failed))
        warn(f"the language model failed in {len(failed)} of {len(calls)} calls, done by rule: {reasons}")


def _tell(hop: Hop) -> None:
    """Show a hop of the aspects strategy while the next one is under way."""
    from multihop.rendering.aspect_log import hop_log

    console = screen()
    console.print("\n".join(printable(line) for line in hop_log(hop)))
    if hop.decision.stop:
        console.print()


def _print(result: Result, engine: Engine, explain: bool) -> None:
    from multihop.cli.evidence import chain_text, coverage_line, evidence_table, shortage_line

    console = screen()
    if result.evidence:
        console.print(evidence_table(result))
        console.print()
    if result.chain.links:
        console.print(chain_text(result, result.chain))
    console.print(coverage_line(result.coverage))
    if result.short:
        console.print(shortage_line(result))
    if explain:
        from multihop.cli.trace import trace_tree

        console.print()
        console.print(trace_tree(result, engine))
