"""`multihop answer`: the answer to a question, with the sentences that say it and the chain that leads there."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from multihop.cli.ask import keep_option, where_option
from multihop.cli.batch import BatchChoice, batch_options
from multihop.cli.indexes import open_with_vectors
from multihop.cli.options import WORDS, LmChoice, embedder_option, index_option, json_option, lm_options, prompts_option
from multihop.cli.screen import print_json, screen, warn
from multihop.index.locations import Location
from multihop.rendering.phrases import one_line

if TYPE_CHECKING:
    from rich.text import Text

    from multihop.engine import Engine
    from multihop.types import Answer, AnswerSentence

_FINDINGS = {"supported": "green", "contradicted": "red", "nothing found": "yellow"}


@click.command(
    epilog="\b\nExample:\n"
    '  multihop answer "Who was the architect of the ship that Amundsen borrowed?" --index wiki.mh\n'
    '  multihop answer "Who drew the Fram?" --index wiki.mh --lm ollama_chat/qwen3 --lm-base http://localhost:11434\n'
    '  multihop answer "Colin Archer drew the Fram and was born in 1832." --index wiki.mh --json'
)
@click.argument("question", type=WORDS, required=False)
@index_option
@click.option("-k", "k", type=int, default=21, show_default=True, help="Maximum number of passages to read.")
@click.option("--strategy", type=WORDS, default="auto", show_default=True, help="A strategy; see multihop strategies.")
@where_option
@keep_option
@click.option("--fast", is_flag=True, help="Rank the evidence without models: faster, less accurate.")
@click.option("--explain", is_flag=True, help="Also show the trace.")
@batch_options
@lm_options
@prompts_option
@embedder_option
@json_option
def answer(
    question: str | None,
    path: Location,
    k: int,
    strategy: str,
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
    """Answer a question by the sentences of its evidence.

    Every sentence has a confidence: of those shown with .8, about four in five hold the answer. Where none is likely
    to, it says so. For a claim, each of its parts gets the sentence that supports or contradicts it. With - as
    QUESTION it is read from stdin. A language model (--lm) answers in statements that cite sentences, each checked.
    """
    asked = batch.question(question)
    with open_with_vectors(path, embedder) as engine:
        chosen = lm.prompted(strategy, prompts)
        ask = partial(
            engine.answer, k=k, strategy=chosen, where=where or None, keep=keep or None, lm=lm.open(), models=not fast
        )
        if asked is None:
            batch.run(ask, as_json=as_json)
            return
        found = ask(asked)
        for hint in engine.filter_hints(where) if found.result.short else ():
            warn(hint)
        if as_json:
            print_json(found.to_dict())
        else:
            _print(found, engine, explain)


def _print(found: Answer, engine: Engine, explain: bool) -> None:
    from rich.text import Text

    from multihop.cli.evidence import chain_text

    console = screen()
    if found.text:
        about = f"  {found.kind}, confidence {found.confidence:.2f}"
        console.print(Text.assemble((one_line(found.text), "bold"), (about, "dim")))
    for note in found.notes:
        console.print(Text(note, "yellow"))
    for statement in found.statements:
        mark = ", ".join(dict.fromkeys(q.passage_id for q in statement.quotes)) or "not supported"
        tone = "cyan" if statement.supported else "yellow"
        console.print(Text.assemble(one_line(statement.text), (f"  [{mark}]", tone)))
    for part in found.parts:
        console.print(Text.assemble((f"{part.finding}: ", _FINDINGS[part.finding]), one_line(part.text)))
        if part.sentence:
            console.print(_quoted(part.sentence, "  "))
    if not found.parts:
        for sentence in found.sentences:
            console.print(_quoted(sentence, ""))
    if found.chain.links and found.answered:
        console.print()
        console.print(chain_text(found.result, found.chain))
    if explain:
        from multihop.cli.trace import trace_tree

        console.print()
        console.print(trace_tree(found.result, engine))


def _quoted(sentence: AnswerSentence, indent: str) -> Text:
    """Show a sentence with its confidence, the answer in it marked, and where it stands."""
    from rich.text import Text

    quote, answer = sentence.quote, sentence.answer
    said = Text(f"{indent}{sentence.confidence:.2f}  ", "dim")
    if answer:
        before, after = quote.text[: answer.start - quote.start], quote.text[answer.end - quote.start :]
        said.append(_blanks(before), "default").append(_blanks(answer.text), "bold").append(_blanks(after), "default")
    else:
        said.append(one_line(quote.text), "default")
    return said.append(f"  {one_line(sentence.title)} ", "cyan").append(quote.passage_id, "dim")


def _blanks(part: str) -> str:
    """Put a part of a sentence on one line and keep the blank at its ends."""
    line = one_line(part)
    return f"{' ' * part[:1].isspace()}{line}{' ' * (part[-1:].isspace() and len(part) > 1)}"
