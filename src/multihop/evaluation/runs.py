"""Runs: systems × questions, kept in a folder that can be resumed, repeated and compared.

RUN/manifest.json        everything needed to repeat it
RUN/qrels.txt            gold documents, TREC format
RUN/<system>.jsonl       one answer a line, written as soon as it is known
RUN/<system>.run         the ranking, TREC format
RUN/questions.jsonl      the questions, so that a report needs nothing else
"""

from __future__ import annotations

import json
import multiprocessing
import pickle
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from itertools import repeat
from pathlib import Path
from typing import Any

from multihop.engine import Engine
from multihop.errors import FormatError, InvalidInput
from multihop.evaluation.datasets import Dataset, Question
from multihop.evaluation.known_documents import KnownDocuments
from multihop.evaluation.manifest import manifest_of
from multihop.evaluation.notices import notices
from multihop.evaluation.other_systems import Retriever, TrecRun
from multihop.evaluation.preflight import answer_or_error, check_conversations, check_gold, check_strategy, try_system
from multihop.evaluation.system_answers import SystemAnswer
from multihop.evaluation.systems import (
    Bm25sSystem,
    Measured,
    System,
    name_systems,
    needs_index,
    open_system,
    strategy_system,
)
from multihop.evaluation.trec import write_qrels, write_run
from multihop.index.locations import Location
from multihop.lm import LmSpec
from multihop.loop import Strategy
from multihop.rendering.files import write_atomically

Report = Callable[[str, int, int], None]
"""Called with the system, how many questions it has answered, and of how many."""
_MAY_CHANGE = {"versions", "index"}
"""What a resumed run may do differently: the answers that are there stay valid for the reader to judge."""


@dataclass(frozen=True, slots=True)
class Run:
    """A finished run, read back: questions, gold, and the answers of every system."""

    folder: Path
    manifest: Mapping[str, Any]
    questions: tuple[Question, ...]
    answers: Mapping[str, Mapping[str, SystemAnswer]]
    others: tuple[str, ...] = ()
    """Systems in the folder that an earlier evaluation answered with and this one did not ask for."""

    @property
    def k(self) -> int:
        return int(self.manifest["k"])

    @property
    def qrels(self) -> dict[str, tuple[str, ...]]:
        return {q.id: q.gold for q in self.questions}

    def rankings(self, system: str) -> dict[str, tuple[str, ...]]:
        return {q: a.documents for q, a in self.answers[system].items()}


@dataclass(frozen=True, slots=True)
class _Settings:
    """What all systems of a run share."""

    dataset: Dataset
    k: int
    folder: Path
    index: Location | None
    embedder: str | None
    workers: int
    lm: LmSpec | None
    replies: bool = False

    def find_unanswered(self, name: str, fresh: bool = False) -> list[Question]:
        """Return the questions that a system has not answered yet."""
        done = set() if fresh else {a.question for a in _answers(self.folder / f"{name}.jsonl")}
        return [q for q in self.dataset.questions if q.id not in done]


def execute(
    dataset: Dataset,
    index: Location | None,
    systems: Sequence[Any],
    k: int,
    folder: Path,
    *,
    embedder: str | None = None,
    workers: int = 1,
    fresh: bool = False,
    report: Report | None = None,
    lm: LmSpec | None = None,
    replies: bool = False,
    warn: Callable[[str], object] = warnings.warn,
) -> Run:
    """Answer every question with every system, going on where an earlier run of the same kind stopped.

    Systems are names of strategies and baselines, strategies as values, functions (question, k) and retrievers of
    LangChain, LlamaIndex, Haystack and DSPy, or a `Retriever` or `TrecRun` with a name of its own. `index` may be None
    when no strategy is among them. With `replies` strategies also answer the questions, which is measured where the
    dataset knows the answers. An index of another corpus, and a system that cannot answer, raise before anything
    is written. The run holds the given systems; `load_run` returns all systems of a folder.
    """
    measured = name_systems(systems)
    if not measured:
        raise InvalidInput("there is nothing to measure: give at least one system")
    if workers < 1:
        raise InvalidInput(f"workers is a whole number from 1 on, got {workers}")
    with ExitStack() as opened:
        engine = None
        if any(map(needs_index, measured.values())):
            if index is None:
                raise InvalidInput("a strategy needs an index of the corpus; give its folder")
            engine = opened.enter_context(Engine.open(index, embedder=embedder, warn=warn))
            # Workers open the index by themselves and must use the embedder that was found here.
            embedder = embedder or (engine.recorded_embedder if engine.embedder else None)
        settings = _Settings(dataset, k, folder, index, embedder, workers, lm, replies)
        described = manifest_of(dataset, measured, k, engine.stats() if engine else None, embedder, lm)
        # Without answers the key is absent, so that runs made before there were any can be resumed.
        manifest = _merge_manifest(folder, described | ({"replies": True} if replies else {}), fresh)
        ready = _check_systems(measured, settings, engine, fresh)
        _prepare(folder, manifest, dataset, fresh)
        for name, system in measured.items():
            _answer_all(name, system, ready.get(name), settings, engine, report)
            if isinstance(system, Retriever):
                _warn_of_short_answers(name, settings, warn)
    run = load_run(folder, tuple(measured))
    for name, answers in run.answers.items():
        for notice in notices(name, answers.values(), len(run.questions)):
            warn(notice.removesuffix("."))
    return run


def _check_systems(
    measured: Mapping[str, Measured], settings: _Settings, engine: Engine | None, fresh: bool
) -> dict[str, System]:
    """Raise for what would only give zeros; returns the opened systems of others."""
    known, ready = KnownDocuments(settings.dataset), {}
    check_conversations(settings.dataset, measured)
    if engine is not None:
        check_gold(settings.dataset, engine)
    for name, system in measured.items():
        left = settings.find_unanswered(name, fresh)
        if not left:
            continue
        if isinstance(system, Retriever | TrecRun):
            ready[name] = try_system(open_system(system, engine, settings.dataset, known), left, settings.k, known)
        elif system == "bm25s":
            Bm25sSystem.libraries()
        elif engine is not None:
            check_strategy(system, engine, left[0], settings.k)
    return ready


def _answer_all(
    name: str, system: Measured, ready: System | None, settings: _Settings, engine: Engine | None, report: Report | None
) -> None:
    file, questions = settings.folder / f"{name}.jsonl", settings.dataset.questions
    # Drops half a line that an interruption left; the next answer would be appended to it.
    _put_in_order(file, questions)
    left = settings.find_unanswered(name)
    done = len(questions) - len(left)
    if report:
        report(name, done, len(questions))
    if left:
        with file.open("a", encoding="utf-8") as lines:
            for count, answer in enumerate(_stream(system, ready, left, settings, engine), done + 1):
                lines.write(answer + "\n")
                # Written before the next question is asked: a run that is killed loses one answer at most.
                lines.flush()
                if report:
                    report(name, count, len(questions))
    _put_in_order(file, questions)
    write_run(settings.folder / f"{name}.run", name, _answers(file))


def _stream(
    system: Measured, ready: System | None, left: Sequence[Question], settings: _Settings, engine: Engine | None
) -> Iterator[str]:
    # Retrievers of others stay in this process: they may hold connections or models that cannot be copied.
    if settings.workers > 1 and settings.index is not None and needs_index(system) and _travels(system):
        opening = (system, settings.index, settings.embedder, settings.lm, settings.replies)
        return _in_workers(opening, left, settings)
    known = KnownDocuments(settings.dataset)
    opened = ready or open_system(system, engine, settings.dataset, known, settings.lm, replies=settings.replies)
    return (answer_or_error(opened, question, settings.k).to_json() for question in left)


def _travels(system: Measured) -> bool:
    """Return whether a system can be pickled for another process."""
    try:
        pickle.dumps(system)
    except (pickle.PicklingError, TypeError, AttributeError):
        return False
    return True


def _warn_of_short_answers(name: str, settings: _Settings, warn: Callable[[str], object]) -> None:
    # Retrievers of the libraries have a number of results of their own, often 2 to 10, which no caller can change.
    most = max((len(a.documents) for a in _answers(settings.folder / f"{name}.jsonl")), default=0)
    if 0 < most < min(settings.k, settings.dataset.corpus.size):
        warn(f"{name} returned at most {most} documents a question, and k is {settings.k}; let it return {settings.k}")


_worker_system: list[System] = []
"""The system of a worker process; set once when it starts."""


def _start_worker(
    system: str | Strategy, index: Location, embedder: str | None, lm: LmSpec | None, replies: bool
) -> None:
    engine = Engine.open(index, embedder=embedder)
    _worker_system[:] = [strategy_system(system, engine, lm, replies=replies)]


def _in_worker(question: Question, k: int) -> str:
    return answer_or_error(_worker_system[0], question, k).to_json()


def _in_workers(
    opening: tuple[str | Strategy, Location, str | None, LmSpec | None, bool],
    questions: Sequence[Question],
    settings: _Settings,
) -> Iterator[str]:
    # Not fork: a copy of an open index would share its connections and locks.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(settings.workers, context, _start_worker, opening) as pool:
        # In the order asked: the files do not depend on the number of workers.
        yield from pool.map(_in_worker, questions, repeat(settings.k), chunksize=4)


def _merge_manifest(folder: Path, manifest: dict[str, Any], fresh: bool) -> dict[str, Any]:
    """Check that a folder is empty or has the start of this run; returns the manifest with its systems."""
    file = folder / "manifest.json"
    if fresh or not file.exists():
        return manifest
    known = _read_json(file)
    # Through JSON, in which tuples are lists, as in the file.
    if changed := next(_changes(known, json.loads(json.dumps(manifest))), None):
        advice = "give another folder, or start over with --fresh"
        raise InvalidInput(f"{str(folder)!r} contains {changed}; {advice}")
    return {**manifest, "systems": {**known["systems"], **manifest["systems"]}}


def _changes(known: Mapping[str, Any], wanted: Mapping[str, Any]) -> Iterator[str]:
    for key in sorted(set(wanted) - _MAY_CHANGE - {"systems"}):
        if known.get(key) != wanted[key]:
            yield f"a run with a different value of {key!r}"
    for name, value in wanted["systems"].items():
        if known["systems"].get(name, value) != value:
            yield f"answers of {name!r} with other settings"


def _prepare(folder: Path, manifest: dict[str, Any], dataset: Dataset, fresh: bool) -> None:
    """Make the folder of a run, empty for a fresh one."""
    file = folder / "manifest.json"
    if fresh and file.exists():
        # Only what a run writes, and only where there is a manifest: the folder may be somebody's own.
        for old in [*folder.glob("*.jsonl"), *folder.glob("*.run"), file]:
            old.unlink()
    folder.mkdir(parents=True, exist_ok=True)
    write_atomically(file, json.dumps(manifest, ensure_ascii=False, indent=1) + "\n")
    rows = (json.dumps(asdict(q), ensure_ascii=False) for q in dataset.questions)
    write_atomically(folder / "questions.jsonl", "".join(f"{row}\n" for row in rows))
    write_qrels(folder / "qrels.txt", {q.id: q.gold for q in dataset.questions})


def _put_in_order(file: Path, questions: Iterable[Question]) -> None:
    """Rewrite the whole answers in the order of the questions, so that a resumed run equals an undisturbed one."""
    answers = {a.question: a.to_json() for a in _answers(file)}
    write_atomically(file, "".join(f"{answers[q.id]}\n" for q in questions if q.id in answers))


def _answers(file: Path) -> Iterator[SystemAnswer]:
    """Read answers; a last line that an interruption cut off counts as not answered."""
    if not file.exists():
        return
    with file.open(encoding="utf-8") as lines:
        for line in lines:
            if line.endswith("\n"):
                try:
                    yield SystemAnswer.from_json(line)
                except (ValueError, TypeError, KeyError) as error:
                    raise FormatError(f"{file} is damaged: {error}; start over with --fresh") from error


def load_run(folder: Path, systems: Sequence[str] = ()) -> Run:
    """Read a run back from its folder: these systems, or all."""
    if not (folder / "manifest.json").exists():
        raise InvalidInput(f"{str(folder)!r} contains no run; create one with: multihop eval DATASET --out {folder}")
    manifest = _read_json(folder / "manifest.json")
    with (folder / "questions.jsonl").open(encoding="utf-8") as lines:
        questions = tuple(Question(**{**row, "gold": tuple(row["gold"])}) for row in map(json.loads, lines))
    others = tuple(name for name in manifest["systems"] if systems and name not in systems)
    manifest["systems"] = {name: manifest["systems"][name] for name in systems or manifest["systems"]}
    answers = {name: {a.question: a for a in _answers(folder / f"{name}.jsonl")} for name in manifest["systems"]}
    return Run(folder, manifest, questions, {n: a for n, a in answers.items() if a}, others)


def _read_json(file: Path) -> dict[str, Any]:
    try:
        return dict(json.loads(file.read_text(encoding="utf-8")))
    except ValueError as error:
        raise FormatError(f"{file} is damaged: {error}") from error
