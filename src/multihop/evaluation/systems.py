"""What can be measured: strategies of the engine, baselines, retrievers and runs of others."""

from __future__ import annotations

import importlib
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeGuard

from multihop import loop
from multihop.answering.answers import answer_of
from multihop.answering.chain import chain_of
from multihop.answering.lm import answer_by_model
from multihop.engine import Engine
from multihop.errors import InvalidInput, UnknownName, needs_extra, suggestion
from multihop.evaluation.datasets import CONVERSATION, Dataset, Question
from multihop.evaluation.known_documents import KnownDocuments
from multihop.evaluation.other_systems import Retriever, RetrieverSystem, TrecRun, TrecRunSystem, ranked_answer
from multihop.evaluation.retrievers import asking
from multihop.evaluation.system_answers import (
    BELOW,
    NEVER_REACHED,
    REPLACED,
    Loss,
    SystemAnswer,
    answer_from,
    reply_from,
)
from multihop.lm import LmSpec, load_prompts
from multihop.loop import Strategy
from multihop.models.reader import reader, verifier
from multihop.protocols import Context, Finisher, LanguageModel, Selector, State
from multihop.strategies import STRATEGIES, strategy
from multihop.types import Result, Selection

BASELINES = {"bm25s": "the bm25s library over the same texts, stemmed, English stopwords out"}
_NAME = re.compile(r"\w[\w.-]*")


class System(Protocol):
    """Answers questions, one at a time."""

    @property
    def name(self) -> str: ...

    def answer(self, question: Question, k: int) -> SystemAnswer: ...


Measured = str | Strategy | Retriever | TrecRun
"""What is measured: a strategy or baseline by name, a strategy as a value, or a system that is not ours."""


def name_systems(systems: Sequence[Any]) -> dict[str, Measured]:
    """Return the systems by name; raises for unknown, unusable or duplicate ones.

    A plain function or retriever is called after itself; to choose the name give `Retriever(name, function)`.
    """
    measured: dict[str, Measured] = {}
    for given in systems:
        system, name = _to_measured(given)
        # No slash and no leading dot: the name must stay inside the folder of the run.
        if not _NAME.fullmatch(name):
            raise InvalidInput(
                f"{name!r} cannot be the name of a system, which is also the name of its files: use letters, digits, "
                "'.', '-' and '_'; in Python Retriever(name, function), on the command line NAME=…"
            )
        # The same system given twice is measured once; only another one under its name is a mistake.
        if name in measured and measured[name] != system:
            raise InvalidInput(
                f"two systems are called {name!r}; give one of them another name: replace(strategy, name=…), "
                "Retriever(name, function), or on the command line NAME=…"
            )
        measured[name] = system
    return measured


def _to_measured(given: Any) -> tuple[Measured, str]:
    if isinstance(given, str):
        if given not in STRATEGIES and given not in BASELINES:
            raise UnknownName(f"there is no strategy {given!r}: {suggestion(given, [*STRATEGIES, *BASELINES])}")
        return given, given
    if isinstance(given, Strategy | TrecRun):
        return given, given.name
    if isinstance(given, Retriever):
        asking(given.retriever)
        return given, given.name
    name = str(getattr(given, "__name__", type(given).__name__))
    asking(given)
    # Figures under the name of one of ours would be taken for ours.
    if name in STRATEGIES:
        raise InvalidInput(f"{name!r} is a strategy of ours; name yours with Retriever(name, function)")
    return Retriever(name, given), name


def needs_index(system: Measured) -> TypeGuard[str | Strategy]:
    """Return whether a system needs an index."""
    return isinstance(system, Strategy) or (isinstance(system, str) and system in STRATEGIES)


@dataclass(frozen=True)
class StrategySystem:
    """A strategy of the engine, whose selector is recorded to find out where gold was lost."""

    engine: Engine
    strategy: Strategy
    lm: LanguageModel | None = None
    replies: bool = False
    """Whether the question is answered, too, not only its evidence found."""

    @property
    def name(self) -> str:
        return self.strategy.name

    def answer(self, question: Question, k: int) -> SystemAnswer:
        recording = _Recording(self.strategy.selector)
        chosen = replace(self.strategy, selector=recording)
        index = self.engine.index({CONVERSATION: question.conversation} if question.conversation else None)
        result = loop.run(chosen, question.text, k, index, lm=self.lm)
        losses = _losses(question, result, recording)
        if not self.replies:
            return answer_from(question.id, result, losses)
        answer = answer_of(replace(result, chain=chain_of(result, index)), index, reader(), verifier())
        if self.lm is not None and answer.kind != "claim":
            answer = answer_by_model(answer, self.lm, verifier=verifier())
        return replace(answer_from(question.id, answer.result, losses), reply=reply_from(answer))


@dataclass(frozen=True)
class _Recording:
    """A selector that records the last state it was given."""

    inner: Selector
    last: list[tuple[State, Context]] = field(default_factory=list, compare=False)

    def select(self, state: State, context: Context) -> Selection:
        self.last[:] = [(state, context)]
        return self.inner.select(state, context)

    def finish(self, state: State, context: Context) -> Selection:
        self.last[:] = [(state, context)]
        return self.inner.finish(state, context) if isinstance(self.inner, Finisher) else state.selection

    def select_all(self, state: State, context: Context) -> Selection:
        """Select with a budget for the whole pool."""
        # The same selector with room for all: the rank says how near a lost document came.
        whole = replace(state, k=len(state.pool))
        return self.finish(replace(whole, selection=self.inner.select(whole, context)), context)


def _losses(question: Question, result: Result, recording: _Recording) -> tuple[Loss, ...]:
    """Return the cause for every missing gold document: never reached, ranked too low, or replaced."""
    selected = {e.passage.document_id for e in result.evidence}
    missing = [gold for gold in question.gold if gold not in selected]
    if not missing:
        return ()
    state, context = recording.last[0]
    # Looking at what was lost is not part of the question: it must not cost another call.
    context = replace(context, lm=None, notes=[])
    met = {c.passage.document_id: c.hop for c in state.pool.values()}
    held = {_document(id) for hop in result.trace.hops for id in hop.selected}
    everything = recording.select_all(state, context) if set(missing) & set(met) else Selection()
    order = list(dict.fromkeys(_document(c.passage_id) for c in everything.choices))
    ranks = {document: rank for rank, document in enumerate(order, 1)}
    return tuple(
        Loss(gold, REPLACED if gold in held else BELOW, ranks.get(gold), met[gold])
        if gold in met
        else Loss(gold, NEVER_REACHED)
        for gold in missing
    )


def _document(passage_id: str) -> str:
    return passage_id.rpartition("#")[0]


class Bm25sSystem:
    """The bm25s library, with its numba backend if installed, as a baseline."""

    name = "bm25s"

    def __init__(self, dataset: Dataset) -> None:
        self._library, self._stemmer = self.libraries()
        named = [(document.id, f"{document.title}. {document.text}") for document in dataset.documents()]
        self._ids = [id for id, _ in named]
        tokens = self._tokens([text for _, text in named])
        # The fastest that the library offers here: a baseline must not lose by how it was set up.
        backend = "numba" if importlib.util.find_spec("numba") else "numpy"
        self._index = self._library.BM25(backend=backend)
        self._index.index(tokens, show_progress=False)
        # numba compiles at the first search, which is not the time of a question.
        self.search("warm up", 1)

    @staticmethod
    def libraries() -> tuple[Any, Any]:
        """Import bm25s and its stemmer; raises when they are not installed."""
        with needs_extra("The bm25s baseline", "eval"):
            return importlib.import_module("bm25s"), importlib.import_module("Stemmer").Stemmer("english")

    def search(self, text: str, k: int) -> tuple[list[str], list[float]]:
        """Return the ids and scores of the k best documents."""
        rows, scores = self._index.retrieve(self._tokens([text]), k=min(k, len(self._ids)), show_progress=False)
        return [self._ids[i] for i in rows[0]], [float(s) for s in scores[0]]

    def answer(self, question: Question, k: int) -> SystemAnswer:
        started = time.perf_counter()
        ids, scores = self.search(question.text, k)
        seconds = time.perf_counter() - started
        return ranked_answer(question, dict(zip(ids, scores, strict=True)), k, seconds)

    def _tokens(self, texts: list[str]) -> Any:
        return self._library.tokenize(texts, stopwords="en", stemmer=self._stemmer, show_progress=False)


def open_system(
    system: Measured,
    engine: Engine | None,
    dataset: Dataset,
    known: KnownDocuments,
    lm: LmSpec | None = None,
    *,
    replies: bool = False,
) -> System:
    """Make a system ready to answer."""
    if isinstance(system, Retriever):
        return RetrieverSystem(system, known)
    if isinstance(system, TrecRun):
        return TrecRunSystem(system, known)
    if system == "bm25s":
        return Bm25sSystem(dataset)
    if engine is None:
        raise InvalidInput(f"{system if isinstance(system, str) else system.name!r} is a strategy and needs an index")
    return strategy_system(system, engine, lm, replies=replies)


def strategy_system(
    system: str | Strategy, engine: Engine, lm: LmSpec | None, *, replies: bool = False
) -> StrategySystem:
    """Make a strategy ready to answer, with the language model and the prompts it is to use."""
    return StrategySystem(engine, find_strategy(system, lm), lm.open() if lm else None, replies)


def find_strategy(system: str | Strategy, lm: LmSpec | None) -> Strategy:
    """Return the strategy as it works with a language model, with its own prompts where there is a file of them."""
    chosen = strategy(system, lm=lm is not None) if isinstance(system, str) else system
    for prompts in map(load_prompts, lm.prompts if lm else ()):
        if prompts.strategy == chosen.name:
            return chosen.with_prompts(prompts)
    return chosen


def describe(system: Measured, lm: LmSpec | None) -> dict[str, Any]:
    """Write out what a system is, as plain values for the manifest of a run."""
    if isinstance(system, Retriever | TrecRun):
        return system.describe()
    return {"name": system} if isinstance(system, str) and system in BASELINES else find_strategy(system, lm).describe()
