"""`multihop survey`: ask every file, or every group of documents, the same questions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from multihop.cli.indexes import open_to_add, open_with_vectors
from multihop.cli.options import (
    PATH,
    TEXT,
    LmChoice,
    as_of_option,
    embedder_option,
    json_option,
    lm_options,
    optional_index_option,
)
from multihop.cli.output import open_console, warn
from multihop.cli.progress import progress_bar
from multihop.errors import IndexLocked, IndexReadOnly, InvalidInput, MissingExtra
from multihop.index.locations import Location
from multihop.rendering.phrases import one_line, pluralize

if TYPE_CHECKING:
    from multihop.engine import Engine
    from multihop.profiles import Profile
    from multihop.protocols import Progress
    from multihop.survey import Survey

_LARGE_INDEX = 5000
"""Number of passages above which caching the signals pays off."""
_MAX_UNTRAINED = 0.1
"""Share of new passages tolerated before word vectors are retrained, which recomputes all passage vectors."""
_CELL = 100
"""Maximum characters of a value in the printed table."""
_NO_FOLDER = frozenset(".pdf .docx .html .htm .json .jsonl .md .txt .xls .ods".split())
"""Endings of files that a survey does not write."""


def _parse_weights(context: click.Context, option: click.Parameter, given: str | None) -> dict[str, float] | None:
    """Parse "patterns=0.5,fuzzy=0"; signal names are checked against the profile later."""
    if given is None:
        return None
    weights: dict[str, float] = {}
    for each in given.split(","):
        name, _, value = each.partition("=")
        try:
            weights[name.strip()] = float(value)
        except ValueError:
            raise click.BadParameter(f"{each!r} is not SIGNAL=NUMBER, as in patterns=0.5", context, option) from None
    return weights


@click.command(
    epilog="\b\nExample:\n"
    '  multihop survey reports/ --ask "Revenue in 2023" --ask "Who audits it?" --out table.xlsx\n'
    "  multihop survey reports/ --questions annual-reports --index reports.mh --out survey/\n"
    "  multihop survey --profile climate --index ndc.mh --out survey/\n"
    "  multihop survey --profile climate --question 1 --country Japan --hop --index ndc.mh --out survey/"
)
@click.argument("source", type=PATH, required=False, metavar="[FOLDER]")
@click.option(
    "--ask", type=TEXT, multiple=True, metavar="TEXT", help="A column: a heading or question. May be repeated."
)
@click.option(
    "--questions", "asked_in", type=TEXT, metavar="NAME",
    help="A list of questions: annual-reports, contracts, cvs, policies, scientific-papers, or a CSV file.",
)  # fmt: skip
@click.option("--profile", type=TEXT, metavar="NAME", help="A built-in profile, or a TOML file.")
@optional_index_option
@click.option(
    "--out", type=PATH, metavar="PATH",
    help="A table to write (.xlsx, .csv), or a folder for all results, in which an interrupted survey resumes.",
)  # fmt: skip
@click.option("--question", type=int, multiple=True, metavar="N", help="Only this question. May be repeated.")
@click.option("--country", "--group", "groups", type=TEXT, multiple=True, help="Only this group. May be repeated.")
@click.option("--by", type=TEXT, metavar="FIELD", help="Group by this metadata field, or by file, title or folder.")
@as_of_option
@click.option("--hop", is_flag=True, help="Also answer every question by graph traversal.")
@click.option("--hop-only", is_flag=True, help="Answer by graph traversal only.")
@click.option("--max-hops", type=click.IntRange(1, 3), help="Traversal depth; by default that of the profile.")
@click.option("--hop-strategy", type=TEXT, default="graph", show_default=True, help="The strategy that --hop uses.")
@click.option("-k", "--top-k", type=click.IntRange(1, 1000), help="Number of passages; by default that of the profile.")
@click.option(
    "--min-similarity", "--threshold", "threshold", type=click.FloatRange(0.0, 1.0),
    help="Drop passages that score less; by default the threshold of the profile.",
)  # fmt: skip
@click.option(
    "--fuzzy-threshold", type=click.FloatRange(0.0, 1.0),
    help="Minimum similarity of words and phrases; by default that of the profile.",
)  # fmt: skip
@click.option(
    "--weights", type=TEXT, callback=_parse_weights, metavar="SIGNAL=N,…",
    help="Weights of signals: transformer, word2vec, patterns, fuzzy; others keep the weights of the profile.",
)  # fmt: skip
@click.option(
    "--jobs", type=click.IntRange(1, 64), metavar="N",
    help="Number of processes; by default one per core if there are many groups.",
)  # fmt: skip
@click.option("--log", type=PATH, metavar="FILE", help="Log every operation to this file.")
@click.option("--no-word2vec", is_flag=True, help="Do not train or update word vectors.")
@embedder_option
@lm_options
@json_option
def survey(
    source: Path | None,
    ask: tuple[str, ...],
    asked_in: str | None,
    profile: str | None,
    path: Location | None,
    out: Path | None,
    question: tuple[int, ...],
    groups: tuple[str, ...],
    by: str | None,
    as_of: str | None,
    hop: bool,
    hop_only: bool,
    max_hops: int | None,
    hop_strategy: str,
    top_k: int | None,
    threshold: float | None,
    fuzzy_threshold: float | None,
    weights: dict[str, float] | None,
    jobs: int | None,
    log: Path | None,
    no_word2vec: bool,
    embedder: str | None,
    lm: LmChoice,
    as_json: bool,
) -> None:
    """Ask every file or group the same questions.

    With --ask or --questions, the rows are the files of FOLDER or of an index, and the columns are headings or
    questions in plain words; values are looked up in tables and read in sentences. With --index, FOLDER is indexed
    there and only changes are read the next time.

    With --profile, the questions are those of a domain profile, and the rows are its groups (countries). This writes a
    JSON, a Markdown and an HTML report for every group (country), and a CSV file and an overview page for all of them.
    Documents without a country (or another label of the profile) get it from their name, folder or front page.
    Word vectors are trained first if the index has none; with --hop, relations between passages are built too.
    With --lm a language model is asked for values too; one counts only if its quote occurs in a passage.
    """
    from multihop.profiles import load
    from multihop.survey import log_to, survey as run
    from multihop.survey.columns import read_columns
    from multihop.survey.files import write_table

    if lm.spec and jobs and jobs > 1:
        raise click.UsageError("--lm needs a single process; leave out --jobs")
    in_words = bool(ask or asked_in)
    if in_words == bool(profile):
        raise InvalidInput(
            "give the questions: in plain words with --ask and --questions, or a --profile, but not both"
        )
    if in_words and lm.spec:
        raise InvalidInput("questions in plain words are read by the built-in reader; leave out --lm")
    if source is None and path is None:
        raise InvalidInput("give a FOLDER of files, an --index, or both")
    if source is not None and out is not None and source.is_dir() and out.resolve().is_relative_to(source.resolve()):
        raise InvalidInput(
            f"--out {str(out)!r} is in the folder {str(source)!r}, where the next survey would read it as a document; "
            "choose a path outside this folder"
        )
    if out is not None and out.suffix.lower() in _NO_FOLDER and not out.is_dir():
        raise InvalidInput(f"cannot write a survey to {out.name!r}: give a .xlsx or .csv file for a table, or a folder")
    columns = read_columns(ask, asked_in) if in_words else ()
    known = load(profile, say=warn) if profile else None
    known = replace(known, group=by, digest="") if known and by else known
    is_table = out is not None and out.suffix.lower() in (".xlsx", ".csv")
    console = open_console(stderr=True)
    with (
        progress_bar(console, wanted=not as_json) as progress,
        log_to(log),
        _open(source, path, embedder, progress) as engine,
    ):
        if known:
            _prepare(engine, known, groups, progress, word2vec=not no_word2vec)
            if (hop or hop_only) and hop_strategy == "graph":
                _relate(engine, known, progress)
        done = run(
            engine, known, ask=columns, by=by, as_of=as_of, questions=question or None, groups=groups or None, hop=hop,
            hop_only=hop_only, top_k=top_k, threshold=threshold, fuzzy_threshold=fuzzy_threshold,
            max_hops=max_hops, weights=weights, out=None if is_table else out, progress=progress,
            hop_strategy=hop_strategy, lm=lm.open(),
            reopen=partial(open_with_vectors, path, embedder) if path else None,
            # With --out every answer is already on disk; a large survey need not be held in memory too.
            hold=as_json or out is None or is_table,
            jobs=jobs or (_default_jobs(engine, known, groups, log) if known and path and not lm.spec else 1),
        )  # fmt: skip
    if is_table and out is not None:
        write_table(done, out)
    if as_json:
        click.echo(done.to_json())
    else:
        _print(done, out)


@contextmanager
def _open(
    source: Path | None, path: Location | None, embedder: str | None, progress: Progress | None
) -> Iterator[Engine]:
    """Open the index, synced with the folder if both are given, or a temporary index of the folder."""
    from multihop.survey.sources import open_source

    if path is None:
        with open_source(source or Path(), progress=progress, on_problem=lambda problem: warn(str(problem))) as engine:
            yield engine
    elif source is None:
        with open_with_vectors(path, embedder) as engine:
            yield engine
    else:
        with open_to_add(path, embedder, 0.0) as engine:
            engine.sync(source, progress=progress, on_problem=lambda problem: warn(str(problem)))
            yield engine


def _prepare(
    engine: Engine, profile: Profile, groups: tuple[str, ...], progress: Progress | None, *, word2vec: bool
) -> None:
    """Check that the index fits the profile, and build what its signals need."""
    from multihop.survey.groups import chosen_groups
    from multihop.survey.sources import label_if_needed

    # First, because labels change documents, and word vectors and relations depend on them.
    label_if_needed(engine, profile, warn, progress)
    chosen_groups(engine, profile, groups or None)  # raises if the index does not fit
    if word2vec:
        _learn_words(engine, progress)
    _cache_signals(engine, profile)


def _default_jobs(engine: Engine, profile: Profile, groups: tuple[str, ...], log: Path | None) -> int:
    """Choose the number of processes; a log of every operation needs a single one."""
    from multihop.survey.groups import chosen_groups
    from multihop.survey.processes import default_jobs

    return 1 if log else default_jobs(len(chosen_groups(engine, profile, groups or None)[0]))


def _learn_words(engine: Engine, progress: Progress | None) -> None:
    """Train word vectors if there are none or many passages are new. Failures here are not fatal."""
    from multihop.profiles.signals.word2vec import stamp, unread

    view = engine.store.view()
    trained = stamp(view)
    if trained is not None and (trained[0] == view.generation or unread(view) <= _MAX_UNTRAINED):
        return
    with _warn_without("word vectors"):
        engine.train_word2vec(progress=progress)


def _cache_signals(engine: Engine, profile: Profile) -> None:
    """Cache the signals of a large index. Failures here are not fatal."""
    from multihop.profiles.signals import warm

    if engine.index().passages.size >= _LARGE_INDEX:
        with suppress(IndexLocked, IndexReadOnly):
            warm(engine.store, profile)


def _relate(engine: Engine, profile: Profile, progress: Progress | None) -> None:
    """Build relations between passages if there are none. Failures here are not fatal."""
    from multihop.index.links.rules import RULES

    if not engine.stats().relations:
        with _warn_without("relations between passages"):
            engine.relate(rules=(*profile.relations, *RULES), progress=progress)


@contextmanager
def _warn_without(what: str) -> Iterator[None]:
    try:
        yield
    except (MissingExtra, IndexLocked, IndexReadOnly) as error:
        warn(f"without {what}: {error}")


def _print(done: Survey, out: Path | None) -> None:
    from rich.table import Table

    console = open_console()
    table = Table(box=None, header_style="dim", padding=(0, 2, 0, 0))
    for column in (done.field, "method", "question", "value", "sure"):
        table.add_column(column, justify="right" if column == "sure" else "left", overflow="fold")
    for group in done.groups:
        for answer in group.answers:
            sure = f"{answer.findings[0].confidence:.2f}" if answer.findings else ""
            question = f"{answer.number}. {one_line(answer.label or answer.question, 40)}"
            named = (one_line(group.group), group.method.partition("_")[0]) if answer is group.answers[0] else ("", "")
            table.add_row(*named, question, one_line(answer.value, _CELL), sure)
            for other in answer.findings[1:] if answer.findings and answer.findings[0].contradicts else ():
                if other.contradicts:
                    said = f"or {other.text}" + (f" ({other.date})" if other.date else "")
                    table.add_row("", "", "", one_line(said, _CELL), f"{other.confidence:.2f}", style="dim")
    console.print(table)
    answers = sum(len(g.answers) for g in done.groups)
    resumed = f", {done.resumed:,} of them from an earlier run" if done.resumed else ""
    values = sum(bool(a.findings) for g in done.groups for a in g.answers)
    console.print(f"\n{pluralize(answers, 'answer')}{resumed}; a value in {values:,} of them")
    for note in done.notes:
        console.print(one_line(note), style="dim")
    if out is not None:
        start = "" if out.is_file() else f"; start with {out / 'index.html'}"
        console.print(f"written to {out}{start}", soft_wrap=True)
