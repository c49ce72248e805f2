"""`multihop mcp`: serve indexes to assistants over the Model Context Protocol."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NoReturn

import click

from multihop import __version__
from multihop.cli.filters import where_option
from multihop.cli.indexes import build_sample_index, open_with_vectors
from multihop.cli.named_indexes import indexes_option, parse_named_locations, parse_together, together_option
from multihop.cli.options import TEXT, LmChoice, lm_options
from multihop.types import Rights

TOKEN_VARIABLE = "MULTIHOP_MCP_TOKEN"  # noqa: S105 - the name of the variable that holds it


@click.command(
    epilog="\b\nExample:\n  multihop mcp --demo\n  multihop mcp --index wiki.mh\n"
    "  multihop mcp --index wiki=wiki.mh --index law=treaties.mh --http --port 8765"
)
@indexes_option
@together_option
@click.option("--demo", is_flag=True, help="Serve the sample corpus as an index called sample.")
@click.option("--memory", is_flag=True, help="Let assistants write memories: remember, update, forget, recall.")
@click.option("--user", type=TEXT, default="", help="Restrict the tools to what this user may see.")
@click.option("--group", "groups", multiple=True, type=TEXT, help="A group of the user. May be repeated.")
@where_option
@click.option("--http", is_flag=True, help="Serve streamable HTTP instead of stdin and stdout.")
@click.option(
    "--host",
    type=TEXT,
    default="127.0.0.1",
    show_default=True,
    help=f"Other than loopback needs {TOKEN_VARIABLE}.",
)
@click.option("--port", type=click.IntRange(0, 65535), default=8765, show_default=True, help="0 for any free port.")
@lm_options
def mcp(
    indexes: Sequence[str],
    together: Sequence[str],
    demo: bool,
    memory: bool,
    user: str,
    groups: tuple[str, ...],
    where: dict[str, Any],
    http: bool,
    host: str,
    port: int,
    lm: LmChoice,
) -> None:
    """Serve indexes to assistants over MCP.

    Its tools retrieve evidence, explain it, search, and read documents; all are read-only, except those of --memory.
    With --user, --group or --where they see only documents that these permit, as if there were no others. If the
    environment variable MULTIHOP_MCP_TOKEN is set, every HTTP request must send that token.
    """
    token = os.environ.get(TOKEN_VARIABLE) or None
    if memory and http and token is None:
        raise click.UsageError(f"--memory with --http needs {TOKEN_VARIABLE}, the token that may write")
    rights = Rights(user, groups, where) if user or groups or where else None
    if memory and rights is not None and not rights.names_one:
        raise click.UsageError("--memory with --group or --where needs --user, whose name is the namespace")
    places = parse_named_locations(indexes)
    if not places and not demo:
        raise click.UsageError("give an --index, or --demo for the sample corpus", click.get_current_context())
    if demo and "sample" in places:
        raise click.UsageError(
            "--demo uses the index name 'sample'; give yours another name", click.get_current_context()
        )
    wholes = parse_together(together, (*places, *(["sample"] if demo else ())))
    if memory and wholes:
        raise click.UsageError("--memory and --together cannot be combined")
    # Imported after the checks, so that usage errors are reported without the extra too.
    from multihop.adapters.mcp import serve_http, serve_stdio, server
    from multihop.engine import Engine

    model = lm.open()
    with ExitStack() as stack:
        if demo:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="multihop-mcp-"))
            places["sample"] = build_sample_index(Path(folder))
        engines = {name: stack.enter_context(open_with_vectors(path, None, model)) for name, path in places.items()}
        engines |= {name: Engine.combine({part: engines[part] for part in parts}) for name, parts in wholes.items()}
        served = server(engines, version=__version__, memory=memory, rights=rights)
        if http:
            stack.callback(signal.signal, signal.SIGTERM, signal.signal(signal.SIGTERM, _exit))

            def ready(address: str) -> None:
                click.echo(f"serving {', '.join(engines)} at {address}", err=True)

            serve_http(served, host=host, port=port, token=token, ready=ready)
        else:
            _exit_on_signals(stack)
            if sys.stdin.isatty():
                click.echo("waiting for an assistant on stdin; use --http to serve a port, Ctrl-C to stop", err=True)
            serve_stdio(served)


def _exit(*_: object) -> NoReturn:
    """Exit through the open contexts, so that indexes are closed and temporary folders removed."""
    sys.exit(128 + signal.SIGTERM)


def _exit_on_signals(stack: ExitStack) -> None:
    """Exit on signals: an exception would not end the process while a thread waits for stdin."""

    def exit_now(number: int, _: object) -> NoReturn:
        stack.close()
        # Not sys.exit, which would wait for the thread that reads stdin.
        os._exit(128 + number)

    for each in (signal.SIGTERM, signal.SIGINT):
        signal.signal(each, exit_now)
