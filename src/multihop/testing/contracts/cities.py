"""Corpus, queries and states on which the contracts of the loop's parts work: twelve cities that name each other."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from multihop.protocols import Context, Index, QueryWriter, State, Store, View
from multihop.strategies import BM25
from multihop.testing.contracts.corpus import HashEmbedder, StoreFactory, fill
from multihop.types import Aspect, Candidate, Choice, Coverage, Document, Entity, Plan, Query, Selection, Target, Walk

CITIES = tuple(f"City{c}" for c in "abcdefghijkl")
QUESTION = "Which city lies near Citya and Cityb, and what is said of Nowhereville?"
QUESTIONS = (
    QUESTION,
    "Who was first, “Cityc” or Cityd, in 1883 (at 5 %)?",
    "What is a city, how does it grow and why do people leave it?",
    "?!",
    "東京は日本の首都ですか。",
    "a NUL \x00, half a pair \ud83d",
    "long " * 400,
)
"""Questions as people and programs write them, among them some that no rule was made for."""
QUERIES = (
    Query("Which city lies near Citya, Cityc, Citye and Cityg?", "the whole", 3),
    Query("Cityb", "a part", 2, part=True),
    Query("?!", "nothing to go by", 5),
)
WALKS = (
    Walk("near Cityd", "links", 3, (("Citya#0", 1.0), ("Cityd#0", 0.5))),
    Walk("Cityb", "one seed", 5, (("Cityb#0", 0.2),)),
    Walk("?!", "nothing to match", 5, (("Cityc#0", 1.0), ("Cityc#1", 1.0))),
    Walk("Citya", "a seed that is not there", 5, (("Nowhere#0", 1.0),)),
)
PLAN = Plan(
    entities=(
        Entity("Citya", "title", ("Citya",)),
        Entity("Cityb", "title", ("Cityb",)),
        Entity("Nowhereville", "span"),
        Entity("Cityl", "bridge", ("Cityl",)),
    ),
    sub_questions=("Which city lies near Citya and Cityb", "what is said of Nowhereville"),
    aspects=(
        Aspect("Definition/explanation of Citya", "definition", 1.0, ("Citya",)),
        Aspect("Comparison between Citya and Cityb", "comparison", 0.9, ("Citya", "Cityb"), ("near",)),
        Aspect("Uses/examples of Nowhereville", "application", 0.5, ("Nowhereville",)),
    ),
    facts=("Citya lies near Cityb",),
    queries=("Nowhereville", "near Cityb"),
)
"""A plan that fills every field: a part need not use one, but must get along with all."""
CHANNELS = ("bm25", "name", "part name", "common name", "part", "link", "rare link", "dense", "rrf")


@lru_cache(maxsize=1)
def cities(store_factory: StoreFactory) -> Store:
    """Make a store of twelve documents with two passages each; the first passage names the next seven cities.

    Nobody changes it, so what a factory has made once is given again.
    """
    return fill(
        store_factory(HashEmbedder()),
        *(
            Document(city, f"{city} lies near {', '.join(CITIES[i + 1 : i + 8])}.\n\nMore on {city}.", city, {"n": i})
            for i, city in enumerate(CITIES)
        ),
    )


def city_context(store_factory: StoreFactory) -> Context:
    """Return the context of a question that is asked of the cities."""
    return Context(Index.of(cities(store_factory).view()))


def pool_of(view: View, size: int) -> dict[str, Candidate]:
    """Return a pool of `size` passages, each with scores on some channels; ties are frequent on purpose."""
    # By id, not in the order of a store: the same pool must come from every store.
    ids = sorted(id for ids in view.passages_of(CITIES, 2).values() for id in ids)[:size]
    draw = np.random.default_rng(size)
    return {
        id: Candidate(passage, {c: float(round(draw.random(), 1)) for c in CHANNELS if draw.random() < 0.7}, 1)
        for id, passage in view.passages(ids).items()
    }


def state_after(hop: int, view: View, plan: Plan = PLAN, tried: tuple[Query | Walk, ...] = ()) -> State:
    """Return the state after some hops, each of which found six more passages; the newest fill a budget of five."""
    pool = pool_of(view, 6 * hop)
    chosen = tuple(Choice(id, 1 - place / 10, "newest") for place, id in enumerate(sorted(pool, reverse=True)[:8]))
    entered = tuple(choice.passage_id for choice in chosen[:5])
    covered = {e: next((id for id in entered if id.startswith(e.text)), "") for e in plan.entities}
    targets = (Target(e.text, e.kind, float(bool(by)), 1.0, by, hop if by else 0) for e, by in covered.items())
    coverage = Coverage(tuple(targets)) if hop else Coverage()
    return State(QUESTION, 5, plan, hop, tried, pool, Selection(chosen[:5], bench=chosen[5:]), entered, coverage)


def write_hops(
    writer: QueryWriter, view: View, plan: Plan, hops: int = 6
) -> Iterator[tuple[State, tuple[Query | Walk, ...]]]:
    """Run a query writer for several hops; return the queries with the state that each was written for."""
    context = Context(Index.of(view))
    tried: tuple[Query | Walk, ...] = ()
    for hop in range(hops):
        state = state_after(hop, view, plan, tried)
        queries = tuple(writer.write(state, context))
        yield state, queries
        tried += queries


def assert_value(**part: Any) -> None:
    """Check that a part compares by value and can be written into a trace, as every part of a strategy must."""
    strategy = replace(BM25, **part)
    # A copy, since identity would pass for equality.
    again = replace(BM25, **{name: copy.copy(value) for name, value in part.items()})
    assert again == strategy
    assert json.dumps(again.describe()) == json.dumps(strategy.describe())
