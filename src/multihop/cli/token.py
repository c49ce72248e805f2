"""`multihop token`: who may use a server."""

from __future__ import annotations

from pathlib import Path

import click

from multihop.cli.options import FOLDER, WORDS, json_option
from multihop.cli.screen import grid, print_json, screen

_file_option = click.option(
    "--file", "file", required=True, type=FOLDER, metavar="FILE", help="The file of tokens; it holds hashes only."
)


@click.group(epilog="\b\nExample:\n  multihop token create --file tokens.json --name page --scope read")
def token() -> None:
    """Create, list and revoke the tokens that a server asks for."""


@token.command()
@_file_option
@click.option("--name", required=True, type=WORDS, help="Its name, such as who it is for.")
@click.option(
    "--scope", "scopes", multiple=True, required=True, type=click.Choice(["read", "write"]),
    help="What it allows; may be repeated. Who may write may read as well.",
)  # fmt: skip
def create(file: Path, name: str, scopes: tuple[str, ...]) -> None:
    """Create a token and print it. It is shown only once; the file keeps its hash."""
    from multihop.server import tokens

    click.echo(tokens.create(file, name, scopes))


@token.command("list")
@_file_option
@json_option
def list_(file: Path, as_json: bool) -> None:
    """List the tokens of a file, by name."""
    from multihop.server import tokens

    known = tokens.load(file)
    if as_json:
        print_json([{"name": t.name, "scopes": list(t.scopes), "created": t.created} for t in known])
        return
    screen().print(grid((each.name, ", ".join(each.scopes), each.created) for each in known))


@token.command()
@_file_option
@click.option("--name", required=True, type=WORDS)
def delete(file: Path, name: str) -> None:
    """Revoke a token; servers that use the file notice at once."""
    from multihop.server import tokens

    tokens.delete(file, name)
    click.echo(f"token {name!r} deleted")
