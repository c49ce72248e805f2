"""Parses `[NAME=]INDEX` options of servers; an index is a folder or a database URL."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import click

from multihop.cli.options import TEXT
from multihop.errors import InvalidInput
from multihop.index.locations import Location, is_server, parse_location, redact

# Names become part of URLs, where other characters would have to be escaped.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_NAMED = re.compile(f"({_NAME.pattern})=(.+)", re.DOTALL)

indexes_option = click.option(
    "--index", "--store", "indexes", type=TEXT, multiple=True, metavar="[NAME=]INDEX",
    help="An index and its name: a folder, or postgresql://… for one on a server. May be repeated.",
)  # fmt: skip


def parse_named_locations(given: Iterable[str], kind: str = "index") -> dict[str, Location]:
    """Parse options into locations by name; the default name is that of the folder, or the one in the URL."""
    places: dict[str, Location] = {}
    one, several = ("an index", "indexes") if kind == "index" else (f"a {kind}", f"{kind}s")
    for each in given:
        named = _NAMED.fullmatch(each)
        place = parse_location(named[2] if named else each)
        name = named[1] if named else _default_name(place)
        other = f"--{kind} NAME={redact(place)}"
        if not _NAME.fullmatch(name):
            raise InvalidInput(f"{name!r} cannot be used as the name of {one}; give another: {other}")
        if name in places:
            raise InvalidInput(f"two {several} have the name {name!r}; rename one of them: {other}")
        places[name] = place
    return places


def _default_name(place: Location) -> str:
    if is_server(place):
        from multihop.index.stores.postgres.address import parse_address

        return parse_address(str(place)).index
    return Path(place).resolve().stem
