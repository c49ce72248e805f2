"""Asking a retriever of any library, and reading what it returns: documents with an id, a title, a text, a score."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any

from multihop.errors import InvalidInput

_METHODS = ("invoke", "retrieve", "run")
"""LangChain's, LlamaIndex's and Haystack's; whatever has none of them is called itself, as DSPy's modules are."""
_BUDGETS = ("k", "top_k", "limit", "n")
_LISTS = ("evidence", "retrieved_docs", "passages", "documents")
# Ids of documents come before those of their chunks (`id`, `id_`): gold is documents.
_IDS = ("document_id", "doc_id", "ref_doc_id", "_id", "docid", "pid", "id", "id_", "source")
_TEXTS = ("content", "page_content", "long_text", "text")
_SEPARATOR = " | "


@dataclass(frozen=True, slots=True)
class Returned:
    """One document as a retriever returned it."""

    ids: tuple[str, ...] = ()
    title: str = ""
    text: str = ""
    score: float | None = None


def asking(retriever: Any) -> Callable[[str, int], Any]:
    """Return a function of question and budget that asks a retriever, whatever library it comes from."""
    if isinstance(retriever, type):
        raise InvalidInput(f"{retriever.__name__} is a class; give an instance of it, or a function (question, k)")
    # Of the class, not of the object: a DSPy program often holds the retriever that it asks as `self.retrieve`.
    own = next((name for name in _METHODS if callable(getattr(type(retriever), name, None))), None)
    method = getattr(retriever, own) if own else retriever
    if not callable(method):
        raise InvalidInput(
            f"a retriever is a function (question, k), or has one of {', '.join(_METHODS)}; "
            f"got {type(retriever).__name__}"
        )
    named, in_place = _budget(retriever, method)
    if in_place:
        return lambda question, k: method(question, k)
    if isinstance(named, str):
        return lambda question, k: method(question, **{named: k})
    return lambda question, _: method(question)


def _budget(retriever: Any, method: Any) -> tuple[str | None, bool]:
    """Return how to pass the budget: by keyword, as second argument, or not at all."""
    # These two pass on what they are given; the signature to look at is that of the method behind them.
    behind = {"invoke": "_get_relevant_documents", "__call__": "forward"}
    inner = getattr(retriever, behind.get(getattr(method, "__name__", "__call__"), "forward"), None)
    try:
        parameters = inspect.signature(inner if callable(inner) else method).parameters
    except (TypeError, ValueError):
        return None, True
    kinds = [p.kind for p in parameters.values()]
    if named := next((name for name in _BUDGETS if name in parameters), None):
        positional = parameters[named].kind is inspect.Parameter.POSITIONAL_ONLY
        return (None, True) if positional else (named, False)
    # Such a method hands on what it does not know itself, and `k` is the usual name.
    if inner is not None and inspect.Parameter.VAR_KEYWORD in kinds:
        return "k", False
    required = [
        p for p in parameters.values()
        if p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
    ]  # fmt: skip
    return None, len(required) > 1 or inspect.Parameter.VAR_POSITIONAL in kinds


def parse_returned(given: Any) -> list[Returned]:
    """Read what a retriever returned, best first: a list, a mapping from id to score, or a value that holds a list."""
    return [_one(item) for item in _items(given)]


def _items(given: Any) -> Iterable[Any]:
    if given is None:
        raise InvalidInput("the retriever returned None; return a list of documents, which may be empty")
    if isinstance(given, Mapping):
        if inside := next((name for name in _LISTS if isinstance(given.get(name), list | tuple)), None):
            return given[inside]  # type: ignore[no-any-return]  # a list, as just seen
        if all(_is_number(value) for value in given.values()):
            return sorted(given.items(), key=lambda item: (-float(item[1]), str(item[0])))
    elif not isinstance(given, str | bytes):
        for name in _LISTS:
            if isinstance(inside := getattr(given, name, None), list | tuple):
                return inside
        if isinstance(given, Iterable):
            return given
    raise InvalidInput(
        f"a retriever returns a list of documents, best first, or a mapping from id to score; got {given!r:.120}"
    )


def _one(item: Any) -> Returned:
    if isinstance(item, tuple | list) and len(item) == 2 and _is_number(item[1]):
        inside = _one(item[0])
        return Returned(inside.ids, inside.title, inside.text, _finite(item[1]))
    if isinstance(item, str):
        # DSPy's retrievers return passages as "title | text"; a plain text may be an id, a title or a passage.
        title, separator, text = item.partition(_SEPARATOR)
        return Returned((item,), title if separator else item, text if separator else item)
    if _is_number(item):
        return Returned((str(item),))
    score = _value(item, "score")
    # Evidence and LlamaIndex's nodes with scores wrap what they rank.
    item = next((v for name in ("passage", "node") if (v := _value(item, name)) is not None), item)
    metadata = next((v for name in ("metadata", "meta") if isinstance(v := _value(item, name), Mapping)), {})
    ids = tuple(dict.fromkeys(str(v) for source in (metadata, item) for v in _all(source, _IDS)))
    text = next((v for v in _all(item, _TEXTS) if isinstance(v, str)), "")
    title = _value(metadata, "title") or _value(item, "title")
    if not title and _SEPARATOR in text:
        title, _, text = text.partition(_SEPARATOR)
    if not ids and not text and not title:
        raise InvalidInput(f"a document needs an id, a title or a text; got {item!r:.120}")
    return Returned(ids, str(title or ""), text, _finite(score))


def _all(source: Any, names: Iterable[str]) -> Iterator[Any]:
    for name in names:
        if isinstance(value := _value(source, name), str | int) and not isinstance(value, bool):
            yield value


def _value(source: Any, name: str) -> Any:
    return source.get(name) if isinstance(source, Mapping) else getattr(source, name, None)


def _finite(score: Any) -> float | None:
    # NaN and infinity cannot be written into a run that others read; the rank is used instead.
    return float(score) if _is_number(score) and math.isfinite(score) else None


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)
