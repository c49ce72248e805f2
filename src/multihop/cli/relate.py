"""`multihop relate`: find typed relations between the passages of an index."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from multihop.cli.indexes import open_with_vectors
from multihop.cli.options import LmChoice, embedder_option, index_option, json_option, lm_options
from multihop.cli.output import open_console, print_json, warn
from multihop.cli.progress import progress_bar
from multihop.errors import InvalidInput
from multihop.index.locations import Location, redact
from multihop.rendering.phrases import pluralize
from multihop.types import Related, plain

if TYPE_CHECKING:
    from multihop.protocols import CuePhrases


@click.command(
    epilog="\b\nExample:\n  multihop relate --index wiki.mh\n"
    "  multihop relate --index policies.mh --profile climate --rebuild\n"
    "  multihop relate --index wiki.mh --lm openai/gpt-4.1-mini --lm-calls 500"
)
@index_option
@click.option(
    "--profile", metavar="NAME", help="Also use the relation rules of this domain profile; a name or a TOML file."
)
@click.option("--rebuild", is_flag=True, help="Rebuild all relations, not only those of new passages.")
@lm_options
@embedder_option
@json_option
def relate(
    path: Location, profile: str | None, rebuild: bool, lm: LmChoice, embedder: str | None, as_json: bool
) -> None:
    """Find typed relations between passages.

    The kinds are SUPPORTS, EXPLAINS, CONTRADICTS, FOLLOWS, TEMPORAL_FOLLOWS and CAUSES. Only passages that are new or
    changed since the last call are processed. `ask --strategy graph` follows the relations, `graph` shows them. With
    --lm a language model also judges the likeliest pairs; its limits (--lm-calls and so on) then apply to the whole
    run.
    """
    rules = _rules_of(profile) if profile else None
    with (
        open_with_vectors(path, embedder) as engine,
        progress_bar(open_console(stderr=True), wanted=not as_json) as progress,
    ):
        done = engine.relate(rules=rules, rebuild=rebuild, progress=progress, lm=lm.open())
    for note in done.notes:
        warn(note)
    if as_json:
        print_json({"index": redact(path), **plain(done)})
    else:
        click.echo(_summary(path, done))


def _rules_of(profile: str) -> Sequence[CuePhrases]:
    """Return the rules of a profile followed by the general ones."""
    from multihop.index.links.rules import RULES
    from multihop.profiles import load

    own = load(profile).relations
    if not own:
        raise InvalidInput(
            f"the profile {profile!r} has no relation rules; without --profile the general ones are used"
        )
    return (*own, *RULES)


def _summary(path: Location, done: Related) -> str:
    scope = f"{pluralize(done.passages, 'passage')} processed" if done.passages else "no new passages"
    return f"{scope}, {pluralize(done.relations, 'relation')} in {redact(path)}" + (
        ", all rebuilt" if done.rebuilt else ""
    )
