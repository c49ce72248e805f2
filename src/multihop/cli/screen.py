"""What the commands print with: consoles for people, JSON for machines, and how texts and sizes are written."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from rich.console import Console

    from multihop.types import Passage

_WIDTH = 100
_WIDEST = 110
# Control characters (but for line breaks and tabs) could steer the terminal they are shown on.
_STEERING = dict.fromkeys(i for i in (*range(32), *range(127, 160)) if chr(i) not in "\n\t")


def screen(*, stderr: bool = False) -> Console:
    """Open a console: as wide as the terminal up to a readable width, a fixed width elsewhere. Texts are no markup."""
    from rich.console import Console

    from multihop.cli.piped import PipedConsole

    if not (sys.stderr if stderr else sys.stdout).isatty():
        return PipedConsole(stderr=stderr, markup=False, emoji=False, highlight=False, width=_WIDTH)
    console = Console(stderr=stderr, markup=False, emoji=False, highlight=False)
    console.width = min(console.width, _WIDEST)
    return console


def print_json(value: Any) -> None:
    """Print one JSON value; in an encoding that cannot hold every character, with escapes."""
    unicode = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    click.echo(json.dumps(value, ensure_ascii=not unicode, indent=2))


def warn(message: str) -> None:
    """Print a line about something the command did without."""
    click.echo(f"warning: {message}", err=True)


def shown(text: str) -> str:
    """Make a text safe to show on a terminal."""
    return text.translate(_STEERING)


def on_one_line(text: str, limit: int | None = None) -> str:
    """Write a text on one line, cut between words when it is longer than `limit`."""
    line = shown(" ".join(text.split()))
    if limit is None or len(line) <= limit:
        return line
    start = line[: limit + 1]
    return (start.rsplit(" ", 1)[0] if " " in start else line[:limit]).rstrip(" ,.;:") + "…"


def name_of(passage: Passage) -> str:
    """Call a passage by its document's title and its heading; by its id when it has no title."""
    title = on_one_line(passage.title)
    if not title:
        return on_one_line(passage.id)
    heading = on_one_line(passage.heading)
    return f"{title} › {heading}" if heading and heading != title else title


def size_of(count: float) -> str:
    """Write a number of bytes as people read it: 605083 is "590.9 KiB"."""
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if count < 1024:
            return f"{count:,.0f} {unit}" if unit == "bytes" else f"{count:,.1f} {unit}"
        count /= 1024
    return f"{count:,.1f} TiB"


def counted(count: int, what: str) -> str:
    """Write a number with its noun: "1 passage", "1,204 passages"."""
    return f"{count:,} {what}" if count == 1 else f"{count:,} {what}s"
