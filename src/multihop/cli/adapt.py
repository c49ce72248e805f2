"""`multihop adapt`: learn from labeled questions how to rank the passages of an index."""

from __future__ import annotations

from pathlib import Path

import click

from multihop.cli.indexes import open_with_vectors
from multihop.cli.options import PATH, embedder_option, index_option, json_option
from multihop.cli.output import open_console, print_json
from multihop.cli.progress import progress_bar
from multihop.index.locations import Location, redact
from multihop.types import plain


@click.command(
    epilog="\b\nExample:\n  multihop adapt --index rules.mh --questions mine.jsonl\n"
    "  multihop adapt --index rules.mh --undo"
)
@index_option
@click.option(
    "--questions", type=PATH, metavar="FILE",
    help='At least 30 questions as JSON Lines: {"question": "…", "gold": ["a document or passage id, or a title", …]}.',
)  # fmt: skip
@click.option("--undo", is_flag=True, help="Rank as before any adaptation.")
@embedder_option
@json_option
def adapt(path: Location, questions: Path | None, undo: bool, embedder: str | None, as_json: bool) -> None:
    """Adapt the ranking to your documents with labeled questions.

    Recall@5 before and after is measured by cross-validation over the questions. The adaptation is stored with the
    index only if it helps. Nothing leaves this machine.
    """
    if undo == (questions is not None):
        raise click.UsageError("give either --questions FILE or --undo")
    with open_with_vectors(path, embedder) as engine:
        if questions is None:
            there = engine.forget_adaptation()
            said = "the adaptation was removed" if there else "there was no adaptation"
            return print_json({"index": redact(path), "undone": there}) if as_json else click.echo(said)
        from multihop.adapting import read_questions

        with progress_bar(open_console(stderr=True), wanted=not as_json) as progress:
            done = engine.adapt(read_questions(questions), progress=progress)
    return print_json({"index": redact(path), **plain(done)}) if as_json else click.echo(str(done))
