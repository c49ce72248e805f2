"""The metric of HoVer's retrieval task, plain and with words: which titles a program found and which it missed.

The comparison is the one of the published scores: titles after DSPy's `normalize_text`, and at most 21 documents.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import dspy
from dspy.evaluate import normalize_text

from multihop.errors import InvalidInput

MOST_DOCUMENTS = 21
SEPARATOR = " | "


def discrete_retrieval_eval(example: Any, pred: Any, trace: Any = None) -> bool:  # noqa: ARG001  # DSPy gives it
    """Return whether every title of `supporting_facts` is among the first 21 of `pred.retrieved_docs`."""
    return not titles_found(example, pred)[1]


def titles_found(example: Any, pred: Any, most: int = MOST_DOCUMENTS) -> tuple[list[str], list[str]]:
    """Return the gold titles that a prediction found, and those it missed, as the example writes them."""
    docs: Sequence[str] = pred.get("retrieved_docs") or []
    known = {normalize_text(str(doc).split(SEPARATOR, 1)[0]) for doc in docs[:most]}
    # HoVer names a title once for each of its sentences.
    wanted = dict.fromkeys(gold_titles(example["supporting_facts"]))
    found = [title for title in wanted if normalize_text(title) in known]
    return found, [title for title in wanted if title not in found]


def gold_titles(facts: Any) -> list[str]:
    """Read titles from supporting facts: [{"key": title}], HoVer's own [[title, 0]], {"title": […]} or titles."""
    listed = facts.get("title") or facts.get("key") if isinstance(facts, Mapping) else facts
    if not isinstance(listed, list | tuple):
        raise InvalidInput(f"supporting facts are a list of titles; got {facts!r:.120}")
    return [_title(fact) for fact in listed]


def _title(fact: Any) -> str:
    title = fact
    if isinstance(fact, Mapping):
        title = fact.get("key") or fact.get("title")
    elif isinstance(fact, list | tuple) and fact:
        title = fact[0]
    if not isinstance(title, str):
        raise InvalidInput(f'a supporting fact is {{"key": title}}, [title, sentence] or a title; got {fact!r:.120}')
    return title


def score(example: Any, pred: Any, most: int = MOST_DOCUMENTS) -> float:
    """Score a prediction from 0 to 1: half for the share of gold titles found, half for having all of them.

    The all-or-nothing measure alone gives an optimizer too little to go by.
    """
    found, missed = titles_found(example, pred, most)
    share = len(found) / (len(found) + len(missed)) if found or missed else 1.0
    return (share + (not missed)) / 2


def feedback(example: Any, pred: Any, most: int = MOST_DOCUMENTS) -> Any:
    """Score a prediction and say in words what it found and missed, for optimizers that reflect."""
    found, missed = titles_found(example, pred, most)
    openings: Mapping[str, str] = example.get("openings") or {}
    said = [f"Found of the documents that decide the claim: {_list_titles(found)}.", f"Missed: {_list_titles(missed)}."]
    said += [f"The missed document “{t}” begins: {openings[t]}" for t in missed if t in openings]
    if missed:
        said.append(
            "A document is found when a query names what it is about; what the claim does not name must be taken from "
            "the documents found before."
        )
    return dspy.Prediction(score=score(example, pred, most), feedback=" ".join(said))


def _list_titles(titles: Sequence[str]) -> str:
    return ", ".join(f"“{t}”" for t in titles) or "none"
