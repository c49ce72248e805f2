"""`multihop profile`: list, check, create and learn domain profiles."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from multihop.cli.indexes import open_with_vectors
from multihop.cli.options import INDEX, PATH, TEXT, Commands, json_option
from multihop.cli.output import open_console, print_json, table
from multihop.errors import InvalidInput
from multihop.index.locations import Location
from multihop.rendering.phrases import one_line, pluralize
from multihop.types import plain

if TYPE_CHECKING:
    from multihop.profiles import Profile
    from multihop.survey.trial import Trial


@click.group(
    cls=Commands, epilog="\b\nExample:\n  multihop profile check climate --json\n  multihop profile new mine.toml"
)
def profile() -> None:
    """List, check, create and learn domain profiles."""


@profile.command(
    epilog="\b\nExample:\n  multihop profile check climate\n  multihop profile check mine.toml --index reports.mh"
)
@click.argument("file", type=TEXT, metavar="FILE|NAME")
@click.option(
    "--index", "--store", "path", type=INDEX, metavar="INDEX",
    help="Try the profile on this index: report what every signal matches, and which signals match nothing.",
)  # fmt: skip
@json_option
def check(file: str, path: Location | None, as_json: bool) -> None:
    """Validate a profile and describe it."""
    from multihop.profiles import load
    from multihop.survey.trial import try_profile, without_signs

    loaded = load(file)
    trial = None
    if path is not None:
        with open_with_vectors(path, None) as engine:
            trial = try_profile(engine, loaded)
    warnings = trial.warnings if trial else tuple(without_signs(loaded))
    if as_json:
        print_json(plain(loaded) | {"warnings": list(warnings)} | ({"trial": plain(trial)} if trial else {}))
        return
    _explain(loaded)
    if trial:
        _print_trial(trial)
    for warning in warnings:
        open_console().print(f"warning: {warning}", soft_wrap=True)
    counts = f"{pluralize(len(loaded.questions), 'question')}, {pluralize(len(loaded.patterns), 'pattern')}"
    click.echo(f"{counts}: {pluralize(len(warnings), 'warning') if warnings else 'nothing wrong'}")


@profile.command(name="list", epilog="\b\nExample:\n  multihop profile list")
@json_option
def list_profiles(as_json: bool) -> None:
    """List the built-in profiles."""
    from multihop.profiles import load, names

    profiles = [load(name) for name in names()]
    if as_json:
        print_json([{"name": p.name, "description": p.description, "questions": len(p.questions)} for p in profiles])
        return
    for each in profiles:
        click.echo(f"{each.name}   {each.description}")


@profile.command(epilog="\b\nExample:\n  multihop profile new mine.toml")
@click.argument("file", type=PATH)
def new(file: Path) -> None:
    """Write a small commented profile to start from.

    A name without a suffix gets .toml; without one it would be read as the name of a built-in profile.
    """
    from multihop.profiles import names, template

    if str(file) in names():
        raise InvalidInput(f"{str(file)!r} is the name of a built-in profile, which would be used instead; "
                           f"give another, such as my-{file}")  # fmt: skip
    file = file if file.suffix else file.with_name(f"{file.name}.toml")
    if file.exists():
        raise InvalidInput(f"{str(file)!r} already exists; give another name")
    file.write_text(template(), encoding="utf-8")
    click.echo(f"written to {file}; edit it, then: multihop profile check {file}")


@profile.command(epilog="\b\nExample:\n  multihop profile learn examples.csv --index reports.mh --to mine.toml")
@click.argument("examples", type=PATH, metavar="EXAMPLES.CSV")
@click.option("--index", "--store", "path", type=INDEX, required=True, metavar="INDEX", help="The index of the files.")
@click.option("--to", "file", type=PATH, required=True, metavar="FILE", help="The profile to write, a TOML file.")
@json_option
def learn(examples: Path, path: Location, file: Path, as_json: bool) -> None:
    """Learn a profile from examples of correct cells, and evaluate it.

    EXAMPLES.CSV has the columns file, question and value. The words around the correct values become cues. The profile
    is evaluated on the files of the examples, and by leave-one-out cross-validation over the files.
    """
    from multihop.survey.examples import learn_profile, read_examples

    if file.exists():
        raise InvalidInput(f"{str(file)!r} already exists; give another name")
    cells = read_examples(examples)
    with open_with_vectors(path, None) as engine:
        learned = learn_profile(engine, cells, file.stem)
    file.write_text(learned.content, encoding="utf-8")
    if as_json:
        print_json(plain(learned) | {"file": str(file)})
        return
    for said, counts in (("found again", learned.again), ("files left out", learned.left_out)):
        click.echo(f"{said}: {counts.right} right, {counts.wrong} wrong, {counts.missed} missed")
    for question in learned.without_cues:
        open_console().print(
            f"warning: the values of {question!r} share no words around them in several files", soft_wrap=True
        )
    click.echo(f"written to {file}; edit it, then: multihop survey --profile {file} --index {path}")


def _explain(profile: Profile) -> None:
    console = open_console()
    weights = ", ".join(f"{name} {weight:g}" for name, weight in profile.scoring.weights.items())
    console.print(f"{profile.name}: {one_line(profile.description)}")
    console.print(f"documents are grouped by {profile.group}" if profile.group else "documents are not grouped")
    console.print(f"signals: {weights}; threshold {profile.scoring.threshold:g}, top {profile.scoring.top_k}, "
                  f"fuzzy threshold {profile.scoring.fuzzy_threshold:g}", soft_wrap=True)  # fmt: skip
    rows = []
    for group in profile.keywords:
        _, patterns, phrases = profile.serving([group.name])
        rows.append((group.name, *(str(len(each)) for each in (group.words, patterns, phrases))))
    console.print(table(("topic", "words", "patterns", "phrases"), rows))
    idle = [p.name for p in profile.patterns if not p.groups] + [p.text for p in profile.phrases if not p.groups]
    if idle:
        console.print(f"never used, because it belongs to no topic: {', '.join(idle)}")
    for rule in profile.relations:
        console.print(f"{rule.kind} ({rule.confidence:g}): {', '.join(rule.cues)}", soft_wrap=True)
    for question in profile.questions:
        console.print(f"{question.number}. {question.text}", soft_wrap=True)
        console.print(
            f"   + {', '.join(question.keywords)}  [{', '.join(question.groups)}]", style="dim", soft_wrap=True
        )


def _print_trial(trial: Trial) -> None:
    """Print the number of passages that each signal matches per question, and its best score."""
    from multihop.profiles.values import Weights

    signals = [name for name, _ in Weights().items()]
    rows = []
    for question in trial.questions:
        counts = map(question.signals.get, signals)
        cells = ("absent" if s is None else f"{s.passages:,} / {s.best:.2f}" for s in counts)
        rows.append((f"{question.number}. {one_line(question.label, 40)}", f"{question.passages:,}", *cells))
    said = "passages above the threshold; per signal, matches / best score"
    open_console().print(f"tried on {pluralize(trial.passages, 'passage')}: {said}", soft_wrap=True)
    open_console().print(table(("question", "passages", *signals), rows))
