"""Query writers that ask a language model what to search for next, each with the rules it falls back on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from multihop import text
from multihop.lm import answers, document_lines
from multihop.parts.query_writers.rules import FollowLinks
from multihop.protocols import GAPS, Context, Links, State, Step
from multihop.types import Link, Passage, Query, Walk

_HOPS = 4
"""The hops of gap analysis as documented; another one is only asked for to fill the budget."""


@dataclass(frozen=True, slots=True)
class GapQueries:
    """Sub-questions and the gap query; then bridging entities; then twice what gap analysis finds missing.

    With `every` all sub-questions are searched and the question itself, and later hops also follow `links`; without,
    the first sub-question only, as documented, and a fifth hop fills the budget.
    """

    first: int = 18
    each: int = 5
    queries: int = 3
    bridges: int = 5
    shown: int = 36
    every: bool = True
    links: FollowLinks = FollowLinks()

    def write(self, state: State, context: Context) -> Sequence[Query | Walk]:
        if state.hop == 0:
            return self._first(state)
        if state.hop >= _HOPS and not self.every:
            return _to_fill(state)
        wanted = self._bridging(state, context) if state.hop == 1 else self._gaps(state, context)
        followed = self.links.write(state, context) if self.every else ()
        return (*followed, *_drop_tried(wanted, state, *followed))

    def _first(self, state: State) -> Sequence[Query]:
        plan = state.plan
        if not self.every:
            split = Query((*plan.sub_questions, state.question)[0], "the first sub-question", self.first)
            facts = Query((*plan.queries, state.question)[0], "the facts to verify", self.first)
            # A plan by rule may have the question itself for both.
            return (split,) if facts.text == split.text else (split, facts)
        parts = [Query(q, "a sub-question", self.first, part=True) for q in plan.sub_questions]
        asked = set(text.words(state.question))
        # A query of nothing but words of the question adds nothing to the search for the question itself.
        fresh = [q for q in plan.queries if not asked.issuperset(text.words(q))]
        parts += [Query(q, "the facts to verify", self.first, part=True) for q in fresh]
        whole = Query(state.question, "the question as it is", max(self.links.depth, 2 * state.k))
        return (whole, *_drop_tried(parts, state, whole))

    def _bridging(self, state: State, context: Context) -> Sequence[Query]:
        passages = _passages_so_far(state, self.shown)
        given = {"claim": state.question, "documents": document_lines(passages)}
        extracted, bridging = answers(
            context, 2, Step("entity_extractor", given), Step("bridging_entity_identifier", given)
        )
        # What was extracted is input of the gap analysis in the next hop.
        _learn(extracted.values, passages, context)
        if bridging.values:
            names = bridging.values["bridging_entities"]
        else:
            # Where links are followed, the names that passages use are searched for by that.
            names = () if self.every else _linked_names(passages, state, context)
        # The selector prefers passages that answer a gap, and reads there which these are.
        if self.every:
            context.learn(GAPS, names[: self.bridges])
        return [self._query(n, f"bridging entity “{n}”") for n in names[: self.bridges]]

    def _gaps(self, state: State, context: Context) -> Sequence[Query]:
        hop, read = state.hop + 1, {}
        if state.hop > 2:
            # What an earlier analysis led to is read before the next one.
            new = [c.passage for c in state.pool.values() if c.hop == state.hop][: self.shown]
            if new:
                given = {"claim": state.question, "documents": document_lines(new)}
                [extracted] = answers(context, hop, Step("entity_extractor", given))
                read = _learn(extracted.values, new, context)
        known = {
            kind: list(dict.fromkeys((*state.learned.get(kind, ()), *read.get(kind, ()))))
            for kind in ("entities", "relationships")
        }
        inputs = {"claim": state.question, **known, "documents": document_lines(_passages_so_far(state, self.shown))}
        [answer] = answers(context, hop, Step("gap_analysis", inputs))
        if not answer.values:
            wanted = () if self.every else _missing(state)[: self.queries]
            return [self._query(q, "still missing, by rule") for q in wanted]
        wanted = answer.values["queries"][: self.queries]
        context.learn(GAPS, (*wanted, *(answer.values["missing_information"] or ())))
        return [self._query(q, "gap analysis: still missing") for q in wanted]

    def _query(self, asking: str, purpose: str) -> Query:
        return Query(asking, purpose, self.each, part=self.every)


@dataclass(frozen=True, slots=True)
class SubQueries:
    """The planned queries, 15 passages each for two of them and 12 for three; then, for `links`, their links.

    With `whole` the question itself is searched too. Without `links` a second hop fills the budget.
    """

    two: int = 15
    three: int = 12
    whole: bool = True
    links: FollowLinks | None = FollowLinks(missing=0)

    def write(self, state: State, context: Context) -> Sequence[Query | Walk]:
        if state.hop:
            return self.links.write(state, context) if self.links else _to_fill(state)
        planned = state.plan.queries or (state.question,)
        limit = self.two if len(planned) < 3 else self.three
        parts = [Query(q, "a sub-query", limit, part=self.whole) for q in planned]
        if not self.whole:
            return parts
        depth = max(self.links.depth if self.links else limit, 2 * state.k)
        whole = Query(state.question, "the question as it is", depth)
        return (whole, *_drop_tried(parts, state, whole))


@dataclass(frozen=True, slots=True)
class FollowEvidence:
    """The rules, and in the second hop also queries that a language model writes from the evidence found so far."""

    twin: FollowLinks = FollowLinks()
    queries: int = 3
    shown: int = 8

    def write(self, state: State, context: Context) -> Sequence[Query | Walk]:
        by_rule = self.twin.write(state, context)
        if state.hop != 1:
            return by_rule
        # Asked once a question, which keeps the calls of `auto` few.
        given = {"claim": state.question, "documents": document_lines(_passages_so_far(state, self.shown))}
        [answer] = answers(context, 2, Step("follow_up_queries", given))
        wanted = answer.values["queries"][: self.queries] if answer.values else ()
        context.learn(GAPS, wanted)
        asked = [Query(q, "follows from the evidence", self.twin.part_depth, part=True) for q in wanted]
        return (*by_rule, *_drop_tried(asked, state, *by_rule))


def _to_fill(state: State) -> Sequence[Query]:
    """Search for the words of the question, deep enough to meet as many new passages as the budget has places."""
    # The question itself may have been searched already, less deep.
    words = " ".join(text.words(state.question)) or state.question
    # Documented to stay under 35 a call; what a larger budget needs goes beyond the documents.
    query = Query(words, "to fill the budget", max(state.k, min(state.k + len(state.pool), 34)))
    return () if words in {q.text for q in state.tried if isinstance(q, Query)} else (query,)


def _passages_so_far(state: State, most: int) -> list[Passage]:
    """The passages met so far, those in the budget first."""
    chosen = [c.passage_id for c in state.selection.choices + state.selection.bench]
    # By hop and id, so that a model is shown the same list every time.
    rest = sorted(set(state.pool) - set(chosen), key=lambda p: (state.pool[p].hop, p))
    return [state.pool[id].passage for id in (*chosen, *rest)[:most]]


def _learn(values: object, passages: Sequence[Passage], context: Context) -> dict[str, Sequence[str]]:
    """Add entities and relationships to what is known; by rule they are the names that passages use."""
    if isinstance(values, dict):
        entities, relationships = values["entities"], values["relationships"] or ()
    else:
        links = _links(passages, 3, context.index.links)
        titles = {p.id: p.label for p in passages}
        entities = tuple(dict.fromkeys(link.name for link in links))[:40]
        relationships = tuple(f"{titles[link.source]} names {link.name}" for link in links)[:40]
    learned = {"entities": entities, "relationships": relationships}
    for kind, values_of_kind in learned.items():
        context.learn(kind, values_of_kind)
    return learned


def _linked_names(passages: Sequence[Passage], state: State, context: Context) -> tuple[str, ...]:
    """Name by rule what the passages lead to: the names fewest passages use that belong to no passage found."""
    met = {c.passage.document_id for c in state.pool.values()}
    links = _links(passages[:10], 5, context.index.links)
    wanted = [x for x in links if x.ambiguity == 1 and x.target not in met]
    return tuple(dict.fromkeys(x.name for x in sorted(wanted, key=lambda x: (x.spread, x.name))))


def _missing(state: State) -> tuple[str, ...]:
    """Return by rule what is missing: what is named and not covered, then sub-questions not searched yet."""
    return tuple(dict.fromkeys((*(t.name for t in state.coverage.missing), *state.plan.sub_questions[1:])))


def _drop_tried(queries: Iterable[Query], state: State, *others: Query | Walk) -> tuple[Query, ...]:
    """Drop queries that were searched before or are among the others."""
    asked = {text.surface_key(q.text) for q in (*state.tried, *others) if isinstance(q, Query)}
    # Reversed twice, so that of equal queries the first one stays.
    kept = {text.surface_key(q.text): q for q in reversed(list(queries))}
    return tuple(q for key, q in reversed(kept.items()) if key and key not in asked)


def _links(passages: Sequence[Passage], rarest: int, links: Links | None) -> Sequence[Link]:
    return links.links_from([p.id for p in passages], rarest) if links else ()
