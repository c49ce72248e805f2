"""The Haystack component, alone and in pipelines that are written down, read again and run."""

from __future__ import annotations

import asyncio
import dataclasses
from pathlib import Path
from typing import Any

import haystack.telemetry._telemetry
import pytest
from haystack import Document, Pipeline, component
from haystack.components.builders import PromptBuilder

from multihop import Engine
from multihop.adapters.haystack import MultihopRetriever
from multihop.errors import IndexNotFound, InvalidInput
from multihop.strategies import AUTO, BM25

from .conftest import ARCHER, EXPECTED, QUESTION

TEMPLATE = """
{%- for d in documents %}
[{{ d.meta.rank }}] {{ d.meta.title }}: {{ d.content }} ({{ d.meta.reason }})
{%- endfor %}
Question: {{ question }}"""


def pipeline(retriever: MultihopRetriever) -> Pipeline:
    made = Pipeline()
    made.add_component("retriever", retriever)
    made.add_component("prompt", PromptBuilder(TEMPLATE, required_variables=["documents", "question"]))
    made.connect("retriever.documents", "prompt.documents")
    return made


def ids(documents: list[Document]) -> list[str]:
    return [d.id for d in documents]


def test_nothing_is_reported_from_here() -> None:
    assert haystack.telemetry._telemetry.telemetry is None


def test_documents_say_why_they_are_there(sample: Engine) -> None:
    documents = MultihopRetriever(sample, k=3).run(QUESTION)["documents"]
    assert ids(documents) == EXPECTED
    assert [d.score for d in documents] == [round(e.score, 6) for e in sample.retrieve(QUESTION, k=3)]
    archer = documents[2]
    assert archer.content is not None
    assert archer.content.startswith("Colin Archer came into the world in Larvik")
    assert ARCHER.items() <= archer.meta.items()
    assert Document.from_dict(archer.to_dict()) == archer


def test_a_written_pipeline_runs_when_it_is_read_again(folder: Path) -> None:
    written = pipeline(MultihopRetriever(folder, k=2, strategy=AUTO, where={"year": {"gte": 1500}})).dumps()
    read = Pipeline.loads(written, allowed_modules=["multihop"])
    assert read.dumps() == written
    held = read.run({"retriever": {"query": QUESTION}, "prompt": {"question": QUESTION}})["prompt"]["prompt"]
    assert held.count("\n[") == 2
    given = read.run(
        {
            "retriever": {"query": QUESTION, "k": 3, "strategy": "auto", "where": {}},
            "prompt": {"question": QUESTION},
        }
    )["prompt"]["prompt"]
    assert "[3] Colin Archer: Colin Archer came into the world in Larvik" in given
    assert "(linked from “Fram (ship)”; speaks of what “Fram (ship)” mentions)" in given
    assert given.endswith(f"Question: {QUESTION}")
    retriever = read.get_component("retriever")
    assert isinstance(retriever, MultihopRetriever)
    retriever.close()


def test_what_is_written_down(folder: Path, sample: Engine) -> None:
    retriever = MultihopRetriever(sample, k=4, strategy=BM25, where={"country": ("Norway", "Italy")})
    written = retriever.to_dict()
    assert written == {
        "type": "multihop.adapters.haystack.MultihopRetriever",
        "init_parameters": {
            "index": str(folder), "k": 4, "strategy": "bm25", "where": {"country": ["Norway", "Italy"]}
        },
    }  # fmt: skip
    again = MultihopRetriever.from_dict(written)
    assert again.to_dict() == written
    assert ids(again.run(QUESTION)["documents"]) == ids(retriever.run(QUESTION)["documents"])
    again.close()


def test_options_come_from_other_components(sample: Engine) -> None:
    @component
    class Options:
        @component.output_types(k=int, where=dict[str, Any], exclude=list[str])
        def run(self, k: int) -> dict[str, Any]:
            return {"k": k, "where": {"kind": "person"}, "exclude": ["colin-archer"]}

    made = Pipeline()
    made.add_component("options", Options())
    made.add_component("retriever", MultihopRetriever(sample))
    for name in ("k", "where", "exclude"):
        made.connect(f"options.{name}", f"retriever.{name}")
    found = made.run({"options": {"k": 2}, "retriever": {"query": QUESTION}})["retriever"]["documents"]
    expected = sample.retrieve(QUESTION, k=2, where={"kind": "person"}, exclude=["colin-archer"])
    assert ids(found) == [e.passage.id for e in expected]


def test_a_strategy_without_a_name_cannot_be_written_down(sample: Engine) -> None:
    mine = dataclasses.replace(AUTO, stop=BM25.stop)
    retriever = MultihopRetriever(sample, k=2, strategy=mine)
    assert len(retriever.run(QUESTION)["documents"]) == 2
    with pytest.raises(InvalidInput, match="cannot be saved"):
        retriever.to_dict()


def test_async_gives_the_same(sample: Engine) -> None:
    async def ask() -> tuple[list[Document], str]:
        alone = await MultihopRetriever(sample, k=3).run_async(QUESTION)
        made = pipeline(MultihopRetriever(sample, k=21))
        inputs = {"retriever": {"query": QUESTION, "k": 3}, "prompt": {"question": QUESTION}}
        return alone["documents"], (await made.run_async(inputs))["prompt"]["prompt"]

    documents, prompt = asyncio.run(ask())
    assert ids(documents) == EXPECTED
    assert "[3] Colin Archer" in prompt
    assert "[4]" not in prompt


def test_warming_up_opens_and_closing_closes(folder: Path, tmp_path: Path, closings: list[Engine]) -> None:
    retriever = MultihopRetriever(folder)
    made = pipeline(retriever)
    made.warm_up()
    made.warm_up()
    retriever.close()
    assert len(closings) == 1
    with pytest.raises(IndexNotFound, match=r"none\.mh"):
        MultihopRetriever(tmp_path / "none.mh").warm_up()
