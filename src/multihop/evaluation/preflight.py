"""Checks before a run for what would only give zeros: the wrong index, a failing system, unknown documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from multihop import loop
from multihop.engine import Engine
from multihop.errors import InvalidInput, MultihopError
from multihop.evaluation.datasets import Dataset, Question
from multihop.evaluation.known_documents import KnownDocuments
from multihop.evaluation.other_systems import TrecRun
from multihop.evaluation.system_answers import SystemAnswer
from multihop.evaluation.systems import Measured, System, find_strategy, needs_index
from multihop.loop import Strategy

_TRIED = 3
"""How many questions a system may fail on before it is taken for broken."""


def check_gold(dataset: Dataset, engine: Engine) -> None:
    """Raise when the index does not hold the gold documents: it was made of another corpus."""
    wanted = {gold: question.id for question in dataset.questions for gold in question.gold}
    held = engine.index().passages.passages_of(list(wanted), 1)
    missing = [gold for gold in wanted if not held.get(gold)]
    if missing:
        raise InvalidInput(
            f"the index does not hold {len(missing)} of the {len(wanted)} gold documents of {dataset.name}, such as "
            f"{missing[0]!r} of the question {wanted[missing[0]]!r}: it is not an index of this corpus; "
            "index the corpus of the dataset, or leave --index out to have that done"
        )


def check_conversations(dataset: Dataset, systems: Mapping[str, Measured]) -> None:
    """Raise for a system that would search all conversations of a dataset whose questions are each about one."""
    everywhere = [n for n, s in systems.items() if not isinstance(s, TrecRun) and not needs_index(s)]
    if everywhere and any(question.conversation for question in dataset.questions):
        raise InvalidInput(
            f"every question of {dataset.name} is about one conversation, and {everywhere[0]!r} would search them all; "
            "measure strategies, or give a run that was made conversation by conversation: --run FILE"
        )


def check_strategy(system: str | Strategy, engine: Engine, question: Question, k: int) -> None:
    """Raise for a strategy that cannot run on this index; it answers one question by rule, which costs no call."""
    strategy = find_strategy(system, None)
    try:
        loop.run(strategy, question.text, k, engine.index())
    except MultihopError as error:
        raise InvalidInput(f"the strategy {strategy.name!r} cannot run on this index: {error}") from error


def try_system(system: System, questions: Sequence[Question], k: int, known: KnownDocuments) -> System:
    """Try a system on its first questions; raises if all fail or only unknown documents are returned.

    The answers are kept: no question is put twice.
    """
    answers: dict[str, SystemAnswer] = {}
    for question in questions[:_TRIED]:
        answers[question.id] = answer_or_error(system, question, k)
    first = next(iter(answers.values()))
    if all(a.error for a in answers.values()):
        raise InvalidInput(
            f"{system.name!r} failed on the first {len(answers)} questions; on {first.question!r}: {first.error}"
        )
    unknown = [document for a in answers.values() for document in a.unknown]
    # One known document is enough: a system may search more than this corpus.
    if unknown and len(unknown) == sum(len(a.documents) for a in answers.values()):
        raise InvalidInput(
            f"{system.name!r} returns documents that are not in the corpus, such as {unknown[0]!r:.80}; documents are "
            f"recognized by their ids, such as {known.example!r}, by their titles, or by their whole texts"
        )
    return _Tried(system, answers)


def answer_or_error(system: System, question: Question, k: int) -> SystemAnswer:
    """Answer a question; one that fails is recorded, not fatal."""
    try:
        return system.answer(question, k)
    except Exception as error:  # noqa: BLE001  # systems of others may raise anything
        return SystemAnswer(question.id, error=f"{type(error).__name__}: {error}")


@dataclass(frozen=True)
class _Tried:
    system: System
    answers: Mapping[str, SystemAnswer]

    @property
    def name(self) -> str:
        return self.system.name

    def answer(self, question: Question, k: int) -> SystemAnswer:
        return self.answers.get(question.id) or self.system.answer(question, k)
