"""The HoVer programs to the letter of their documentation, point by point."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from inspect import signature
from json import dumps
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

import dspy
import pytest

from multihop import AspectCoverage, Engine, EntityFirstRanker, HoverMultiHopPipeline, QueryPlanner, ResearchAgent
from multihop.errors import InvalidInput
from multihop.parts.selectors.entities import EntityCount
from multihop.programs.hover import hover_data, hover_pipeline, hover_program, hover_utils
from multihop.programs.pipeline import MOST_PER_CALL
from multihop.protocols import Context, State
from multihop.survey import retrieve_chunks, retrieve_chunks_with_hop, run_script
from multihop.testing import write_hover_sample
from multihop.testing.lm import ScriptedLM
from multihop.types import Candidate, Passage, Plan

from ..lm.able import able

FORMS = ("gap", "listwise", "gap-documented", "listwise-documented")
CLAIMS = (
    "Fram",
    "Roald Amundsen borrowed a ship that Colin Archer drew.",
    "the ozone hole was found by halley station",
)


def foreign(engine: Engine, calls: list[int]) -> Callable[[str, int], list[dict[str, str]]]:
    def retrieve(query: str, k: int) -> list[dict[str, str]]:
        calls.append(k)
        found = engine.retrieve(query, k=k, strategy="bm25")
        return [{"title": e.passage.title, "content": e.passage.text} for e in found]

    return retrieve


@pytest.mark.parametrize("lm", [None, ScriptedLM(able)], ids=["rules", "model"])
@pytest.mark.parametrize("form", FORMS)
def test_exactly_21_of_a_foreign_retriever_and_no_call_of_35_or_more(form: str, lm: Any, sample: Engine) -> None:
    for claim in CLAIMS:
        calls: list[int] = []
        program = HoverMultiHopPipeline(foreign(sample, calls), form=form)
        program.set_lm(lm)
        docs = program(claim=claim).retrieved_docs
        assert len(docs) == len(set(docs)) == 21, claim
        assert max(calls) <= MOST_PER_CALL < 35


@pytest.mark.parametrize("form", FORMS)
def test_a_foreign_retriever_may_give_documents_as_dspys_do(form: str, sample: Engine) -> None:
    ask = foreign(sample, [])

    def lines(query: str, k: int) -> list[str]:
        return [f"{each['title']} | {each['content']}" for each in ask(query, k)]

    def objects(query: str, k: int) -> list[Any]:
        # As dspy.ColBERTv2 does: the text with its title, twice.
        return [dspy.Prediction(text=line, long_text=line, pid=place) for place, line in enumerate(lines(query, k))]

    def prediction(query: str, k: int) -> Any:
        return dspy.Prediction(passages=lines(query, k))  # as dspy.Retrieve does

    expected = HoverMultiHopPipeline(ask, form=form)(claim=CLAIMS[1]).retrieved_docs
    assert "Fram (ship)" in {doc.partition(" | ")[0] for doc in expected}
    for retriever in (lines, objects, prediction):
        assert HoverMultiHopPipeline(retriever, form=form)(claim=CLAIMS[1]).retrieved_docs == expected


def test_21_candidates_or_fewer_are_returned_without_a_reranker() -> None:
    def few(query: str, k: int) -> list[dict[str, str]]:
        return [{"title": f"T{i}", "content": f"Fram text {i}"} for i in range(min(k, 9))]

    lm = ScriptedLM(able)
    program = HoverMultiHopPipeline(few, form="listwise-documented")
    program.set_lm(lm)
    assert len(program(claim="Fram").retrieved_docs) == 9
    assert not any("ranked_ids" in str(asked) for asked in lm.asked)


def scores(question: str, passages: list[Passage]) -> dict[str, float]:
    pool = {p.id: Candidate(p, {}, 1) for p in passages}
    state = State(question, len(passages), Plan(), hop=1, pool=pool)
    return {c.passage_id: c.score for c in EntityCount().select(state, Context(None)).choices}  # type: ignore[arg-type]


def test_a_title_counts_no_more_than_a_mention() -> None:
    titled = Passage("a#0", "a", 0, "Colin Archer", "A naval architect of Larvik.")
    mention = Passage("b#0", "b", 0, "Fram", "The ship that Colin Archer drew.")
    assert scores("Was it Colin Archer?", [titled, mention]) == {"a#0": 1.0, "b#0": 1.0}


def test_a_claim_in_lower_case_finds_its_entities() -> None:
    archer = Passage("a#0", "a", 0, "Colin Archer", "A naval architect of Larvik.")
    other = Passage("b#0", "b", 0, "Ozone hole", "A hole.")
    assert scores("colin archer drew the ship", [archer, other]) == {"a#0": 1.0, "b#0": 0.0}


def test_a_title_comes_once_while_there_are_others(sample: Engine) -> None:
    def repeated(query: str, k: int) -> list[dict[str, str]]:
        found = sample.retrieve(query, k=k, strategy="bm25")
        rows = [{"title": e.passage.title, "content": e.passage.text} for e in found]
        return [*rows[: k // 2], *({**row, "content": f"{row['content']} Again."} for row in rows[: k // 2])]

    for claim in CLAIMS:
        docs = HoverMultiHopPipeline(repeated)(claim=claim).retrieved_docs
        titles = [doc.partition(" | ")[0] for doc in docs]
        assert len(titles) == len(set(titles)) == 21


def test_names_of_the_documents_are_importable(tmp_path: Any) -> None:
    assert hover_pipeline.HoverMultiHopPipeline is HoverMultiHopPipeline
    names = "ClaimDecomposition GapAnalyzer EntityExtractor GapAnalysis BridgingEntityIdentifier"
    assert all(issubclass(getattr(hover_pipeline, name), dspy.Signature) for name in names.split())
    assert issubclass(hover_program.HoverMultiHop, dspy.Module)
    assert hover_utils.discrete_retrieval_eval is not None
    write_hover_sample(tmp_path)
    assert all(example.hops == 3 for example in hover_data.hover_data(tmp_path))


FIELDS = {
    "ClaimDecomposition": (["claim"], "sub_questions"),
    # Early: it sees nothing but the claim.
    "GapAnalyzer": (["claim"], "query"),
    "EntityExtractor": (["claim", "documents"], "entities"),
    "GapAnalysis": (["claim", "entities", "relationships", "documents"], "queries"),
    "BridgingEntityIdentifier": (["claim", "documents"], "bridging_entities"),
    "DocumentRelevanceScorer": (["claim", "document"], "score"),
    "EntityQueryDecomposition": (["claim"], "queries"),
    "DocumentReranker": (["claim", "documents", "count"], "ranked_ids"),
}


@pytest.mark.parametrize(("name", "fields"), FIELDS.items(), ids=FIELDS)
def test_signatures_take_and_give_what_is_documented(name: str, fields: tuple[list[str], str]) -> None:
    step = getattr(hover_pipeline, name, None) or getattr(hover_program, name)
    assert list(step.input_fields) == fields[0]
    assert fields[1] in step.output_fields


DEFAULTS: list[tuple[Callable[..., Any], dict[str, Any]]] = [
    (ResearchAgent, {"use_llm": True, "adaptive_mode": True, "min_hops": 3, "max_hops": 10}),
    (QueryPlanner, {"min_hops": 3, "max_hops": 10, "enable_aspect_coverage": True}),
    (QueryPlanner.should_continue_retrieval, {"coverage_threshold": 0.5, "min_confidence_threshold": 0.5}),
    (AspectCoverage.is_aspect_covered, {"threshold": 0.5}),
    (AspectCoverage.get_uncovered_aspects, {"threshold": 0.5}),
    (EntityFirstRanker, {"replacement_threshold": 0.1}),
    (retrieve_chunks, {"top_k": 20, "country": None, "min_similarity": 0.2}),
    (retrieve_chunks_with_hop, {"top_k": 20, "country": None}),
    (run_script, {"question_number": None, "country": None, "use_hop_retrieval": False}),
]


@pytest.mark.parametrize(("function", "expected"), DEFAULTS)
def test_defaults_are_those_of_the_documents(function: Callable[..., Any], expected: dict[str, Any]) -> None:
    known = signature(function).parameters
    assert {name: known[name].default for name in expected} == expected


@pytest.mark.parametrize(("queries", "depth"), [(2, 15), (3, 12)])
def test_two_queries_look_for_15_documents_each_and_three_for_12(queries: int, depth: int, sample: Engine) -> None:
    calls: list[int] = []
    program = HoverMultiHopPipeline(foreign(sample, calls), form="listwise-documented")
    names = ["Roald Amundsen", "Colin Archer", "Fridtjof Nansen"][:queries]
    program.set_lm(ScriptedLM({"entity_query_decomposition": {"queries": names}}))
    program(claim=CLAIMS[1])
    assert calls[:queries] == [depth] * queries


@pytest.fixture
def colbert(sample: Engine) -> Iterator[tuple[str, list[str]]]:
    """A server that answers as a ColBERTv2 server does."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            given = parse_qs(urlsplit(self.path).query)
            asked.append(given["query"][0])
            found = sample.retrieve(given["query"][0], k=int(given["k"][0]), strategy="bm25")
            rows = [{"text": f"{e.passage.title} | {e.passage.text}", "score": e.score, "pid": e.rank} for e in found]
            body = dumps({"topk": rows}).encode()
            self.send_response(200)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/search", asked
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_colbert_server_by_its_address(colbert: tuple[str, list[str]], sample: Engine) -> None:
    address, asked = colbert
    docs = HoverMultiHopPipeline(colbert_url=address)(claim=CLAIMS[1]).retrieved_docs
    assert len(docs) == 21
    assert asked
    with pytest.raises(InvalidInput, match="give one of them"):
        HoverMultiHopPipeline(sample, colbert_url=address)
