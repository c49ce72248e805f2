"""`multihop profile`: look at domain profiles, check one, begin one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from multihop.cli.options import FOLDER, WORDS, Commands, json_option
from multihop.cli.screen import print_json, screen
from multihop.errors import InvalidInput
from multihop.rendering.phrases import counted, one_line
from multihop.types import plain

if TYPE_CHECKING:
    from multihop.profiles import Profile


@click.group(
    cls=Commands, epilog="\b\nExample:\n  multihop profile check climate --json\n  multihop profile new mine.toml"
)
def profile() -> None:
    """Check a domain profile, list them, begin one."""


@profile.command(epilog="\b\nExample:\n  multihop profile check climate\n  multihop profile check mine.toml --json")
@click.argument("file", type=WORDS, metavar="FILE|NAME")
@json_option
def check(file: str, as_json: bool) -> None:
    """Read a profile, say what is wrong with it, or explain it."""
    from multihop.profiles import load

    found = load(file)
    if as_json:
        print_json(plain(found))
    else:
        _explain(found)


@profile.command(name="list", epilog="\b\nExample:\n  multihop profile list")
@json_option
def list_profiles(as_json: bool) -> None:
    """List the profiles that ship."""
    from multihop.profiles import load, names

    found = [load(name) for name in names()]
    if as_json:
        print_json([{"name": p.name, "description": p.description, "questions": len(p.questions)} for p in found])
        return
    for each in found:
        click.echo(f"{each.name}   {each.description}")


@profile.command(epilog="\b\nExample:\n  multihop profile new mine.toml")
@click.argument("file", type=FOLDER)
def new(file: Path) -> None:
    """Write a small profile to begin with; every key is explained in it."""
    from multihop.profiles import template

    if file.exists():
        raise InvalidInput(f"{str(file)!r} already exists; give another name")
    file.write_text(template(), encoding="utf-8")
    click.echo(f"written to {file}; change it, then: multihop profile check {file}")


def _explain(found: Profile) -> None:
    from rich.table import Table

    console = screen()
    weights = ", ".join(f"{name} {weight:g}" for name, weight in found.scoring.weights.items())
    console.print(f"{found.name}: {one_line(found.description)}")
    console.print(f"documents are grouped by {found.group}" if found.group else "documents are not grouped")
    console.print(f"signals: {weights}; threshold {found.scoring.threshold:g}, top {found.scoring.top_k}, "
                  f"fuzzy threshold {found.scoring.fuzzy_threshold:g}", soft_wrap=True)  # fmt: skip
    table = Table(box=None, header_style="dim", padding=(0, 2, 0, 0))
    for column in ("topic", "words", "patterns", "phrases"):
        table.add_column(column, justify="left" if column == "topic" else "right")
    for group in found.keywords:
        _, patterns, phrases = found.serving([group.name])
        table.add_row(group.name, str(len(group.words)), str(len(patterns)), str(len(phrases)))
    console.print(table)
    idle = [p.name for p in found.patterns if not p.groups] + [p.text for p in found.phrases if not p.groups]
    if idle:
        console.print(f"serves no topic, so it is never used: {', '.join(idle)}")
    for rule in found.relations:
        console.print(f"{rule.kind} ({rule.confidence:g}): {', '.join(rule.cues)}", soft_wrap=True)
    for question in found.questions:
        console.print(f"{question.number}. {question.text}", soft_wrap=True)
        console.print(
            f"   + {', '.join(question.keywords)}  [{', '.join(question.groups)}]", style="dim", soft_wrap=True
        )
    console.print(
        f"{counted(len(found.questions), 'question')}, {counted(len(found.patterns), 'pattern')}: nothing wrong"
    )
