"""`multihop serve`: indexes over HTTP, and the web page."""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from multihop.cli.options import FOLDER
from multihop.errors import InvalidInput

if TYPE_CHECKING:
    from multihop.server.settings import Location

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_DEMO = "sample"


@click.command(
    epilog="\b\nExample:\n  multihop serve --demo\n  multihop serve --index wiki.mh --index news=archive.mh\n"
    "  multihop serve --index wiki.mh --host 0.0.0.0 --token-file tokens.json"
)
@click.option("--index", "indexes", multiple=True, metavar="[NAME=]FOLDER", help="An index to serve; may be repeated.")
@click.option("--demo", is_flag=True, help="Serve the sample index, so that no data of your own is needed.")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--port", type=click.IntRange(0, 65_535), default=8000, show_default=True)
@click.option("--workers", type=click.IntRange(1, 64), default=1, show_default=True, help="Processes that answer.")
@click.option("--state", type=FOLDER, metavar="FOLDER", help="Where jobs and uploaded files are kept.")
@click.option("--reports", type=FOLDER, metavar="FOLDER", help="A folder of evaluation reports to show.")
def serve(
    indexes: tuple[str, ...],
    demo: bool,
    host: str,
    port: int,
    workers: int,
    state: Path | None,
    reports: Path | None,
) -> None:
    """Serve indexes over HTTP, with a web page to ask questions on."""
    from multihop.server.running import run
    from multihop.server.settings import Settings

    locations = _locations(indexes)
    if not locations and not demo:
        raise click.UsageError("give --index FOLDER, or --demo for the sample index")
    with tempfile.TemporaryDirectory(prefix="multihop-demo-") as folder:
        if demo:
            locations.append(_sample(Path(folder)))
        settings = Settings(tuple(locations), state or _state(locations), reports=reports)
        run(settings, host, port, workers=workers)


def _locations(given: tuple[str, ...]) -> list[Location]:
    from multihop.server.settings import Location

    found: dict[str, Location] = {}
    for each in given:
        name, _, place = each.partition("=") if _NAME.match(each.partition("=")[0]) and "=" in each else ("", "", each)
        name = name or Path(place).resolve().stem
        if not _NAME.fullmatch(name):
            raise InvalidInput(f"an index cannot be served as {name!r}; give it a name: --index NAME={place}")
        if name in found:
            raise InvalidInput(
                f"two indexes would be served as {name!r}; give one of them a name: --index NAME={place}"
            )
        found[name] = Location(name, place)
    return list(found.values())


def _sample(folder: Path) -> Location:
    from multihop.engine import Engine
    from multihop.server.settings import Location
    from multihop.testing import sample_documents

    with Engine.open(folder / "sample.mh", create=True) as engine:
        engine.add(sample_documents())
    return Location(_DEMO, str(folder / "sample.mh"))


def _state(locations: list[Location]) -> Path:
    """Where the state of a server of these indexes is kept, so that the same server finds it again."""
    home = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    told = "\n".join(f"{each.name}={Path(each.place).resolve()}" for each in locations)
    return Path(home) / "multihop" / hashlib.sha256(told.encode()).hexdigest()[:16]
