"""A foreign retriever as a searcher: anything that gives documents for a query can serve the loop.

What the retriever gives is cached, so that the parts of a strategy see passages as they always do.
"""

from __future__ import annotations

import hashlib
import inspect
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from multihop.errors import InvalidInput
from multihop.protocols import STATED, Context, Index, Lookup, Scored, require
from multihop.types import Hit, Passage, Query
from multihop.types.channels import RETRIEVER


@dataclass(frozen=True, slots=True)
class RetrieverSearcher:
    """Asks a foreign retriever, which stands for the lexical search of the index."""

    def search(self, queries: Sequence[Query], context: Context) -> Sequence[Sequence[Hit]]:
        retriever = require(context.index.lexical, "a retriever")
        ranked = retriever.lexical([Lookup(q.text, q.limit) for q in queries])
        return [tuple(Hit(id, score, RETRIEVER) for id, score in scored) for scored in ranked]


class Retrieved:
    """What a retriever gave so far, as passages, and the retriever as a search for more: two capabilities of an index.

    Names, links and vectors it does not have; and since it may know more passages with every question, nothing that is
    computed from them lasts.
    """

    def __init__(self, retrieve: Callable[[str, int], Any]) -> None:
        self._retrieve = retrieve
        self._met: dict[str, Passage] = {}

    def index(self) -> Index:
        """Offer the two to the parts of a strategy."""
        return Index(self, lexical=self)

    @property
    def size(self) -> int:
        return len(self._met)

    def passages(self, ids: Iterable[str]) -> dict[str, Passage]:
        return {id: self._met[id] for id in ids if id in self._met}

    def passages_of(self, documents: Iterable[str], limit: int) -> dict[str, list[str]]:
        return {d: [d] for d in documents if d in self._met}

    def scan(self) -> Iterator[Passage]:
        # A copy: whoever reads may ask the retriever for more meanwhile.
        return iter(list(self._met.values()))

    def lexical(self, lookups: Sequence[Lookup]) -> list[Scored]:
        return [self._rank(q.text, q.limit) for q in lookups]

    def _rank(self, query: str, limit: int) -> Scored:
        best: dict[str, float] = {}
        for rank, given in enumerate(self._retrieve(query, limit) or ()):
            # A retriever may give a document twice; then its better score counts.
            passage = _passage(given)
            self._met.setdefault(passage.id, passage)
            best[passage.id] = max(score_of(given, 1 / (1 + rank)), best.get(passage.id, -math.inf))
        ranked = sorted(best.items(), key=lambda item: (-item[1], item[0]))
        # 0 stands for all: who hands over documents wants each of them back.
        return ranked[:limit] if limit else ranked


def callable_of(retriever: Any) -> Callable[[str, int], Any]:
    """Return the function that retrieves: the method `retrieve` or `search` of the retriever, or itself.

    One that takes no number of documents is asked with the query alone.
    """
    method = getattr(retriever, "retrieve", None) or getattr(retriever, "search", None) or retriever
    if not callable(method):
        raise InvalidInput(
            f"a retriever is an Engine, has retrieve(query) or search(query), or is a callable of that form; "
            f"got {type(retriever).__name__}"
        )
    if _takes_number(method):
        return method  # type: ignore[no-any-return]  # whatever is callable may be tried
    return lambda query, _: method(query)


def _takes_number(method: Callable[..., Any]) -> bool:
    """Return whether a function can be called with a query and a number."""
    try:
        inspect.signature(method).bind("", 1)
    except TypeError:
        return False
    # Functions written in C have no signature.
    except ValueError:
        return True
    return True


def _passage(given: Any) -> Passage:
    given = {"content": given} if isinstance(given, str) else given
    content = value_of(given, "content", "text", "page_content", "document")
    if not isinstance(content, str):
        raise InvalidInput(f"a retriever gives documents with a `content`; got {given!r:.120}")
    title, id = str(value_of(given, "title", "source") or ""), value_of(given, "id", "doc_id", "document_id")
    # Without an id a document is known by what it says, so that it comes into the budget once.
    digest = hashlib.sha256(f"{title}\0{content}".encode("utf-8", "replace")).hexdigest()
    key = digest[:16] if id is None else str(id)
    stated = score_of(given, math.nan)
    return Passage(key, key, 0, title, content, metadata={STATED: stated} if 0 <= stated <= 1 else {})


def score_of(given: Any, default: float) -> float:
    """Return the score of a document in any of the usual forms."""
    value = value_of(given, "score", "relevance_score", "similarity")
    number = float(value) if isinstance(value, int | float) and not isinstance(value, bool) else default
    return number if math.isfinite(number) else default


def value_of(given: Any, *names: str) -> Any:
    """Return the first of these fields or attributes that is there."""
    for name in names:
        value = given.get(name) if isinstance(given, Mapping) else getattr(given, name, None)
        if value is not None:
            return value
    return None
