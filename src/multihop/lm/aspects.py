"""Parses the aspects of a question from the answer of a language model; invalid ones are dropped."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from multihop import text
from multihop.protocols import LmAnswer, Step
from multihop.types import Aspect

TYPES = ("definition", "comparison", "process", "causal", "evaluation", "application")
NAMES_OF_TYPES = frozenset(
    "definition explanation meaning comparison difference process mechanism cause reason effect evaluation advantage "
    "disadvantage application use example".split()
)
"""Words for the types themselves, which are not keywords of an aspect."""
_MOST = 12
_LONGEST, _LONGEST_KEYWORD, _MOST_KEYWORDS = 300, 100, 20
UNUSABLE = "no usable aspects"


def aspects_step(question: str) -> Step:
    """Return the step that asks for the aspects of a question."""
    return Step("query_aspects", {"question": question})


def aspects_of(answer: LmAnswer) -> tuple[Aspect, ...]:
    """Parse the distinct aspects in an answer; empty if it has none that are valid."""
    items = answer.values["aspects"][:_MOST] if answer.values else ()
    aspects = {a.text.casefold(): a for a in map(_aspect, items) if a is not None}
    return tuple(aspects.values())


def aspect_terms(description: str, keywords: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Split keywords into subjects, which occur in the description, and the others."""
    given = [k for k in keywords if k.strip() and k.casefold() not in NAMES_OF_TYPES | set(TYPES)]
    named = f" {' '.join(text.stems(text.words(description)))} "
    subjects = tuple(k for k in given if (stems := text.terms(k)) and f" {' '.join(stems)} " in named)
    return subjects, tuple(k for k in given if k not in subjects)


def _aspect(item: Mapping[str, Any]) -> Aspect | None:
    said, kind = item.get("aspect"), item.get("type", item.get("aspect_type"))
    importance, keywords = item.get("importance", 1.0), item.get("keywords", [])
    if not isinstance(said, str) or not 0 < len(said.strip()) <= _LONGEST or not isinstance(kind, str):
        return None
    if kind.strip().casefold() not in TYPES:
        return None
    if not isinstance(importance, int | float) or not isinstance(keywords, list | tuple):
        return None
    words = [k.strip() for k in keywords if isinstance(k, str) and 0 < len(k.strip()) <= _LONGEST_KEYWORD]
    # Clamp to the range: a model may use a scale up to ten.
    weight = min(1.0, max(0.0, float(importance))) if math.isfinite(importance) else 1.0
    description = " ".join(said.split())
    subjects, others = aspect_terms(description, words[:_MOST_KEYWORDS])
    return Aspect(description, kind.strip().casefold(), weight, subjects, others)
