"""`multihop serve`: indexes over HTTP, and the web page."""

from __future__ import annotations

import hashlib
import os
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from multihop.cli.indexes import build_sample_index
from multihop.cli.named_indexes import indexes_option, parse_named_locations
from multihop.cli.options import PATH, TEXT, LmChoice, lm_options
from multihop.errors import InvalidInput
from multihop.index.locations import looks_like_address, redacted

if TYPE_CHECKING:
    from multihop.lm import LmSpec
    from multihop.server.settings import Location

_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_DEMO = "sample"


@click.command(
    epilog="\b\nExample:\n  multihop serve --demo\n  multihop serve --index wiki.mh --index news=archive.mh\n"
    "  multihop serve --index news=postgresql://reader@db.example/news\n"
    "  multihop serve --index wiki.mh --host 0.0.0.0 --token-file tokens.json"
)
@indexes_option
@click.option("--demo", is_flag=True, help="Serve the sample index: no data of your own is needed.")
@click.option("--embedder", metavar="SPEC", help="The embedder; by default the one each index was made with.")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--port", type=click.IntRange(0, 65_535), default=8000, show_default=True, help="0 for any free one.")
@click.option("--workers", type=click.IntRange(1, 64), default=1, show_default=True, help="Number of worker processes.")
@click.option("--token-file", type=PATH, metavar="FILE", help="The tokens that are accepted; see multihop token.")
@click.option("--no-auth", is_flag=True, help="Let anyone who can reach the address read and write.")
@click.option("--read-only", is_flag=True, help="Refuse all changes to indexes.")
@click.option(
    "--cors-origin", multiple=True, metavar="ORIGIN", help="An origin whose pages may call the server; may be repeated."
)
@click.option("--state", type=PATH, metavar="FOLDER", help="Where jobs and uploaded files are kept.")
@click.option("--reports", type=PATH, metavar="FOLDER", help="A folder of reports to show, of evaluations and surveys.")
@click.option(
    "--folder", "folders", type=TEXT, multiple=True, metavar="[NAME=]FOLDER",
    help="A folder that indexes may be synced with over HTTP, by its name; may be repeated.",
)  # fmt: skip
@click.option("--otel", is_flag=True, help="Send OpenTelemetry spans, as the OTEL_EXPORTER_OTLP_… variables say.")
@click.option("--seconds", type=click.FloatRange(0.1, 3600), help="Time for a question.  [default: 30]")
@click.option("--concurrent", type=click.IntRange(1, 256), help="Questions worked on at once.  [default: 4]")
@click.option("--queue", type=click.IntRange(0, 10_000), help="Questions that may wait.  [default: 64]")
@click.option("--max-k", "k", type=click.IntRange(1, 1000), help="Passages of one answer.  [default: 1000]")
@click.option("--max-body", "body", type=click.IntRange(1), metavar="BYTES", help="Size of a body.  [default: 8 MiB]")
@click.option(
    "--max-upload", "upload", type=click.IntRange(1), metavar="BYTES", help="Size of an upload.  [default: 256 MiB]"
)
@click.option(
    "--connections", type=click.IntRange(1), help="Connections of one address; raise it behind a proxy.  [default: 256]"
)
@lm_options
def serve(
    indexes: tuple[str, ...],
    demo: bool,
    embedder: str | None,
    host: str,
    port: int,
    workers: int,
    token_file: Path | None,
    no_auth: bool,
    read_only: bool,
    cors_origin: tuple[str, ...],
    state: Path | None,
    reports: Path | None,
    folders: tuple[str, ...],
    otel: bool,
    lm: LmChoice,
    **limits: Any,
) -> None:
    """Serve indexes over HTTP, with a web page to ask questions on.

    On the loopback address everybody may read and write; on any other a token is needed.
    """
    from multihop.server.launch import run
    from multihop.server.settings import Limits, Location, Settings

    _check_auth(host, token_file, no_auth)
    with tempfile.TemporaryDirectory(prefix="multihop-demo-") as folder:
        locations = [Location(name, str(place), embedder) for name, place in parse_named_locations(indexes).items()]
        if not locations and not demo:
            raise click.UsageError("give --index, or --demo for the sample index")
        state = state or (_default_state_folder(locations) if locations else Path(folder) / "state")
        if demo:
            locations.append(Location(_DEMO, str(build_sample_index(Path(folder)))))
        # A page elsewhere could give its own name to our address; without tokens only the names of this machine count.
        is_open = not token_file and not no_auth
        # The defaults are those of the settings: what was not given is not passed on.
        bounds = Limits(**{name: value for name, value in limits.items() if value is not None})
        settings = Settings(
            tuple(locations), state, tokens=token_file, hosts=(*_LOOPBACK[:2], "[::1]") if is_open else (),
            origins=cors_origin, reports=reports, folders=_parse_folders(folders), read_only=read_only, spans=otel,
            limits=bounds, lm=_cap_lm_seconds(lm.spec, bounds.seconds),
        )  # fmt: skip

        def on_ready(port: int) -> None:
            names = ", ".join(location.name for location in locations)
            address = f"[{host}]" if ":" in host else host
            click.echo(f"serving {names} at http://{address}:{port}  (end it with Ctrl-C)")

        run(settings, host, port, workers=workers, on_ready=on_ready)


def _check_auth(host: str, token_file: Path | None, no_auth: bool) -> None:
    if no_auth and token_file:
        raise click.UsageError("--no-auth and --token-file cannot be combined")
    if host not in _LOOPBACK and not token_file and not no_auth:
        raise click.UsageError(
            f"on {host} others can reach the server: give --token-file (make one with: multihop token create), "
            "or --no-auth to let everybody in"
        )


def _parse_folders(given: tuple[str, ...]) -> dict[str, Path]:
    found = {name: Path(str(place)) for name, place in parse_named_locations(given, "folder").items()}
    for name, place in found.items():
        if not place.is_dir():
            raise InvalidInput(f"the folder {name!r} does not exist: {str(place)!r}")
    return found


def _cap_lm_seconds(spec: LmSpec | None, seconds: float) -> LmSpec | None:
    """Let no question wait longer for the language model than its client is made to wait."""
    if spec is None:
        return None
    return replace(spec, limits=replace(spec.limits, seconds=min(spec.limits.seconds, seconds)))


def _default_state_folder(locations: list[Location]) -> Path:
    """Where a server of these indexes keeps its state, so that it finds it again when it starts the next time."""
    home = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    # By what is served, not by port or process: jobs go on wherever the same indexes are served again.
    names = "\n".join(f"{each.name}={_stable_location(each.place)}" for each in locations)
    return Path(home) / "multihop" / hashlib.sha256(names.encode()).hexdigest()[:16]


def _stable_location(place: str) -> str:
    """Write a place so that it stays the same wherever the command is started, and when a password is changed."""
    return redacted(place) if looks_like_address(place) else str(Path(place).resolve())
