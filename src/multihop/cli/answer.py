"""`multihop answer`: the answer to a question, with its supporting sentences and the chain."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from multihop.cli.indexes import open_asked
from multihop.cli.output import open_console
from multihop.cli.question_command import QuestionCommand, fast_option, question_command
from multihop.rendering.phrases import one_line
from multihop.types.notes import NOT_SURE, UNDECIDED

if TYPE_CHECKING:
    from rich.console import Console

    from multihop.answering.lm import OnWords, Words
    from multihop.types import Answer


@click.command(
    epilog="\b\nExample:\n"
    '  multihop answer "Who drew the ship that Amundsen borrowed?" --index wiki.mh\n'
    '  multihop answer "Who drew the Fram?" --index wiki.mh --lm ollama_chat/qwen3 --lm-base http://localhost:11434\n'
    '  multihop answer "Colin Archer drew the Fram and was born in 1832." --index wiki.mh --json'
)
@question_command("[QUESTION]")
@fast_option
def answer(command: QuestionCommand, fast: bool) -> None:
    """Answer a question with sentences from its evidence.

    The confidence is the probability that the answer is right; below .25 only the closest sentence is shown. A claim is
    checked as multihop verdict does. Use - as QUESTION to read it from stdin. A language model (--lm) answers in
    statements with checked citations. With --fast, only the closest sentence is shown.
    """
    with open_asked(command.indexes, command.embedder) as engine:
        with _show_words() as on_words:
            answered = command.ask(engine.answer, command.strategy_with_prompts(), models=not fast, on_words=on_words)
        if answered is None:
            return
        command.show(engine, answered, answered.result, print_answer)


@contextmanager
def _show_words() -> Iterator[OnWords | None]:
    """Show the text a language model is writing on the terminal until its answer is checked."""
    # A file or pipe would receive every intermediate state of the text.
    if not sys.stderr.isatty():
        yield None
        return
    from rich.live import Live
    from rich.text import Text

    with Live(console=open_console(stderr=True), transient=True, auto_refresh=False) as live:

        def on_words(words: Words) -> None:
            live.update(Text("\n".join(map(one_line, (words.text, *words.statements))), "dim"), refresh=True)

        yield on_words


def print_answer(console: Console, answer: Answer) -> None:
    """Print an answer with its sentences and chain."""
    from rich.text import Text

    from multihop.cli.evidence import FINDINGS, chain_text, format_quote, part_lines, possibly

    if answer.text:
        # "name" and "text" are the kinds of unspecific questions, so they are not printed.
        kind = "" if answer.kind in ("name", "text") else f"{answer.kind}, "
        about = f"  {kind}confidence {answer.confidence:.2f}"
        said = (one_line(answer.text), f"bold {FINDINGS.get(answer.text, '')}")
        # The statements of a language model are marked one by one.
        is_open = bool(answer.statements) or answer.text == "undecided"
        console.print(Text.assemble("" if is_open else possibly(answer.confidence), said, (about, "dim")))
    elif answer.sentences:
        console.print(Text("Not sure. The closest sentence is:", "yellow"))
    for note in answer.notes:
        if note.code not in (NOT_SURE, UNDECIDED):
            console.print(Text(one_line(note.text), "yellow"))
    for statement in answer.statements:
        # Two sentences from one passage are one citation.
        mark = ", ".join(dict.fromkeys(one_line(q.passage_id) for q in statement.quotes)) or "not supported"
        tone = "cyan" if statement.supported else "yellow"
        console.print(Text.assemble(one_line(statement.text), (f"  [{mark}]", tone)))
    for sentence in answer.sentences:
        console.print(format_quote(sentence))
    for line in part_lines(answer.parts):
        console.print(line)
    # A chain needs an answer at its end.
    if answer.chain.links and answer.answered:
        console.print()
        console.print(chain_text(answer.result, answer.chain))
