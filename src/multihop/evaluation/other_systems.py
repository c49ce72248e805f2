"""Other systems to measure: a retriever of any library, or a TREC run file."""

from __future__ import annotations

import hashlib
import importlib
import inspect
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from multihop.errors import InvalidInput, cause
from multihop.evaluation.datasets import Question
from multihop.evaluation.known_documents import KnownDocuments
from multihop.evaluation.retrievers import Returned, asking, parse_returned
from multihop.evaluation.system_answers import BELOW, Loss, SystemAnswer
from multihop.evaluation.trec import plain_id, read_scores
from multihop.loop import Strategy


@dataclass(frozen=True, slots=True)
class Retriever:
    """A retriever to measure under a name: a function (question, k), or one of LangChain, LlamaIndex, Haystack, DSPy.

    It returns documents best first: ids, (id, score) pairs, a mapping from id to score, or objects with an id, a title
    or a text, by which the documents of the corpus are recognized.
    """

    name: str
    retriever: Any = field(repr=False)
    place: str = ""
    """Where it can be imported from, `module:attribute`, when that is known."""

    def describe(self) -> dict[str, Any]:
        """Return what it is, with a digest of the file it is written in: changed code is another system."""
        code = self.retriever if hasattr(self.retriever, "__qualname__") else type(self.retriever)
        where = self.place or f"{code.__module__}:{code.__qualname__}"
        return {"name": self.name, "retriever": where, "code": _code_digest(code)}


@dataclass(frozen=True, slots=True)
class TrecRun:
    """The answers of a system that ran elsewhere, to measure under a name: a TREC run file."""

    name: str
    file: Path

    def describe(self) -> dict[str, Any]:
        """Return which file it is, by the digest of what is in it."""
        return {"name": self.name, "run": str(self.file), "digest": _digest(self.file)}


def system_at(spec: str) -> Retriever | Strategy:
    """Import what to measure: `package.module:attribute`, or under another name `name=package.module:attribute`.

    Modules are looked for in the current folder too.
    """
    name, separator, place = spec.rpartition("=")
    module, colon, attribute = place.partition(":")
    if not colon or not module or not attribute:
        raise InvalidInput(f"{spec!r} does not name a system; write MODULE:NAME, such as my_module:retriever")
    # A command that pip installed does not have the current folder on its path, where users keep their module.
    if (here := str(Path.cwd())) not in sys.path:
        sys.path.insert(0, here)
    try:
        target: Any = importlib.import_module(module)
    except ImportError as error:
        raise InvalidInput(f"the module {module!r} of {spec!r} cannot be imported: {error}") from error
    for part in attribute.split("."):
        if not hasattr(target, part):
            public = ", ".join(n for n in vars(target) if not n.startswith("_")) or "nothing"
            raise InvalidInput(f"the module {module!r} has no {attribute!r}; it has {public:.300}")
        target = getattr(target, part)
    if isinstance(target, Strategy):
        return replace(target, name=name) if separator else target
    asking(target)
    return Retriever(name if separator else attribute, target, place)


def run_at(spec: str) -> TrecRun:
    """Take a run file as a system: `file`, called after it, or with another name `name=file`."""
    name, separator, place = spec.partition("=")
    # The name of a file may hold a "=" itself.
    if not separator or Path(spec).is_file():
        return TrecRun(Path(spec).name.split(".")[0], Path(spec))
    return TrecRun(name, Path(place))


class RetrieverSystem:
    """A retriever of another library, asked one question at a time."""

    def __init__(self, given: Retriever, known: KnownDocuments) -> None:
        self.name = given.name
        self._ask = asking(given.retriever)
        self._known = known

    def answer(self, question: Question, k: int) -> SystemAnswer:
        started = time.perf_counter()
        returned = parse_returned(self._ask(question.text, k))
        seconds = time.perf_counter() - started
        return mark_unknown(ranked_answer(question, self._rank(returned), k, seconds), self._known)

    def _rank(self, returned: Sequence[Returned]) -> dict[str, float]:
        ranked: dict[str, float] = {}
        for rank, each in enumerate(returned, 1):
            # A document that the corpus does not hold still takes its place in the ranking.
            id = self._known.find(each.ids, each.title, each.text) or (*each.ids, each.title, each.text)[0]
            # Of several chunks of one document the first counts: gold is whole documents.
            ranked.setdefault(id, 1 / rank if each.score is None else each.score)
        return ranked


class TrecRunSystem:
    """The answers of a run file."""

    def __init__(self, given: TrecRun, known: KnownDocuments) -> None:
        self.name = given.name
        self._file = given.file
        self._known = known
        self._rows = read_scores(given.file)
        # Runs of ours write blanks in ids as "+"; those of others have ids that mean themselves.
        self._plain = {plain_id(q): q for q in self._rows}

    def answer(self, question: Question, k: int) -> SystemAnswer:
        written = question.id if question.id in self._rows else self._plain.get(question.id)
        if written is None:
            raise InvalidInput(f"{str(self._file)!r} has no answer to the question {question.id!r}")
        ranked: dict[str, float] = {}
        for document, score in self._rows[written]:
            ranked.setdefault(self._known.find((document, plain_id(document))) or document, score)
        return mark_unknown(ranked_answer(question, ranked, k, 0.0), self._known)


def ranked_answer(question: Question, ranked: Mapping[str, float], k: int, seconds: float) -> SystemAnswer:
    """Make an answer of documents with their scores, best first; gold beyond the first k counts as lost."""
    order = list(ranked)
    kept = tuple(order[:k])
    lost = tuple(Loss(g, BELOW, order.index(g) + 1 if g in ranked else None) for g in question.gold if g not in kept)
    # Others rank documents. Named like first passages, their answers have the form of ours.
    passages, scores = tuple(f"{id}#0" for id in kept), tuple(ranked[id] for id in kept)
    return SystemAnswer(question.id, kept, passages, scores, round(seconds, 6), losses=lost)


def mark_unknown(answer: SystemAnswer, known: KnownDocuments) -> SystemAnswer:
    """Return an answer with those of its documents marked that the corpus does not have."""
    return replace(answer, unknown=tuple(id for id in answer.documents if id not in known))


def _code_digest(code: Any) -> str | None:
    try:
        file = inspect.getsourcefile(code)
    # Built in or written in C: there is no file whose change could be noticed.
    except (TypeError, OSError):
        return None
    return _digest(Path(file)) if file and Path(file).is_file() else None


def _digest(file: Path) -> str:
    try:
        return hashlib.blake2b(file.read_bytes(), digest_size=16).hexdigest()
    except OSError as error:
        raise InvalidInput(f"{str(file)!r} cannot be read: {cause(error)}") from error
