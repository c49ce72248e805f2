"""`multihop answer`: the answer to a question, with its supporting sentences and the chain."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from multihop.cli.indexes import open_with_vectors
from multihop.cli.output import open_console
from multihop.cli.question_command import QuestionCommand, fast_option, question_command
from multihop.rendering.phrases import one_line

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from multihop.answering.lm import OnWords, Words
    from multihop.types import Answer, AnswerSentence, Passage

_FINDINGS = {"supported": "green", "contradicted": "red", "nothing found": "yellow"}


@click.command(
    epilog="\b\nExample:\n"
    '  multihop answer "Who was the architect of the ship that Amundsen borrowed?" --index wiki.mh\n'
    '  multihop answer "Who drew the Fram?" --index wiki.mh --lm ollama_chat/qwen3 --lm-base http://localhost:11434\n'
    '  multihop answer "Colin Archer drew the Fram and was born in 1832." --index wiki.mh --json'
)
@question_command("[QUESTION]")
@fast_option
def answer(command: QuestionCommand, fast: bool) -> None:
    """Answer a question with sentences from its evidence.

    Every sentence has a calibrated confidence: at .8, about four in five contain the answer. If no sentence is likely
    to, the command says so. For a claim, each part gets the sentence that supports or contradicts it. Use - as
    QUESTION to read it from stdin. A language model (--lm) answers in statements with checked citations.
    """
    with open_with_vectors(command.path, command.embedder) as engine:
        with _show_words() as on_words:
            found = command.ask(engine.answer, command.prompted(), models=not fast, on_words=on_words)
        if found is None:
            return
        command.warn_about_filter(engine, found.result)
        command.show(engine, found, found.result, _print)


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


def _print(console: Console, found: Answer) -> None:
    from rich.text import Text

    from multihop.cli.evidence import chain_text

    if found.text:
        about = f"  {found.kind}, confidence {found.confidence:.2f}"
        console.print(Text.assemble((one_line(found.text), "bold"), (about, "dim")))
    for note in found.notes:
        console.print(Text(note.text, "yellow"))
    for statement in found.statements:
        # Two sentences from one passage are one citation.
        mark = ", ".join(dict.fromkeys(q.passage_id for q in statement.quotes)) or "not supported"
        tone = "cyan" if statement.supported else "yellow"
        console.print(Text.assemble(one_line(statement.text), (f"  [{mark}]", tone)))
    passages = {e.passage.id: e.passage for e in found.result.evidence}
    for part in found.parts:
        console.print(Text.assemble((f"{part.finding}: ", _FINDINGS[part.finding]), one_line(part.text)))
        if part.sentence:
            console.print(_format_sentence(part.sentence, "  ", passages))
    if not found.parts:
        for sentence in found.sentences:
            console.print(_format_sentence(sentence, "", passages))
    # Without an answer the chain would lead nowhere.
    if found.chain.links and found.answered:
        console.print()
        console.print(chain_text(found.result, found.chain))


def _format_sentence(sentence: AnswerSentence, indent: str, passages: Mapping[str, Passage]) -> Text:
    """Format a sentence with its confidence, the highlighted answer, and its source."""
    from rich.text import Text

    quote, answer = sentence.quote, sentence.answer
    said = Text(f"{indent}{sentence.confidence:.2f}  ", "dim")
    if answer:
        before, after = quote.text[: answer.start - quote.start], quote.text[answer.end - quote.start :]
        said.append(_keep_outer_spaces(before), "default").append(_keep_outer_spaces(answer.text), "bold").append(
            _keep_outer_spaces(after), "default"
        )
    else:
        said.append(one_line(quote.text), "default")
    passage = passages.get(quote.passage_id)
    page = passage.page_at(quote.start) if passage else None
    title = f"{one_line(sentence.title)}{f', p. {page}' if page else ''}"
    return said.append(f"  {title} ", "cyan").append(quote.passage_id, "dim")


def _keep_outer_spaces(part: str) -> str:
    """Put part of a sentence on one line, keeping a space at either end."""
    line = one_line(part)
    return f"{' ' * part[:1].isspace()}{line}{' ' * (part[-1:].isspace() and len(part) > 1)}"
