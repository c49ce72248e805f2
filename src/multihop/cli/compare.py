"""`multihop compare`: two runs of the same questions, side by side."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from multihop.cli.options import PATH, TEXT, json_option
from multihop.cli.output import open_console, print_json, table
from multihop.rendering.files import check_writable, write_atomically
from multihop.rendering.phrases import one_line
from multihop.types import plain

_MAX_SETTINGS = 12

if TYPE_CHECKING:
    from multihop.evaluation.comparison import Comparison


@click.command(
    epilog="\b\nExample:\n  multihop compare runs/a runs/b\n"
    "  multihop compare runs/hover-dev-k21:bm25 runs/hover-dev-k21:auto"
)
@click.argument("a", type=TEXT, metavar="RUN[:SYSTEM]")
@click.argument("b", type=TEXT, metavar="RUN[:SYSTEM]")
@click.option(
    "--changes", type=click.IntRange(0), default=10, show_default=True, help="Maximum number of questions to show."
)
@click.option("--report", type=PATH, metavar="FILE", help="Write a self-contained HTML page comparing both runs.")
@json_option
def compare(a: str, b: str, changes: int, report: Path | None, as_json: bool) -> None:
    """Compare two runs of the same questions, side by side.

    Prints paired tests, the settings that changed, and the questions that only one of them gets right.

    If a run has several systems, name one after a colon.
    """
    from multihop.evaluation.comparison import beside, compare as compare_runs
    from multihop.evaluation.report import html
    from multihop.evaluation.runs import load_run
    from multihop.evaluation.summary import summarize

    # Checked before the runs are read, so that a wrong path fails early.
    if report is not None:
        check_writable(report, "the report")
    (folder_a, system_a), (folder_b, system_b) = _split(a), _split(b)
    run_a, run_b = load_run(folder_a), load_run(folder_b)
    comparison = compare_runs(run_a, run_b, system_a, system_b)
    if report is not None:
        both = beside(run_a, run_b, system_a, system_b)
        write_atomically(report, html(both, summarize(both), comparison.settings))
    if as_json:
        print_json(plain(comparison))
    else:
        _print(comparison, changes)


def _split(spec: str) -> tuple[Path, str | None]:
    folder, colon, system = spec.rpartition(":")
    # The name of a folder may contain a colon.
    if colon and not Path(spec).exists():
        return Path(folder), system
    return Path(spec), None


def _print(comparison: Comparison, max_changes: int) -> None:
    from multihop.evaluation.tables import against

    console = open_console()
    console.print(f"{comparison.b} against {comparison.a}: {comparison.questions} questions, k = {comparison.k}")
    rows = ((measure, against(v), str(v.wins), str(v.losses)) for measure, v in comparison.differences.items())
    header = ("measure", "difference", "wins", "losses")
    console.print(table(header, rows, header_style="bold", pad_edge=False))
    if comparison.settings:
        console.print("\nsettings that changed:")
    for name, before, after in comparison.settings[:_MAX_SETTINGS]:
        console.print(f"  {name}: {one_line(before, 80)} → {one_line(after, 80)}")
    if len(comparison.settings) > _MAX_SETTINGS:
        console.print(f"  … and {len(comparison.settings) - _MAX_SETTINGS} more; --json has all")
    for change in comparison.changes[:max_changes]:
        console.print(f"\n{one_line(change.text, 200)}")
        console.print(f"  {change.better} has all of the gold; the other lacks {', '.join(change.missing)}")
    if len(comparison.changes) > max_changes:
        console.print(f"\n… and {len(comparison.changes) - max_changes} more; --changes N shows them, --json has all")
