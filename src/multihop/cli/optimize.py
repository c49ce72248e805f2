"""`multihop optimize`: optimize the prompts of a strategy on questions with gold evidence."""

from __future__ import annotations

import io
import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from multihop.cli.eval import find_or_build_index
from multihop.cli.options import PATH, TEXT, LmChoice, embedder_option, json_option, lm_options
from multihop.cli.output import open_console, print_json, warn
from multihop.cli.progress import progress_bar
from multihop.errors import InvalidInput, NoLanguageModel
from multihop.rendering.files import check_writable
from multihop.rendering.phrases import pluralize

if TYPE_CHECKING:
    from multihop.evaluation.datasets import Dataset, Question
    from multihop.programs.optimization import Optimized


@click.command(
    epilog="\b\nExample:\n"
    "  multihop optimize --strategy gap --dataset hover --data datasets/ --lm openai/gpt-4.1-mini --out gap.json\n"
    "  multihop optimize --strategy listwise --dataset my-set/ --optimizer bootstrap --train 20 --dev 20 \\\n"
    "      --lm ollama_chat/qwen3 --lm-base http://localhost:11434 --lm-cache answers.db --out listwise.json\n"
    '  multihop ask "…" --index wiki.mh --strategy gap --lm openai/gpt-4.1-mini --prompts gap.json',
)
@click.option("--strategy", type=TEXT, default="gap", show_default=True, help="A strategy that uses a language model.")
@click.option("--dataset", type=TEXT, required=True, help="A name found under --data, or a folder.")
@click.option("--data", type=PATH, metavar="FOLDER", help="Folder that contains the named datasets, one folder each.")
@click.option("--corpus", type=TEXT, help="A variant of the corpus, or a file of documents.")
@click.option(
    "--index", "--store", type=PATH, metavar="FOLDER", help="Use this index of the corpus instead of creating one."
)
@click.option("--optimizer", type=TEXT, default="gepa", show_default=True, help="gepa, mipro or bootstrap.")
@click.option("--out", type=PATH, required=True, metavar="FILE", help="Where to write the prompts.")
@click.option("--force", is_flag=True, help="Overwrite an existing file.")
@click.option("--train", type=click.IntRange(1), default=50, show_default=True, help="Questions to learn from.")
@click.option("--dev", type=click.IntRange(1), default=50, show_default=True, help="Questions to measure with.")
@click.option(
    "-k", "--top-k", "k", type=click.IntRange(1, 1000), default=21, show_default=True, help="The budget of passages."
)
@click.option("--budget", type=int, default=300, show_default=True, help="Approximate number of questions to answer.")
@click.option(
    "--demos", type=int, default=2, show_default=True, help="Maximum few-shot examples per step; gepa uses none."
)
@click.option("--threads", type=int, default=4, show_default=True, help="Questions answered concurrently.")
@click.option("--seed", type=int, default=0, show_default=True, help="Random seed for sampling questions.")
@click.option("--reflection-lm", type=TEXT, metavar="NAME", help="A stronger model, to write instructions. [--lm]")
@click.option("--reflection-base", type=TEXT, metavar="URL", help="Base URL of its server, if you run your own.")
@lm_options
@embedder_option
@json_option
def optimize(
    strategy: str,
    dataset: str,
    data: Path | None,
    corpus: str | None,
    index: Path | None,
    optimizer: str,
    out: Path,
    force: bool,
    train: int,
    dev: int,
    k: int,
    budget: int,
    demos: int,
    threads: int,
    seed: int,
    reflection_lm: str | None,
    reflection_base: str | None,
    lm: LmChoice,
    embedder: str | None,
    as_json: bool,
) -> None:
    """Optimize the prompts of a strategy.

    Trains on the train split only; the dev split is measured before and after. The prompts are written to a file that
    ask, verdict and eval use with --prompts. Every answer costs language model calls: start with few questions and a
    small --budget; with --lm-cache a repeated run is cheap.
    """
    if lm.spec is None:
        raise NoLanguageModel("optimizing prompts needs a language model: name it with --lm")
    check_writable(out, "the prompts")
    if out.exists() and not force:
        raise InvalidInput(f"{str(out)!r} already exists; give another file, or overwrite it with --force")
    from multihop.programs.optimization import OptimizerSettings, optimize as run

    how = OptimizerSettings(optimizer, budget, demos, seed, threads)
    # After the import above, which names the extra to install; without DSPy these raise a plain ImportError.
    from multihop.engine import Engine
    from multihop.lm import LmSpec
    from multihop.programs.forms import form

    console = open_console(stderr=True)
    # DSPy's own output is suppressed below; pin the console to the real stream for our progress bar.
    console.file = console.file
    with progress_bar(console, wanted=not as_json) as progress, _silence_dspy():
        form(strategy)
        model = lm.spec.open()
        writer = LmSpec(reflection_lm, reflection_base).open().lm if reflection_lm else None
        sets = [_load(dataset, data, corpus, split) for split in ("train", "dev")]
        path = index or find_or_build_index(sets[0], Path("runs") / "optimize", embedder, progress)
        learned, measured = (_sample(each, size, seed) for each, size in zip(sets, (train, dev), strict=True))
        with Engine.open(path, embedder=embedder, warn=warn) as engine:
            outcome = run(
                strategy, engine, model, learned, measured, k=k, how=how, reflecting=writer, progress=progress
            )
    digest = outcome.save(out)
    if as_json:
        print_json({"strategy": strategy, "prompts": str(out), "digest": digest, **outcome.describe()})
    else:
        _print(outcome, out, digest)


def _load(dataset: str, data: Path | None, corpus: str | None, split: str) -> Dataset:
    from multihop.evaluation import datasets

    if data is None and datasets.lies_in_folder(dataset) and not Path(dataset).exists():
        raise InvalidInput(f"{dataset} is not a folder; give --data FOLDER to find it by name")
    return datasets.load(dataset, data, split=split, corpus=corpus)


def _sample(dataset: Dataset, size: int, seed: int) -> Sequence[Question]:
    """Draw questions at random, the same ones for the same seed."""
    questions = sorted(dataset.questions, key=lambda q: q.id)
    return random.Random(seed).sample(questions, min(size, len(questions)))  # noqa: S311  # a sample, not a secret


@contextmanager
def _silence_dspy() -> Iterator[None]:
    """Suppress the output of DSPy and its optimizers."""
    dspy: Any = import_module("dspy")
    sink = io.StringIO()
    dspy.disable_logging()
    try:
        with redirect_stdout(sink), redirect_stderr(sink):
            yield
    finally:
        dspy.enable_logging()


def _print(outcome: Optimized, out: Path, digest: str) -> None:
    console = open_console()
    before, after = outcome.before, outcome.after
    held = pluralize(before.questions, "dev question")
    console.print(
        f"{outcome.strategy} with {outcome.model}, {outcome.how.optimizer}: "
        f"{pluralize(outcome.answers, 'answer')} on train"
    )
    console.print(f"all-gold@{outcome.k}  {before.all_gold:.3f} → {after.all_gold:.3f}   on {held} held out")
    console.print(f"recall@{outcome.k}    {before.recall:.3f} → {after.recall:.3f}")
    if after.all_gold <= before.all_gold:
        console.print("no gain on these questions: try more of them, a larger --budget, or a stronger --reflection-lm")
    console.print(f"prompts {digest} written to {out}")
