"""`multihop research`: search until every aspect of a question is covered, and write a report."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from multihop.cli.filters import where_option
from multihop.cli.indexes import open_asked
from multihop.cli.named_indexes import asked_indexes_option
from multihop.cli.options import PATH, TEXT, LmChoice, as_of_option, embedder_option, json_option, lm_options
from multihop.cli.output import print_json
from multihop.cli.question_command import warn_about_filters
from multihop.index.locations import Location
from multihop.rendering.phrases import printable


@click.command(
    epilog="\b\nExample:\n"
    '  multihop research "What is penicillin and what are its health risks?" --index wiki.mh --out report.md'
)
@click.argument("question", type=TEXT)
@asked_indexes_option
@click.option("-k", "--top-k", "k", type=click.IntRange(1, 1000), default=21, show_default=True, help="Passages.")
@click.option("--min-hops", type=click.IntRange(0), help="Hops before it may stop. [3, or --max-hops if less]")
@click.option("--max-hops", type=click.IntRange(1), default=10, show_default=True, help="Hops after which it stops.")
@click.option(
    "--threshold", type=click.FloatRange(0, 1), default=0.7, show_default=True, help="Weighted coverage to reach."
)
@click.option("--adaptive", is_flag=True, help="Adapt the threshold to the number of aspects.")
@where_option
@as_of_option
@click.option("--out", type=PATH, metavar="FILE", help="Write the report to a file, as Markdown.")
@lm_options
@embedder_option
@json_option
def research(
    question: str, indexes: dict[str, Location], k: int, min_hops: int | None, max_hops: int, threshold: float,
    adaptive: bool, where: dict[str, Any], as_of: str | None, out: Path | None, lm: LmChoice, embedder: str | None,
    as_json: bool,
) -> None:  # fmt: skip
    """Search until every aspect of a question is covered, and report.

    The report has a section for each aspect, with sentences and their sources, and lists what is not covered. Every hop
    is logged on stderr. A language model (--lm) names the aspects and writes the statements.
    """
    from multihop.programs.research import ResearchAgent
    from multihop.programs.research.log import hop_log
    from multihop.rendering.files import check_writable, write_atomically
    from multihop.types import Hop

    def log(hop: Hop) -> None:
        for line in hop_log(hop, "passage"):
            click.echo(printable(line), err=True)

    if out is not None:
        check_writable(out, "the report")
    least = min(3, max_hops) if min_hops is None else min_hops
    with open_asked(indexes, embedder, lm.open()) as engine:
        agent = ResearchAgent(
            engine, min_hops=least, max_hops=max_hops, k=k, threshold=None if adaptive else threshold,
            where=where or None, as_of=as_of,
        )  # fmt: skip
        researched = agent.process(question, on_hop=log)
    warn_about_filters(researched.result)
    report = researched.report.to_markdown()
    if out is not None:
        write_atomically(out, report)
    if as_json:
        print_json({"report": researched.report.to_dict(), "metadata": dict(researched.metadata)})
    elif out is None:
        click.echo(printable(report), nl=False)
