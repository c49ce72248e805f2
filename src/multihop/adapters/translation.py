"""Translation from other frameworks: filters, option names, documents."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Self

from multihop.engine import Engine
from multihop.errors import InvalidFilter, InvalidInput, InvalidRecord, suggestion
from multihop.index.readers.record import FreshIds, clean, to_document
from multihop.protocols import Embedder
from multihop.types import Document, RequestOptions, Where

_OPERATORS = {
    ">": "gt", ">=": "gte", "<": "lt", "<=": "lte", "!=": "not", "not in": "not", "nin": "not",
    "contains": "contains", "text_match": "contains", "text_match_insensitive": "contains",
}  # fmt: skip
_EQUAL = ("==", "=", "eq", "in")
_CONNECTIVES = {"and": "$and", "or": "$or", "not": "$not"}
ALIASES = {"top_k": "k", "similarity_top_k": "k", "filter": "where", "filters": "where"}


def to_where(filters: Any) -> Where | None:
    """Convert a Haystack or LlamaIndex filter to ours; our own filters are returned unchanged.

    Haystack: {"operator": "AND", "conditions": [{"field": "meta.year", "operator": ">=", "value": 1990}]}. LlamaIndex:
    a `MetadataFilters`, whose parts have a key, an operator and a value.
    """
    if filters is None:
        return None
    # Recognized by shape, because the framework need not be installed.
    if hasattr(filters, "filters") and hasattr(filters, "condition"):
        joined = str(getattr(filters.condition, "value", filters.condition) or "and")
        return _join(joined, [to_where(each) for each in filters.filters])
    if hasattr(filters, "key") and hasattr(filters, "operator"):
        return _condition(str(filters.key), str(getattr(filters.operator, "value", filters.operator)), filters.value)
    if isinstance(filters, Mapping) and "conditions" in filters:
        return _join(str(filters.get("operator", "and")), [to_where(each) for each in filters["conditions"]])
    if isinstance(filters, Mapping) and {"field", "operator", "value"} <= set(filters):
        # Haystack prefixes metadata fields; our filters only have metadata.
        return _condition(str(filters["field"]).removeprefix("meta."), str(filters["operator"]), filters["value"])
    if isinstance(filters, Mapping):
        return filters
    raise InvalidFilter(f"a filter is a mapping from field to condition, not {filters!r:.80}")


def _join(operator: str, parts: list[Where | None]) -> Where:
    if operator.lower() not in _CONNECTIVES:
        raise InvalidFilter(f"unknown operator {operator!r:.40} between conditions; allowed are AND, OR and NOT")
    if not parts:
        raise InvalidFilter("a filter has no conditions; give at least one")
    return {_CONNECTIVES[operator.lower()]: parts}


def _condition(field: str, operator: str, value: Any) -> Where:
    if operator in _EQUAL:
        return {field: value}
    if operator == "is_empty":
        return {field: {"exists": False}}
    if operator not in _OPERATORS:
        known = (*_EQUAL, *_OPERATORS, "is_empty")
        raise InvalidFilter(f"unknown operator {operator!r:.40} for the field {field!r}: {suggestion(operator, known)}")
    return {field: {_OPERATORS[operator]: value}}


def to_options(*given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of a request under our names; None stands for what is not given.

    `top_k` and `similarity_top_k` are other names for `k`, `filter` and `filters` for `where`.
    """
    options: dict[str, Any] = {}
    for name, value in ((name, value) for each in given for name, value in each.items() if value is not None):
        ours = ALIASES.get(name, name)
        # A misspelled name would be silently ignored by some frameworks.
        if ours not in RequestOptions.__annotations__:
            known = (*RequestOptions.__annotations__, *ALIASES)
            raise InvalidInput(f"unknown argument {name!r}: {suggestion(name, known)}")
        value = to_where(value) if ours in ("where", "keep") else value
        if ours in options and options[ours] != value:
            raise InvalidInput(f"{ours} was given twice, as {options[ours]!r:.60} and {value!r:.60}; give one of them")
        options[ours] = value
    return options


class FromDocuments:
    """A retriever that can be built from documents of its framework; `_record` converts each one."""

    @staticmethod
    def _record(document: Any) -> dict[str, Any]:
        raise NotImplementedError

    @classmethod
    def from_documents(
        cls, documents: Iterable[Any], index: str | Path, *, embedder: Embedder | str | None = None, **options: Any
    ) -> Self:
        """Build an index from documents or nodes, or add them to an existing one, and return a retriever over it."""
        with Engine.open(index, create=True, embedder=embedder) as engine:
            cls._add(engine, documents)
        return cls(index=index, **options)  # type: ignore[call-arg]  # a retriever takes its index

    @classmethod
    def _add(cls, engine: Engine, documents: Iterable[Any]) -> list[str]:
        """Add documents to an index, replacing those whose id it has; returns their ids."""
        ids = FreshIds()
        converted = [_converted(cls._record(each), number, ids) for number, each in enumerate(documents, 1)]
        engine.add(converted)
        return [document.id for document in converted]


def _converted(record: dict[str, Any], number: int, ids: FreshIds) -> Document:
    text, origin = record["text"], record["metadata"].get("source")
    names = ", ".join(f"{name} {v!r:.80}" for name, v in (("id", record["id"]), ("source", origin)) if v is not None)
    place = f"document {number} ({names})" if names else f"document {number}"
    if text is None or (isinstance(text, str) and not clean(text).strip()):
        raise InvalidRecord("the text is empty; empty documents can be left out", source=place)

    def digest(title: str) -> str:
        # Neither title nor source is enough: the chunks of a file share both, and may be added one by one.
        content = json.dumps([str(origin or ""), title, text])
        return ids.pick(hashlib.sha256(content.encode()).hexdigest()[:32], "")

    return to_document(record, place, None, digest, ids.claim)
