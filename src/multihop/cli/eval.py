"""`multihop eval`: evaluate strategies and external systems on questions with gold evidence."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from multihop.cli.options import INDEX, PATH, TEXT, LmChoice, embedder_option, json_option, lm_options
from multihop.cli.output import open_console, print_json, table, warn
from multihop.cli.progress import progress_bar
from multihop.errors import InvalidInput
from multihop.index.locations import Location
from multihop.rendering.files import check_writable, write_atomically

if TYPE_CHECKING:
    from multihop.evaluation.datasets import Dataset
    from multihop.evaluation.runs import Run
    from multihop.evaluation.summary import Summary

FORMATS = ("table", "md", "csv", "json")


@click.command(
    name="eval",
    epilog="\b\nExample:\n"
    "  multihop eval hover --data datasets/ --strategies auto,bm25 -k 21 --report report.html\n"
    "  multihop eval my-set/ --strategies auto,bm25,dense,hybrid-rrf --embedder wordllama -k 10 --why\n"
    "  multihop eval hotpotqa --data datasets/ --download --limit 500 --workers 2\n"
    "  multihop eval my-set/ --system my_module:retriever --run theirs.trec -k 10 --report report.html",
)
@click.argument("dataset", type=TEXT)
@click.option(
    "--data", type=PATH, metavar="FOLDER", help="Folder that contains the named datasets, one folder each. [datasets]"
)
@click.option("--split", default="dev", show_default=True, help="Split to evaluate.")
@click.option("--corpus", type=TEXT, help="A variant of the corpus (lite), or a file of documents.")
@click.option("--hops", type=click.IntRange(1), help="Only questions with N hops; the corpus is not reduced.")
@click.option("--limit", type=click.IntRange(1), help="Only the first N questions; the corpus is not reduced.")
@click.option(
    "--strategies", type=TEXT, default="auto,bm25", show_default=True, help="Strategies and baselines (bm25s)."
)
@click.option(
    "--system", "modules", type=TEXT, multiple=True, metavar="[NAME=]MODULE:NAME",
    help="Your own system: a function (question, k), a LangChain, LlamaIndex, Haystack or DSPy retriever, or a "
    "strategy. May be repeated.",
)  # fmt: skip
@click.option(
    "--run", "given", type=TEXT, multiple=True, metavar="[NAME=]FILE",
    help="Results of another system as a TREC run. May be repeated.",
)  # fmt: skip
@click.option(
    "--ablate", type=TEXT, multiple=True, metavar="STRATEGY",
    help="Ablation study: this strategy, and variants with one part removed. May be repeated.",
)  # fmt: skip
@click.option("-k", "--top-k", "k", type=click.IntRange(1, 1000), default=21, show_default=True, help="The budget.")
@click.option(
    "--out", type=PATH, metavar="FOLDER", help="Folder for the run; resumed if it exists. [runs/DATASET-SPLIT-kK]"
)
@click.option(
    "--index", "--store", type=INDEX, metavar="INDEX", help="Use this index of the corpus instead of creating one."
)
@click.option(
    "--workers", type=click.IntRange(1, 256), default=1, show_default=True, help="Number of worker processes."
)
@click.option("--fresh", is_flag=True, help="Discard the results of an earlier run.")
@click.option("--download", is_flag=True, help="Download the dataset from its official URL first.")
@click.option(
    "--answers", is_flag=True, help="Also answer the questions, and score the answers if the dataset has them."
)
@click.option("--why", is_flag=True, help="Error analysis: show where missing gold was lost.")
@click.option("--report", type=PATH, metavar="FILE", help="Write a self-contained HTML report.")
@click.option(
    "--paper", type=PATH, metavar="FOLDER",
    help="Write one page for a paper: figures as SVG and PDF, tables as LaTeX and Markdown.",
)  # fmt: skip
@click.option("--format", type=click.Choice(FORMATS), default="table", show_default=True, help="Output format.")
@lm_options
@click.option(
    "--prompts", type=PATH, multiple=True, metavar="FILE",
    help="Optimized prompts for one of the strategies, made by multihop optimize. May be repeated.",
)  # fmt: skip
@embedder_option
@json_option
def evaluate(
    dataset: str,
    data: Path | None,
    split: str,
    corpus: str | None,
    hops: int | None,
    limit: int | None,
    strategies: str,
    modules: tuple[str, ...],
    given: tuple[str, ...],
    ablate: tuple[str, ...],
    k: int,
    out: Path | None,
    index: Location | None,
    workers: int,
    fresh: bool,
    download: bool,
    answers: bool,
    why: bool,
    report: Path | None,
    paper: Path | None,
    format: str,
    lm: LmChoice,
    prompts: tuple[Path, ...],
    embedder: str | None,
    as_json: bool,
) -> None:
    """Evaluate strategies and other systems on a dataset.

    DATASET is a name (hover, hotpotqa, 2wiki, musique, exfever …) found under --data, or a folder in a supported
    layout such as BEIR's. Results are stored in a run that can be resumed, compared and reproduced.
    """
    from multihop.evaluation import datasets
    from multihop.evaluation.ablation import ablations
    from multihop.evaluation.manifest import prompts_of
    from multihop.evaluation.other_systems import run_at, system_at
    from multihop.evaluation.runs import execute
    from multihop.evaluation.summary import summarize
    from multihop.evaluation.systems import name_systems, needs_index
    from multihop.strategies import strategy

    names = [name.strip() for name in strategies.split(",") if name.strip()]
    # The full strategy is measured as the reference for the ablations.
    names += [name for name in ablate if name not in names]
    if not names and not modules and not given:
        raise InvalidInput("--strategies is empty; give one or more, separated by commas, or --system or --run")
    smaller = [each for name in ablate for each in ablations(strategy(name, lm=lm.spec is not None))]
    systems = name_systems([*names, *smaller, *map(system_at, modules), *map(run_at, given)])
    if report is not None:
        check_writable(report, "the report")
    for folder, what in ((out, "the run"), (paper, "the page for a paper")):
        if folder is not None and folder.exists() and not folder.is_dir():
            raise InvalidInput(f"{str(folder)!r} is a file; give a folder for {what}")
    if paper is not None:
        check_writable(paper / "summary.md" if paper.is_dir() else paper, "the page for a paper")
    if data is None and datasets.lies_in_folder(dataset) and not Path(dataset).exists() and not datasets.DATA.is_dir():
        raise InvalidInput(
            f"{dataset} is not a folder; give --data FOLDER to find it by name, and --download to fetch it"
        )
    files = tuple(map(lm.require_model, prompts))
    spec = replace(lm.spec, prompts=files) if lm.spec else None
    # Raises for prompts that no system would use, before anything slow starts.
    prompts_of(names, spec)
    console = open_console(stderr=True)
    with progress_bar(console, wanted=not as_json) as progress:
        if download:
            if data is None:
                raise InvalidInput("--download needs --data, the folder to download into")
            datasets.download(dataset, data, progress=progress)
        asked = datasets.load(dataset, data, split=split, corpus=corpus, limit=limit, hops=hops)
        folder = out or Path("runs") / f"{asked.name}-{asked.split}{f'-{hops}hops' if hops else ''}-k{k}"
        searched = any(map(needs_index, systems.values()))
        path = index or (find_or_build_index(asked, folder, embedder, progress) if searched else None)
        run = execute(
            asked, path, list(systems.values()), k, folder, embedder=embedder, workers=workers, fresh=fresh, lm=spec,
            replies=answers,
            warn=warn, report=lambda name, done, total: progress(name, done, total) if progress else None,
        )  # fmt: skip
    summary = summarize(run)
    if report is not None:
        from multihop.evaluation.report import html

        write_atomically(report, html(run, summary))
    if paper is not None:
        from multihop.evaluation.paper import write_paper

        write_paper(summary, paper)
    _print(run, summary, "json" if as_json else format, why)
    if not as_json and format == "table":
        written = {"run": folder, "report": report, "paper": paper}
        click.echo("   ".join(f"{name}: {path}" for name, path in written.items() if path))
        if run.others:
            click.echo(f"from earlier evaluations in this run, not shown: {', '.join(run.others)}")


def find_or_build_index(dataset: Dataset, folder: Path, embedder: str | None, progress: object) -> Path:
    """Find the index of a corpus next to the runs, or build it; it is named by the corpus hash."""
    from multihop.engine import Engine

    # An index has one embedder, so each embedder gets its own index.
    kind = "-" + "".join(c if c.isalnum() else "-" for c in embedder) if embedder else ""
    path = folder.parent / "indexes" / f"{dataset.corpus_hash()[:16]}{kind}.mh"
    # Written last: an index without it was interrupted and is resumed.
    finished = path / "complete"
    if not finished.exists():
        with Engine.open(path, create=True, embedder=embedder) as engine:
            engine.add(dataset.documents(), whole=dataset.whole, progress=progress)  # type: ignore[arg-type]
        finished.touch()
    return path


def _print(run: Run, summary: Summary, format: str, why: bool) -> None:
    from multihop.evaluation import tables

    if format == "json":
        print_json(tables.as_dict(summary))
    elif format == "csv":
        click.echo(tables.comma_separated(summary), nl=False)
    elif format == "md":
        click.echo(tables.markdown(summary) + ("\n" + tables.losses(run, summary) if why else ""), nl=False)
    else:
        _print_table(summary)
        if why:
            click.echo("\n" + tables.losses(run, summary), nl=False)


def _print_table(summary: Summary) -> None:
    from multihop.evaluation.tables import describe_measured, rows

    header, body = rows(summary)
    console = open_console()
    console.print(describe_measured(summary))
    # One column per measure would be too wide: there are more measures than systems.
    measures, *systems = zip(header, *body, strict=True)
    cells = ([cell.replace(" [", "\n[").replace("], ", "]\n") for cell in system] for system in systems)
    console.print(table(("", *measures[1:]), cells, header_style="bold", pad_edge=False))
