"""Answer questions with LangChain from evidence that spans several documents, and name the sources."""

from __future__ import annotations

import asyncio
import tempfile
from typing import Any

from langchain_core.documents import Document
from langchain_core.language_models import FakeListChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import Runnable, RunnableLambda, RunnableParallel, RunnablePassthrough

from multihop import Engine
from multihop.adapters.langchain import MultihopRetriever
from multihop.testing import sample_documents

PROMPT = ChatPromptTemplate.from_template(
    "Answer from the evidence only, with the numbers of the passages you used.\n\n{evidence}\n\nQuestion: {question}"
)
# Any chat model goes here, such as langchain_openai.ChatOpenAI(model="…").
MODEL = FakeListChatModel(responses=["Larvik [3]"])


def numbered(documents: list[Document]) -> str:
    return "\n\n".join(f"[{d.metadata['rank']}] {d.metadata['title']}: {d.page_content}" for d in documents)


def with_evidence(given: dict[str, Any]) -> dict[str, Any]:
    return {**given, "evidence": numbered(given["sources"])}


def chain(retriever: MultihopRetriever) -> Runnable[str, dict[str, Any]]:
    """Retrieve, answer, and hand the sources on beside the answer."""
    answer = RunnableLambda(with_evidence) | PROMPT | MODEL | StrOutputParser()
    return RunnableParallel(sources=retriever, question=RunnablePassthrough()) | RunnablePassthrough.assign(
        answer=answer
    )


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, Engine.open(f"{folder}/sample.mh", create=True) as engine:
        engine.add(sample_documents())
        retriever = MultihopRetriever(index=engine, k=3)
        said = chain(retriever).invoke("In which town was the man born who drew the ship that Amundsen borrowed?")
        print("answer:", said["answer"])
        for source in said["sources"]:
            told = source.metadata
            print(f"  [{told['rank']}] {source.id}, hop {told['hop']}: {told['reason']}")

        # Many questions at once, to documents on one country only.
        norwegian = retriever.bind(where={"country": "Norway"}, k=2)
        questions = ["Who reached the South Pole first?", "Who drifted across the Arctic Ocean?"]
        for asked, found in zip(questions, asyncio.run(norwegian.abatch(questions)), strict=True):
            print(f"{asked} see {', '.join(d.metadata['title'] for d in found)}")


if __name__ == "__main__":
    main()
