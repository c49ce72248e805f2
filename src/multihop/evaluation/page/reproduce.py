"""What is needed to repeat the run, and the questions that failed."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from multihop.evaluation.page.numbers import NONE
from multihop.evaluation.page.sections import collapsible, section
from multihop.evaluation.runs import Run
from multihop.evaluation.systems import BASELINES
from multihop.rendering.html import Markup, el, table
from multihop.rendering.phrases import pluralize, shorten
from multihop.strategies import STRATEGIES

_FAILURES = 50
_WORDS = {
    "k": "budget k",
    "lm": "language model",
    "questions_hash": "hash of the questions",
    "corpus_hash": "hash of the corpus",
}


def failures(run: Run) -> Markup:
    """List the questions that a system failed on, with the errors."""
    failed = [(name, a) for name, answers in run.answers.items() for a in answers.values() if a.error]
    if not failed:
        return Markup()
    asked = {q.id: q.text for q in run.questions}
    rows = [
        [name, shorten(asked.get(a.question, a.question), 300), shorten(a.error, 500)] for name, a in failed[:_FAILURES]
    ]
    more = f" The first {_FAILURES} are shown." if len(failed) > _FAILURES else ""
    return section(
        "failed",
        "Failed questions",
        el("p", f"{pluralize(len(failed), 'answer')} failed and count as not found.{more}"),
        table(["system", "question", "error"], rows, class_="plain"),
    )


def reproduce(run: Run) -> Markup:
    """Write the manifest as a table, and the command that makes the run again."""
    rows = [[name, shorten(str(value), 2000)] for name, value in _rows(run.manifest)]
    written = {
        name: shorten(json.dumps(value, ensure_ascii=False, indent=2, default=str), 8000)
        for name, value in run.manifest.get("systems", {}).items()
    }
    about = (
        "Add --data, --corpus, --hops and --limit as the source says; equal hashes mean the same data. "
        "Systems that were made in Python are not in the command; their settings are below."
    )
    return section(
        "reproduce",
        "Reproduce",
        el("pre", command(run)),
        el("p", about),
        table(["setting", "value"], rows, class_="plain"),
        *(collapsible(f"settings of {name}", el("pre", value)) for name, value in written.items()),
    )


def command(run: Run) -> str:
    """Return the command that makes the run again, as far as the manifest knows."""
    dataset = run.manifest["dataset"]
    words = ["multihop", "eval", dataset["name"], "--split", dataset["split"]]
    systems: Mapping[str, Any] = run.manifest.get("systems", {})
    chosen = {name: systems.get(name, {}) for name in run.answers or systems}
    # Strategies that were made in Python have no name on the command line; their settings are listed.
    ours = [name for name in chosen if name in STRATEGIES or name in BASELINES]
    words += ["--strategies", ",".join(ours), "-k", str(run.k)]
    for name, value in chosen.items():
        words += ["--run", f"{name}={value['run']}"] if "run" in value else []
        # A lambda or local function ("<lambda>", "<locals>") cannot be imported again.
        words += ["--system", f"{name}={value['retriever']}"] if "<" not in value.get("retriever", "<") else []
    if run.manifest.get("embedder"):
        words += ["--embedder", str(run.manifest["embedder"])]
    return shlex.join([*words, "--report", "report.html"])


def _rows(values: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, object]]:
    for name, value in values.items():
        if name == "systems" and not above:
            continue
        called = f"{above} · {_WORDS.get(name, name)}" if above else _WORDS.get(name, name)
        if isinstance(value, Mapping):
            yield from _rows(value, called)
        elif isinstance(value, list | tuple):
            yield called, "; ".join(map(str, value)) or NONE
        else:
            yield called, NONE if value is None else value
