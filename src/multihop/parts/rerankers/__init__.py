"""Rerankers, which read candidates together with the question: the built-in model, your own, or a hosted one."""

from __future__ import annotations

from collections.abc import Callable

from multihop.errors import InvalidInput, UnknownName, suggestion
from multihop.parts.rerankers.asking import scores_of
from multihop.parts.rerankers.built_in import BuiltInReranker
from multihop.parts.rerankers.endpoint import EndpointReranker
from multihop.parts.rerankers.predicting import PredictingReranker
from multihop.protocols import Reranker
from multihop.registry import Registry

__all__ = [
    "RERANKERS", "BuiltInReranker", "EndpointReranker", "PredictingReranker", "open_reranker", "scores_of",
]  # fmt: skip

RERANKERS: Registry[Callable[[str], Reranker]] = Registry("multihop.rerankers", Callable)
"""Functions that make a reranker, by name, from the rest of its spec: the text after the first colon."""


def open_reranker(spec: str) -> Reranker:
    """Make the reranker that a string names: "built-in", or one that another package registers."""
    name, _, rest = spec.strip().partition(":")
    if name not in RERANKERS:
        raise UnknownName(f"unknown reranker {name!r}; {suggestion(name, RERANKERS)}")
    return RERANKERS[name](rest)


def open_built_in(rest: str) -> Reranker:
    if rest:
        raise InvalidInput(f"the built-in reranker has no variant {rest!r}; give built-in alone")
    return BuiltInReranker()
