"""The rules of the house, held for every strategy and for parts that misbehave within their contract."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, strategies as st

from multihop import Engine, loop
from multihop.errors import EmbeddingError
from multihop.parts.selectors import TopScore
from multihop.parts.stop import FixedHops, WhenSettled
from multihop.protocols import Context, State, parts
from multihop.strategies import AUTO, AUTO_FAST, BM25, STRATEGIES
from multihop.testing import sample_documents, sample_questions
from multihop.types import Choice, Coverage, Hit, Hop, Query, Selection, channels
from multihop.types.notes import SHORT

from .reliability.soak import examples

WORDS = sorted({w for d in sample_documents() for w in d.title.split()})
QUESTIONS = st.one_of(
    st.sampled_from([q.text for q in sample_questions()]),
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=12).map(" ".join),
    st.text(min_size=1, max_size=60).filter(lambda t: t.strip() != ""),
)
SHIP = "Who drew the ship that Amundsen borrowed?"
relaxed = examples(60)


@relaxed
@given(question=QUESTIONS, k=st.integers(1, 40), strategy=st.sampled_from(sorted(STRATEGIES)))
def test_budget_no_duplicates_deterministic(question: str, k: int, strategy: str, sample_with_vectors: Engine) -> None:
    first = sample_with_vectors.retrieve(question, k=k, strategy=strategy)
    ids = [e.passage.id for e in first.evidence]
    assert len(ids) <= k
    assert len(ids) == len(set(ids))
    assert [e.rank for e in first.evidence] == list(range(1, len(ids) + 1))
    assert first.short == (len(ids) < k)
    again = sample_with_vectors.retrieve(question, k=k, strategy=strategy)
    assert first.to_json(timing=False) == again.to_json(timing=False)


@relaxed
@given(question=QUESTIONS, k=st.integers(1, 10))
def test_fewer_than_k_only_when_the_pool_is_smaller(question: str, k: int, sample: Engine) -> None:
    result = sample.retrieve(question, k=k, models=False)  # what is reached does not depend on who reads it
    assert len(result.evidence) == min(k, result.trace.hops[-1].pool)
    if result.short:
        assert any(note.code == SHORT for note in result.trace.notes)


@pytest.mark.parametrize(("models", "every"), [(False, 1), (True, 8)])
def test_filter_holds_for_every_passage_and_every_hop(models: bool, every: int, sample: Engine) -> None:
    for question in sample_questions()[::every]:
        result = sample.retrieve(question.text, k=10, where={"kind": "person"}, models=models)
        assert all(e.passage.metadata["kind"] == "person" for e in result.evidence)
        for hop in result.trace.hops:
            found = sample.store.view().passages(h.passage_id for f in hop.found for h in f.top)
            assert all(p.metadata["kind"] == "person" for p in found.values())


def test_trace_serialises_and_tells_every_stage(sample: Engine) -> None:
    question = next(q for q in sample_questions() if q.hops == 3 and q.type == "bridge")
    trace = json.loads(sample.retrieve(question.text, k=5).to_json())["trace"]
    assert trace["strategy"]["name"] == "auto"
    assert trace["hops"][0]["found"][0]["query"]["purpose"] == "the question as it is"
    assert trace["hops"][-1]["decision"]["stop"] is True
    assert trace["hops"][-1]["decision"]["reason"]
    assert set(trace["hops"][0]["seconds"]) == {"write", "search", "load", "select", "assess"}
    absent = "no embedder: the dense channel is absent"
    assert {"code": "embedder-missing", "data": {}, "text": absent} in trace["notes"]


def test_a_hop_begins_with_what_the_one_before_covered(sample: Engine) -> None:
    asked = (sample.retrieve(q.text, k=5, strategy="aspects", models=False) for q in sample_questions())
    hops = [hop for result in asked for hop in result.trace.hops]
    assert any(hop.number > 1 for hop in hops)
    for before, after in pairwise(hops):
        assert after.coverage_before == (before.coverage_after if after.number > 1 else Coverage())


def test_on_evidence_sees_what_every_hop_selects_before_candidates_are_read(sample: Engine) -> None:
    told: list[tuple[str, Any]] = []
    question = sample_questions()[0].text
    result = sample.retrieve(
        question,
        k=5,
        on_hop=lambda hop: told.append(("hop", hop)),
        on_evidence=lambda sofar: told.append(("evidence", sofar)),
    )
    assert [kind for kind, _ in told] == ["evidence", "hop"] * len(result.trace.hops)
    seen = [sofar for kind, sofar in told if kind == "evidence"]
    assert [len(sofar.trace.hops) for sofar in seen] == list(range(len(result.trace.hops)))
    assert all(sofar.chain.links and len(sofar.evidence) == 5 for sofar in seen)
    assert tuple(e.passage.id for e in seen[0].evidence) == result.trace.hops[0].selected
    assert replace(result.trace, seconds=0) == replace(sample.retrieve(question, k=5).trace, seconds=0)


def test_on_hop_sees_every_hop_of_the_trace(sample: Engine) -> None:
    seen: list[Hop] = []
    result = sample.retrieve(sample_questions()[0].text, k=5, on_hop=seen.append)
    assert tuple(seen) == result.trace.hops


def test_auto_finds_more_complete_evidence_than_bm25(sample: Engine) -> None:
    def complete(strategy: str) -> int:
        results = ((q, sample.retrieve(q.text, k=5, strategy=strategy)) for q in sample_questions())
        return sum(set(q.gold) <= {e.passage.document_id for e in r.evidence} for q, r in results)

    assert complete("auto") >= complete("bm25") + 10


@pytest.mark.parametrize("name", ["dense", "hybrid-rrf"])
def test_strategy_that_needs_vectors_says_so(name: str, sample: Engine) -> None:
    with pytest.raises(EmbeddingError, match="index the corpus with one"):
        sample.retrieve("Who?", strategy=name)
    assert STRATEGIES[name].requirements.vectors


def test_strategies_know_what_their_parts_require_however_deep_they_lie(monkeypatch: pytest.MonkeyPatch) -> None:
    needed = {name: [extra.name for extra in each.requirements.extras] for name, each in STRATEGIES.items()}
    assert {name: extras for name, extras in needed.items() if extras} == {"graph": ["graph"], "hybrid": ["hybrid"]}
    assert [name for name, each in STRATEGIES.items() if each.requirements.vectors] == ["dense", "hybrid-rrf"]
    assert STRATEGIES["graph"].requirements.missing_extra() == ""
    monkeypatch.setattr(parts, "find_spec", lambda module: None)
    assert STRATEGIES["graph"].requirements.missing_extra() == "graph"
    assert AUTO.requirements.missing_extra() == ""


@dataclass(frozen=True)
class AlwaysNew:
    """A searcher that finds another passage at every hop, for ever."""

    def search(self, queries: Sequence[Query], context: Context) -> Sequence[Sequence[Hit]]:
        everything = [
            id
            for ids in context.index.passages.passages_of((d.id for d in sample_documents()), 1).values()
            for id in ids
        ]
        start = 7 * int(queries[0].purpose.split()[-1])
        return [tuple(Hit(id, 1.0, "bm25") for id in everything[start : start + 7]) for _ in queries]


@dataclass(frozen=True)
class AlwaysAsk:
    def write(self, state: State, context: Context) -> Sequence[Query]:
        return (Query(state.question, f"again, {state.hop}"),)


def test_loop_ends_when_every_hop_brings_something_new(sample: Engine) -> None:
    stubborn = replace(AUTO, writer=AlwaysAsk(), searcher=AlwaysNew(), stop=WhenSettled(max_hops=6))
    result = loop.run(stubborn, "anything", 5, sample.index())
    assert len(result.trace.hops) <= 6
    assert len(result.evidence) <= 5


def test_loop_ends_when_nothing_is_left_to_ask(sample: Engine) -> None:
    result = loop.run(replace(BM25, stop=FixedHops(9)), "volcano", 3, sample.index())
    assert result.trace.hops[-1].decision.reason == "nothing left to ask"


@dataclass(frozen=True)
class Forgetful:
    """A selector that throws everything out at every second hop."""

    def select(self, state: State, context: Context) -> Selection:
        kept = sorted(state.pool)[state.hop % 2 :: 2][: state.k]
        return Selection(tuple(Choice(id, 1.0, "kept") for id in kept))


def test_trace_says_what_entered_and_left(sample: Engine) -> None:
    result = loop.run(replace(AUTO, selector=Forgetful(), stop=FixedHops(2)), "volcano island", 4, sample.index())
    first, second = result.trace.hops
    assert set(second.selected) == (set(first.selected) - set(second.left)) | set(second.entered)
    assert second.left
    assert second.entered


def test_models_can_be_left_out(sample: Engine) -> None:
    question = "Who drew the ship that Roald Amundsen borrowed?"
    with_models, without = sample.retrieve(question, k=5), sample.retrieve(question, k=5, models=False)
    assert (with_models.trace.strategy["name"], without.trace.strategy["name"]) == ("auto", "auto-fast")
    assert all(0 <= e.score <= 1 for e in with_models.evidence)
    assert without == sample.retrieve(question, k=5, strategy="auto-fast")
    own = replace(AUTO, name="mine")
    bare = sample.retrieve(question, k=5, strategy=own, models=False)
    assert list(bare.trace.strategy["selector"]) == ["LearnedFusion"]
    assert sample.retrieve(question, strategy="bm25", models=False) == sample.retrieve(question, strategy="bm25")


def test_strategies_are_values() -> None:
    assert replace(AUTO) == AUTO
    assert replace(AUTO, stop=FixedHops(2)) != AUTO
    assert AUTO.describe()["stop"] == {"WhenSettled": {"min_hops": 2, "max_hops": 3}}
    json.dumps([s.describe() for s in STRATEGIES.values()])


def test_a_walk_without_a_walker_is_noted(sample: Engine) -> None:
    result = sample.retrieve("Who designed the Fram?", k=3, strategy=replace(AUTO, walker=None))
    assert "walker-missing" in {note.code for note in result.trace.notes}


@dataclass(frozen=True)
class MatchAtTheEnd:
    """Selects by weights in every hop, and by BM25 when all are over."""

    def select(self, state: State, context: Context) -> Selection:
        return AUTO_FAST.selector.select(state, context)

    def finish(self, state: State, context: Context) -> Selection:
        return TopScore(channels.BM25).select(state, context)


def test_a_finisher_has_the_last_word_once(sample: Engine) -> None:
    result = sample.retrieve(SHIP, k=5, strategy=replace(AUTO_FAST, selector=MatchAtTheEnd()))
    by_match = sorted(result, key=lambda e: -e.score)
    assert [e.passage.id for e in by_match] == list(result.trace.hops[-1].selected)
    assert result.trace.hops[0].selected == sample.retrieve(SHIP, k=5, strategy=AUTO_FAST).trace.hops[0].selected
    assert "MatchAtTheEnd" in result.trace.strategy["selector"]
