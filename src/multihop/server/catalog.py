"""The document catalog of an index: full-text search, filters, sorting, facets."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

from multihop.engine import Engine
from multihop.errors import suggestion
from multihop.protocols import Lookup
from multihop.server.indexes import ServedIndex
from multihop.server.problems import Problem
from multihop.types import Listed, plain

MAX_DOCUMENTS = 100_000
"""Maximum documents scanned for one list."""
_MAX_HITS = 1_000
_MAX_PREFIX_MATCHES = 50
_CACHED = 8
_MAX_FIELDS = 12
_MAX_VALUES = 8


class CatalogQuery(NamedTuple):
    """The search, filter and order of a catalog."""

    search: str = ""
    where: Mapping[str, Any] | None = None
    sort: str = ""
    descending: bool = False


@dataclass(frozen=True, slots=True)
class Catalog:
    """Ordered document ids, the best-matching passage of each, and the facets."""

    ids: tuple[str, ...]
    passages: Mapping[str, str]
    facets: tuple[Mapping[str, Any], ...]
    capped: bool


def page(served: ServedIndex, asked: CatalogQuery, number: int, limit: int) -> dict[str, Any]:
    """Return one page of the matching documents; pages are numbered from 1."""
    catalog = _cached_catalog(served, asked)
    shown = catalog.ids[(number - 1) * limit : number * limit]
    documents = [d for d in map(served.engine.document, shown) if d is not None]
    texts = served.engine.store.view().passages(catalog.passages[d.id] for d in documents if d.id in catalog.passages)
    return {
        "documents": [
            {
                "id": d.id, "title": d.title, "metadata": plain(d.metadata),
                "passage": (p := texts.get(catalog.passages.get(d.id, ""))) and {"id": p.id, "text": p.text},
            }
            for d in documents
        ],
        "total": len(catalog.ids), "page": number, "pages": -(-len(catalog.ids) // limit), "capped": catalog.capped,
        "facets": list(catalog.facets),
    }  # fmt: skip


def _cached_catalog(served: ServedIndex, asked: CatalogQuery) -> Catalog:
    """Build the catalog, or reuse the one cached for another page."""
    # With the generation, so that a changed index gets a new catalog; as JSON, because a filter is not hashable.
    key = (served.engine.refresh(), json.dumps(asked, sort_keys=True))
    cache = served.catalogs
    if (catalog := cache.get(key)) is None:
        catalog = _build(served, asked)
        # Evict the oldest first: someone paging through a list uses the newest.
        while len(cache) >= _CACHED:
            # Another thread may have evicted it already.
            cache.pop(next(iter(cache)), None)
        cache[key] = catalog
    return catalog


def _build(served: ServedIndex, asked: CatalogQuery) -> Catalog:
    sort = asked.sort or ("relevance" if asked.search.strip() else "id")
    known = ("relevance", "id", "title", *served.stats().fields)
    if sort not in known:
        raise Problem(422, f"documents cannot be sorted by {sort[:80]!r}: {suggestion(sort[:80], known)}")
    passages: dict[str, str] = {}
    capped = False
    if asked.search.strip():
        documents = list(_search(served.engine, asked, passages))
    else:
        documents = list(islice(served.engine.documents(where=asked.where or None), MAX_DOCUMENTS + 1))
        capped = len(documents) > MAX_DOCUMENTS
        documents = documents[:MAX_DOCUMENTS]
    ordered = documents if sort == "relevance" else _sort(documents, sort, descending=asked.descending)
    return Catalog(tuple(d.id for d in ordered), passages, tuple(_facets(documents)), capped)


def _search(engine: Engine, asked: CatalogQuery, passages: dict[str, str]) -> Iterator[Listed]:
    """Find documents whose id or title starts with the search, then those whose passages match it, best first."""
    view = engine.store.view(asked.where or None)
    starting = engine.store.documents("", asked.search.strip(), _MAX_PREFIX_MATCHES)
    # The prefix search ignores the filter; a document matches it if it has a passage in the filtered view.
    matching = view.passages_of([d.id for d in starting], 1)
    [hits] = view.lexical([Lookup(asked.search, _MAX_HITS)])
    texts = view.passages(id for id, _ in hits)
    for id, _ in hits:
        passages.setdefault(texts[id].document_id, id)
    first = {d.id: d for d in starting if d.id in matching}
    yield from first.values()
    for document, id in passages.items():
        if document not in first:
            yield Listed(document, texts[id].title, texts[id].metadata)


def _sort(documents: Iterable[Listed], sort: str, *, descending: bool) -> list[Listed]:
    """Sort by id, title or a field; numbers before text, and documents without a value last in either direction."""
    # Sorting is stable in both directions, so ties are ordered by id.
    ordered = sorted(documents, key=lambda d: d.id)
    if sort == "id":
        return ordered[::-1] if descending else ordered
    values: dict[str, Any] = {d.id: d.title if sort == "title" else d.metadata.get(sort) for d in ordered}
    # A list stands by its first value.
    values = {id: value[0] if isinstance(value, tuple) and value else value for id, value in values.items()}
    having = [d for d in ordered if values[d.id] not in (None, "")]
    having.sort(key=lambda d: _key(values[d.id]), reverse=descending)
    return having + [d for d in ordered if values[d.id] in (None, "")]


def _key(value: Any) -> tuple[bool, float, str]:
    # Numbers and strings cannot be compared; the first member separates them.
    text = isinstance(value, str)
    return text, 0.0 if text else float(value), value.casefold() if text else ""


def _facets(documents: Iterable[Listed]) -> Iterator[dict[str, Any]]:
    """Count the values of the most frequent fields; fields with a different value in every document are omitted."""
    counts: dict[str, Counter[Any]] = {}
    for document in documents:
        for field, value in document.metadata.items():
            # As a set: facets count documents, so a repeated value counts once.
            counts.setdefault(field, Counter()).update(set(value if isinstance(value, tuple) else (value,)))
    fields = sorted(counts, key=lambda field: (-counts[field].total(), field))
    useful = [f for f in fields if len(counts[f]) <= _MAX_VALUES or counts[f].most_common(1)[0][1] > 1]
    for field in useful[:_MAX_FIELDS]:
        ranked = sorted(counts[field].items(), key=lambda each: (-each[1], _key(each[0])))
        values = [{"value": value, "documents": number} for value, number in ranked[:_MAX_VALUES]]
        yield {"field": field, "values": values, "others": max(0, len(ranked) - _MAX_VALUES)}
