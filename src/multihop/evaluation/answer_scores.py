"""Scores of an answer: exact match and F1 as in SQuAD (Rajpurkar et al. 2016), and containment."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from multihop import text
from multihop.evaluation.datasets import Question
from multihop.evaluation.datasets.titles import bare_words
from multihop.evaluation.system_answers import Reply


def exact_match(gold: str, given: str) -> float:
    """1.0 if both are equal after SQuAD normalization (case, punctuation, articles)."""
    return float(bare_words(gold) == bare_words(given))


def f1(gold: str, given: str) -> float:
    """Token F1."""
    wanted, said = bare_words(gold).split(), bare_words(given).split()
    # As in SQuAD: an answer of articles and punctuation alone equals only another such answer.
    if not wanted or not said:
        return float(wanted == said)
    common = sum((Counter(wanted) & Counter(said)).values())
    return 2 * common / (len(wanted) + len(said))


def acceptance(gold: str, given: str) -> float:
    """1.0 if one contains the other, after normalization: what a lenient judge would accept without reading on."""
    wanted, said = bare_words(gold).split(), bare_words(given).split()
    return float(bool(wanted and said) and (text.contains(wanted, said) or text.contains(said, wanted)))


def contains_answer(gold: str, passage: str) -> bool:
    """Return whether a text contains the words of an answer, consecutively."""
    return text.contains(text.words(passage), text.words(gold))


MEASURES = (
    "answer EM", "answer F1", "answer accuracy", "in first sentence", "in first three", "citation precision",
    "citation recall", "answered",
)  # fmt: skip
"""What is measured of answers, in this order."""


def answer_measures(questions: Sequence[Question], replies: Mapping[str, Reply]) -> dict[str, list[float]]:
    """Score the replies to questions with a known answer; sentences only where the answer is not just yes or no.

    A citation is right when it is of a gold document; its recall is the share of gold documents that are cited.
    """
    values: dict[str, list[float]] = {name: [] for name in MEASURES}
    for question in questions:
        reply = replies.get(question.id)
        if reply is None or not question.answer:
            continue
        values["answer EM"].append(exact_match(question.answer, reply.text))
        values["answer F1"].append(f1(question.answer, reply.text))
        values["answer accuracy"].append(acceptance(question.answer, reply.text))
        values["answered"].append(float(reply.answered))
        # Nearly every sentence holds or lacks such a word by accident.
        if bare_words(question.answer) not in ("yes", "no"):
            values["in first sentence"].append(float(_holds(question.answer, reply.sentences[:1])))
            values["in first three"].append(float(_holds(question.answer, reply.sentences[:3])))
        gold = set(question.gold)
        # What cites nothing has no precision; its recall of 0 below says what that costs.
        if reply.cited:
            values["citation precision"].append(len(gold.intersection(reply.cited)) / len(reply.cited))
        values["citation recall"].append(len(gold.intersection(reply.cited)) / len(gold))
    return values


def _holds(answer: str, sentences: Iterable[str]) -> bool:
    return any(contains_answer(answer, sentence) for sentence in sentences)
