"""A progress bar on stderr, shown on terminals only."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

    from multihop.protocols import Progress


@contextmanager
def progress_bar(console: Console, *, wanted: bool) -> Iterator[Progress | None]:
    """Yield a callback that updates a progress bar, or None if stderr is not a terminal."""
    if not (wanted and console.is_terminal):
        yield None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress as Bar, SpinnerColumn, TextColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(40), MofNCompleteColumn())
    with Bar(*columns, console=console, transient=True) as bar:
        task = bar.add_task("reading", total=None)
        current = "reading"

        def report(stage: str, done: int, total: int | None) -> None:
            nonlocal task, current
            if stage != current:
                # A new task, because rich cannot reset the total of an existing one.
                bar.remove_task(task)
                task, current = bar.add_task(stage, total=total), stage
            bar.update(task, completed=done, total=total)

        yield report
