# ruff: noqa: T201  # the document's own examples print
"""The research agent as its document describes it, over any retriever, and the strategy `aspects` behind it."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest
from hypothesis import given, strategies as st

from multihop import (
    AspectCoverage,
    Engine,
    QueryAspect,
    QueryPlanner,
    ResearchAgent,
    ResearchResult,
    loop,
)
from multihop.errors import InvalidInput
from multihop.lm import Model
from multihop.parts.selectors import unread
from multihop.parts.stop import AspectStop, FixedHops, adaptive_threshold
from multihop.programs.research import aspect_log
from multihop.protocols import Context
from multihop.strategies import ASPECTS
from multihop.testing import SampleQuestion, sample_documents, sample_questions
from multihop.testing.lm import Faults, ScriptedLM
from multihop.types import Hit, Hop, Query, Result

from ...reliability.soak import examples

relaxed = examples(60)
MULTI_ASPECT = [q for q in sample_questions() if q.type == "multi-aspect"]
WORDS = sorted(
    {w for d in sample_documents() for w in d.title.split()} | set("what is how why vs and or uses of".split())
)
QUESTIONS = st.one_of(
    st.sampled_from([q.text for q in sample_questions()]),
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=12).map(" ".join),
    st.text(min_size=1, max_size=60).filter(lambda t: t.strip() != ""),
)
DOCS = [
    {"title": "Self-attention", "content": "Self-attention relates the positions of one sequence.", "score": 0.9},
    {"title": "Multi-head attention", "content": "Multi-head attention runs several heads at once.", "score": 0.8},
    {
        "title": "Attention compared",
        "content": "Unlike self-attention, with its one head, multi-head attention is wider than that; both differ.",
        "score": 0.7,
    },
]
COVERAGE_KEYS = {"enabled", "total_aspects", "coverage_percentage", "weighted_coverage", "uncovered_count", "aspects"}
ASPECT_KEYS = {"aspect", "type", "importance", "coverage_score", "covered_at_hop"}


class Retriever:
    """Finds documents that share the subject of a query."""

    def retrieve(self, query: str, k: int) -> list[dict[str, Any]]:
        key = "Difference" in query, "multi" in query
        ranked = {(True, True): DOCS[::-1], (False, True): DOCS[1:2], (False, False): DOCS[:1]}
        return ranked.get(key, DOCS)[:k]


class OllamaClient:
    """Answers like a language model that was asked for the aspects."""

    def __init__(self, answer: Any = None) -> None:
        self.answer = answer
        self.prompts: list[str] = []

    def generate(self, prompt: str) -> Any:
        self.prompts.append(prompt)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


# --- the document's usage section, as written there ---


def test_basic_usage(capsys: pytest.CaptureFixture[str]) -> None:
    retriever = Retriever()
    agent = ResearchAgent(
        retriever=retriever,
        llm_client=OllamaClient(),
        adaptive_mode=True,  # Enables aspect coverage
        min_hops=3,
        max_hops=10
    )  # fmt: skip

    # Process a query
    result = agent.process("self-attention vs multi-head attention")

    # Access coverage metadata
    coverage_info = result.metadata['aspect_coverage']  # fmt: skip
    print(f"Total aspects: {coverage_info['total_aspects']}")
    print(f"Coverage: {coverage_info['weighted_coverage']:.1%}")

    for aspect in coverage_info['aspects']:  # fmt: skip
        print(f"{aspect['aspect']}: {aspect['coverage_score']:.1%}")
    assert capsys.readouterr().out.splitlines() == [
        "Total aspects: 3",
        "Coverage: 96.7%",
        "Definition/explanation of self-attention: 100.0%",
        "Definition/explanation of multi-head attention: 100.0%",
        "Comparison between self-attention and multi-head attention: 90.0%",
    ]
    assert result.metadata["notes"][0] == "language model, plan, query_aspects: its answer was empty; done by rule"


def test_disabling_aspect_coverage() -> None:
    retriever, llm_client = Retriever(), None
    # Disable aspect coverage (use traditional stopping)
    planner = QueryPlanner(enable_aspect_coverage=False)

    agent = ResearchAgent(
        retriever=retriever,
        llm_client=llm_client,
        adaptive_mode=False  # Use batch mode without coverage
    )  # fmt: skip
    result = agent.process("self-attention vs multi-head attention")
    assert result.metadata["aspect_coverage"] == {
        "enabled": False, "total_aspects": 0, "coverage_percentage": 0.0, "weighted_coverage": 0.0,
        "uncovered_count": 0, "aspects": [],
    }  # fmt: skip
    assert (result.metadata["hops"], len(result.sub_queries), len(result.documents)) == (1, 3, 3)
    by_quality = ResearchAgent(retriever, query_planner=planner).process("self-attention vs multi-head attention")
    assert by_quality.metadata["stop_reason"] == "Document quality 0.80 reaches 0.50"
    assert by_quality.metadata["aspect_coverage"]["enabled"] is False


def test_customizing_coverage_thresholds() -> None:
    planner = QueryPlanner()
    docs: list[dict[str, Any]] = [{"content": "…", "score": 0.9}]
    aspect = QueryAspect("Definition of self-attention", "definition", 1.0, ["self-attention", "definition"])
    coverage, hop = AspectCoverage([aspect], {"Definition of self-attention": 0.75}, {}), 3
    # In should_continue_retrieval call (internal)
    should_continue, reason = planner.should_continue_retrieval(
        retrieved_docs=docs,
        current_hop=hop,
        aspect_coverage=coverage,
        coverage_threshold=0.5,  # Threshold for "covered" (default: 0.5)
        min_confidence_threshold=0.5  # Document quality threshold
    )  # fmt: skip
    assert (should_continue, reason) == (False, "All core aspects covered (weighted coverage: 75.0%)")
    assert planner.should_continue_retrieval(docs, 3, coverage, coverage_threshold=0.8)[0] is True
    assert planner.should_continue_retrieval(docs, 10, coverage, coverage_threshold=0.8)[0] is False
    assert planner.should_continue_retrieval(docs, 1, coverage) == (True, "Below the minimum of 3 hops")
    assert planner.should_continue_retrieval(docs, 3, None)[0] is False
    assert planner.should_continue_retrieval(docs, 3, min_confidence_threshold=0.95)[0] is True
    assert planner.should_continue_retrieval([], 3) == (True, "Document quality 0.00 is below 0.50")


def test_metadata_in_the_result(capsys: pytest.CaptureFixture[str]) -> None:
    agent = ResearchAgent(
        retriever=Retriever(),
        llm_client=None,
        use_llm=True,                    # Required for aspect extraction
        adaptive_mode=True,              # Enable adaptive/iterative mode
        min_hops=3,
        max_hops=10
    )  # fmt: skip
    result = agent.process("self-attention vs multi-head attention")
    if result.metadata['aspect_coverage']['enabled']:  # fmt: skip
        coverage = result.metadata['aspect_coverage']  # fmt: skip

        print(f"Total aspects: {coverage['total_aspects']}")
        print(f"Coverage percentage: {coverage['coverage_percentage']:.1%}")
        print(f"Weighted coverage: {coverage['weighted_coverage']:.1%}")
        print(f"Uncovered count: {coverage['uncovered_count']}")

        for aspect_info in coverage['aspects']:  # fmt: skip
            print(f"{aspect_info['aspect']}")
            print(f"  Type: {aspect_info['type']}")
            print(f"  Importance: {aspect_info['importance']}")
            print(f"  Coverage: {aspect_info['coverage_score']:.1%}")
            print(f"  Covered at hop: {aspect_info['covered_at_hop']}")
    said = capsys.readouterr().out
    assert "Coverage percentage: 100.0%\n" in said
    assert "  Type: comparison\n  Importance: 1.0\n  Coverage: 90.0%\n  Covered at hop: 3\n" in said
    assert set(coverage) == COVERAGE_KEYS
    assert all(set(a) == ASPECT_KEYS for a in coverage["aspects"])


def test_quick_start() -> None:
    agent = ResearchAgent(Retriever(), OllamaClient(OSError("no server")))
    result = agent.process("What is self-attention?")
    assert isinstance(result, ResearchResult)
    assert result.metadata["notes"][0] == "language model, plan, query_aspects: it failed (OSError); done by rule"
    assert result.metadata["aspect_coverage"]["weighted_coverage"] == 1.0


# --- the log ---

LOG = """\
📋 Identified Aspects (3):
  1. [CORE] Definition/explanation of self-attention (definition)
  2. [CORE] Definition/explanation of multi-head attention (definition)
  3. [CORE] Comparison between self-attention and multi-head attention (comparison)

[Hop 1] Subquery: What is self-attention?
  Found 1 relevant document (total: 1)
  📊 Coverage: 33.3% (2 aspects uncovered)
  Uncovered: ['Definition/explanation of multi-head attention', \
'Comparison between self-attention and multi-head attention']
  Decision: Continue - Below the minimum of 2 hops

[Hop 2] Subquery: What is multi-head attention?
  Found 1 relevant document (total: 2)
  📊 Coverage: 66.7% (1 aspect uncovered)
  Uncovered: ['Comparison between self-attention and multi-head attention']
  Decision: Continue - Core aspects still uncovered: “Comparison between self-attention and multi-head attention”

[Hop 3] Subquery: Difference between self-attention and multi-head attention
  Found 1 relevant document (total: 3)
  📊 Coverage: 100.0% (0 aspects uncovered)
  Decision: Stop - All core aspects covered (weighted coverage: 96.7%)
"""


def test_the_log_tells_every_hop(sample: Engine) -> None:
    result = ResearchAgent(Retriever(), min_hops=2).process("self-attention vs multi-head attention")
    assert aspect_log(result) == LOG
    told = aspect_log(sample.retrieve(MULTI_ASPECT[0].text, k=5, strategy="aspects"))
    assert "[Hop 2] Subquery: What is Analytical Engine?\n  Followed: what “Difference Engine”" in told


# --- values ---


def test_coverage_counts_and_weighs() -> None:
    core = QueryAspect("core", "definition", 1.0, ["a"])
    optional = QueryAspect("optional", "application", 0.5, ["b"])
    coverage = AspectCoverage([optional, core], {"core": 0.8, "optional": 0.2}, {"core": 1})
    assert coverage.is_aspect_covered(core)
    assert coverage.is_aspect_covered("core", threshold=0.8)
    assert not coverage.is_aspect_covered("optional")
    assert coverage.get_uncovered_aspects() == [optional]
    assert coverage.get_uncovered_aspects(threshold=0.9) == [core, optional]
    assert coverage.get_coverage_percentage() == 0.5
    assert coverage.get_weighted_coverage() == pytest.approx(0.6)
    assert (core.core, optional.core) == (True, False)
    assert AspectCoverage([]).get_coverage_percentage() == AspectCoverage([]).get_weighted_coverage() == 0.0


def test_a_planner_alone_extracts_and_tracks() -> None:
    planner = QueryPlanner()
    found = planner.extract_aspects("self-attention vs multi-head attention")
    assert found[0] == QueryAspect(
        "Definition/explanation of self-attention", "definition", 1.0, ["self-attention", "definition"]
    )
    coverage = planner.update_coverage(AspectCoverage(found), DOCS[:1], current_hop=1)
    assert coverage.covered_by_hop == {found[0].aspect: 1}
    assert planner.should_continue_retrieval(DOCS[:1], 3, coverage)[0]
    coverage = planner.update_coverage(coverage, DOCS[1:], current_hop=2)
    assert coverage.covered_by_hop == {found[0].aspect: 1, found[1].aspect: 2, found[2].aspect: 2}
    assert coverage.get_weighted_coverage() > 0.9
    assert planner.should_continue_retrieval(DOCS, 3, coverage)[0] is False
    with pytest.raises(InvalidInput, match="min_hops must not be more than max_hops"):
        QueryPlanner(min_hops=4, max_hops=3)


# --- language model ---

ANSWER = [
    {"aspect": "Definition of tea", "type": "Definition", "importance": 3, "keywords": ["tea", "drink", 7]},
    {"aspect": "Taste of tea", "type": "evaluation", "importance": 0.5, "keywords": ["tea", "taste"]},
]


@pytest.mark.parametrize(
    "wrap", [str, lambda s: {"response": s}, lambda s: f"Sure!\n```json\n{s}\n```"], ids=["text", "ollama", "fenced"]
)
def test_a_language_model_names_the_aspects(wrap: Callable[[str], Any]) -> None:
    client = OllamaClient(wrap(json.dumps(ANSWER)))
    found = QueryPlanner(llm_client=client).extract_aspects("Tell me about tea")
    assert [(a.aspect, a.aspect_type, a.importance) for a in found] == [
        ("Definition of tea", "definition", 1.0),
        ("Taste of tea", "evaluation", 0.5),
    ]
    assert found[0].keywords == ["tea", "drink", "definition"]
    assert client.prompts[0].endswith("Question: Tell me about tea")
    asked = ResearchAgent(Retriever(), lambda prompt: json.dumps(ANSWER)).process("tea").sub_queries
    assert asked[0] == "What is tea?"


@pytest.mark.parametrize(
    "answer",
    [None, "", "no idea", "[", "[]", "[1, 2]", '{"aspect": "x"}', '[{"aspect": "", "type": "definition"}]',
     '[{"aspect": "x", "type": "poem"}]', '[{"aspect": "x", "type": "causal", "importance": "high"}]',
     "[" * 5000, 7, RuntimeError("boom")],
)  # fmt: skip
def test_what_a_language_model_answers_wrongly_is_read_by_rule(answer: Any) -> None:
    plan = QueryPlanner(llm_client=OllamaClient(answer)).plan("What is tea?")
    assert [a.text for a in plan.aspects] == ["Definition/explanation of tea"]
    assert (plan.notes[0].code, plan.notes[0].data["step"]) == ("lm-step-failed", "query_aspects")
    [note] = QueryPlanner(llm_client=7).plan("What is tea?").notes
    assert note.text == "language model, plan, query_aspects: it has no generate(prompt): int; done by rule"


def test_any_language_model_will_do() -> None:
    scripted = ScriptedLM({"query_aspects": {"aspects": ANSWER}})
    for model in (scripted, Model(scripted), OllamaClient(json.dumps(ANSWER))):
        found = ResearchAgent(Retriever(), model, max_hops=3).process("Tell me about tea")
        assert [a["aspect"] for a in found.metadata["aspect_coverage"]["aspects"]] == [
            "Definition of tea",
            "Taste of tea",
        ]
        assert [(c.step, c.hop, c.problem) for c in found.result.trace.lm_calls] == [("query_aspects", 0, "")]
    named = ResearchAgent(Retriever(), "openai/gpt-4.1-mini").lm
    assert named is not None and named.name == "openai/gpt-4.1-mini"
    with pytest.raises(InvalidInput, match="named provider/model"):
        ResearchAgent(Retriever(), "gpt")


def test_a_dspy_model_that_fails_leaves_it_to_the_rules() -> None:
    broken = ScriptedLM({}, Faults(("broken",)))
    found = ResearchAgent(Retriever(), broken, max_hops=3).process("What is tea?")
    assert found.metadata["notes"][0].endswith("; done by rule")
    assert found.result.trace.lm_calls[0].problem


def test_without_use_llm_nobody_asks_the_model() -> None:
    client = OllamaClient("[]")
    ResearchAgent(Retriever(), client, use_llm=False).process("What is tea?")
    assert client.prompts == []


# --- retrievers ---


@dataclass
class Found:
    page_content: str


@pytest.mark.parametrize(
    "given_documents",
    [
        ["Tea is a drink."],
        [{"text": "Tea is a drink."}],
        [Found("Tea is a drink.")],
        [{"content": "Tea is a drink.", "id": 4}],
    ],
)
def test_documents_come_in_many_forms(given_documents: list[Any]) -> None:
    result = ResearchAgent(lambda query, k: given_documents).process("What is tea?")
    (document,) = result.documents
    assert document["content"] == "Tea is a drink."
    assert result.metadata["aspect_coverage"]["coverage_percentage"] == 1.0
    json.dumps([result.result.to_dict(), list(result.documents), result.metadata])


def test_what_is_no_retriever_or_document_is_refused() -> None:
    with pytest.raises(InvalidInput, match="a retriever is an Engine"):
        ResearchAgent(7).process("What is tea?")
    with pytest.raises(InvalidInput, match="as_of needs an Engine"):
        ResearchAgent(lambda query: [], as_of="2024")
    with pytest.raises(InvalidInput, match="where needs an Engine"):
        ResearchAgent(lambda query: [], where={"year": 2024})
    with pytest.raises(InvalidInput, match="with a `content`"):
        ResearchAgent(lambda query, k: [{"body": "x"}]).process("What is tea?")
    with pytest.raises(InvalidInput, match="the question is empty"):
        ResearchAgent(Retriever()).process("  ")
    assert ResearchAgent(lambda query, k: None).process("What is tea?").documents == ()


def test_an_engine_is_a_retriever(sample: Engine) -> None:
    seen: list[Hop] = []
    result = ResearchAgent(sample, k=5).process("What is the Paris Agreement and how does it work?", on_hop=seen.append)
    assert {"paris-agreement#0", "nationally-determined-contributions#0"} <= {d["id"] for d in result.documents}
    assert len(seen) == result.metadata["hops"] == 3
    assert result.evidence == result.result.evidence


# --- the strategy ---


def recall(question: SampleQuestion, result: Result) -> float:
    return len({e.passage.document_id for e in result.evidence} & set(question.gold)) / len(question.gold)


@pytest.mark.parametrize("k", [5, 10])
@pytest.mark.parametrize("vectors", [False, True])
def test_most_questions_stop_early_and_lose_nothing(
    k: int, vectors: bool, sample: Engine, sample_with_vectors: Engine
) -> None:
    engine = sample_with_vectors if vectors else sample
    every_hop = replace(ASPECTS, stop=FixedHops(10))
    stopped = [engine.retrieve(q.text, k=k, strategy="aspects") for q in MULTI_ASPECT]
    whole = [engine.retrieve(q.text, k=k, strategy=every_hop) for q in MULTI_ASPECT]
    early = [r for r in stopped if "all core aspects covered" in r.trace.hops[-1].decision.reason]
    assert len(early) >= 0.6 * len(MULTI_ASPECT)
    assert all(len(r.trace.hops) < 10 for r in early)
    assert all(recall(q, a) >= recall(q, b) for q, a, b in zip(MULTI_ASPECT, stopped, whole, strict=True))


@relaxed
@given(question=QUESTIONS, k=st.integers(1, 12))
def test_budget_duplicates_coverage_and_determinism(question: str, k: int, sample_with_vectors: Engine) -> None:
    # With the ranker, all strategies are tried in tests/test_loop.py.
    result = sample_with_vectors.retrieve(question, k=k, strategy="aspects", models=False)
    ids = [e.passage.id for e in result.evidence]
    assert len(ids) == len(set(ids)) == min(k, result.trace.hops[-1].pool)
    assert all(0 <= t.score <= 1 for hop in result.trace.hops for t in hop.coverage_after.targets)
    asked = [f.query.text for hop in result.trace.hops for f in hop.found if isinstance(f.query, Query)]
    assert len(asked) == len(set(asked))
    again = sample_with_vectors.retrieve(question, k=k, strategy="aspects", models=False)
    assert result.to_json(timing=False) == again.to_json(timing=False)


@dataclass(frozen=True)
class AlwaysNew:
    """A searcher that finds other passages for every query, for ever."""

    def search(self, queries: Sequence[Query], context: Context) -> Sequence[Sequence[Hit]]:
        documents = sorted(d.id for d in sample_documents())
        ids = [id for found in context.index.passages.passages_of(documents, 1).values() for id in found]
        starts = [sum(map(ord, q.text)) % len(ids) for q in queries]
        return [tuple(Hit(id, 1.0, "bm25") for id in ids[start : start + 7]) for start in starts]


@relaxed
@given(question=QUESTIONS, k=st.integers(1, 8), limit=st.integers(1, 10))
def test_the_loop_ends_when_every_hop_brings_something_new(question: str, k: int, limit: int, sample: Engine) -> None:
    stop = AspectStop(min_hops=limit, max_hops=limit, coverage=2.0)
    stubborn = replace(ASPECTS, searcher=AlwaysNew(), selector=unread(ASPECTS.selector), stop=stop)
    result = loop.run(stubborn, question, k, sample.index())
    assert len(result.trace.hops) <= limit
    assert len(result.evidence) <= k
    endless = ResearchAgent(
        lambda query, n: [{"content": f"{query} {i}"} for i in range(n)], max_hops=limit, min_hops=0
    )
    assert endless.process(question).metadata["hops"] <= limit


def test_the_report_tells_each_aspect_with_citations_and_what_is_not_covered() -> None:
    documents = [
        {"id": "tea", "title": "Tea", "content": "Tea is a drink made from leaves. It came from China.", "score": 0.9}
    ]
    report = ResearchAgent(lambda _query, _k: documents).process("What is tea and what are its health risks?").report
    assert report.not_covered == ("Advantages/disadvantages of tea",)
    [section] = [s for s in report.sections if s.covered]
    assert section.statements[0].text == "Tea is a drink made from leaves."
    quote = section.statements[0].quotes[0]
    assert documents[0]["content"][quote.start : quote.end] == quote.text  # type: ignore[index]  # a text
    told = report.to_markdown()
    assert "Tea is a drink made from leaves. [1]" in told
    assert "## Definition of tea\n" in told
    assert "## Not covered\n\n- Health risks of tea" in told
    assert "1. Tea (`tea`)" in told
    assert report.to_dict()["not_covered"] == ["Advantages/disadvantages of tea"]


def test_a_model_writes_the_report_and_what_it_cannot_support_is_told_by_sentences() -> None:
    documents = [{"title": "Tea", "content": "Tea is a drink made from leaves.", "score": 0.9}]

    def researched(statement: str) -> ResearchResult:
        script = {"cited_answer": {"answer": "a drink", "statements": [statement]}}
        return ResearchAgent(lambda _query, _k: documents, ScriptedLM(script)).process("What is tea?")

    written = researched("Tea is made from leaves. [1]")
    assert [s.text for s in written.report.sections[0].statements] == ["Tea is made from leaves."]
    assert written.result.trace.lm_calls[-1].step == "cited_answer"
    dropped = researched("Tea was invented in Peru in 1901. [1]")
    assert [s.text for s in dropped.report.sections[0].statements] == ["Tea is a drink made from leaves."]
    assert any("sentences are quoted instead" in note for note in dropped.metadata["notes"])


@pytest.mark.parametrize(("score", "covered"), [(0.99, True), (0.5, True), (0.01, False)])
def test_the_relevance_of_a_document_counts_in_coverage(score: float, covered: bool) -> None:
    documents = [{"title": "Tea", "content": "Tea is a drink made from leaves.", "score": score}]
    result = ResearchAgent(lambda _query, _k: documents).process("What is tea?")
    assert (result.metadata["aspect_coverage"]["uncovered_count"] == 0) is covered


def test_documents_without_a_score_have_full_credit() -> None:
    documents = ["Nothing here.", "Nor here.", "Tea is a drink made from leaves."]
    result = ResearchAgent(lambda _query, _k: documents).process("What is tea?")
    assert result.metadata["aspect_coverage"]["uncovered_count"] == 0


def test_every_hop_is_logged_in_the_documented_words(caplog: pytest.LogCaptureFixture) -> None:
    documents = [{"title": "Tea", "content": "Tea is a drink made from leaves.", "score": 0.9}]
    with caplog.at_level(logging.INFO, logger="multihop.research"):
        ResearchAgent(lambda _query, _k: documents).process("What is tea?")
    lines = [record.message for record in caplog.records if record.name == "multihop.research"]
    assert lines[:3] == [
        "📋 Identified Aspects (1):",
        "  1. [CORE] Definition/explanation of tea (definition)",
        "[Hop 1] Subquery: What is tea?",
    ]
    assert any(line.startswith("  Decision: ") for line in lines)


class _Search:
    """A retriever with another name for its method, and without a number."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def search(self, query: str) -> list[dict[str, Any]]:
        self.asked.append(query)
        return [{"title": "Penicillin", "content": "Penicillin is an antibiotic.", "score": 0.9}]


class _Retrieve(_Search):
    def retrieve(self, query: str) -> list[dict[str, Any]]:
        return self.search(query)


@pytest.mark.parametrize("kind", [_Search, _Retrieve])
def test_a_retriever_needs_no_number(kind: type[_Search]) -> None:
    retriever = kind()
    result = ResearchAgent(retriever, min_hops=1, max_hops=2).process("What is penicillin?")
    assert retriever.asked
    assert [d["title"] for d in result.documents] == ["Penicillin"]


def test_the_model_of_the_engine_is_used_unless_told_otherwise(sample: Engine) -> None:
    lm = ScriptedLM({"query_aspects": {"aspects": []}})
    helped = Engine(sample.store, lm)
    agent = ResearchAgent(helped, k=5, min_hops=1, max_hops=2)
    assert agent.process("What is penicillin?").result.trace.lm_calls
    alone = ResearchAgent(helped, use_llm=False, k=5, min_hops=1, max_hops=2).process("What is penicillin?")
    assert not alone.result.trace.lm_calls
    assert not alone.result.trace.lm


def test_the_threshold_adapts_to_the_number_of_aspects() -> None:
    assert [adaptive_threshold(n) for n in (0, 1, 3, 7, 20)] == [0.8, 0.8, 0.7, 0.5, 0.5]
    assert QueryPlanner(weighted_threshold=None).stop_rule().coverage is None
    with pytest.raises(InvalidInput, match="a share from 0 to 1"):
        QueryPlanner(weighted_threshold=7)
