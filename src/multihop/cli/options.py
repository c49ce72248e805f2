"""Options and types that several commands share, so that one word means one thing everywhere."""

from __future__ import annotations

from pathlib import Path

import click

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

index_option = click.option(
    "--index", "path", required=True, type=FOLDER, metavar="FOLDER", help="The folder that holds the index."
)
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
