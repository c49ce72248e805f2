"""Controllers that decide whether to search again, measured as strategies of the loop beside our own.

Those from the literature are written after their papers. Where a language model is configured it judges and writes the
queries; without one, or where it fails, rules do.
- three-hop, after the HoVer program of LangProBe (arXiv 2502.20315): the claim, then twice a query written from what
  the hop before found, with a third of the budget each.
- reflect, after Self-RAG (arXiv 2310.11511): passages are judged for relevance and for the names they support; parts of
  the question without support are searched for by themselves.
- correct, after CRAG (arXiv 2401.15884): the best passages are judged correct, ambiguous or incorrect; unless one is
  correct the query is rewritten, and what is judged incorrect comes last.
- seal, after SEAL-RAG (arXiv 2512.10787): micro-queries for what is missing, and entity-first replacement with the
  threshold 0.1, without a final ranking.

    python benchmarks/controllers.py --data datasets --index hotpotqa.mh -k 5
    python benchmarks/controllers.py --data datasets --dataset hover --corpus lite --index hover.mh -k 21
    python benchmarks/controllers.py --data datasets --index hotpotqa.mh --limit 50 --lm openai/gpt-4.1-mini
"""

from __future__ import annotations

import argparse
import math
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from multihop import Engine, text
from multihop.evaluation.datasets import Question, load
from multihop.lm import answers, document_lines, open_lm
from multihop.loop import Strategy
from multihop.parts.query_writers import MicroQueries
from multihop.parts.selectors import EntityFirst, TopScore, unread
from multihop.parts.stop import FixedHops, WhenCovered
from multihop.protocols import Context, State, Step
from multihop.rendering.tokens import estimate_tokens
from multihop.strategies import AUTO, AUTO_FAST, BM25, GAP, GAP_DOCUMENTED, LISTWISE, LISTWISE_DOCUMENTED, REPLACE
from multihop.text.units import units
from multihop.types import Choice, Decision, Passage, Query, Result, Selection
from multihop.types.channels import BM25 as BM25_CHANNEL

_SUPPORTED = 0.6
"""Share of the words of a part of the question from which a passage supports it."""
_CORRECT, _INCORRECT = 0.5, 0.25
"""Judgements from which the best passage is correct, and below which a passage is incorrect."""
_READ = 5
"""Passages that a language model judges in a hop."""
_HOPS = 3


def _share(wanted: Sequence[str], passage: Passage) -> float:
    terms = set(text.terms(f"{passage.title} {passage.text}"))
    return sum(term in terms for term in wanted) / len(wanted) if wanted else 0.0


def _content(question: str) -> list[str]:
    return text.terms(" ".join(w for w in text.words(question) if w not in text.STOPWORDS and w not in text.ASKING))


def _by_bm25(state: State) -> list[str]:
    return sorted(state.pool, key=lambda each: (-state.pool[each].scores.get(BM25_CHANNEL, 0.0), each))


def judge(state: State, context: Context) -> dict[str, float]:
    """Judge the pool from 0 to 1: the best passages by a language model, and all by rule where there is none."""
    judged: dict[str, float] = context.memory.setdefault("judged", {})
    if context.lm is not None:
        unread = [id for id in _by_bm25(state)[: 2 * _READ] if id not in judged][:_READ]
        steps = [Step("document_relevance_scorer", _inputs(state, state.pool[id].passage)) for id in unread]
        for id, answer in zip(unread, answers(context, state.hop, *steps) if steps else (), strict=True):
            if answer.values and isinstance(score := answer.values["score"], int):
                judged[id] = min(10, max(1, score)) / 10
        if judged:
            # What the model has not read cannot be held against its judgements.
            return judged
    wanted = _content(state.question)
    return {id: _share(wanted, met.passage) for id, met in state.pool.items()}


def _inputs(state: State, passage: Passage) -> dict[str, str]:
    return {"claim": state.question, "document": document_lines([passage])[0]}


def _selected(state: State) -> list[Passage]:
    return [state.pool[c.passage_id].passage for c in state.selection.choices]


def _follow_up(state: State, context: Context) -> list[str]:
    """Ask a language model what to search for next."""
    shown = document_lines(_selected(state)[:_READ])
    [answer] = answers(context, state.hop + 1, Step("follow_up_queries", {"claim": state.question, "documents": shown}))
    return list(answer.values["queries"]) if answer.values else []


# --- three-hop ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class AskWithSummary:
    """Asks the claim, then twice a query written from what the hop before found; a third of the budget each."""

    def write(self, state: State, context: Context) -> Sequence[Query]:
        depth = math.ceil(state.k / _HOPS)
        if state.hop == 0:
            return (Query(state.question, "the claim as it is", depth),)
        written = _follow_up(state, context) if context.lm else []
        asking = written[0] if written else f"{state.question} {_summary(state)}"
        return (Query(asking, f"what hop {state.hop} found", depth),)


def _summary(state: State) -> str:
    """Summarize what the last hop found, by rule: the sentence of each passage that has most words of the claim."""
    wanted = set(_content(state.question))
    found = [met.passage for met in state.pool.values() if met.hop == state.hop]
    sentences = [unit.of(p.text) for p in found for unit in units(p.text)]
    sentences.sort(key=lambda s: -len(wanted.intersection(text.terms(s))))
    return " ".join(sentences[:2])


@dataclass(frozen=True, slots=True)
class InTurn:
    """Keeps what every hop found, one hop after the other."""

    def select(self, state: State, context: Context) -> Selection:
        score = {id: met.scores.get(BM25_CHANNEL, 0.0) for id, met in state.pool.items()}
        ranked = sorted(score, key=lambda each: (state.pool[each].hop, -score[each], each))
        return Selection.of([Choice(id, score[id], f"hop {state.pool[id].hop}") for id in ranked], state.k)


# --- reflect --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class AskUnsupported:
    """Asks the question; then for each of its parts that no selected passage supports."""

    def write(self, state: State, context: Context) -> Sequence[Query]:
        if state.hop == 0:
            return (Query(state.question, "the question as it is", 50),)
        parts = [part for part in _parts(state) if not _supported(part, state)]
        parts = (_follow_up(state, context) if context.lm else []) or parts
        tried = {query.text for query in state.tried if isinstance(query, Query)}
        return tuple(Query(part, "not supported yet", 10, part=True) for part in parts if part not in tried)


def _parts(state: State) -> list[str]:
    return list(dict.fromkeys((*state.plan.sub_questions, *(e.text for e in state.plan.entities))))


def _supported(part: str, state: State) -> bool:
    return any(_share(text.terms(part), passage) >= _SUPPORTED for passage in _selected(state))


@dataclass(frozen=True, slots=True)
class ByCritique:
    """Ranks by the judgement of a passage and by the share of the names of the question that it supports."""

    def select(self, state: State, context: Context) -> Selection:
        names = [text.surface_key(e.text) for e in state.plan.entities]
        judged = judge(state, context)
        scores = {}
        for id, met in state.pool.items():
            words = f" {text.surface_key(f'{met.passage.title} {met.passage.text}')} "
            scores[id] = judged.get(id, 0.0) + sum(f" {name} " in words for name in names) / max(1, len(names))
        places = {id: place for place, id in enumerate(_by_bm25(state))}
        ranked = sorted(scores, key=lambda each: (-scores[each], places[each]))
        return Selection.of([Choice(id, scores[id], "judged for relevance and support") for id in ranked], state.k)


@dataclass(frozen=True, slots=True)
class WhenSupported:
    """Stops when every part of the question is supported, or after three hops."""

    def decide(self, state: State) -> Decision:
        if state.hop >= _HOPS or all(_supported(part, state) for part in _parts(state)):
            return Decision(True, "every part is supported, or three hops are done")
        return Decision(False, "a part is not supported")


# --- correct --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RewriteIfWrong:
    """Asks the question; if no passage is judged correct, asks a rewritten query: by rule, the names in it alone."""

    def write(self, state: State, context: Context) -> Sequence[Query]:
        if state.hop == 0:
            return (Query(state.question, "the question as it is", 50),)
        rewritten = ""
        if context.lm is not None:
            [answer] = answers(context, state.hop + 1, Step("gap_analyzer", {"claim": state.question}))
            rewritten = str(answer.values["query"] or "") if answer.values else ""
        names = " ".join(e.text for e in state.plan.entities if e.kind != "number")
        return (Query(rewritten or names or " ".join(_content(state.question)), "rewritten", 50),)


@dataclass(frozen=True, slots=True)
class WithoutIncorrect:
    """Ranks by BM25; what is judged incorrect comes last. The score of a passage is its judgement."""

    def select(self, state: State, context: Context) -> Selection:
        judged = judge(state, context)
        best = _by_bm25(state)
        ranked = [id for id in best if judged.get(id, 1.0) >= _INCORRECT]
        ranked += [id for id in best if judged.get(id, 1.0) < _INCORRECT]
        return Selection.of([Choice(id, judged.get(id, 0.0), "judged by an evaluator") for id in ranked], state.k)


@dataclass(frozen=True, slots=True)
class WhenCorrect:
    """Stops when one of the three best passages is judged correct, or after the rewritten query."""

    def decide(self, state: State) -> Decision:
        if state.hop >= 2 or any(c.score >= _CORRECT for c in state.selection.choices[:3]):
            return Decision(True, "judged correct, or corrected")
        return Decision(False, "ambiguous or incorrect")


# --- seal -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class AskForGaps:
    """Micro-queries for what gap analysis by a language model finds missing; by rule, for entities not covered."""

    twin: MicroQueries = MicroQueries()

    def write(self, state: State, context: Context) -> Sequence[Query]:
        if state.hop and context.lm is not None:
            covered = [t.name for t in state.coverage.targets if t not in state.coverage.missing]
            known = {"entities": covered, "relationships": [], "documents": document_lines(_selected(state)[:_READ])}
            step = Step("gap_analysis", {"claim": state.question, **known})
            [answer] = answers(context, state.hop + 1, step)
            if answer.values and answer.values["queries"]:
                return [Query(q, "a gap", self.twin.micro_depth, part=True) for q in answer.values["queries"][:3]]
        return self.twin.write(state, context)


THREE_HOP = replace(BM25, name="three-hop", writer=AskWithSummary(), selector=InTurn(), stop=FixedHops(_HOPS))
REFLECT = replace(BM25, name="reflect", writer=AskUnsupported(), selector=ByCritique(), stop=WhenSupported())
CORRECT = replace(BM25, name="correct", writer=RewriteIfWrong(), selector=WithoutIncorrect(), stop=WhenCorrect())
SEAL = replace(
    REPLACE, name="seal", writer=AskForGaps(), selector=EntityFirst(TopScore(BM25_CHANNEL), threshold=0.1),
    stop=WhenCovered(max_hops=4),
)  # fmt: skip
UNREAD = replace(REPLACE, name="replace, no ranker", selector=unread(REPLACE.selector))
SYSTEMS = (
    BM25, THREE_HOP, REFLECT, CORRECT, SEAL, UNREAD, REPLACE, GAP_DOCUMENTED, GAP, LISTWISE_DOCUMENTED, LISTWISE,
    AUTO_FAST, AUTO,
)  # fmt: skip


def row(engine: Engine, strategy: Strategy, questions: Sequence[Question], k: int) -> str:
    """Measure a strategy: one row of the table."""
    results, times = [], []
    for question in questions:
        # Time of the processor, which others that use the machine do not change much.
        started = time.process_time()
        results.append(engine.retrieve(question.text, k=k, strategy=strategy))
        times.append(1000 * (time.process_time() - started))
    pairs = list(zip(questions, results, strict=True))
    means = [format(statistics.fmean(measure(q, r) for q, r in pairs), form) for measure, form in MEASURES.values()]
    return f"| {strategy.name} | {' | '.join(means)} | {statistics.median(times):.0f} |"


def _found(question: Question, result: Result) -> set[str]:
    return {e.passage.document_id for e in result} & set(question.gold)


def precision(question: Question, result: Result) -> float:
    return len(_found(question, result)) / result.k


def all_gold(question: Question, result: Result) -> float:
    return float(len(_found(question, result)) == len(set(question.gold)))


def searches(_: Question, result: Result) -> float:
    return sum(isinstance(found.query, Query) for hop in result.trace.hops for found in hop.found)


def evidence_tokens(_: Question, result: Result) -> float:
    return sum(estimate_tokens(e.passage.text) for e in result)


def lm_calls(_: Question, result: Result) -> float:
    return len(result.trace.lm_calls)


def lm_tokens(_: Question, result: Result) -> float:
    return sum(call.tokens_in + call.tokens_out for call in result.trace.lm_calls)


MEASURES: dict[str, tuple[Callable[[Question, Result], float], str]] = {
    "precision@k": (precision, ".3f"),
    "all-gold@k": (all_gold, ".3f"),
    "searches": (searches, ".1f"),
    "tokens of evidence": (evidence_tokens, ",.0f"),
    "LM calls": (lm_calls, ".1f"),
    "LM tokens": (lm_tokens, ",.0f"),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("datasets"))
    parser.add_argument("--dataset", default="hotpotqa")
    parser.add_argument("--corpus", help="a variant of the corpus, such as lite")
    parser.add_argument("--index", type=Path, required=True, help="made for this run where there is none")
    parser.add_argument("--limit", type=int)
    parser.add_argument("-k", type=int, default=5)
    parser.add_argument("--only", nargs="*", help="names of controllers; all by default")
    parser.add_argument("--lm", help="a language model in LiteLLM's notation; without it rules judge")
    parser.add_argument("--lm-base", help="its address")
    given = parser.parse_args()
    dataset = load(given.dataset, given.data, corpus=given.corpus, limit=given.limit)
    lm = open_lm(given.lm, base=given.lm_base) if given.lm else None
    new = not given.index.exists()
    with Engine.open(given.index, create=new, lm=lm) as engine:
        if new:
            engine.add(dataset.documents(), whole=dataset.whole)
        print(f"{dataset.name} dev: {len(dataset)} questions over {engine.stats().passages:,} passages, k = {given.k}")
        print(f"\n| controller | {' | '.join(MEASURES)} | CPU ms |\n{'|---' * (len(MEASURES) + 2)}|")
        for strategy in (s for s in SYSTEMS if not given.only or s.name in given.only):
            print(row(engine, strategy, dataset.questions, given.k), flush=True)


if __name__ == "__main__":
    main()
