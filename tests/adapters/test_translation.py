"""Filters, names of options and documents of other frameworks."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import haystack
import pytest
from langchain_core.documents import Document as LangChainDocument
from llama_index.core.schema import TextNode
from llama_index.core.vector_stores import FilterCondition, FilterOperator, MetadataFilter, MetadataFilters

from multihop import Engine
from multihop.adapters import (
    dspy as ours_dspy,
    haystack as ours_haystack,
    langchain as ours_langchain,
    llamaindex as ours_llamaindex,
)
from multihop.adapters.translation import to_where
from multihop.errors import InvalidFilter, InvalidInput, InvalidRecord, UnknownName
from multihop.types import RequestOptions

from .conftest import EXPECTED, QUESTION

HAYSTACK = {
    "operator": "AND",
    "conditions": [
        {"field": "meta.country", "operator": "==", "value": "Norway"},
        {"operator": "OR", "conditions": [{"field": "meta.year", "operator": ">=", "value": 1850},
                                          {"field": "meta.kind", "operator": "not in", "value": ["person"]}]},
    ],
}  # fmt: skip


def test_filters_of_haystack() -> None:
    assert to_where(HAYSTACK) == {
        "$and": [{"country": "Norway"}, {"$or": [{"year": {"gte": 1850}}, {"kind": {"not": ["person"]}}]}]
    }
    assert to_where({"country": "Norway"}) == {"country": "Norway"}
    assert to_where(None) is None


def test_filters_of_llama_index() -> None:
    filters = MetadataFilters(
        filters=[
            MetadataFilter(key="country", value="Norway"),
            MetadataFilter(key="kind", value=["work"], operator=FilterOperator.NIN),
        ],
        condition=FilterCondition.OR,
    )
    assert to_where(filters) == {"$or": [{"country": "Norway"}, {"kind": {"not": ["work"]}}]}


@pytest.mark.parametrize(
    ("filters", "said"),
    [
        ({"field": "x", "operator": "like", "value": 1}, "unknown operator 'like' for the field 'x'"),
        ({"operator": "XOR", "conditions": [{"a": 1}]}, "unknown operator 'XOR'"),
        ({"operator": "AND", "conditions": []}, "no conditions"),
        ("country", "a filter is a mapping"),
    ],
)
def test_filters_that_mean_nothing(filters: Any, said: str) -> None:
    with pytest.raises(InvalidFilter, match=said):
        to_where(filters)


def test_options_by_their_names(sample: Engine) -> None:
    theirs: dict[str, Any] = {"search_kwargs": {"k": 3}}
    chain = ours_langchain.MultihopRetriever(index=sample, **theirs)
    assert [d.id for d in chain.invoke(QUESTION)] == EXPECTED
    assert len(chain.invoke(QUESTION, top_k=1)) == 1
    assert {d.metadata["country"] for d in chain.invoke(QUESTION, filter={"country": "Norway"})} == {"Norway"}
    llama = ours_llamaindex.MultihopRetriever(sample, similarity_top_k=3)
    assert [n.node.node_id for n in llama.retrieve(QUESTION)] == EXPECTED
    component = ours_haystack.MultihopRetriever(sample, top_k=3)
    assert [d.id for d in component.run(QUESTION)["documents"]] == EXPECTED
    found = component.run(QUESTION, top_k=2, filters=HAYSTACK)["documents"]
    assert {d.meta["country"] for d in found} == {"Norway"}


def test_every_option_of_a_question_is_an_option_of_every_adapter(sample: Engine) -> None:
    given: Any = {
        "k": 3, "strategy": "auto", "where": {"year": {"gte": 1500}}, "keep": {"kind": ["person", "work"]},
        "at_most": {"kind": 2}, "exclude": ["colin-archer"], "as_of": "any", "models": False, "lm": False,
    }  # fmt: skip
    assert set(given) == set(RequestOptions.__annotations__)
    expected = [e.passage.id for e in sample.retrieve(QUESTION, **given)]
    assert expected != EXPECTED
    chain = ours_langchain.MultihopRetriever
    llama = ours_llamaindex.MultihopRetriever
    component = ours_haystack.MultihopRetriever
    pipeline = haystack.Pipeline()
    pipeline.add_component("retriever", component(sample))
    query = ours_llamaindex.EvidenceQuery(QUESTION, **given)
    of_a_question = [
        [d.id for d in chain(index=sample).invoke(QUESTION, **given)],
        [n.node.node_id for n in llama(sample).retrieve(query)],
        [d.id for d in pipeline.run({"retriever": {"query": QUESTION, **given}})["retriever"]["documents"]],
        [p.pid for p in ours_dspy.MultihopRM(sample)(QUESTION, **given)],
    ]
    of_every_question = [
        [d.id for d in chain(index=sample, **given).invoke(QUESTION)],
        [n.node.node_id for n in llama(sample, **given).retrieve(QUESTION)],
        [d.id for d in component.from_dict(component(sample, **given).to_dict()).run(QUESTION)["documents"]],
        [p.pid for p in ours_dspy.MultihopRM(sample, **given)(QUESTION)],
    ]
    assert of_a_question + of_every_question == [expected] * 8
    tool = ours_dspy.evidence_tool(sample, exclude=["colin-archer"])
    assert "colin-archer#0" not in tool(question=QUESTION)


@pytest.mark.parametrize("given", [{"k": 0}, {"as_of": "soon"}, {"at_most": {"kind": 0}}])
def test_invalid_options_are_refused_before_the_first_question(sample: Engine, given: dict[str, Any]) -> None:
    for adapter in (ours_langchain, ours_llamaindex, ours_haystack):
        # LangChain wraps it in one of its own.
        with pytest.raises(ValueError, match=next(iter(given))):
            adapter.MultihopRetriever(index=sample, **given)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"topk": 3}, "topk"),
        ({"search_kwargs": {"fetch_k": 20}}, "unknown argument 'fetch_k'"),
        ({"search_type": "mmr"}, "search_type"),
        ({"k": 3, "top_k": 4}, "k was given twice, as 3 and 4; give one of them"),
    ],
)
def test_unknown_arguments_are_refused(sample: Engine, given: dict[str, Any], said: str) -> None:
    with pytest.raises((InvalidInput, UnknownName, ValueError), match=said):
        ours_langchain.MultihopRetriever(index=sample, **given)
    with pytest.raises(InvalidInput, match="unknown argument 'limit'"):
        ours_langchain.MultihopRetriever(index=sample).invoke(QUESTION, limit=3)


def test_an_index_of_their_documents(tmp_path: Path) -> None:
    texts = {"Fram": "Colin Archer built the Fram.", "Colin Archer": "Colin Archer was born in Larvik."}
    chain = ours_langchain.MultihopRetriever.from_documents(
        [LangChainDocument(page_content=text, metadata={"title": title}) for title, text in texts.items()],
        tmp_path / "a.mh",
        k=1,
    )
    assert chain.invoke("Where was Colin Archer born?")[0].metadata["title"] == "Colin Archer"
    nodes = [TextNode(text=text, metadata={"title": title}) for title, text in texts.items()]
    found = ours_llamaindex.MultihopRetriever.from_documents(nodes, tmp_path / "b.mh").retrieve("Who built the Fram?")
    assert {n.node.metadata["title"] for n in found} == set(texts)
    documents = [haystack.Document(content=text, meta={"title": title}) for title, text in texts.items()]
    made = ours_haystack.MultihopRetriever.from_documents(documents, tmp_path / "c.mh", top_k=1)
    assert len(made.run("Who built the Fram?")["documents"]) == 1


def test_their_documents_are_added_to_an_index(tmp_path: Path) -> None:
    with Engine.open(tmp_path / "a.mh", create=True) as engine:
        chain = ours_langchain.MultihopRetriever(index=engine, k=1)
        added = chain.add_documents([LangChainDocument(id="fram", page_content="Colin Archer built the Fram.")])
        assert added == ["fram"]
        named = LangChainDocument(page_content="Larvik is a town.", metadata={"title": "Larvik"})
        (larvik,) = asyncio.run(chain.aadd_documents([named]))
        assert chain.invoke("Who built the Fram?")[0].metadata["document_id"] == "fram"
        nodes = ours_llamaindex.MultihopRetriever(engine, k=1)
        nodes.insert(TextNode(id_="fram", text="Colin Archer built the Fram in Larvik."))
        nodes.insert_nodes([TextNode(id_="gjoa", text="Amundsen sailed the sloop Gjøa.")])
        assert nodes.retrieve("Who sailed the Gjøa?")[0].node.metadata["document_id"] == "gjoa"
        assert [document.id for document in engine.documents()] == [larvik, "fram", "gjoa"]


def test_documents_without_an_id_replace_only_themselves(tmp_path: Path) -> None:
    def document(text: str, source: str = "a.pdf", **more: str) -> LangChainDocument:
        return LangChainDocument(page_content=text, metadata={"source": source, **more})

    first = [document("Alpha"), document("Beta"), document("Alpha")]
    chain = ours_langchain.MultihopRetriever.from_documents(first, tmp_path / "a.mh")
    added = [
        *chain.add_documents([document("Gamma", "b.pdf")]),
        *chain.add_documents([document("Alpha", "b.pdf")]),
        *chain.add_documents([document("Delta", title="A file")]),
        *chain.add_documents([document("Epsilon", title="A file")]),
    ]
    again = chain.add_documents(first)
    chain.close()
    assert len({*added, *again}) == 7
    with Engine.open(tmp_path / "a.mh") as engine:
        assert sorted(each.id for each in engine.documents()) == sorted([*added, *again])


def test_an_empty_document_is_named(sample: Engine, tmp_path: Path) -> None:
    full = LangChainDocument(page_content="Alpha")
    chain = ours_langchain.MultihopRetriever(index=sample)
    empty = LangChainDocument(page_content=" \x00", metadata={"source": "b.pdf"})
    said = r"^document 2 \(source 'b\.pdf'\): the text is empty; empty documents can be left out$"
    with pytest.raises(InvalidRecord, match=said):
        chain.add_documents([full, empty])
    with pytest.raises(InvalidRecord, match=r"^document 2: the text is empty"):
        chain.add_documents([full, LangChainDocument(page_content="")])
    with pytest.raises(InvalidRecord, match=r"^document 1 \(id 'x'\): the text is empty"):
        ours_llamaindex.MultihopRetriever(sample).insert(TextNode(id_="x", text=""))
    with pytest.raises(InvalidRecord, match=r"^document 1 \(id 'y'\): the text is empty"):
        ours_haystack.MultihopRetriever.from_documents([haystack.Document(id="y", content=None)], tmp_path)
