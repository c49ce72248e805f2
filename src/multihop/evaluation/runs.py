"""Runs: systems × questions, kept in a folder that can be resumed, repeated and compared.

RUN/manifest.json        everything needed to repeat it
RUN/qrels.txt            gold documents, TREC format
RUN/<system>.jsonl       one answer a line, written as soon as it is known
RUN/<system>.run         the ranking, TREC format
RUN/questions.jsonl      the questions, so that a report needs nothing else
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import multiprocessing
import platform
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from multihop.engine import Engine
from multihop.errors import FormatError, InvalidInput
from multihop.evaluation.answers import SystemAnswer
from multihop.evaluation.datasets import Dataset, Question
from multihop.evaluation.systems import System, check_names, chosen, open_system, strategy_system
from multihop.evaluation.trec import write_qrels, write_run
from multihop.index.locations import Location
from multihop.lm import LmSpec, load_prompts
from multihop.rendering.files import write_atomically
from multihop.strategies import STRATEGIES

Report = Callable[[str, int, int], None]
"""Called with the system, how many questions it has answered, and of how many."""
_PACKAGES = ("multihop", "tantivy", "usearch", "numpy", "PyStemmer", "ahocorasick_rs", "bm25s", "wordllama", "dspy")
_MAY_CHANGE = {"versions", "index"}
"""What a resumed run may do differently: the answers that are there stay valid for the reader to judge."""


@dataclass(frozen=True, slots=True)
class Run:
    """A finished run, read back: questions, gold, and the answers of every system."""

    folder: Path
    manifest: Mapping[str, Any]
    questions: tuple[Question, ...]
    answers: Mapping[str, Mapping[str, SystemAnswer]]

    @property
    def k(self) -> int:
        return int(self.manifest["k"])

    @property
    def qrels(self) -> dict[str, tuple[str, ...]]:
        return {q.id: q.gold for q in self.questions}

    def rankings(self, system: str) -> dict[str, tuple[str, ...]]:
        return {q: a.documents for q, a in self.answers[system].items()}


def execute(
    dataset: Dataset,
    index: Location,
    systems: Sequence[str],
    k: int,
    folder: Path,
    *,
    embedder: str | None = None,
    workers: int = 1,
    fresh: bool = False,
    report: Report | None = None,
    lm: LmSpec | None = None,
    warn: Callable[[str], object] = warnings.warn,
) -> Run:
    """Answer every question with every system, going on where an earlier run of the same kind stopped."""
    check_names(systems)
    if workers < 1:
        raise InvalidInput(f"workers is a whole number from 1 on, got {workers}")
    with Engine.open(index, embedder=embedder, warn=warn) as engine:
        embedder = embedder or (engine.recorded_embedder if engine.embedder else None)
        manifest = _manifest(dataset, engine, systems, k, embedder, lm)
        _prepare(folder, manifest, dataset, fresh)
        for name in systems:
            file = folder / f"{name}.jsonl"
            _put_in_order(file, dataset.questions)
            done = {a.question for a in _answers(file)}
            left = [q for q in dataset.questions if q.id not in done]
            if report:
                report(name, len(done), len(dataset.questions))
            if left:
                _answer_all(name, left, engine, dataset, k, file, (index, embedder, workers, lm), len(done), report)
            _put_in_order(file, dataset.questions)
            write_run(folder / f"{name}.run", name, _answers(file))
    return read(folder)


def _answer_all(
    name: str,
    questions: Sequence[Question],
    engine: Engine,
    dataset: Dataset,
    k: int,
    file: Path,
    pool: tuple[Location, str | None, int, LmSpec | None],
    done: int,
    report: Report | None,
) -> None:
    index, embedder, workers, lm = pool
    with file.open("a", encoding="utf-8") as lines:
        if workers == 1 or name not in STRATEGIES:
            stream = _in_process(open_system(name, engine, dataset, lm), questions, k)
        else:
            stream = _in_workers(name, questions, k, (index, embedder, lm), workers)
        for count, answer in enumerate(stream, done + 1):
            lines.write(answer + "\n")
            lines.flush()
            if report:
                report(name, count, done + len(questions))


def _in_process(system: System, questions: Sequence[Question], k: int) -> Iterator[str]:
    for question in questions:
        yield _one(system, question, k).to_json()


def _one(system: System, question: Question, k: int) -> SystemAnswer:
    try:
        return system.answer(question, k)
    except Exception as error:  # noqa: BLE001  # one failing question is recorded, not fatal
        return SystemAnswer(question.id, error=f"{type(error).__name__}: {error}")


_worker_system: list[System] = []
"""The system of a worker process; set once when it starts."""


def _start_worker(name: str, index: Location, embedder: str | None, lm: LmSpec | None) -> None:
    engine = Engine.open(index, embedder=embedder)
    _worker_system[:] = [strategy_system(name, engine, lm)]


def _in_worker(question: Question, k: int) -> str:
    return _one(_worker_system[0], question, k).to_json()


def _in_workers(
    name: str,
    questions: Sequence[Question],
    k: int,
    opening: tuple[Location, str | None, LmSpec | None],
    workers: int,
) -> Iterator[str]:
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, context, _start_worker, (name, *opening)) as pool:
        # In the order asked: the files do not depend on the number of workers.
        yield from pool.map(_in_worker, questions, [k] * len(questions), chunksize=4)


def _manifest(
    dataset: Dataset, engine: Engine, systems: Sequence[str], k: int, embedder: str | None, lm: LmSpec | None
) -> dict[str, Any]:
    asked = hashlib.blake2b("\0".join(f"{q.id}\0{q.text}" for q in dataset.questions).encode(), digest_size=16)
    stats = engine.stats()
    return {
        "dataset": {
            "name": dataset.name, "split": dataset.split, "source": dataset.source, "notes": list(dataset.notes),
            "questions": len(dataset.questions), "questions_hash": asked.hexdigest(),
            "corpus_hash": dataset.corpus_hash(),
        },
        "index": {"passages": stats.passages, "documents": stats.documents, "generation": stats.generation},
        "systems": {name: _described(name, lm) for name in systems},
        "k": k,
        "embedder": stats.embedder if embedder else None,
        "lm": lm.describe() if lm else None,
        "prompts": prompts_of(systems, lm),
        "seed": 0,
        "versions": {"python": platform.python_version(), **_versions()},
    }  # fmt: skip


def _described(name: str, lm: LmSpec | None) -> dict[str, Any]:
    return chosen(name, lm).describe() if name in STRATEGIES else {"name": name}


def prompts_of(systems: Sequence[str], lm: LmSpec | None) -> dict[str, str] | None:
    """Give the digest of each file of prompts; raises for one that no system would use."""
    digests: dict[str, str] = {}
    for file in lm.prompts if lm else ():
        prompts = load_prompts(file)
        if prompts.strategy not in systems:
            names = ", ".join(systems)
            raise InvalidInput(
                f"{str(file)!r} is for the strategy {prompts.strategy!r}, which is not measured: {names}"
            )
        if prompts.strategy in digests:
            raise InvalidInput(f"there are two files of prompts for the strategy {prompts.strategy!r}; give one")
        digests[prompts.strategy] = prompts.digest
    return digests or None


def _versions() -> dict[str, str]:
    found = {}
    for package in _PACKAGES:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def _prepare(folder: Path, manifest: dict[str, Any], dataset: Dataset, fresh: bool) -> None:
    """Make the folder of a run, or check that it holds the beginning of this very run."""
    file = folder / "manifest.json"
    if fresh and file.exists():
        for old in [*folder.glob("*.jsonl"), *folder.glob("*.run"), file]:
            old.unlink()
    if file.exists():
        known = _read_json(file)
        for key in sorted(set(manifest) - _MAY_CHANGE - {"systems"}):
            if known.get(key) != json.loads(json.dumps(manifest[key])):
                raise InvalidInput(
                    f"{str(folder)!r} contains a run with a different value of {key!r}; "
                    "give another folder, or start over with --fresh"
                )
        _check_systems(folder, known["systems"], manifest["systems"])
        manifest["systems"] = {**known["systems"], **manifest["systems"]}
    folder.mkdir(parents=True, exist_ok=True)
    write_atomically(file, json.dumps(manifest, ensure_ascii=False, indent=1) + "\n")
    rows = (json.dumps(asdict(q), ensure_ascii=False) for q in dataset.questions)
    write_atomically(folder / "questions.jsonl", "".join(f"{row}\n" for row in rows))
    write_qrels(folder / "qrels.txt", {q.id: q.gold for q in dataset.questions})


def _check_systems(folder: Path, known: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    for name, value in wanted.items():
        if name in known and known[name] != json.loads(json.dumps(value)):
            raise InvalidInput(
                f"{str(folder)!r} contains answers of {name!r} with other settings; "
                "give another folder, or start over with --fresh"
            )


def _put_in_order(file: Path, questions: Iterable[Question]) -> None:
    """Rewrite the whole answers in the order of the questions, so that a resumed run equals an undisturbed one."""
    answers = {a.question: a for a in _answers(file)}
    text = "".join(answers[q.id].to_json() + "\n" for q in questions if q.id in answers)
    write_atomically(file, text)


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


def read(folder: Path) -> Run:
    """Read a run back from its folder."""
    if not (folder / "manifest.json").exists():
        raise InvalidInput(f"{str(folder)!r} contains no run; create one with: multihop eval DATASET --out {folder}")
    manifest = _read_json(folder / "manifest.json")
    questions = []
    with (folder / "questions.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            questions.append(Question(**{**row, "gold": tuple(row["gold"])}))
    answers = {name: {a.question: a for a in _answers(folder / f"{name}.jsonl")} for name in manifest["systems"]}
    return Run(folder, manifest, tuple(questions), {n: a for n, a in answers.items() if a})


def _read_json(file: Path) -> dict[str, Any]:
    try:
        return dict(json.loads(file.read_text(encoding="utf-8")))
    except ValueError as error:
        raise FormatError(f"{file} is damaged: {error}") from error
