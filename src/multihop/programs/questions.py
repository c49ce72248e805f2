"""Questions of a dataset as DSPy examples, in the form of HoVer: a claim, and the titles of what decides it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import dspy

from multihop.engine import Engine
from multihop.errors import InvalidInput
from multihop.evaluation.datasets import Dataset, Question
from multihop.types import Document

_OPENING = 200


def examples(questions: Dataset | Iterable[Question], engine: Engine | None = None) -> list[Any]:
    """Make DSPy examples with `claim` as input, and `supporting_facts`, `label`, `hops` and `openings`.

    The titles come from the corpus of the dataset or, when an `engine` is given, from its index; `openings` are the
    first words of each gold document, for optimizers that reflect.
    """
    asked = list(questions.questions) if isinstance(questions, Dataset) else list(questions)
    wanted = {id for question in asked for id in question.gold}
    if engine is not None:
        documents = {id: d for id in sorted(wanted) if (d := engine.document(id)) is not None}
    elif isinstance(questions, Dataset):
        documents = {d.id: d for d in questions.corpus.read() if d.id in wanted}
    else:
        raise InvalidInput("questions do not hold the titles of their gold; give the dataset, or an engine too")
    return [_example(question, documents) for question in asked]


def _example(question: Question, documents: dict[str, Document]) -> Any:
    missing = [id for id in question.gold if id not in documents]
    if missing:
        raise InvalidInput(
            f"the gold document {missing[0]!r} of the question {question.id!r} is not in the index; "
            "index the corpus of the dataset"
        )
    # Without a title a document goes by its id, here as in what the programs give.
    titled = {documents[id].title or id: documents[id].text for id in question.gold}
    return dspy.Example(
        claim=question.text,
        supporting_facts=[{"key": title} for title in titled],
        label=question.label,
        hops=question.hops,
        openings={title: " ".join(text.split())[:_OPENING] for title, text in titled.items()},
    ).with_inputs("claim")
