"""A LangChain retriever: evidence as `Document`s, in chains and agents built with LangChain or LangGraph."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from pathlib import Path
from typing import Any, Unpack

from multihop.adapters.source import Source, answer_fields, evidence_metadata
from multihop.adapters.translation import ALIASES, FromDocuments, to_options
from multihop.answering.threads import in_thread
from multihop.engine import Engine
from multihop.errors import needs_extra
from multihop.loop import Strategy
from multihop.types import RequestOptions, Result

with needs_extra("The LangChain adapter", "langchain"):
    from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.runnables import Runnable, RunnableLambda
    from pydantic import ConfigDict, Field, PrivateAttr, model_validator


class MultihopRetriever(FromDocuments, BaseRetriever):
    """Retrieve evidence from `index`: an engine, the folder of an index, or its `postgresql://` URL.

    The options of `Engine.retrieve` apply to every question, unless overridden for one:
    `retriever.invoke(question, k=5)`, or in a chain `retriever.bind(k=5)`. `top_k` and `filter` are aliases of `k` and
    `where`, and `search_kwargs={"k": 5}` works as for vector stores; other arguments are rejected.
    """

    model_config = ConfigDict(extra="forbid", arbitrary_types_allowed=True)

    # A URL may contain a password, and the repr goes into traces.
    index: Engine | str | Path = Field(repr=False)
    k: int | None = None
    strategy: str | Strategy | None = None
    where: dict[str, Any] | None = None
    keep: dict[str, Any] | None = None
    at_most: dict[str, int] | None = None
    exclude: list[str] | None = None
    as_of: str | date | None = None
    models: bool | None = None
    lm: Any = Field(default=None, repr=False)
    _source: Source = PrivateAttr()

    @model_validator(mode="before")
    @classmethod
    def _translate(cls, given: Any) -> Any:
        if not isinstance(given, dict):
            return given
        # Before validation, so that unknown names are still rejected.
        options = {name: given[name] for name in (*RequestOptions.__annotations__, *ALIASES) if name in given}
        rest = {name: value for name, value in given.items() if name not in options and name != "search_kwargs"}
        return rest | to_options(options, given.get("search_kwargs") or {})

    @staticmethod
    def _record(document: Document) -> dict[str, Any]:
        about = document.metadata
        return {"id": document.id, "text": document.page_content, "title": about.get("title"), "metadata": about}

    def model_post_init(self, context: Any, /) -> None:
        super().model_post_init(context)
        self._source = Source(self.index, **self._options({}))

    def add_documents(self, documents: Iterable[Document]) -> list[str]:
        """Add documents to the index, replacing those whose id it has, and return their ids.

        A document without an id gets one made from its source, title and text.
        """
        return self._add(self._source.engine(), documents)

    async def aadd_documents(self, documents: Iterable[Document]) -> list[str]:
        """Async `add_documents`: runs in a thread."""
        return await in_thread(self.add_documents)(documents)

    def close(self) -> None:
        """Close the index if it was opened here."""
        self._source.close()

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,
        **given: Any,
    ) -> list[Document]:
        return _documents(self._source.ask(query, **self._options(given)))

    async def _aget_relevant_documents(
        self,
        query: str,
        *,
        run_manager: AsyncCallbackManagerForRetrieverRun,
        **given: Any,
    ) -> list[Document]:
        return _documents(await in_thread(self._source.ask)(query, **self._options(given)))

    def _options(self, given: Mapping[str, Any]) -> dict[str, Any]:
        return {name: getattr(self, name) for name in RequestOptions.__annotations__} | to_options(given)


def answer_runnable(index: Engine | str | Path, **options: Unpack[RequestOptions]) -> Runnable[str, dict[str, Any]]:
    """Create a runnable that maps a question to a dictionary with `text`, `confidence`, `sentences` and `chain`.

    `documents` are the evidence, as returned by the retriever. Takes the options of `Engine.retrieve`.
    """
    source = Source(index, **options)

    def answer(question: str) -> dict[str, Any]:
        answered = source.answer(question)
        return answer_fields(answered) | {"documents": _documents(answered.result)}

    return RunnableLambda(answer, in_thread(answer), name="multihop_answer")


def _documents(result: Result) -> list[Document]:
    return [
        Document(id=e.passage.id, page_content=e.passage.text, metadata=evidence_metadata(e, result)) for e in result
    ]
