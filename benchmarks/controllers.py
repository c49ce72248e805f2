"""Controllers that decide whether to search again, measured as strategies of the loop beside our own.

The three from the literature are their ideas without a language model: rules take the place of its judgement.
- reflect, after Self-RAG (arXiv 2310.11511): a passage is judged relevant and supporting by the words and names of the
  question it has; parts of the question without support are searched for by themselves.
- correct, after CRAG (arXiv 2401.15884): the best passages are judged correct, ambiguous or incorrect; then the query
  is rewritten to its names, and what is judged incorrect leaves.
- seal, after SEAL-RAG (arXiv 2512.10787): micro-queries for missing entities, and entity-first replacement with the
  threshold 0.1, without a final ranking.

    python benchmarks/controllers.py --data datasets --index hotpotqa.mh --limit 200 -k 5
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from multihop import Engine, text
from multihop.evaluation.datasets import Question, load
from multihop.loop import Strategy
from multihop.parts.selectors import EntityFirst, TopScore, unread
from multihop.parts.stop import WhenCovered
from multihop.protocols import Context, State
from multihop.rendering.tokens import estimate_tokens
from multihop.strategies import AUTO, AUTO_FAST, BM25, GAP, GAP_DOCUMENTED, LISTWISE, LISTWISE_DOCUMENTED, REPLACE
from multihop.types import Choice, Decision, Query, Result, Selection
from multihop.types.channels import BM25 as BM25_CHANNEL

_RELEVANT = 0.35
"""Share of the content words of a question, or of a part of it, from which a passage is relevant."""
_CORRECT, _INCORRECT = 0.5, 0.25
"""Shares from which the best passage is correct, and below which it is incorrect."""


def _share(wanted: Sequence[str], title: str, body: str) -> float:
    terms = set(text.terms(f"{title} {body}"))
    return sum(term in terms for term in wanted) / len(wanted) if wanted else 0.0


def _content(question: str) -> list[str]:
    return text.terms(" ".join(w for w in text.words(question) if w not in text.STOPWORDS and w not in text.ASKING))


@dataclass(frozen=True, slots=True)
class CritiqueSelector:
    """Ranks by the share of the words of the question that a passage has, and of its names; ties by BM25."""

    def select(self, state: State, context: Context) -> Selection:
        wanted, names = _content(state.question), [text.surface_key(e.text) for e in state.plan.entities]
        ranked = []
        for id, met in state.pool.items():
            passage = met.passage
            words = f" {text.surface_key(f'{passage.title} {passage.text}')} "
            support = sum(f" {name} " in words for name in names) / max(1, len(names))
            score = _share(wanted, passage.title, passage.text) + support
            ranked.append((score, met.scores.get(BM25_CHANNEL, 0.0), id))
        ranked.sort(key=lambda each: (-each[0], -each[1], each[2]))
        return Selection.of([Choice(id, score, "judged by words and names") for score, _, id in ranked], state.k)


@dataclass(frozen=True, slots=True)
class AskUnsupported:
    """Asks the question; then each of its parts that no selected passage supports."""

    def write(self, state: State, context: Context) -> Sequence[Query]:
        if state.hop == 0:
            return (Query(state.question, "the question as it is", 50),)
        parts = [part for part in _parts(state) if not _supported(part, state)]
        tried = {query.text for query in state.tried}
        return tuple(Query(part, "not supported yet", 10, part=True) for part in parts if part not in tried)


def _parts(state: State) -> list[str]:
    return list(dict.fromkeys((*state.plan.sub_questions, *(e.text for e in state.plan.entities))))


def _supported(part: str, state: State) -> bool:
    chosen = [state.pool[c.passage_id].passage for c in state.selection.choices]
    return any(_share(text.terms(part), p.title, p.text) >= max(_RELEVANT, 0.6) for p in chosen)


@dataclass(frozen=True, slots=True)
class WhenSupported:
    """Stops when every part of the question is supported, or after three hops."""

    def decide(self, state: State) -> Decision:
        if state.hop >= 3 or all(_supported(part, state) for part in _parts(state)):
            return Decision(True, "every part is supported, or three hops are done")
        return Decision(False, "a part is not supported")


@dataclass(frozen=True, slots=True)
class RewriteIfWrong:
    """Asks the question; if its best passage is not judged correct, asks for the names in it alone."""

    def write(self, state: State, context: Context) -> Sequence[Query]:
        if state.hop == 0:
            return (Query(state.question, "the question as it is", 50),)
        names = " ".join(e.text for e in state.plan.entities if e.kind != "number")
        rewritten = names or " ".join(_content(state.question))
        return (Query(rewritten, "rewritten", 50),)


@dataclass(frozen=True, slots=True)
class WithoutIncorrect:
    """Keeps the best by BM25; what is judged incorrect comes last."""

    def select(self, state: State, context: Context) -> Selection:
        wanted = _content(state.question)
        shares = {id: _share(wanted, met.passage.title, met.passage.text) for id, met in state.pool.items()}
        scores = {id: met.scores.get(BM25_CHANNEL, 0.0) for id, met in state.pool.items()}
        ranked = sorted(scores, key=lambda each: (shares[each] < _INCORRECT, -scores[each], each))
        return Selection.of([Choice(id, scores[id], "judged by its words") for id in ranked], state.k)


@dataclass(frozen=True, slots=True)
class WhenCorrect:
    """Stops when the best passage is judged correct, or after the rewritten query."""

    def decide(self, state: State) -> Decision:
        wanted = _content(state.question)
        best = [state.pool[c.passage_id].passage for c in state.selection.choices[:3]]
        if state.hop >= 2 or any(_share(wanted, p.title, p.text) >= _CORRECT for p in best):
            return Decision(True, "judged correct, or corrected")
        return Decision(False, "ambiguous or incorrect")


REFLECT = replace(
    BM25, name="reflect", writer=AskUnsupported(), selector=CritiqueSelector(), stop=WhenSupported()
)  # fmt: skip
CORRECT = replace(BM25, name="correct", writer=RewriteIfWrong(), selector=WithoutIncorrect(), stop=WhenCorrect())
SEAL = replace(
    REPLACE, name="seal", selector=EntityFirst(TopScore(BM25_CHANNEL), threshold=0.1), stop=WhenCovered(max_hops=4)
)
UNREAD = replace(REPLACE, name="replace, no ranker", selector=unread(REPLACE.selector))
SYSTEMS = (
    BM25, REFLECT, CORRECT, SEAL, UNREAD, REPLACE, GAP_DOCUMENTED, GAP, LISTWISE_DOCUMENTED, LISTWISE, AUTO_FAST, AUTO
)  # fmt: skip


def row(engine: Engine, strategy: Strategy, questions: Sequence[Question], k: int) -> str:
    results, times = [], []
    for question in questions:
        started = time.perf_counter()
        results.append(engine.retrieve(question.text, k=k, strategy=strategy))
        times.append(1000 * (time.perf_counter() - started))
    pairs = list(zip(questions, results, strict=True))
    figures = [statistics.fmean(measure(q, r) for q, r in pairs) for measure in (precision, all_gold, queries, tokens)]
    exact, whole, asked, read = figures
    return (
        f"| {strategy.name} | {exact:.3f} | {whole:.3f} | {asked:.1f} | {read:.0f} | {statistics.median(times):.0f} |"
    )


def _found(question: Question, result: Result) -> set[str]:
    return {e.passage.document_id for e in result} & set(question.gold)


def precision(question: Question, result: Result) -> float:
    return len(_found(question, result)) / result.k


def all_gold(question: Question, result: Result) -> float:
    return float(len(_found(question, result)) == len(set(question.gold)))


def queries(_: Question, result: Result) -> float:
    return sum(len(hop.found) for hop in result.trace.hops)


def tokens(_: Question, result: Result) -> float:
    return sum(estimate_tokens(e.passage.text) for e in result)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("datasets"))
    parser.add_argument("--dataset", default="hotpotqa")
    parser.add_argument("--index", type=Path, required=True)
    parser.add_argument("--limit", type=int, default=200)
    parser.add_argument("-k", type=int, default=5)
    parser.add_argument("--only", nargs="*", help="names of controllers; all by default")
    given = parser.parse_args()
    questions = load(given.dataset, given.data, limit=given.limit).questions
    print(f"| controller | precision@{given.k} | all-gold@{given.k} | searches | tokens | p50 ms |")
    print("|---|---|---|---|---|---|")
    with Engine.open(given.index) as engine:
        for strategy in (s for s in SYSTEMS if not given.only or s.name in given.only):
            print(row(engine, strategy, questions, given.k), flush=True)


if __name__ == "__main__":
    main()
