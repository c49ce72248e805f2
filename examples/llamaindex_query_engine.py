"""A LlamaIndex query engine over evidence that spans several documents."""

from __future__ import annotations

import tempfile

from llama_index.core import get_response_synthesizer
from llama_index.core.base.response.schema import RESPONSE_TYPE
from llama_index.core.llms import MockLLM
from llama_index.core.query_engine import RetrieverQueryEngine

from multihop import Engine
from multihop.adapters.llamaindex import EvidenceQuery, MultihopRetriever
from multihop.testing import sample_documents

# Any LlamaIndex LLM goes here; this one repeats what it was asked.
LLM = MockLLM()


def show(response: RESPONSE_TYPE) -> None:
    print(f"the model read {len(str(response))} characters:")
    for source in response.source_nodes:
        told = source.metadata
        print(f"  {told['rank']}. {told['title']} ({source.node.ref_doc_id}), hop {told['hop']}: {told['reason']}")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, Engine.open(f"{folder}/sample.mh", create=True) as engine:
        engine.add(sample_documents())
        retriever = MultihopRetriever(engine, k=3)
        asking = RetrieverQueryEngine(retriever, response_synthesizer=get_response_synthesizer(llm=LLM))
        show(asking.query("Who drew the ship that Amundsen borrowed?"))
        # The same engine, a question with terms of its own: a larger budget, one country, another strategy.
        query = EvidenceQuery("Who went into the ice?", k=4, strategy="aspects", where={"country": "Norway"})
        show(asking.query(query))


if __name__ == "__main__":
    main()
