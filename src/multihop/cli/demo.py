"""`multihop demo`: index the sample corpus and ask it questions; needs no data."""

from __future__ import annotations

import shlex
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from multihop.cli.options import PATH, json_option
from multihop.cli.output import open_console, print_json
from multihop.errors import InvalidInput
from multihop.rendering.phrases import one_line, passage_name, pluralize

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from multihop.engine import Engine
    from multihop.testing import SampleQuestion
    from multihop.types import Result

_K = 5
_SHOWN = ("q01", "q11", "q16", "q24", "q43")
"""A two-hop chain, a claim, a comparison, a three-hop and a four-hop chain."""


@click.command(epilog="\b\nExample:\n  multihop demo\n  multihop demo --to sample.mh")
@click.option(
    "--to", "--index", "--store", "path", type=PATH, metavar="FOLDER",
    help="Where to put the index; by default a temporary folder.",
)  # fmt: skip
@json_option
def demo(path: Path | None, as_json: bool) -> None:
    """Index a small sample corpus and ask a few questions.

    The corpus is built in, so you need no data of your own.
    """
    from multihop.engine import Engine
    from multihop.testing import sample_documents, sample_questions

    location = path or Path(tempfile.mkdtemp(prefix="multihop-demo-"))
    with Engine.open(location, create=True) as engine:
        _check_only_sample(engine, location)
        documents = engine.add(sample_documents()).documents
        console = None if as_json else open_console()
        if console:
            about = f"{documents} documents, {len(_SHOWN)} questions, {_K} passages each; ✓ marks the needed passages"
            console.print(about, style="dim")
        results = []
        # The printed questions come first, because the others take a while.
        for question in sorted(sample_questions(), key=lambda question: question.id not in _SHOWN):
            results.append(_SampleResult(question, engine.retrieve(question.text, k=_K)))
            if console and question.id in _SHOWN:
                # One trace is enough as an example.
                _print(console, results[-1], engine if len(results) == 1 else None)
        plain = [
            _SampleResult(each.question, engine.retrieve(each.question.text, k=_K, strategy="bm25")) for each in results
        ]
    complete = {name: sum(each.complete for each in all) for name, all in (("auto", results), ("bm25", plain))}
    if console:
        _print_end(console, location, complete, len(results))
    else:
        print_json({
            "index": str(location), "documents": documents, "k": _K,
            "questions": [each.plain() for each in results[:len(_SHOWN)]], "complete": complete, "of": len(results),
        })  # fmt: skip


def _check_only_sample(engine: Engine, location: Path) -> None:
    """Raise if the index holds anything but the sample, to which the demo would be added."""
    from multihop.testing import sample_documents

    sample = {document.id: document for document in sample_documents()}
    # Its own documents are fine: the demo may be rerun on the index it built.
    others = (id for id in engine.store.document_ids() if engine.document(id) != sample.get(id))
    if (other := next(others, None)) is not None:
        raise InvalidInput(
            f"the index {str(location)!r} already holds other documents, such as {other!r}; "
            "give --to a folder that does not exist yet"
        )


@dataclass(frozen=True, slots=True)
class _SampleResult:
    """A sample question and its result."""

    question: SampleQuestion
    result: Result

    @property
    def gold_found(self) -> int:
        """Number of gold documents in the evidence."""
        return len(set(self.question.gold) & {e.passage.document_id for e in self.result})

    @property
    def complete(self) -> bool:
        return self.gold_found == len(self.question.gold)

    def plain(self) -> dict[str, Any]:
        question = self.question
        return {
            "id": question.id, "text": question.text, "kind": question.kind, "hops": question.hops,
            "type": question.type, "answer": question.answer, "gold": list(question.gold), "complete": self.complete,
            "evidence": [
                {
                    "rank": e.rank, "id": e.passage.id, "title": e.passage.title, "score": round(e.score, 6),
                    "hop": e.hop, "reason": e.reason, "gold": e.passage.document_id in question.gold,
                }
                for e in self.result
            ],
        }  # fmt: skip


def _print(console: Console, asked: _SampleResult, traced: Engine | None) -> None:
    from rich.text import Text

    from multihop.cli.trace import trace_tree

    console.print()
    console.print(Text(asked.question.text, "bold"))
    console.print(_summary_line(asked))
    console.print(_evidence_table(asked))
    if traced:
        console.print()
        console.print(trace_tree(asked.result, traced))


def _summary_line(asked: _SampleResult) -> Text:
    from rich.text import Text

    question = asked.question
    kind = question.kind if question.type == "bridge" else question.type
    answer = question.answer if question.kind == "claim" else f"answer: {question.answer}"
    score = f"found {asked.gold_found} of {len(question.gold)} needed"
    return Text.assemble(
        (f"{kind} · {pluralize(question.hops, 'hop')} · {answer} · ", "dim"),
        (score, "green" if asked.complete else "yellow"),
    )


def _evidence_table(asked: _SampleResult) -> Table:
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(style="green", no_wrap=True, min_width=1)
    table.add_column(no_wrap=True, min_width=24)
    table.add_column(style="dim", no_wrap=True)
    table.add_column()
    for evidence in asked.result:
        mark = "✓" if evidence.passage.document_id in asked.question.gold else ""
        # Set on the cell, not the column, so that a narrow screen truncates the reason first.
        reason = Text(one_line(evidence.reason), "cyan", no_wrap=True, overflow="ellipsis")
        table.add_row(mark, passage_name(evidence.passage), f"hop {evidence.hop}", reason)
    return table


def _print_end(console: Console, location: Path, complete: dict[str, int], total: int) -> None:
    from rich.text import Text

    console.print()
    console.print(
        Text.assemble(
            f"All needed passages among the first {_K}, over all {total} sample questions: ",
            (f"auto {complete['auto']}", "bold green"), f", plain BM25 {complete['bm25']}.",
        )
    )  # fmt: skip
    index = shlex.quote(str(location))
    console.print()
    console.print(Text("next:", "dim"))
    console.print(
        f'  multihop ask "Why did the Tay Bridge fall, and who built it?" --index {index} --explain', soft_wrap=True
    )
    console.print(f"  multihop show fram-ship --index {index}", soft_wrap=True)
