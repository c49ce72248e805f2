"""`multihop verdict`: does the index support or refute a claim?"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from multihop.cli.ask import keep_option, where_option
from multihop.cli.batch import BatchChoice, batch_options
from multihop.cli.indexes import open_with_vectors
from multihop.cli.options import (
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
from multihop.cli.screen import print_json, screen
from multihop.errors import NoVerdict
from multihop.rendering.phrases import one_line
from multihop.types import Result

if TYPE_CHECKING:
    from multihop.engine import Engine
    from multihop.types import Verdict

_COLORS = {"supported": "green", "refuted": "red"}


@click.command(
    epilog="\b\nExample:\n"
    '  multihop verdict "The Fram was drawn by a Norwegian." --index wiki.mh --lm openai/gpt-4.1-mini\n'
    '  multihop verdict "…" --index wiki.mh --lm ollama_chat/qwen3 --lm-base http://localhost:11434 --json'
)
@click.argument("claim", type=WORDS, required=False)
@index_option
@budget_option
@strategy_option
@where_option
@keep_option
@click.option("--explain", is_flag=True, help="Also show the trace.")
@batch_options
@lm_options
@prompts_option
@embedder_option
@json_option
def verdict(
    claim: str | None,
    path: Path,
    k: int,
    strategy: str,
    where: dict[str, Any],
    keep: dict[str, Any],
    explain: bool,
    batch: BatchChoice,
    lm: LmChoice,
    prompts: Path | None,
    embedder: str | None,
    as_json: bool,
) -> None:
    """Decide a claim: supported, refuted, or not enough evidence.

    A language model decides over the evidence for CLAIM and names the sentences that decide; they are quoted from the
    index. Without --lm there is no verdict.
    """
    asked = batch.question(claim)
    with open_with_vectors(path, embedder) as engine:
        chosen = lm.prompted(strategy, prompts)
        ask = partial(engine.verdict, k=k, strategy=chosen, where=where or None, keep=keep or None, lm=lm.open())
        if asked is None:
            batch.run(ask, as_json=as_json)
            return
        try:
            found = ask(asked)
        except NoVerdict as error:
            if not as_json and isinstance(error.result, Result):
                _print_evidence(error.result)
            raise
        if as_json:
            print_json(found.to_dict())
        else:
            _print(found, engine, explain)


def _print(found: Verdict, engine: Engine, explain: bool) -> None:
    from rich.text import Text

    console = screen()
    sure = f"  confidence {found.confidence:.2f}" if found.sentences else ""
    console.print(Text.assemble((found.label, f"bold {_COLORS.get(found.label, 'yellow')}"), (sure, "dim")))
    if found.reasoning:
        console.print(Text(one_line(found.reasoning), "italic"))
    for deciding in found.sentences:
        console.print(Text.assemble((f"{one_line(deciding.passage.label)}  ", "bold"), (deciding.passage.id, "dim")))
        console.print(Text(f"  {one_line(deciding.sentence)}"))
    for note in found.notes:
        console.print(Text(note, "yellow"))
    if not found.sentences:
        _print_evidence(found.result)
    if explain:
        from multihop.cli.trace import trace_tree

        console.print()
        console.print(trace_tree(found.result, engine))


def _print_evidence(result: Result) -> None:
    """Show what was found where nothing is decided."""
    from multihop.cli.evidence import evidence_table

    if result.evidence:
        screen().print(evidence_table(result))
