"""`multihop chat`: a conversation with an index, one question per line."""

from __future__ import annotations

import sys

import click

from multihop.cli.answer import print_answer
from multihop.cli.indexes import open_asked
from multihop.cli.named_indexes import asked_indexes_option
from multihop.cli.options import LmChoice, embedder_option, json_option, lm_options
from multihop.cli.output import open_console, print_json, warn
from multihop.cli.question_command import fast_option
from multihop.errors import InvalidInput
from multihop.index.locations import Location
from multihop.rendering.phrases import one_line


@click.command(epilog="\b\nExample:\n  multihop chat --index wiki.mh")
@asked_indexes_option
@lm_options
@embedder_option
@fast_option
@json_option
def chat(indexes: dict[str, Location], lm: LmChoice, embedder: str | None, fast: bool, as_json: bool) -> None:
    """Answer a conversation, one question per line.

    "And when was she born?" asks about the last person mentioned, "What about Scott?" the last question again.
    The resolved question is printed before its answer. With --json each answer is one line.
    """
    with open_asked(indexes, embedder, lm.open()) as engine:
        conversation = engine.conversation()
        console = open_console()
        prompt = "" if as_json or not sys.stdin.isatty() else "> "
        while question := _next_question(prompt):
            try:
                conversation = conversation.ask(question, models=not fast)
            # An invalid question does not end the conversation.
            except InvalidInput as error:
                warn(str(error))
                continue
            answer, turn = conversation.answer, conversation.turns[-1]
            if answer is None:
                continue
            if as_json:
                print_json({"turn": turn.to_dict(), "answer": answer.to_dict()}, indent=None)
                continue
            if turn.resolved != question:
                console.print(f"({one_line(turn.resolved)})", style="dim", markup=False)
            print_answer(console, answer)


def _next_question(prompt: str) -> str:
    """Read the next line that is not blank; empty at the end of stdin."""
    while True:
        click.echo(prompt, nl=False)
        line = sys.stdin.readline()
        if not line or line.strip():
            return line.strip()
