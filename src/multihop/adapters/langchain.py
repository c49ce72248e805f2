"""A LangChain retriever: evidence as `Document`s, in chains and agents built with LangChain or LangGraph."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from multihop.adapters.source import STRATEGY, K, Options, Source, described
from multihop.engine import Engine
from multihop.errors import MissingExtra
from multihop.loop import Strategy
from multihop.types import Evidence, Result

try:
    from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever
    from pydantic import Field, PrivateAttr
except ImportError as error:
    raise MissingExtra("The LangChain adapter", "langchain") from error


class MultihopRetriever(BaseRetriever):
    """Retrieve evidence from `index`, an engine, the folder of an index or the `postgresql://` address of one.

    `k`, `strategy` and `where` hold for every question, or are given with one: `retriever.invoke(question, k=5)`, in a
    chain `retriever.bind(k=5)`.
    """

    # An address may hold a password, and what stands in the repr goes into traces.
    index: Engine | str | Path = Field(repr=False)
    k: int = K
    strategy: str | Strategy = STRATEGY
    where: dict[str, Any] | None = None
    _source: Source = PrivateAttr()

    def model_post_init(self, context: Any, /) -> None:
        super().model_post_init(context)
        self._source = Source(self.index)

    def close(self) -> None:
        """Close the index if it was opened here."""
        self._source.close()

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,
        k: int | None = None,
        strategy: str | Strategy | None = None,
        where: dict[str, Any] | None = None,
    ) -> list[Document]:
        return _documents(self._source.ask(query, self._options().but(k=k, strategy=strategy, where=where)))

    async def _aget_relevant_documents(
        self,
        query: str,
        *,
        run_manager: AsyncCallbackManagerForRetrieverRun,
        k: int | None = None,
        strategy: str | Strategy | None = None,
        where: dict[str, Any] | None = None,
    ) -> list[Document]:
        return _documents(await self._source.ask_async(query, self._options().but(k=k, strategy=strategy, where=where)))

    def _options(self) -> Options:
        return Options(self.k, self.strategy, self.where)


def _documents(result: Result) -> list[Document]:
    return [_document(e, result) for e in result]


def _document(evidence: Evidence, result: Result) -> Document:
    return Document(id=evidence.passage.id, page_content=evidence.passage.text, metadata=described(evidence, result))
