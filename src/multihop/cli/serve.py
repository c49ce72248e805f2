"""`multihop serve`: serve indexes over HTTP, with the web page."""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from multihop.cli.indexes import build_sample_index
from multihop.cli.named_indexes import indexes_option, parse_named_locations, parse_together, together_option
from multihop.cli.options import PATH, TEXT, LmChoice, lm_options
from multihop.cli.processor import limitation
from multihop.errors import InvalidInput, suggestion
from multihop.index.locations import looks_like_address, redact

if TYPE_CHECKING:
    from multihop.lm import LmSpec
    from multihop.server.settings import Location

_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_DEMO = "sample"
_OIDC_SECRET = "MULTIHOP_OIDC_SECRET"  # noqa: S105 - the name of the variable that holds it
_OF_INDEX = re.compile(r"([\w.-]+):([\w.-]+=.+)", re.DOTALL)
"""A folder given to one index, INDEX:NAME=FOLDER; the drive letter of a Windows path is not an index."""


@click.command(
    epilog="\b\nExample:\n  multihop serve --demo\n  multihop serve --index wiki.mh --index news=archive.mh\n"
    "  multihop serve --index news=postgresql://reader@db.example/news\n"
    "  multihop serve --index wiki.mh --host 0.0.0.0 --token-file tokens.json"
)
@indexes_option
@together_option
@click.option("--demo", is_flag=True, help="Serve the sample index; needs no data of your own.")
@click.option("--embedder", metavar="SPEC", help="The embedder; by default the one each index was built with.")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--port", type=click.IntRange(0, 65_535), default=8000, show_default=True, help="0 for any free port.")
@click.option("--workers", type=click.IntRange(1, 64), default=1, show_default=True, help="Number of worker processes.")
@click.option("--token-file", type=PATH, metavar="FILE", help="File of accepted tokens; see multihop token.")
@click.option("--oidc-issuer", metavar="URL", help="OpenID Connect provider; its users see what allow lists permit.")
@click.option("--oidc-audience", metavar="ID", help="Required audience of its tokens: your client id.")
@click.option("--oidc-user-claim", default="sub", show_default=True, metavar="CLAIM", help="Claim that names the user.")
@click.option(
    "--oidc-groups-claim", default="groups", show_default=True, metavar="CLAIM", help="Claim that lists the groups."
)
@click.option(
    "--user-header",
    default="",
    metavar="NAME",
    help="Header in which a proxy names the user, such as X-Forwarded-User; users see what allow lists permit.",
)
@click.option(
    "--groups-header", default="", metavar="NAME", help="Header in which it lists the groups, separated by commas."
)
@click.option(
    "--proxy",
    "proxies",
    multiple=True,
    metavar="ADDRESS",
    help="Address of the proxy whose headers are trusted. May be repeated.  [default: this machine]",
)
@click.option("--no-auth", is_flag=True, help="Let anyone who can reach the server read and write.")
@click.option("--read-only", is_flag=True, help="Refuse all changes to indexes.")
@click.option(
    "--cors-origin", multiple=True, metavar="ORIGIN", help="Origin whose pages may call the server. May be repeated."
)
@click.option("--state", type=PATH, metavar="FOLDER", help="Folder for jobs and uploaded files.")
@click.option("--reports", type=PATH, metavar="FOLDER", help="Folder of evaluation and survey reports to show.")
@click.option("--feedback", is_flag=True, help="Store ratings of passages, to export as qrels.")
@click.option(
    "--folder", "folders", type=TEXT, multiple=True, metavar="[[INDEX:]NAME=]FOLDER",
    help="Folder that an index may be synced with over HTTP, by its name. May be repeated.",
)  # fmt: skip
@click.option(
    "--otel", is_flag=True, help="Send OpenTelemetry spans, configured by the OTEL_EXPORTER_OTLP_… variables."
)
@click.option("--seconds", type=click.FloatRange(0.1, 3600), help="Time limit per question.  [default: 30]")
@click.option("--concurrent", type=click.IntRange(1, 256), help="Questions to run concurrently.  [default: 4]")
@click.option("--queue", type=click.IntRange(0, 10_000), help="Questions that may queue.  [default: 64]")
@click.option("--max-k", "k", type=click.IntRange(1, 1000), help="Maximum passages per answer.  [default: 1000]")
@click.option(
    "--max-body", "body", type=click.IntRange(1), metavar="BYTES", help="Maximum body size.  [default: 8 MiB]"
)
@click.option(
    "--max-upload", "upload", type=click.IntRange(1), metavar="BYTES", help="Maximum upload size.  [default: 256 MiB]"
)
@click.option(
    "--connections",
    type=click.IntRange(1),
    help="Maximum connections per client address; raise it behind a proxy.  [default: 256]",
)
@lm_options
def serve(
    indexes: tuple[str, ...],
    together: tuple[str, ...],
    demo: bool,
    embedder: str | None,
    host: str,
    port: int,
    workers: int,
    token_file: Path | None,
    oidc_issuer: str | None,
    oidc_audience: str | None,
    oidc_user_claim: str,
    oidc_groups_claim: str,
    user_header: str,
    groups_header: str,
    proxies: tuple[str, ...],
    no_auth: bool,
    read_only: bool,
    cors_origin: tuple[str, ...],
    state: Path | None,
    reports: Path | None,
    feedback: bool,
    folders: tuple[str, ...],
    otel: bool,
    lm: LmChoice,
    **limits: Any,
) -> None:
    """Serve indexes over HTTP, with a web page to ask questions on.

    On the loopback address everybody may read and write; any other address requires a token.
    """
    from multihop.server.launch import run
    from multihop.server.settings import LOOPBACK, Location, Oidc, ServerLimits, Settings

    if bool(oidc_issuer) != bool(oidc_audience):
        raise click.UsageError("--oidc-issuer and --oidc-audience need each other; give both")
    oidc = None
    if oidc_issuer and oidc_audience:
        secret = os.environ.get(_OIDC_SECRET, "")
        oidc = Oidc(oidc_issuer, oidc_audience, oidc_user_claim, oidc_groups_claim, secret)
    if oidc and user_header:
        raise click.UsageError("--oidc-issuer and --user-header both name the user; give one of them")
    _check_auth(host, token_file, no_auth, signed_in=oidc is not None)
    with tempfile.TemporaryDirectory(prefix="multihop-demo-") as folder:
        locations = [Location(name, str(place), embedder) for name, place in parse_named_locations(indexes).items()]
        if not locations and not demo:
            raise click.UsageError("give --index, or --demo for the sample index")
        state = state or (_default_state_folder(locations) if locations else Path(folder) / "state")
        if demo:
            locations.append(Location(_DEMO, str(build_sample_index(Path(folder)))))
        # Against DNS rebinding: without tokens, only the loopback names are accepted as Host.
        is_open = not token_file and not no_auth and not oidc
        # Options that were not given keep the defaults of the settings.
        bounds = ServerLimits(**{name: value for name, value in limits.items() if value is not None})
        served = [location.name for location in locations]
        settings = Settings(
            tuple(locations), state, tokens=token_file, hosts=(*_LOOPBACK[:2], "[::1]") if is_open else (),
            origins=cors_origin, reports=reports, feedback=feedback, read_only=read_only,
            folders=_parse_folders(folders, served), together=parse_together(together, served),
            oidc=oidc, user_header=user_header, groups_header=groups_header, proxies=proxies or LOOPBACK,
            spans=otel, limits=bounds, lm=_cap_lm_seconds(lm.spec, bounds.seconds),
        )  # fmt: skip

        def on_ready(port: int) -> None:
            address = f"[{host}]" if ":" in host else host
            click.echo(
                f"serving {', '.join((*served, *settings.together))} at http://{address}:{port}  (Ctrl-C to stop)"
            )
            if lacking := limitation():
                click.echo(f"this processor has {lacking}")

        run(settings, host, port, workers=workers, on_ready=on_ready)


def _check_auth(host: str, token_file: Path | None, no_auth: bool, *, signed_in: bool) -> None:
    if no_auth and (token_file or signed_in):
        raise click.UsageError("--no-auth cannot be combined with --token-file or --oidc-issuer")
    if host not in _LOOPBACK and not token_file and not no_auth and not signed_in:
        raise click.UsageError(
            f"on {host} others can reach the server: give --token-file (make one with: multihop token create), "
            "or --no-auth to allow everybody"
        )


def _parse_folders(given: tuple[str, ...], indexes: Sequence[str]) -> dict[str, dict[str, Path]]:
    """Parse the folders of each index; without an index, a folder belongs to the only one."""
    grouped: dict[str, list[str]] = {}
    for each in given:
        named = _OF_INDEX.fullmatch(each)
        if named is None and len(indexes) > 1:
            raise InvalidInput(
                f"several indexes are served, so name the one for {each!r}: --folder INDEX:NAME=FOLDER, "
                "with letters, digits, '.', '_' and '-' in the names"
            )
        index, folder = (named[1], named[2]) if named else (indexes[0], each)
        if index not in indexes:
            raise InvalidInput(f"--folder {each}: there is no index {index!r}: {suggestion(index, indexes)}")
        grouped.setdefault(index, []).append(folder)
    return {index: _existing_folders(folders) for index, folders in grouped.items()}


def _existing_folders(given: Sequence[str]) -> dict[str, Path]:
    folders = {name: Path(str(place)) for name, place in parse_named_locations(given, "folder").items()}
    for name, place in folders.items():
        if not place.is_dir():
            raise InvalidInput(f"the folder {name!r} does not exist: {str(place)!r}")
    return folders


def _cap_lm_seconds(spec: LmSpec | None, seconds: float) -> LmSpec | None:
    """Cap the time spent on the language model at the time limit of a question."""
    if spec is None:
        return None
    return replace(spec, limits=replace(spec.limits, seconds=min(spec.limits.seconds, seconds)))


def _default_state_folder(locations: list[Location]) -> Path:
    """Return the state folder of a server of these indexes; it is the same after a restart."""
    home = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    # Derived from the indexes, not from port or process: jobs resume wherever the same indexes are served.
    names = "\n".join(f"{each.name}={_stable_location(each.place)}" for each in locations)
    return Path(home) / "multihop" / hashlib.sha256(names.encode()).hexdigest()[:16]


def _stable_location(place: str) -> str:
    """Normalize a location so that it does not depend on the working directory or on a password."""
    return redact(place) if looks_like_address(place) else str(Path(place).resolve())
