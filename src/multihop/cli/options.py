"""Options and types that several commands share, so that one word means one thing everywhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from multihop.places import place_of

_LONGEST_WAIT = 86_400.0


class Words(click.types.StringParamType):
    """A text from the command line; bytes that are not UTF-8 are refused here, before they get anywhere."""

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        text = str(super().convert(value, param, ctx))
        try:
            text.encode()
        except UnicodeEncodeError:
            self.fail("this is not UTF-8 text", param, ctx)
        return text


WORDS = Words()
FOLDER = click.Path(path_type=Path)


class _Index(Words):
    """Where an index is: a folder, or the address of a server."""

    name = "index"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return value if isinstance(value, Path) else place_of(super().convert(value, param, ctx))


INDEX = _Index()

index_option = click.option(
    "--index", "--store", "path", required=True, type=INDEX, metavar="INDEX",
    help="The index: a folder, or postgresql://… for one on a server.",
)  # fmt: skip
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON on stdout, and nothing else there.")
wait_option = click.option(
    "--wait",
    type=click.FloatRange(0.0, _LONGEST_WAIT),
    default=0.0,
    metavar="SECONDS",
    help="How long to wait while another process is writing; by default not at all.",
)
embedder_option = click.option(
    "--embedder",
    metavar="SPEC",
    help="Where vectors come from, such as wordllama or openai:MODEL@URL; by default whatever the index was made with.",
)
