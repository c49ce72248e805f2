"""`multihop compare`: two runs of the same questions, side by side."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from multihop.cli.options import FOLDER, WORDS, json_option
from multihop.cli.screen import print_json, screen, table
from multihop.rendering.files import check_writable, write_atomically
from multihop.rendering.phrases import one_line
from multihop.types import plain

_SETTINGS = 12

if TYPE_CHECKING:
    from multihop.evaluation.comparison import Comparison


@click.command(
    epilog="\b\nExample:\n  multihop compare runs/a runs/b\n"
    "  multihop compare runs/hover-dev-k21:bm25 runs/hover-dev-k21:auto"
)
@click.argument("a", type=WORDS, metavar="RUN[:SYSTEM]")
@click.argument("b", type=WORDS, metavar="RUN[:SYSTEM]")
@click.option(
    "--changes", type=click.IntRange(0), default=10, show_default=True, help="Maximum number of questions to show."
)
@click.option("--report", type=FOLDER, metavar="FILE", help="Write a self-contained HTML page of both side by side.")
@json_option
def compare(a: str, b: str, changes: int, report: Path | None, as_json: bool) -> None:
    """Compare two runs of the same questions, side by side.

    Paired tests, the settings that changed, and the questions that one of them wins.

    Name a system behind a colon where a run holds several.
    """
    from multihop.evaluation.comparison import beside, compare as compared
    from multihop.evaluation.report import html
    from multihop.evaluation.runs import read
    from multihop.evaluation.summary import summarize

    # Checked before the runs are read, so that no work is lost over a wrong path.
    if report is not None:
        check_writable(report, "the report")
    (folder_a, system_a), (folder_b, system_b) = _split(a), _split(b)
    run_a, run_b = read(folder_a), read(folder_b)
    found = compared(run_a, run_b, system_a, system_b)
    if report is not None:
        both = beside(run_a, run_b, system_a, system_b)
        write_atomically(report, html(both, summarize(both), found.settings))
    if as_json:
        print_json(plain(found))
    else:
        _print(found, changes)


def _split(spec: str) -> tuple[Path, str | None]:
    folder, colon, system = spec.rpartition(":")
    # The name of a folder may hold a colon itself.
    if colon and not Path(spec).exists():
        return Path(folder), system
    return Path(spec), None


def _print(found: Comparison, most: int) -> None:
    from multihop.evaluation.tables import against

    console = screen()
    console.print(f"{found.b} against {found.a}: {found.questions} questions, k = {found.k}")
    rows = ((measure, against(v), str(v.wins), str(v.losses)) for measure, v in found.differences.items())
    header = ("measure", "difference", "wins", "losses")
    console.print(table(header, rows, header_style="bold", pad_edge=False))
    if found.settings:
        console.print("\nwhat changed:")
    for name, before, after in found.settings[:_SETTINGS]:
        console.print(f"  {name}: {one_line(before, 80)} → {one_line(after, 80)}")
    if len(found.settings) > _SETTINGS:
        console.print(f"  … and {len(found.settings) - _SETTINGS} more; --json has all")
    for change in found.changes[:most]:
        console.print(f"\n{one_line(change.text, 200)}")
        console.print(f"  {change.better} has all of it; the other lacks {', '.join(change.missing)}")
    if len(found.changes) > most:
        console.print(f"\n… and {len(found.changes) - most} more; --changes N shows them, --json has all")
