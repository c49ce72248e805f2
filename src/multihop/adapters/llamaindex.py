"""A LlamaIndex retriever: evidence as nodes with scores, in query engines, chat engines and agents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, Unpack

from multihop.adapters.source import Source, answer_fields, evidence_metadata
from multihop.adapters.translation import FromDocuments
from multihop.answering.threads import in_thread
from multihop.engine import Engine
from multihop.errors import needs_extra
from multihop.loop import Strategy
from multihop.types import Answer, Evidence, RequestOptions, Result, Where

with needs_extra("The LlamaIndex adapter", "llama-index"):
    from llama_index.core.base.base_query_engine import BaseQueryEngine
    from llama_index.core.base.response.schema import Response
    from llama_index.core.callbacks import CallbackManager
    from llama_index.core.retrievers import BaseRetriever
    from llama_index.core.schema import (
        BaseNode,
        NodeRelationship,
        NodeWithScore,
        QueryBundle,
        RelatedNodeInfo,
        TextNode,
    )

_SHOWN = ("title", "heading", "page")
"""The metadata that a language model reads with the text; the rest is for programs."""


@dataclass
class EvidenceQuery(QueryBundle):
    """A question with its own options; can be used wherever LlamaIndex takes a query."""

    k: int | None = None
    strategy: str | Strategy | None = None
    where: Where | None = None
    keep: Where | None = None
    at_most: Mapping[str, int] | None = None
    exclude: Sequence[str] | None = None
    as_of: str | date | None = None
    models: bool | None = None
    lm: Any = None


class MultihopRetriever(FromDocuments, BaseRetriever):
    """Retrieve evidence from `index`: an engine, the folder of an index, or its `postgresql://` URL.

    The options of `Engine.retrieve` apply to every question, unless overridden with an `EvidenceQuery`.
    `similarity_top_k` and `filters` (a `MetadataFilters`) are aliases of `k` and `where`.
    """

    def __init__(
        self,
        index: Engine | str | Path,
        *,
        similarity_top_k: int | None = None,
        filters: Any = None,
        callback_manager: CallbackManager | None = None,
        verbose: bool = False,
        **options: Unpack[RequestOptions],
    ) -> None:
        super().__init__(callback_manager=callback_manager, verbose=verbose)
        self._source = Source(index, similarity_top_k=similarity_top_k, filters=filters, **options)

    @staticmethod
    def _record(document: BaseNode) -> dict[str, Any]:
        about = document.metadata
        return {"id": document.node_id, "text": document.get_content(), "title": about.get("title"), "metadata": about}

    def insert(self, document: BaseNode) -> None:
        """Add a document or node to the index, replacing the one whose id it has."""
        self.insert_nodes([document])

    def insert_nodes(self, nodes: Iterable[BaseNode]) -> None:
        """Add documents or nodes to the index, replacing those whose id it has."""
        self._add(self._source.engine(), nodes)

    def close(self) -> None:
        """Close the index if it was opened here."""
        self._source.close()

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return _nodes(self._source.ask(query_bundle.query_str, **_options_of(query_bundle)))

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return await in_thread(self._retrieve)(query_bundle)


class MultihopQueryEngine(BaseQueryEngine):
    """Answer questions from `index` without a language model, with sentences from the evidence.

    The response is the answer, or "Not sure." and the closest sentence. Its source nodes are the evidence, and its
    metadata holds the sentences with their confidence and the chain. Takes the options of the retriever.
    """

    def __init__(
        self,
        index: Engine | str | Path,
        *,
        callback_manager: CallbackManager | None = None,
        **options: Unpack[RequestOptions],
    ) -> None:
        super().__init__(callback_manager=callback_manager)
        self._source = Source(index, **options)

    def close(self) -> None:
        """Close the index if it was opened here."""
        self._source.close()

    # No language model is used, so there are no prompts.
    def _get_prompt_modules(self) -> dict[str, Any]:
        return {}

    def _query(self, query_bundle: QueryBundle) -> Response:
        answer = self._source.answer(query_bundle.query_str, **_options_of(query_bundle))
        return Response(answer.text or _not_sure(answer), _nodes(answer.result), answer_fields(answer))

    async def _aquery(self, query_bundle: QueryBundle) -> Response:
        return await in_thread(self._query)(query_bundle)


def _not_sure(answer: Answer) -> str:
    if not answer.sentences:
        return "Not sure."
    return f"Not sure. The closest sentence is: {answer.sentences[0].quote.text}"


def _options_of(query: QueryBundle) -> dict[str, Any]:
    given = isinstance(query, EvidenceQuery)
    return {name: getattr(query, name) for name in RequestOptions.__annotations__} if given else {}


def _nodes(result: Result) -> list[NodeWithScore]:
    return [NodeWithScore(node=_node(e, result), score=e.score) for e in result]


def _node(evidence: Evidence, result: Result) -> TextNode:
    metadata = evidence_metadata(evidence, result)
    hidden = [field for field in metadata if field not in _SHOWN or not metadata[field]]
    return TextNode(
        id_=evidence.passage.id,
        text=evidence.passage.text,
        metadata=metadata,
        excluded_llm_metadata_keys=hidden,
        excluded_embed_metadata_keys=hidden,
        # Tells LlamaIndex which nodes belong to one document.
        relationships={NodeRelationship.SOURCE: RelatedNodeInfo(node_id=evidence.passage.document_id)},
    )
