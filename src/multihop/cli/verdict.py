"""`multihop verdict`: decide whether the index supports or refutes a claim."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from multihop.cli.indexes import open_asked
from multihop.cli.output import open_console
from multihop.cli.question_command import QuestionCommand, fast_option, question_command
from multihop.errors import NoVerdict
from multihop.rendering.phrases import one_line
from multihop.types import Result
from multihop.types.notes import UNDECIDED

if TYPE_CHECKING:
    from rich.console import Console

    from multihop.types import Verdict


@click.command(
    epilog="\b\nExample:\n"
    '  multihop verdict "The Fram was drawn by a Norwegian." --index wiki.mh\n'
    '  multihop verdict "…" --index wiki.mh --lm ollama_chat/qwen3 --lm-base http://localhost:11434 --json'
)
@question_command("[CLAIM]")
@fast_option
def verdict(command: QuestionCommand, fast: bool) -> None:
    """Decide a claim: supported, contradicted or undecided.

    Compares CLAIM and each of its parts with the evidence and quotes the deciding sentence, or the closest one if the
    claim is undecided. The confidence is the probability that the verdict is right. With --lm, a language model decides
    and its citations are checked.
    """
    with open_asked(command.indexes, command.embedder) as engine:
        try:
            decided = command.ask(engine.verdict, command.strategy_with_prompts(), models=not fast, column="claim")
        except NoVerdict as error:
            # The evidence is useful even without a verdict; the error still sets the exit code.
            if not command.as_json and isinstance(error.result, Result):
                _print_evidence(open_console(), error.result)
            raise
        if decided is not None:
            command.show(engine, decided, decided.result, _print)


def _print(console: Console, verdict: Verdict) -> None:
    from rich.text import Text

    from multihop.cli.evidence import FINDINGS, format_quote, part_lines, possibly

    # Without evidence there is nothing to be sure of.
    sure = f"  confidence {verdict.confidence:.2f}" if verdict.sentences else ""
    before = "" if verdict.label == "undecided" else possibly(verdict.confidence)
    console.print(Text.assemble(before, (verdict.label, f"bold {FINDINGS[verdict.label]}"), (sure, "dim")))
    if verdict.reasoning:
        console.print(Text(one_line(verdict.reasoning), "italic"))
    if verdict.label == "undecided" and verdict.sentences:
        console.print(Text("The closest sentence is:", "yellow"))
    for sentence in verdict.sentences:
        console.print(format_quote(sentence))
    for line in part_lines(verdict.parts):
        console.print(line)
    for note in verdict.notes:
        if note.code != UNDECIDED:
            console.print(Text(one_line(note.text), "yellow"))
    if not verdict.sentences:
        _print_evidence(console, verdict.result)


def _print_evidence(console: Console, result: Result) -> None:
    """Print the evidence when there is no verdict."""
    from multihop.cli.evidence import evidence_table

    if result.evidence:
        console.print(evidence_table(result))
