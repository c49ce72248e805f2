"""The LlamaIndex retriever, alone and in a query engine with a mock model."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from llama_index.core import get_response_synthesizer
from llama_index.core.llms import MockLLM
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.schema import MetadataMode, NodeWithScore, QueryBundle
from llama_index.core.tools import RetrieverTool

from multihop import Engine
from multihop.adapters.llamaindex import EvidenceQuery, MultihopRetriever
from multihop.errors import InvalidFilter

from .conftest import ARCHER, EXPECTED, QUESTION


def ids(nodes: list[NodeWithScore]) -> list[str]:
    return [n.node.node_id for n in nodes]


def query_engine(retriever: MultihopRetriever) -> RetrieverQueryEngine:
    synthesizer = get_response_synthesizer(llm=MockLLM(), response_mode="compact")  # type: ignore[arg-type]  # its enum is of texts
    return RetrieverQueryEngine(retriever=retriever, response_synthesizer=synthesizer)


def test_nodes_say_why_they_are_there(sample: Engine) -> None:
    nodes = MultihopRetriever(sample, k=3).retrieve(QUESTION)
    assert ids(nodes) == EXPECTED
    evidence = sample.retrieve(QUESTION, k=3).evidence
    assert [n.score for n in nodes] == [e.score for e in evidence]
    archer = nodes[2].node
    assert ARCHER.items() <= archer.metadata.items()
    assert archer.ref_doc_id == "colin-archer"


def test_a_model_reads_the_title_and_the_text_only(sample: Engine) -> None:
    node = MultihopRetriever(sample, k=1).retrieve(QUESTION)[0].node
    read = node.get_content(MetadataMode.LLM)
    assert read.startswith("title: Fram (ship)\n\nThe Fram is a round-hulled wooden schooner")
    assert node.get_content(MetadataMode.EMBED) == read


def test_terms_of_the_instance_and_of_a_query(folder: Path, sample: Engine) -> None:
    retriever = MultihopRetriever(folder, k=2, strategy="bm25", where={"country": "Norway"})
    expected = [e.passage.id for e in sample.retrieve(QUESTION, k=2, strategy="bm25", where={"country": "Norway"})]
    assert ids(retriever.retrieve(QUESTION)) == ids(retriever.retrieve(QueryBundle(QUESTION))) == expected
    assert ids(retriever.retrieve(EvidenceQuery(QUESTION, k=3, strategy="auto", where={}))) == EXPECTED
    retriever.close()


def test_async_gives_the_same_while_the_loop_goes_on(sample: Engine) -> None:
    async def ask() -> tuple[list[NodeWithScore], list[NodeWithScore]]:
        retriever = MultihopRetriever(sample, k=3)
        return await asyncio.gather(retriever.aretrieve(QUESTION), retriever.aretrieve(EvidenceQuery(QUESTION, k=1)))

    assert [ids(nodes) for nodes in asyncio.run(ask())] == [EXPECTED, EXPECTED[:1]]


def test_a_query_engine_answers_from_the_evidence(sample: Engine) -> None:
    response = query_engine(MultihopRetriever(sample, k=3)).query(QUESTION)
    assert ids(response.source_nodes) == EXPECTED
    # The mock model says what it was asked: the prompt with the evidence.
    assert "title: Colin Archer\n\nColin Archer came into the world in Larvik" in str(response)
    assert QUESTION in str(response)


def test_a_query_engine_passes_the_terms_of_a_query_on(sample: Engine) -> None:
    engine = query_engine(MultihopRetriever(sample, k=3))
    response = asyncio.run(engine.aquery(EvidenceQuery(QUESTION, k=1, where={"country": "Norway"})))
    assert len(response.source_nodes) == 1
    with pytest.raises(InvalidFilter, match="did you mean 'country'"):
        engine.query(EvidenceQuery(QUESTION, where={"contry": "Norway"}))


def test_the_index_that_was_opened_is_closed(folder: Path, closings: list[Engine]) -> None:
    retriever = MultihopRetriever(folder, k=1)
    assert ids(retriever.retrieve(QUESTION)) == EXPECTED[:1]
    retriever.close()
    assert len(closings) == 1


def test_an_agent_can_have_it_as_a_tool(sample: Engine) -> None:
    tool = RetrieverTool.from_defaults(MultihopRetriever(sample, k=3), description="Finds evidence.")
    assert "Colin Archer came into the world in Larvik" in tool.call(QUESTION).content
