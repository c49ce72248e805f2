"""The loop: the only control flow of retrieval.

    plan ─► ┌ write queries ─► search ─► select (budget k) ─► assess coverage ─► stop? ┐ ─► evidence and trace
            └───────────────────────────── next hop ◄────────────────────────────────┘

A strategy is a value that fills every seam of this loop; `run` turns it, a question and an index into a result.
"""

from __future__ import annotations

import dataclasses
import time
from collections import Counter
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from operator import attrgetter
from typing import Any

from multihop.errors import InvalidInput, InvalidQuestion
from multihop.protocols import (
    RESTATING,
    Assessor,
    Context,
    Finisher,
    Index,
    LanguageModel,
    Planner,
    Prompts,
    QueryWriter,
    Requirements,
    Reranker,
    Searcher,
    Selector,
    State,
    StopRule,
    Walker,
)
from multihop.text import only_asks, query_terms, terms
from multihop.text.emptiness import find_empty
from multihop.text.restatement import without_question
from multihop.types import (
    Candidate,
    Choice,
    Decision,
    Evidence,
    Found,
    Hit,
    Hop,
    Note,
    Passage,
    Query,
    Result,
    Selection,
    TopHit,
    Trace,
    Walk,
    Where,
)
from multihop.types.channels import BM25, DENSE, PART
from multihop.types.notes import SHORT
from multihop.types.steps import FILLS

_MOST_TERMS = 1000
"""Different terms of a question: each is looked up in the index, so they determine what a question costs."""
_SHOWN = 5
"""How many of the best hits of a query the trace keeps."""
_MATCHES = frozenset((BM25, PART, DENSE))
"""Channels on which a copy of the question scores highest."""
_NAMED = 3
"""Passages that a note names."""


@dataclass(frozen=True, slots=True)
class Strategy:
    """A choice for every seam of the loop. It prints, compares and is written into every trace."""

    name: str
    description: str
    planner: Planner
    writer: QueryWriter
    searcher: Searcher
    selector: Selector
    assessor: Assessor
    stop: StopRule
    walker: Walker | None = None
    """Needed only where the query writer asks for walks."""
    prompts: Prompts | None = None
    """Optimized prompts for its steps at a language model, where it has any."""

    def with_prompts(self, prompts: Prompts) -> Strategy:
        """Return the same strategy with optimized prompts; raises when they were made for another one."""
        if prompts.strategy != self.name:
            raise InvalidInput(f"these prompts were made for the strategy {prompts.strategy!r}, not for {self.name!r}")
        return replace(self, prompts=prompts)

    @property
    def requirements(self) -> Requirements:
        """What it cannot work without: vectors, or extras that may not be installed."""
        return Requirements.of(self)

    def describe(self) -> dict[str, Any]:
        """Write the strategy out as plain values."""
        values = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        return {name: _describe(value) for name, value in values.items() if value is not None}


def run(
    strategy: Strategy,
    question: str,
    k: int,
    index: Index,
    *,
    where: Where | None = None,
    on_hop: Callable[[Hop], None] | None = None,
    on_evidence: Callable[[Result], None] | None = None,
    lm: LanguageModel | None = None,
) -> Result:
    """Assemble at most k passages for the question; `on_hop` sees every hop as soon as it is over.

    `on_evidence` sees what each hop has selected as the result that it would be, before a selector that reads the best
    candidates at the end does so.
    """
    _check_cost(question)
    started = time.perf_counter()
    context = Context(index, lm=lm.session(strategy.prompts) if lm else None)
    for note in index.notes:
        context.note(note)
    plan = strategy.planner.plan(question, context)
    state = State(question, k, plan)
    hops: list[Hop] = []
    empty: Sequence[Passage] = ()

    def result(**ending: Any) -> Result:
        chosen = state.selection
        notes = tuple(context.notes)
        trace = Trace(
            strategy.describe(), plan, tuple(hops), notes, index.generation, reranker=chosen.reranker, **ending
        )
        filter = dict(where or {})
        return Result(question, k, _evidence(state), state.coverage, trace, filter, calibrated=chosen.calibrated)

    decision = Decision(False, "")
    while not decision.stop:
        clock = _Clock()
        before = state
        asked = clock.time("write", strategy.writer.write, state, context)
        # What the writer learned is there for the selector of the same hop.
        state = replace(state, learned=dict(context.learned))
        answers = clock.time("search", _search, strategy, asked, context)
        state = clock.time("load", _pool, state, asked, answers, context)
        empty = clock.time("select", _find_empty, state)
        # The whole pool is weighed in every hop: a passage found earlier can lose its place to a better one.
        state = _select(strategy, strategy.selector.select, before, state, empty, context, clock)
        if on_evidence is not None:
            on_evidence(result())
        # Without queries the next hop would be the same as this one, whatever the stop rule says.
        decision = strategy.stop.decide(state) if asked else Decision(True, "nothing left to ask")
        if decision.stop and isinstance(strategy.selector, Finisher):
            # Held against the hop before, so that the trace tells of one change a hop.
            state = _select(strategy, strategy.selector.finish, before, state, empty, context, clock)
        hops.append(_hop(before, state, asked, answers, decision, clock.seconds))
        if on_hop is not None:
            on_hop(hops[-1])
    if empty:
        context.note(_emptiness(empty))
    if len(state.selection.choices) < k:
        context.note(_shortage(len(state.selection.choices), k))
    seconds = time.perf_counter() - started
    if lm is None or context.lm is None:
        return result(seconds=seconds)
    return result(seconds=seconds, lm=lm.name, lm_calls=tuple(context.lm.calls))


def _shortage(count: int, k: int) -> Note:
    return Note(SHORT, {"found": count, "k": k}, f"only {count} of the {k} requested passages could be reached")


def _check_cost(question: str) -> None:
    """Raise for a question whose words would take too long to look up, however few characters it has."""
    # No question of fewer characters has so many terms, and most have far fewer.
    if len(question) > _MOST_TERMS and (count := len(set(query_terms(question)))) > _MOST_TERMS:
        raise InvalidQuestion(f"the question has {count:,} different terms; at most {_MOST_TERMS:,} are allowed")


def _search(strategy: Strategy, asked: Sequence[Query | Walk], context: Context) -> Sequence[Sequence[Hit]]:
    """Answer what was asked, in its order: all queries in one call, and all walks in one."""
    queries = [q for q in asked if isinstance(q, Query)]
    walks = [w for w in asked if isinstance(w, Walk)]
    hits = strategy.searcher.search(queries, context) if queries else ()
    reached: Sequence[Sequence[Hit]] = [() for _ in walks]
    if walks and strategy.walker is not None:
        reached = strategy.walker.walk(walks, context)
    elif walks:
        context.note(Note("walker-missing", {}, "the strategy has no walker, so no links were followed"))
    # By identity: two equal queries are still two, and each is shown with its answer in the trace.
    answers = dict(zip(map(id, (*queries, *walks)), (*hits, *reached), strict=True))
    return [answers[id(each)] for each in asked]


def _pool(state: State, asked: Sequence[Query | Walk], answers: Sequence[Sequence[Hit]], context: Context) -> State:
    """Put what was found into the pool: the best score by channel, and how each passage was met."""
    pool = dict(state.pool)
    new = {h.passage_id for hits in answers for h in hits if h.passage_id not in pool}
    loaded = _answering(context.index.passages.passages(new), state.question, context)
    uncounted = _restating_passages(loaded, state.question, context)
    scores: dict[str, dict[str, float]] = {}
    vias: dict[str, dict[str, str]] = {}
    for hits in answers:
        # Unpacked, which is faster than by name: a hop has thousands of hits.
        for id, score, channel, via in hits:
            if id not in scores:
                known = pool.get(id)
                # What the index does not give, because it is gone or does not pass the filter, cannot be evidence.
                if known is None and id not in loaded:
                    continue
                scores[id], vias[id] = (dict(known.scores), dict(known.via)) if known else ({}, {})
            by_channel = scores[id]
            if id in uncounted and channel in _MATCHES:
                score *= 1 - uncounted[id]
            if channel not in by_channel or score > by_channel[channel]:
                by_channel[channel] = score
                vias[id][channel] = via
    for id, by_channel in scores.items():
        met = pool.get(id)
        # The hop that first met a passage stays with it; later ones only add scores.
        passage, hop = (met.passage, met.hop) if met else (loaded[id], state.hop + 1)
        pool[id] = Candidate(passage, by_channel, hop, vias[id])
    return replace(state, hop=state.hop + 1, tried=state.tried + tuple(asked), pool=pool)


def _answering(loaded: Mapping[str, Passage], question: str, context: Context) -> Mapping[str, Passage]:
    """Leave out passages that only ask the question again: nothing would match it better, and they say nothing."""
    echoes = {id for id, passage in loaded.items() if only_asks(passage.text, question)}
    if echoes:
        text = "passages that only ask the question again are left out"
        context.note(Note("question-repeated", {}, text))
    return {id: passage for id, passage in loaded.items() if id not in echoes} if echoes else loaded


def _restating_passages(loaded: Mapping[str, Passage], question: str, context: Context) -> Mapping[str, float]:
    """Return which passages ask the question again, and the share of its words that each uses for nothing else."""
    restated: dict[str, float] = context.memory.setdefault("restated", {})
    for id, passage in loaded.items():
        rest = without_question(passage.text, question)
        if rest != passage.text:
            asked = set(terms(question))
            restated[id] = len(asked.difference(terms(passage.title), terms(rest))) / len(asked)
    if restated:
        text = "words of the question are not counted in passages that ask it again"
        context.note(Note("question-restated", {"passages": tuple(restated)}, text))
        context.learn(RESTATING, (passage.document_id for id, passage in loaded.items() if id in restated))
    return restated


def _select(
    strategy: Strategy,
    select: Callable[[State, Context], Selection],
    before: State,
    state: State,
    empty: Sequence[Passage],
    context: Context,
    clock: _Clock,
) -> State:
    """Fill the budget anew, and say what of the question it covers now."""
    last = sorted(passage.id for passage in empty)
    selection = clock.time("select", select, _without(state, frozenset(last)) if last else state, context)
    if last and len(selection.choices) == len(state.pool) - len(last):
        # All that say something are in the budget already.
        selection = _with_last(selection, last, state.k)
    state = replace(state, selection=selection, entered=_new(before.selection, selection))
    return replace(state, coverage=clock.time("assess", strategy.assessor.assess, state, context))


def _find_empty(state: State) -> list[Passage]:
    """Find passages that say nothing: they come behind all that say something, whatever they match."""
    return find_empty([met.passage for met in state.pool.values()], state.question)


def _emptiness(passages: Sequence[Passage]) -> Note:
    named = ", ".join(f"“{passage.title}” ({passage.document_id})" for passage in passages[:_NAMED])
    more = f" and {len(passages) - _NAMED} more" if len(passages) > _NAMED else ""
    text = f"ranked last, since they only ask or say hardly anything under another document's title: {named}{more}"
    return Note("says-nothing", {"passages": tuple(passage.id for passage in passages)}, text)


def _without(state: State, ids: Container[str]) -> State:
    """Return the state as it would be, had these passages not been found."""
    held = state.selection
    choices, bench = (tuple(c for c in part if c.passage_id not in ids) for part in (held.choices, held.bench))
    pool = {id: met for id, met in state.pool.items() if id not in ids}
    entered = tuple(id for id in state.entered if id not in ids)
    return replace(state, pool=pool, selection=replace(held, choices=choices, bench=bench), entered=entered)


def _with_last(selection: Selection, ids: Sequence[str], k: int) -> Selection:
    """Fill the budget with passages that say nothing."""
    least = min((0.0, *(choice.score for choice in selection.choices)))
    last = [Choice(id, least, FILLS) for id in ids]
    return replace(selection, choices=(*selection.choices, *last)[:k])


def _hop(
    before: State,
    after: State,
    asked: Sequence[Query | Walk],
    answers: Sequence[Sequence[Hit]],
    decision: Decision,
    seconds: Mapping[str, float],
) -> Hop:
    return Hop(
        number=after.hop,
        found=tuple(_summarize(q, hits, before) for q, hits in zip(asked, answers, strict=True)),
        selected=tuple(c.passage_id for c in after.selection.choices),
        entered=after.entered,
        left=_new(after.selection, before.selection),
        replaced=after.selection.replaced,
        coverage_before=before.coverage,
        coverage_after=after.coverage,
        decision=decision,
        pool=len(after.pool),
        seconds=seconds,
        learned=_new_knowledge(before, after),
    )


def _summarize(query: Query | Walk, hits: Sequence[Hit], before: State) -> Found:
    counts = dict(sorted(Counter(map(attrgetter("channel"), hits)).items()))
    new = set(map(attrgetter("passage_id"), hits)) - before.pool.keys()
    return Found(query, counts, tuple(TopHit(*hit) for hit in hits[:_SHOWN]), len(new))


def _new_knowledge(before: State, after: State) -> dict[str, tuple[str, ...]]:
    known = {kind: set(before.learned.get(kind, ())) for kind in after.learned}
    new = {kind: tuple(v for v in values if v not in known[kind]) for kind, values in after.learned.items()}
    return {kind: values for kind, values in new.items() if values}


def _new(old: Selection, new: Selection) -> tuple[str, ...]:
    had = {c.passage_id for c in old.choices}
    return tuple(c.passage_id for c in new.choices if c.passage_id not in had)


def _evidence(state: State) -> tuple[Evidence, ...]:
    return tuple(
        Evidence(rank, met.passage, choice.score, choice.reason, met.hop, met.scores, choice.because)
        for rank, choice in enumerate(state.selection.choices, 1)
        for met in (state.pool[choice.passage_id],)
    )


@cache
def _compared_fields(kind: type) -> tuple[str, ...]:
    """What does not count when parts are compared (a note, a memory) does not belong to their value."""
    return tuple(f.name for f in dataclasses.fields(kind) if f.compare) if dataclasses.is_dataclass(kind) else ()


def _describe(part: Any) -> Any:
    # Most of what is described; asking whether it is a part costs far more.
    if type(part) in (str, int, float, bool):
        return part
    if isinstance(part, Reranker):
        # Of whatever else it is made, such as a model or the key of a service, nothing belongs into a trace.
        return {"identity": part.identity, "calibrated": part.calibrated}
    if dataclasses.is_dataclass(part) and not isinstance(part, type):
        return {type(part).__name__: {name: _describe(getattr(part, name)) for name in _compared_fields(type(part))}}
    if isinstance(part, tuple | list):
        return [_describe(p) for p in part]
    if isinstance(part, Mapping):
        return {str(k): _describe(v) for k, v in part.items()}
    return part


class _Clock:
    """Adds up where the time of a hop went."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    def time(self, stage: str, work: Callable[..., Any], *arguments: Any) -> Any:
        started = time.perf_counter()
        try:
            return work(*arguments)
        finally:
            self.seconds[stage] = self.seconds.get(stage, 0.0) + time.perf_counter() - started
