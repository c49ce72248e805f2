"""The documented functions of retrieval by four signals, as thin wrappers of the engine.

Each takes an engine, the location of an index, or a folder of files, which is indexed temporarily.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from multihop import loop, profiles
from multihop.engine import Engine
from multihop.errors import InvalidInput
from multihop.index.embedders import open_embedder
from multihop.loop import Strategy
from multihop.parts.searchers.chunks import chunk_index
from multihop.profiles.signals import Embedded, embed
from multihop.profiles.values import Profile
from multihop.protocols import Context
from multihop.strategies import hybrid
from multihop.survey.answers import chunk_of
from multihop.survey.groups import chosen_groups
from multihop.survey.run import signals_of, survey, traversal_strategy, with_keywords
from multihop.survey.sources import Source, label_without_groups, open_source
from multihop.types import Passage, Result, Where

Vector = NDArray[np.float32]

Embeddings = tuple["Vector | None", "Vector | None"]


def embed_prompt(prompt: str, *, engine: Source | None = None) -> Embeddings:
    """Embed a prompt twice: by the index's embedder, and by its word2vec model; None for a missing one.

    Without an index, the built-in encoder embeds it.
    """
    if engine is None:
        return open_embedder("encoder").embed([prompt], query=True)[0], None
    with open_source(engine) as index:
        vectors = embed(prompt, Context(index.index()))
    return vectors.transformer, vectors.word2vec


def evaluate_chunks(
    chunks: Iterable[Mapping[str, Any] | Passage],
    prompt: str,
    embeddings: Embeddings | None = None,
    *,
    engine: Source,
    profile: Profile | str = "climate",
) -> list[dict[str, Any]]:
    """Score given chunks with the four signals; returns all of them, best first."""
    passages = [_passage(chunk, place) for place, chunk in enumerate(chunks)]
    if not passages:
        return []
    # No threshold, since the caller wants the score of every chunk.
    strategy = _strategy(_profile(profile), 0.0, embeddings)
    with open_source(engine) as index:
        return _chunks(loop.run(strategy, prompt, len(passages), chunk_index(index.store.view(), passages)))


def retrieve_chunks(
    embedded_prompts: Embeddings | None,
    prompt: str,
    top_k: int = 20,
    country: str | None = None,
    min_similarity: float = 0.2,
    *,
    engine: Source,
    profile: Profile | str = "climate",
) -> list[dict[str, Any]]:
    """Score every passage (of one country, if given) with the four signals; returns the best above a threshold."""
    known = _profile(profile)
    if not 0.0 <= min_similarity <= 1.0:
        raise InvalidInput(f"min_similarity must be a number from 0 to 1, got {min_similarity!r}")
    strategy = _strategy(known, min_similarity, embedded_prompts)
    with open_source(engine) as index:
        return _chunks(index.retrieve(prompt, k=top_k, strategy=strategy, where=_where(index, known, country)))


def retrieve_chunks_with_hop(
    prompt: str,
    top_k: int = 20,
    country: str | None = None,
    max_hops: int | None = None,
    min_similarity: float | None = None,
    *,
    engine: Source,
    profile: Profile | str = "climate",
    strategy: Strategy | str = "graph",
) -> list[dict[str, Any]]:
    """Find passages by traversal from those that match the prompt and the keywords of the profile."""
    known = profiles.with_scoring(_profile(profile), max_hops=max_hops, threshold=min_similarity)
    chosen = traversal_strategy(known, strategy)
    with open_source(engine) as index:
        where = _where(index, known, country)
        result = index.retrieve(with_keywords(prompt, known, chosen), k=top_k, strategy=chosen, where=where)
        signals = signals_of(index, prompt, known, where, result)
    return [chunk_of(evidence, signals[evidence.passage.id]).to_dict() for evidence in result.evidence]


def run_script(
    question_number: int | None = None,
    country: str | None = None,
    use_hop_retrieval: bool = False,
    *,
    engine: Source,
    profile: Profile | str = "climate",
    top_k: int | None = None,
    out: Path | str | None = None,
) -> list[dict[str, Any]]:
    """Run the survey of a profile, or a part of it; returns the results of every country in the documented format."""
    questions = None if question_number is None else [question_number]
    groups = None if country is None else [country]
    results = survey(engine, profile, questions=questions, groups=groups, hop=use_hop_retrieval, top_k=top_k, out=out)
    return [answers.to_dict() for answers in results.groups]


def _profile(profile: Profile | str) -> Profile:
    return profiles.load(profile) if isinstance(profile, str) else profile


def _strategy(profile: Profile, threshold: float, embeddings: Embeddings | None) -> Strategy:
    strategy = hybrid(profile, threshold=threshold)
    if embeddings is None:
        return strategy
    return replace(strategy, searcher=replace(strategy.searcher, embedded=Embedded(*embeddings)))  # type: ignore[type-var]  # a SignalSearcher


def _where(engine: Engine, profile: Profile, country: str | None) -> Where | None:
    if country is None:
        return None
    label_without_groups(engine, profile)
    chosen, _ = chosen_groups(engine, profile, [country])
    return next(iter(chosen.values())).where


def _chunks(result: Result) -> list[dict[str, Any]]:
    return [chunk_of(evidence).to_dict() for evidence in result.evidence]


def _passage(chunk: Mapping[str, Any] | Passage, place: int) -> Passage:
    if isinstance(chunk, Passage):
        return chunk
    content = chunk.get("content", chunk.get("text")) if isinstance(chunk, Mapping) else None
    if not isinstance(content, str) or not content.strip():
        raise InvalidInput(f"chunk {place} has no content; a chunk is a mapping with id and content, got {chunk!r:.80}")
    id = str(chunk.get("id", place))
    return Passage(id, str(chunk.get("document", id)), place, str(chunk.get("title", "")), content)
