"""Parses `[NAME=]INDEX` options of servers; an index is a folder or a database URL."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from pathlib import Path

import click

from multihop.cli.options import NAMED_INDEX, TEXT
from multihop.errors import InvalidInput, suggestion
from multihop.index.locations import Location, is_server, parse_location, redact

# Names become part of URLs, where other characters would have to be escaped.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_NAMED = re.compile(f"({_NAME.pattern})=(.+)", re.DOTALL)

indexes_option = click.option(
    "--index", "--store", "indexes", type=TEXT, multiple=True, metavar="[NAME=]INDEX",
    help="An index and its name: a folder, or postgresql://… for one on a server. May be repeated.",
)  # fmt: skip

together_option = click.option(
    "--together", type=TEXT, multiple=True, metavar="NAME=INDEX,INDEX",
    help="Also serve several of the indexes as one, under this name. May be repeated.",
)  # fmt: skip


def _parse_asked(_: click.Context, __: click.Parameter, given: tuple[str, ...]) -> dict[str, Location]:
    # A single index needs no name, and its folder may contain an =.
    return {"": parse_location(given[0])} if len(given) == 1 else parse_named_locations(given)


asked_indexes_option = click.option(
    "--index", "--store", "indexes", required=True, type=NAMED_INDEX, multiple=True, callback=_parse_asked,
    metavar="[NAME=]INDEX",
    help="The index: a folder, or a postgresql://… URL. Repeat it to search several as one.",
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


def parse_together(given: Iterable[str], served: Collection[str]) -> dict[str, tuple[str, ...]]:
    """Parse options NAME=INDEX,INDEX: indexes that are also served together, under one name."""
    together: dict[str, tuple[str, ...]] = {}
    for each in given:
        named = _NAMED.fullmatch(each)
        parts = tuple(dict.fromkeys(part.strip() for part in named[2].split(","))) if named else ()
        if named is None or len(parts) < 2:
            raise InvalidInput(f"--together takes a name and two or more indexes, NAME=INDEX,INDEX; got {each!r}")
        for part in parts:
            if part not in served:
                raise InvalidInput(f"--together {each}: there is no index {part!r}: {suggestion(part, served)}")
        if named[1] in served or named[1] in together:
            raise InvalidInput(f"--together {each}: the name {named[1]!r} is taken; give another")
        together[named[1]] = parts
    return together


def _default_name(place: Location) -> str:
    if is_server(place):
        from multihop.index.stores.postgres.address import parse_address

        return parse_address(str(place)).index
    return Path(place).resolve().stem
