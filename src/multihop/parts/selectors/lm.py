"""Selectors that let a language model rank. It says numbers of passages it was offered, nothing else counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from multihop.lm import answers, document_lines
from multihop.parts.selectors.fusion import LearnedFusion
from multihop.parts.selectors.reread import model_free, read_by, unread
from multihop.protocols import Context, Finisher, Reranker, Selector, State, Step
from multihop.types import Choice, Note, Replacement, Selection
from multihop.types.ranks import reciprocal_ranks
from multihop.types.steps import BENCH

_CONSTANT = 10
"""Softens the first places when two rankings are merged by reciprocal rank."""


@dataclass(frozen=True, slots=True)
class Listwise:
    """Ranks by `twin`; in hop `at_hop` a model ranks the best `offered` of them again.

    `kept` is the say that the places in `twin` keep in the final order: none at all as documented. A pool that fits
    the budget is returned as it is; what later hops find fills the places that it left.
    """

    twin: Selector = LearnedFusion()
    at_hop: int = 2
    offered: int = 45
    kept: float = 0.4

    def select(self, state: State, context: Context) -> Selection:
        whole = self.twin.select(replace(state, k=max(self.offered, state.k + BENCH)), context)
        ranked = whole.choices
        by_rule = Selection.of(ranked, state.k, calibrated=whole.calibrated)
        if state.hop > self.at_hop:
            return _with(state.selection, ranked, state.k)
        if state.hop < self.at_hop or len(state.pool) <= state.k:
            return by_rule
        offered = ranked[: max(self.offered, state.k)]
        order = _order(offered, state.k, state, context)
        if not order:
            return by_rule
        return Selection.of([*self._merge(offered, order), *ranked[len(offered) :]], state.k, ranked_by_lm=True)

    def _merge(self, offered: Sequence[Choice], order: Sequence[int]) -> list[Choice]:
        ids = [choice.passage_id for choice in offered]
        said = [ids[number - 1] for number in order]
        worth = reciprocal_ranks([(1 - self.kept, said), (self.kept, ids)], _CONSTANT)
        place = {id: rank for rank, id in enumerate(said, 1)}
        scored = [
            choice._replace(score=worth[id] * _CONSTANT).add_reason(
                f"place {place[id]} by the language model", first=True
            )
            for id, choice in zip(ids, offered, strict=True)
        ]
        return sorted(scored, key=lambda c: (-c.score, c.passage_id))


def _with(held: Selection, ranked: Sequence[Choice], k: int) -> Selection:
    """Keep what is held, and fill up with the best of the others."""
    known = {c.passage_id for c in held.choices}
    order = [*held.choices, *(c for c in ranked if c.passage_id not in known)]
    return Selection.of(order, k, ranked_by_lm=held.ranked_by_lm)


@dataclass(frozen=True, slots=True)
class JudgedLast:
    """Any selector, with a model's judgement of who gets the last places, when `at_hop` hops are over.

    The passages that are well above the cut stay; those just above and just below it are put to the model.
    """

    twin: Selector
    at_hop: int = 3
    places: int = 6

    def select(self, state: State, context: Context) -> Selection:
        return self.twin.select(state, context)

    def finish(self, state: State, context: Context) -> Selection:
        by_rule = self.twin.finish(state, context) if isinstance(self.twin, Finisher) else state.selection
        # In a small budget a model may decide no more than a third: what the rules are sure of stays.
        places = min(self.places, max(1, state.k // 3), len(by_rule.choices))
        rivals = by_rule.bench[:places]
        if state.hop < self.at_hop or not rivals:
            return by_rule
        held = by_rule.choices[: len(by_rule.choices) - places]
        edge = by_rule.choices[len(held) :]
        offered = (*edge, *rivals)
        order = _order(offered, places, state, context)
        return _merge_judged(by_rule, held, edge, offered, frozenset(order[:places])) if order else by_rule

    def with_reranker(self, reranker: Reranker | None) -> Selector:
        return replace(self, twin=unread(self.twin) if reranker is None else read_by(self.twin, reranker))

    def without_models(self) -> Selector:
        return replace(self, twin=model_free(self.twin))


def _merge_judged(
    by_rule: Selection, held: Sequence[Choice], edge: Sequence[Choice], offered: Sequence[Choice], won: frozenset[int]
) -> Selection:
    """Put the winners into the last places, in the order of their scores."""
    last = [c for i, c in enumerate(offered, 1) if i in won]
    coming = [c for c in last if c not in edge]
    going = [c for c in edge if c not in last]
    why = "the language model judged it more important"
    swaps = tuple(Replacement(out.passage_id, into.passage_id, why) for out, into in zip(going, coming, strict=True))
    chosen = [c.add_reason(why) if c in coming else c for c in last]
    rest = tuple(c for c in by_rule.bench if c not in coming)
    return replace(by_rule, choices=(*held, *chosen), replaced=(*by_rule.replaced, *swaps), bench=(*going, *rest))


def _order(offered: Sequence[Choice], count: int, state: State, context: Context) -> list[int]:
    """Let a model rank what is offered, by number; nothing where it gives no answer."""
    documents = document_lines(state.pool[c.passage_id].passage for c in offered)
    given = {"claim": state.question, "documents": documents, "count": count}
    [answer] = answers(context, state.hop, Step("document_reranker", given))
    # Only numbers that were offered count; a model may repeat, invent or forget some.
    return repair_ranking(answer.values["ranked_ids"], len(offered), count, context) if answer.values else []


def repair_ranking(given: Sequence[int], offered: int, wanted: int, context: Context) -> list[int]:
    """Make a whole ranking of what a model said: repeated and invented numbers go, missing ones come in their order."""
    valid = [n for n in given if isinstance(n, int) and not isinstance(n, bool) and 1 <= n <= offered]
    order = list(dict.fromkeys(valid))
    if len(order) < len(given):
        text = "the language model's ranking held numbers that were not offered; they were left out"
        context.note(Note("numbers-invented", {"left_out": len(given) - len(order)}, text))
    if len(order) < wanted:
        text = f"the language model ranked {len(order)} of {wanted} passages; the others follow by rule"
        context.note(Note("ranking-incomplete", {"ranked": len(order), "wanted": wanted}, text))
    return [*order, *(n for n in range(1, offered + 1) if n not in set(order))]
