"""The LangChain retriever, alone and in a chain with a chat model."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.documents import Document
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import Runnable, RunnableLambda, RunnablePassthrough
from langchain_core.tools import create_retriever_tool

from multihop import Engine
from multihop.adapters.langchain import MultihopRetriever
from multihop.errors import InvalidBudget, InvalidFilter, UnknownName
from multihop.strategies import BM25

from .conftest import ARCHER, EXPECTED, QUESTION


def ids(documents: Sequence[Document]) -> list[str | None]:
    return [d.id for d in documents]


def test_documents_say_why_they_are_there(sample: Engine) -> None:
    documents = MultihopRetriever(index=sample, k=3).invoke(QUESTION)
    assert ids(documents) == EXPECTED
    archer = documents[2]
    assert archer.page_content.startswith("Colin Archer came into the world in Larvik")
    assert ARCHER.items() <= archer.metadata.items()
    evidence = sample.retrieve(QUESTION, k=3).evidence[2]
    assert archer.metadata["score"] == round(evidence.score, 6)
    assert archer.metadata["scores"].keys() == evidence.scores.keys()


def test_terms_of_the_instance_and_of_a_call(sample: Engine) -> None:
    retriever = MultihopRetriever(index=sample, k=2, strategy=BM25, where={"country": "Norway"})
    held = retriever.invoke(QUESTION)
    assert ids(held) == [
        e.passage.id for e in sample.retrieve(QUESTION, k=2, strategy="bm25", where={"country": "Norway"})
    ]
    assert {d.metadata["country"] for d in held} == {"Norway"}
    given = retriever.invoke(QUESTION, k=3, strategy="auto", where={})
    assert ids(given) == EXPECTED
    assert ids(retriever.bind(k=1).invoke(QUESTION)) == ids(held)[:1]


def test_async_and_batch_give_the_same(folder: Path) -> None:
    retriever = MultihopRetriever(index=folder, k=3)

    async def ask() -> tuple[list[Document], list[list[Document]]]:
        return await retriever.ainvoke(QUESTION), await retriever.abatch([QUESTION, "Fram"], k=1)

    one, many = asyncio.run(ask())
    assert ids(one) == EXPECTED
    assert [len(each) for each in many] == [1, 1]
    assert [ids(each) for each in retriever.batch([QUESTION, QUESTION])] == [EXPECTED, EXPECTED]
    retriever.close()


def test_the_index_that_was_opened_is_closed(folder: Path, closings: list[Engine]) -> None:
    retriever = MultihopRetriever(index=str(folder), k=1)
    retriever.invoke(QUESTION)
    retriever.close()
    assert len(closings) == 1


def chain(retriever: MultihopRetriever, seen: list[str]) -> Runnable[str, str]:
    """A usual chain: evidence into a prompt, the prompt to a chat model, its answer as a text."""

    def joined(documents: list[Document]) -> str:
        return "\n\n".join(f"{d.metadata['title']}: {d.page_content} ({d.metadata['reason']})" for d in documents)

    def note(prompt: Any) -> Any:
        seen.append(prompt.to_string())
        return prompt

    model = GenericFakeChatModel(messages=iter([AIMessage("Colin Archer [3]")]))
    template = ChatPromptTemplate.from_template("Evidence:\n{evidence}\n\nQuestion: {question}")
    inputs = {"evidence": retriever | joined, "question": RunnablePassthrough()}
    return inputs | template | RunnableLambda(note) | model | StrOutputParser()


def test_a_chain_answers_from_the_evidence(sample: Engine) -> None:
    seen: list[str] = []
    assert chain(MultihopRetriever(index=sample, k=3), seen).invoke(QUESTION) == "Colin Archer [3]"
    (prompt,) = seen
    assert "Colin Archer: Colin Archer came into the world in Larvik" in prompt
    assert "(linked from “Fram (ship)”; speaks of what “Fram (ship)” mentions)" in prompt


def test_a_chain_answers_asynchronously(sample: Engine) -> None:
    seen: list[str] = []
    answer = asyncio.run(chain(MultihopRetriever(index=sample, k=3), seen).ainvoke(QUESTION))
    assert answer == "Colin Archer [3]"
    assert "came into the world in Larvik" in seen[0]


def test_an_agent_can_have_it_as_a_tool(sample: Engine) -> None:
    tool = create_retriever_tool(MultihopRetriever(index=sample, k=3), "evidence", "Finds evidence.")
    assert "Colin Archer came into the world in Larvik" in tool.invoke({"query": QUESTION})


class Listener(BaseCallbackHandler):
    def __init__(self) -> None:
        self.heard: list[Any] = []

    def on_retriever_end(self, documents: Sequence[Document], **_: Any) -> None:
        self.heard.append(ids(documents))

    def on_retriever_error(self, error: BaseException, **_: Any) -> None:
        self.heard.append(error)


def test_callbacks_hear_of_evidence_and_of_mistakes(sample: Engine) -> None:
    listener = Listener()
    retriever = MultihopRetriever(index=sample, k=3)
    retriever.invoke(QUESTION, config={"callbacks": [listener]})
    with pytest.raises(InvalidBudget, match="whole number from 1 to 1000; got 0"):
        retriever.invoke(QUESTION, config={"callbacks": [listener]}, k=0)
    assert listener.heard[0] == EXPECTED
    assert isinstance(listener.heard[1], InvalidBudget)


def test_mistakes_are_the_engines(sample: Engine) -> None:
    retriever = MultihopRetriever(index=sample)
    with pytest.raises(InvalidFilter, match="did you mean 'country'"):
        retriever.invoke(QUESTION, where={"contry": "Norway"})
    with pytest.raises(UnknownName, match="did you mean 'auto'"):
        asyncio.run(retriever.ainvoke(QUESTION, strategy="autp"))
