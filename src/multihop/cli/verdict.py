"""`multihop verdict`: does the index support or refute a claim?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from multihop.cli.indexes import open_with_vectors
from multihop.cli.options import WORDS, LmChoice, embedder_option, index_option, json_option, lm_options, prompts_option
from multihop.cli.screen import print_json, screen
from multihop.rendering.phrases import one_line

if TYPE_CHECKING:
    from multihop.engine import Engine
    from multihop.types import Verdict

_COLORS = {"supported": "green", "refuted": "red"}


@click.command(
    epilog="\b\nExample:\n"
    '  multihop verdict "The Fram was drawn by a Norwegian." --index wiki.mh --lm openai/gpt-4.1-mini\n'
    '  multihop verdict "…" --index wiki.mh --lm ollama_chat/qwen3 --lm-base http://localhost:11434 --json'
)
@click.argument("claim", type=WORDS)
@index_option
@click.option("-k", "k", type=int, default=21, show_default=True, help="Maximum number of passages.")
@click.option("--strategy", type=WORDS, default="auto", show_default=True, help="A strategy; see multihop strategies.")
@click.option("--explain", is_flag=True, help="Also show the trace.")
@lm_options
@prompts_option
@embedder_option
@json_option
def verdict(
    claim: str,
    path: Path,
    k: int,
    strategy: str,
    explain: bool,
    lm: LmChoice,
    prompts: Path | None,
    embedder: str | None,
    as_json: bool,
) -> None:
    """Decide a claim: supported, refuted, or not enough evidence.

    A language model decides over the evidence for CLAIM and names the sentences that decide; they are quoted from the
    index. Without --lm there is no verdict.
    """
    with open_with_vectors(path, embedder) as engine:
        found = engine.verdict(claim, k=k, strategy=lm.prompted(strategy, prompts), lm=lm.open())
        if as_json:
            print_json(found.to_dict())
        else:
            _print(found, engine, explain)


def _print(found: Verdict, engine: Engine, explain: bool) -> None:
    from rich.text import Text

    console = screen()
    console.print(Text(found.label, f"bold {_COLORS.get(found.label, 'yellow')}"))
    for deciding in found.sentences:
        console.print(Text.assemble((f"{one_line(deciding.passage.label)}  ", "bold"), (deciding.passage.id, "dim")))
        console.print(Text(f"  {one_line(deciding.sentence)}"))
    for note in found.notes:
        console.print(Text(note, "yellow"))
    if explain:
        from multihop.cli.trace import trace_tree

        console.print()
        console.print(trace_tree(found.result, engine))
