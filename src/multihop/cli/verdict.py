"""`multihop verdict`: decide whether the index supports or refutes a claim."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from multihop.cli.indexes import open_with_vectors
from multihop.cli.output import open_console
from multihop.cli.question_command import QuestionCommand, question_command
from multihop.errors import NoVerdict
from multihop.rendering.phrases import one_line
from multihop.types import Result

if TYPE_CHECKING:
    from rich.console import Console

    from multihop.types import Verdict

_COLORS = {"supported": "green", "refuted": "red"}


@click.command(
    epilog="\b\nExample:\n"
    '  multihop verdict "The Fram was drawn by a Norwegian." --index wiki.mh --lm openai/gpt-4.1-mini\n'
    '  multihop verdict "…" --index wiki.mh --lm ollama_chat/qwen3 --lm-base http://localhost:11434 --json'
)
@question_command("[CLAIM]")
def verdict(command: QuestionCommand) -> None:
    """Decide a claim: supported, refuted, or not enough evidence.

    A language model decides from the evidence for CLAIM and cites the deciding sentences, which are quoted from the
    index. Requires --lm.
    """
    with open_with_vectors(command.path, command.embedder) as engine:
        try:
            found = command.ask(engine.verdict, command.prompted())
        except NoVerdict as error:
            # The evidence is useful even without a verdict; the error still sets the exit code.
            if not command.as_json and isinstance(error.result, Result):
                _print_evidence(open_console(), error.result)
            raise
        if found is not None:
            command.show(engine, found, found.result, _print)


def _print(console: Console, found: Verdict) -> None:
    from rich.text import Text

    sure = f"  confidence {found.confidence:.2f}" if found.sentences else ""
    console.print(Text.assemble((found.label, f"bold {_COLORS.get(found.label, 'yellow')}"), (sure, "dim")))
    if found.reasoning:
        console.print(Text(one_line(found.reasoning), "italic"))
    for deciding in found.sentences:
        console.print(Text.assemble((f"{one_line(deciding.passage.label)}  ", "bold"), (deciding.passage.id, "dim")))
        console.print(Text(f"  {one_line(deciding.sentence)}"))
    for note in found.notes:
        console.print(Text(note.text, "yellow"))
    if not found.sentences:
        _print_evidence(console, found.result)


def _print_evidence(console: Console, result: Result) -> None:
    """Print the evidence when there is no verdict."""
    from multihop.cli.evidence import evidence_table

    if result.evidence:
        console.print(evidence_table(result))
