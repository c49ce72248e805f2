"""Haystack components: evidence as `Document`s, in pipelines that can be serialized to YAML."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any, Self, Unpack

from multihop.adapters.source import (
    IndexAdapter,
    answer_fields,
    evidence_metadata,
    strategy_name,
)
from multihop.adapters.translation import FromDocuments, to_options
from multihop.answering.threads import in_thread
from multihop.engine import Engine
from multihop.errors import InvalidInput, needs_extra
from multihop.loop import Strategy
from multihop.types import Answer, RequestOptions, Result, plain

with needs_extra("The Haystack adapter", "haystack"):
    from haystack import Document, ExtractedAnswer, component, default_from_dict, default_to_dict
    from haystack.utils import Secret, deserialize_secrets_inplace


# Concrete types: Haystack connects an output only to an input of its type.
_INPUTS: dict[str, Any] = {
    "k": int | None, "top_k": int | None, "strategy": str | Strategy | None, "where": dict[str, Any] | None,
    "filters": dict[str, Any] | None, "keep": dict[str, Any] | None, "at_most": dict[str, int] | None,
    "exclude": list[str] | None, "as_of": str | date | None, "models": bool | None, "lm": Any,
}  # fmt: skip


class _IndexComponent(IndexAdapter):
    """Base of both components: opens and closes an index, and serializes."""

    def __init__(
        self,
        index: Engine | str | Path | Secret,
        *,
        top_k: int | None = None,
        filters: dict[str, Any] | None = None,
        **options: Unpack[RequestOptions],
    ) -> None:
        # Kept as a secret, so that only its name is serialized.
        self._secret = index if isinstance(index, Secret) else None
        given: Any = to_options({"top_k": top_k, "filters": filters}, options)
        super().__init__(_resolve(index) if isinstance(index, Secret) else index, **given)
        for name, kind in _INPUTS.items():
            component.set_input_type(self, name, kind, None)  # type: ignore[arg-type]  # both have a run

    def warm_up(self) -> None:
        """Open the index before the first question."""
        self._source.engine()

    def to_dict(self) -> dict[str, Any]:
        """Serialize the component."""
        options = dict(self._source.options)
        if "strategy" in options:
            options["strategy"] = strategy_name(options["strategy"])
        index = self._source.path if self._secret is None else self._secret.to_dict()
        return default_to_dict(self, index=index, **plain(options))

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Deserialize the component."""
        # A secret is serialized as a dictionary, a folder or a URL as a string.
        if isinstance(data["init_parameters"]["index"], dict):
            deserialize_secrets_inplace(data["init_parameters"], ["index"])
        return default_from_dict(cls, data)


@component
class MultihopRetriever(_IndexComponent, FromDocuments):
    """Retrieve evidence from `index`: an engine, the folder of an index, or its `postgresql://` URL.

    Give a URL with a password as a Haystack `Secret`, preferably `Secret.from_env_var("…")`: only the name of the
    variable is serialized. The options of `Engine.retrieve` apply to every question, unless given as inputs of the
    component. `top_k` and `filters` are aliases of `k` and `where`; Haystack filters are supported. A serialized
    pipeline needs a named strategy.
    """

    @component.output_types(documents=list[Document])
    def run(self, query: str, **options: Any) -> dict[str, list[Document]]:
        """Retrieve the evidence for a question."""
        return {"documents": _documents(self._source.ask(query, **options))}

    run_async = in_thread(run)

    @staticmethod
    def _record(document: Document) -> dict[str, Any]:
        meta = document.meta
        return {"id": document.id, "text": document.content, "title": meta.get("title"), "metadata": meta}


@component
class MultihopAnswerer(_IndexComponent):
    """Answer questions from `index` without a language model, with sentences from the evidence.

    `answers` are the sentences, best first, with their confidence as the score; `reply` is the short answer; `details`
    are the sentences, the chain and the parts of a claim as plain values. Takes the options of the retriever.
    """

    @component.output_types(reply=str, answers=list[ExtractedAnswer], documents=list[Document], details=dict[str, Any])
    def run(self, query: str, **options: Any) -> dict[str, Any]:
        """Answer a question."""
        return _output(self._source.answer(query, **options))

    run_async = in_thread(run)


def _output(found: Answer) -> dict[str, Any]:
    documents = _documents(found.result)
    by_id = {document.id: document for document in documents}
    answers = [
        ExtractedAnswer(
            query=found.question,
            score=s.confidence,
            data=s.answer.text if s.answer else s.quote.text,
            document=by_id[s.quote.passage_id],
            context=s.quote.text,
            document_offset=ExtractedAnswer.Span(s.quote.start, s.quote.end),
        )
        for s in found.sentences
    ]
    return {"reply": found.text, "answers": answers, "documents": documents, "details": answer_fields(found)}


def _resolve(secret: Secret) -> str:
    address = secret.resolve_value()
    if not isinstance(address, str):
        raise InvalidInput("the secret must be the URL of an index, such as postgresql://…")
    return address


def _documents(result: Result) -> list[Document]:
    metas = [(e.passage, evidence_metadata(e, result)) for e in result]
    # A Haystack document has its own score; a second one would clash when flattened.
    return [Document(id=p.id, content=p.text, score=meta.pop("score"), meta=meta) for p, meta in metas]
