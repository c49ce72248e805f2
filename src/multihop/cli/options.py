"""Options and parameter types that several commands share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from multihop.errors import suggestion
from multihop.index.locations import parse_location

if TYPE_CHECKING:
    from multihop import Strategy
    from multihop.lm import LmSpec, Model

_LONGEST_WAIT = 86_400.0


class Commands(click.Group):
    """A command group that suggests the nearest name for an unknown command."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in self.commands and not name.startswith("-"):
            raise click.UsageError(f"there is no command {name!r}: {suggestion(name, self.commands)}", ctx)
        return super().resolve_command(ctx, args)


class TextParameter(click.types.StringParamType):
    """Text from the command line; rejects bytes that are not valid UTF-8."""

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        text = str(super().convert(value, param, ctx))
        try:
            text.encode()
        except UnicodeEncodeError:
            self.fail("this is not UTF-8 text", param, ctx)
        return text


TEXT = TextParameter()


class _CompletedText(TextParameter):
    """Text with shell completion: `known` names, and paths if `path` is "file" or "dir"."""

    def __init__(self, name: str, known: Callable[[], Iterable[str]] = tuple, path: str = "") -> None:
        self.name = name
        self._known = known
        self._path = path

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        items = [CompletionItem(name) for name in self._known() if name.startswith(incomplete)]
        return [*items, CompletionItem(incomplete, self._path)] if self._path else items


# Functions, so that names are loaded only for completion.
def _strategies() -> Iterable[str]:
    from multihop.strategies import STRATEGIES

    return STRATEGIES


def _profiles() -> Iterable[str]:
    from multihop.profiles import names

    return names()


class _Index(_CompletedText):
    """The location of an index: a folder or a database URL."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return value if isinstance(value, Path) else parse_location(super().convert(value, param, ctx))


STRATEGY = _CompletedText("strategy", _strategies)
PROFILE = _CompletedText("profile", _profiles, "file")
INDEX = _Index("index", path="dir")
NAMED_INDEX = _CompletedText("index", path="dir")
PATH = click.Path(path_type=Path)


def _only_one(context: click.Context, option: click.Parameter, given: tuple[Any, ...]) -> Any:
    """Refuse a second index, which would otherwise silently take the place of the first."""
    if len(given) > 1:
        several = "ask, answer, verdict, chat, research, serve and mcp take several"
        said = f"this command takes one index, got {len(given)}; {several}"
        raise click.BadParameter(said, context, option)
    return given[0] if given else None


index_option = click.option(
    "--index", "--store", "path", required=True, type=INDEX, metavar="INDEX", multiple=True, callback=_only_one,
    help="The index: a folder, or a postgresql://… URL.",
)  # fmt: skip
optional_index_option = click.option(
    "--index", "--store", "path", type=INDEX, metavar="INDEX", multiple=True, callback=_only_one,
    help="The index: a folder, or a postgresql://… URL.",
)  # fmt: skip
to_option = click.option(
    "--to", "--index", "--store", "path", required=True, type=INDEX, metavar="INDEX", multiple=True,
    callback=_only_one,
    help="The index: a folder, or a postgresql://… URL; created if it does not exist.",
)  # fmt: skip
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON, and only JSON, on stdout.")
wait_option = click.option(
    "--wait", type=click.FloatRange(0.0, _LONGEST_WAIT), default=0.0, metavar="SECONDS",
    help="How long to wait while another process is writing; by default, fail at once.",
)  # fmt: skip
as_of_option = click.option(
    "--as-of", type=TEXT, metavar="DAY", help="Use documents that are valid on this day; by default today, any for all."
)
versions_option = click.option(
    "--keep-versions/--no-keep-versions", default=None,
    help="Keep old versions of changed and deleted documents, for --as-of; remembered per folder.",
)  # fmt: skip
prompts_option = click.option(
    "--prompts", type=PATH, metavar="FILE", help="Optimized prompts for the strategy, made by multihop optimize."
)
embedder_option = click.option(
    "--embedder", metavar="SPEC",
    help="The embedder, such as wordllama or openai:MODEL@URL; by default the one the index was built with.",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class LmChoice:
    """The language model that a command was given, if any."""

    spec: LmSpec | None = None

    def open(self) -> Model | None:
        """Open the model; the API key comes from the environment."""
        return self.spec.open() if self.spec else None

    def with_prompts(self, strategy: str, prompts: Path | None) -> str | Strategy:
        """Return the strategy with the optimized prompts of a file, if one was given."""
        if prompts is None:
            return strategy
        from multihop.lm import load_prompts
        from multihop.strategies import strategy as strategy_named

        return strategy_named(strategy, lm=True).with_prompts(load_prompts(self.require_model(prompts)))

    def require_model(self, prompts: Path) -> Path:
        """Raise if prompts were given without a language model."""
        if self.spec is None:
            raise click.UsageError("--prompts needs --lm NAME, the language model that uses them")
        return prompts


def add_options(command: Callable[..., Any], options: Sequence[Callable[..., Any]]) -> Callable[..., Any]:
    """Add options to a command, listed by --help in this order."""
    # click lists the last added first.
    for option in reversed(options):
        command = option(command)
    return command


def lm_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the language model options to a command, passed to it as one value, `lm`."""

    @wraps(command)
    def with_lm(lm: str | None, lm_base: str | None, lm_cache: Path | None, **options: Any) -> Any:
        limits = {name: options.pop(f"lm_{name}") for name in ("calls", "seconds", "tokens")}
        chosen = {name: value for name, value in limits.items() if value is not None}
        if lm is None:
            if chosen or lm_base is not None or lm_cache is not None:
                # An error, since a limit without a model has no effect.
                raise click.UsageError("the options --lm-… need --lm NAME, the language model they apply to")
            return command(lm=LmChoice(), **options)
        from multihop.lm import Limits, LmSpec

        return command(lm=LmChoice(LmSpec(lm, lm_base, Limits(**chosen), lm_cache)), **options)

    return add_options(with_lm, _LM_OPTIONS)


_LM_OPTIONS = (
    click.option(
        "--lm",
        type=TEXT,
        metavar="NAME",
        help="LiteLLM name of a language model, such as openai/gpt-4.1-mini; the API key comes from the environment.",
    ),
    click.option("--lm-base", type=TEXT, metavar="URL", help="Base URL of its server, if you run your own."),
    click.option("--lm-calls", type=click.IntRange(0), metavar="N", help="Maximum calls per question. [12]"),
    click.option(
        "--lm-seconds",
        type=click.FloatRange(0.0),
        metavar="SECONDS",
        help="Maximum seconds to wait for the model per question. [120]",
    ),
    click.option("--lm-tokens", type=click.IntRange(0), metavar="N", help="Maximum tokens per question. [200000]"),
    click.option("--lm-cache", type=PATH, metavar="FILE", help="Cache its answers in this file."),
)
