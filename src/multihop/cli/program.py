"""The program `multihop`: its commands, and the conversion of errors to one line and an exit code."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable
from typing import Any, NoReturn

import click

from multihop import __version__
from multihop.cli.adapt import adapt
from multihop.cli.answer import answer
from multihop.cli.ask import ask
from multihop.cli.chat import chat
from multihop.cli.compare import compare
from multihop.cli.completion import completion
from multihop.cli.copy import copy
from multihop.cli.delete import delete
from multihop.cli.demo import demo
from multihop.cli.eval import evaluate
from multihop.cli.export import export
from multihop.cli.graph import graph
from multihop.cli.index import index
from multihop.cli.list import list_documents
from multihop.cli.mcp import mcp
from multihop.cli.optimize import optimize
from multihop.cli.options import Commands
from multihop.cli.profile import profile
from multihop.cli.relate import relate
from multihop.cli.replay import replay
from multihop.cli.research import research
from multihop.cli.salvage import salvage
from multihop.cli.serve import serve
from multihop.cli.show import show
from multihop.cli.stats import stats
from multihop.cli.strategies import strategies
from multihop.cli.survey import survey
from multihop.cli.sync import sync
from multihop.cli.token import token
from multihop.cli.verdict import verdict
from multihop.cli.verify import verify
from multihop.errors import MultihopError, cause

FAILED = 1
INTERRUPTED = 130
BROKEN_PIPE = 141
"""Exit code when the reader of a pipe has gone away: what a shell reports for SIGPIPE."""


class Program(Commands):
    """The top-level group: lists commands in order of use and reports errors on one line."""

    def main(self, *arguments: Any, **extra: Any) -> NoReturn:
        # Otherwise click would print errors and exit in its own way.
        extra["standalone_mode"] = False
        run = super().main
        sys.exit(_exit_status(lambda: run(*arguments, **extra)))

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:  # click would exit with 1
            return BROKEN_PIPE

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)


@click.group(
    cls=Program,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="\b\nExample:\n  multihop demo\n  multihop index corpus.jsonl --to wiki.mh\n"
    '  multihop ask "Who built the Fram?" --index wiki.mh --explain',
)
@click.version_option(__version__, prog_name="multihop", message="%(prog)s %(version)s")
@click.pass_context
def program(context: click.Context) -> None:
    """Find the passages that together answer a question, over several hops, with the reason for each."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


_COMMANDS = (
    demo, index, sync, relate, ask, answer, chat, verdict, list_documents, show, graph, stats, delete, export, verify,
    salvage, strategies, research, survey, profile, evaluate, compare, replay, adapt, optimize, copy,
    serve, token, mcp, completion,
)  # fmt: skip
for _command in _COMMANDS:
    program.add_command(_command)


# Before click 8.2 a group without a command prints its help itself.
_HELP: type[click.UsageError] | tuple[()] = getattr(click.exceptions, "NoArgsIsHelpError", ())


def main() -> NoReturn:
    """Run the command line with the arguments of this process."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # Print a question mark for characters that the encoding lacks, instead of a traceback.
            stream.reconfigure(errors="replace")
    program.main(prog_name="multihop")


def _exit_status(work: Callable[[], object]) -> int:
    """Run the program and return its exit code; errors the user can fix are printed on one line."""
    try:
        status = work()
        sys.stdout.flush()
    # Specific before general: UsageError is a ClickException, BrokenPipeError an OSError.
    except click.UsageError as error:
        if isinstance(error, _HELP):
            error.show()
            return error.exit_code
        return _fail(_usage_message(error), error.exit_code)
    except click.ClickException as error:
        return _fail(_one_line(error.format_message()), error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        return _fail("interrupted", INTERRUPTED)
    except MultihopError as error:
        return _fail(_one_line(str(error)), FAILED)
    except BrokenPipeError:
        # Buffered output must not fail again at interpreter exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except OSError as error:
        place = f"{error.filename}: " if error.filename is not None else ""
        return _fail(_one_line(f"{place}{cause(error)}"), FAILED)
    return status if isinstance(status, int) else 0


def _one_line(message: str) -> str:
    return " ".join(message.splitlines())


def _usage_message(error: click.UsageError) -> str:
    """Format a usage error; lists that click prints on several lines are kept."""
    command = error.ctx.command_path if error.ctx else "multihop"
    said = error.format_message()
    if isinstance(error, click.NoSuchOption):
        # Versions of click word this differently; ours does not depend on the version.
        near = ", ".join(map(repr, error.possibilities or ()))
        said = f"no such option {error.option_name!r}." + (f" Did you mean {near}?" if near else "")
    first, *listed = said.expandtabs(2).splitlines() or [""]
    message = f"{first[:1].lower()}{first[1:]}"
    if listed:
        return "\n".join((message, *listed, f"See: {command} --help"))
    return f"{message}{'' if message.endswith(('.', '?')) else '.'} See: {command} --help"


def _fail(message: str, status: int) -> int:
    # Imported here, because most commands do not fail.
    from multihop.rendering.phrases import printable

    click.echo(f"error: {printable(message)}", err=True)
    return status
