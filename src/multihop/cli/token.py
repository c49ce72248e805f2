"""`multihop token`: create, list and revoke access tokens of a server."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from multihop.cli.filters import where_option
from multihop.cli.options import PATH, TEXT, Commands, json_option
from multihop.cli.output import grid, open_console, print_json

_file_option = click.option(
    "--file", "file", required=True, type=PATH, metavar="FILE", help="The file of tokens; it holds hashes only."
)


@click.group(
    cls=Commands,
    epilog="\b\nExample:\n  multihop token create --file tokens.json --name page --rights read\n"
    "  multihop token create --file tokens.json --name acme --rights read,survey --index acme-wiki --index acme-mail",
)
def token() -> None:
    """Create, list and revoke access tokens of a server."""


@token.command()
@_file_option
@click.option("--name", required=True, type=TEXT, help="A name for the token, such as its user.")
@click.option(
    "--rights", "--scope", "scopes", multiple=True, required=True, metavar="NAMES",
    help="Scopes: read, survey, write, memory, reports, metrics; write includes all, survey includes read.",
)  # fmt: skip
@click.option(
    "--index", "indexes", multiple=True, type=TEXT, metavar="NAME",
    help="Limit the token to this index, by its served name. May be repeated.  [default: all]",
)  # fmt: skip
@click.option("--user", type=TEXT, default="", help="Restrict the token to what this user may see.")
@click.option("--group", "groups", multiple=True, type=TEXT, help="A group of the user. May be repeated.")
@where_option
def create(
    file: Path,
    name: str,
    scopes: tuple[str, ...],
    indexes: tuple[str, ...],
    user: str,
    groups: tuple[str, ...],
    where: dict[str, Any],
) -> None:
    """Create a token and print it. It is shown only once; the file stores its hash.

    With --user, --group or --where it only reads, and only documents that these permit. With --rights read,memory it
    also remembers and recalls, in the namespace of its --user.
    """
    from multihop.server import tokens
    from multihop.types import Rights

    rights = Rights(user, groups, where) if user or groups or where else None

    # Scopes may be separated by commas or given one by one.
    given = [scope.strip() for each in scopes for scope in each.split(",")]
    click.echo(tokens.create(file, name, given, indexes or None, rights))


@token.command("list")
@_file_option
@json_option
def list_(file: Path, as_json: bool) -> None:
    """List the tokens of a file."""
    from multihop.server import tokens

    known = tokens.load(file)
    if as_json:
        print_json([{"name": t.name, "scopes": t.scopes, "indexes": t.indexes, "created": t.created} for t in known])
        return
    rows = (
        (t.name, ", ".join(t.scopes), "all indexes" if t.indexes is None else ", ".join(t.indexes), t.created)
        for t in known
    )
    open_console().print(grid(rows))


@token.command()
@_file_option
@click.option("--name", required=True, type=TEXT)
def delete(file: Path, name: str) -> None:
    """Revoke a token; running servers notice at once."""
    from multihop.server import tokens

    tokens.delete(file, name)
    click.echo(f"token {name!r} deleted")
