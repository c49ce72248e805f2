"""What the contract suites work with: a small corpus, an embedder that needs no model, and short ways to ask."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any, Protocol

import numpy as np

from multihop.protocols import Divided, Embedder, Lookup, Store, Vectors, View
from multihop.types import Document, Piece, Where


class StoreFactory(Protocol):
    """Opens a new and empty store each time; one that links by mention, as `MentionLinker` does."""

    def __call__(self, embedder: Embedder | None = None) -> Store: ...

    def __hash__(self) -> int: ...  # `cities` keeps what a factory has made, as any function can be told apart


@dataclass(frozen=True, slots=True)
class HashEmbedder:
    """An embedder without a model: every word has a direction of its own, and a text is the sum of its words."""

    dimension: int = 32

    @property
    def identity(self) -> str:
        return f"hash:{self.dimension}"

    def embed(self, texts: Iterable[str], *, query: bool = False) -> Vectors:
        """Embed each text as the unit vector of its words' sum."""
        rows = [self._row(text) for text in texts]
        return np.array(rows, dtype=np.float32).reshape(len(rows), self.dimension)

    def _row(self, text: str) -> Vectors:
        # Not `hash`, which differs from process to process.
        seeds = [zlib.crc32(word.encode("utf-8", "replace")) for word in text.casefold().split()]
        total = sum((np.random.default_rng(s).normal(size=self.dimension) for s in seeds), np.zeros(self.dimension))
        length = np.linalg.norm(total)
        return (total / length if length else total).astype(np.float32)


@dataclass(slots=True)
class CountingEmbedder:
    """A hash embedder that counts the texts of documents it was given."""

    texts: int = 0
    identity: str = HashEmbedder().identity
    dimension: int = HashEmbedder().dimension

    def embed(self, texts: Iterable[str], *, query: bool = False) -> Vectors:
        """Embed as `HashEmbedder` does."""
        given = list(texts)
        self.texts += 0 if query else len(given)
        return HashEmbedder().embed(given)


def divide_each(*documents: Document) -> Iterator[Divided]:
    """Cut each document at its blank lines."""
    for document in documents:
        yield document, [Piece("", part.strip()) for part in document.text.split("\n\n")]


def fill(store: Store, *documents: Document) -> Store:
    """Add documents in one call."""
    store.add(divide_each(*documents))
    return store


def found(view: View, query: str, limit: int = 10) -> list[str]:
    return [id for id, _ in view.lexical([Lookup(query, limit)])[0]]


def near(view: View, query: str, limit: int = 10, within: list[str] | None = None) -> list[str]:
    assert view.embedder is not None
    return [id for id, _ in view.nearest(view.embedder.embed([query], query=True), limit, within)[0]]


def links(view: View, passage: str) -> set[tuple[str, str]]:
    """Which documents does a passage name, and by which names?"""
    return {(link.target, link.name) for link in view.links_from([passage])}


# --- stores ---------------------------------------------------------------------------------------

FILTERED = (
    Document(
        "fuji", "A volcano in Japan", "Fuji", {"country": "Japan", "height": 3776, "open": True, "tag": ("a", "b")}
    ),
    Document("aso", "A volcano in Japan", "Aso", {"country": "Japan", "height": 1592.5, "open": False, "tag": ("b",)}),
    Document("etna", "A volcano in Italy", "Etna", {"country": "Italy", "height": 3403, "open": True, "tag": "c"}),
    Document("misti", "A volcano in Peru", "Misti", {"country": "Peru", "height": 5822, "years": (1784, 1985)}),
    Document("nameless", "A volcano of which nothing is known"),
)
FILTERS: list[tuple[Where, set[str]]] = [
    ({}, {"fuji", "aso", "etna", "misti", "nameless"}),
    ({"country": "Japan"}, {"fuji", "aso"}),
    # Values are compared as they are; `contains` below is the one that ignores case.
    ({"country": "japan"}, set()),
    ({"country": ["Italy", "Peru"]}, {"etna", "misti"}),
    ({"country": ("Italy", "Nowhere")}, {"etna"}),
    ({"height": 3403}, {"etna"}),
    ({"height": 1592.5}, {"aso"}),
    ({"height": {"gte": 3403}}, {"fuji", "etna", "misti"}),
    ({"height": {"gt": 3403}}, {"fuji", "misti"}),
    ({"height": {"gte": 1592.5, "lt": 3776}}, {"aso", "etna"}),
    ({"height": {"lte": 1592.5}}, {"aso"}),
    ({"country": {"gte": "J", "lt": "K"}}, {"fuji", "aso"}),
    ({"open": True}, {"fuji", "etna"}),
    ({"open": False}, {"aso"}),
    ({"tag": "b"}, {"fuji", "aso"}),
    ({"tag": ["a", "c"]}, {"fuji", "etna"}),
    # Both bounds must hold for one and the same of several values.
    ({"years": {"gte": 1900, "lt": 1980}}, set()),
    ({"years": {"gte": 1900, "lt": 1990}}, {"misti"}),
    ({"country": "Japan", "height": {"gt": 2000}}, {"fuji"}),
    ({"country": "Japan", "tag": "c"}, set()),
    ({"$ids": ["fuji", "etna", "unknown"]}, {"fuji", "etna"}),
    ({"$not": {"$or": [{"$ids": ["fuji"]}, {"height": {"lt": 3000}}]}}, {"etna", "misti", "nameless"}),
    ({"$ids": []}, set()),
    # What lacks the field is not Japan either.
    ({"country": {"not": "Japan"}}, {"etna", "misti", "nameless"}),
    ({"country": {"not": ["Japan", "Peru"]}, "height": {"exists": True}}, {"etna"}),
    ({"tag": {"not": "b"}, "country": {"exists": True}}, {"etna", "misti"}),
    ({"country": {"exists": False}}, {"nameless"}),
    ({"tag": {"exists": True}}, {"fuji", "aso", "etna"}),
    ({"country": {"contains": "ap"}}, {"fuji", "aso"}),
    ({"country": {"contains": ["ITA", "er"]}}, {"etna", "misti"}),
    ({"country": {"contains": "nowhere"}}, set()),
    ({"height": {"gt": 3000, "not": 3776}}, {"etna", "misti"}),
    ({"$or": [{"country": "Italy"}, {"height": {"lt": 2000}}]}, {"etna", "aso"}),
    ({"$or": [{"country": "Italy"}, {"country": "Japan", "tag": "a"}], "open": True}, {"etna", "fuji"}),
    ({"$not": {"country": "Japan", "open": True}}, {"aso", "etna", "misti", "nameless"}),
    ({"$and": [{"$or": [{"tag": "a"}, {"tag": "b"}]}, {"$not": {"tag": "a"}}]}, {"aso"}),
    ({"country": {"gte": date(2020, 1, 1)}}, {"fuji", "aso", "etna", "misti"}),
]
DATED = (
    Document("a", "One.", "", {"on": "2019-12-31"}),
    Document("b", "Two.", "", {"on": "2020-01-01"}),
    Document("c", "Three.", "", {"on": "2020-05-17T10:00:00"}),
    Document("d", "Four.", "", {"on": "2021-01-01"}),
)
DATES: list[tuple[Where, set[str]]] = [
    ({"on": {"gte": 2020, "lte": 2020}}, {"b", "c"}),
    ({"on": {"lte": "2020-05"}}, {"a", "b", "c"}),
    # A year is a span: after it means after its last day.
    ({"on": {"gt": "2020"}}, {"d"}),
    ({"on": {"gt": "2020-05-17"}}, {"d"}),
    ({"on": {"gte": date(2020, 5, 17), "lt": date(2021, 1, 1)}}, {"c"}),
    ({"on": {"lte": "2020-05-17"}}, {"a", "b", "c"}),
]


def _nest(where: Where, levels: int) -> Where:
    for _ in range(levels):
        where = {"$or": [where]}
    return where


WRONG_FILTERS: list[tuple[Any, str]] = [
    ({"contry": "Japan"}, "'contry'.*did you mean 'country'"),
    ({"zzz": "Japan"}, "'zzz'.*known: country, height"),
    ({7: "Japan"}, "7"),
    ({"country": 7}, "'country' holds texts.*7"),
    ({"height": "3776"}, "'height' holds numbers.*'3776'"),
    ({"height": {"gte": "tall"}}, "'height' holds numbers.*'tall'"),
    ({"country": []}, "'country' is an empty list"),
    ({"country": None}, "'country' holds None.*allowed"),
    ({"country": [["Japan"]]}, r"'country' holds \['Japan'\].*allowed"),
    ({"height": {"above": 3}}, r"\['above'\].*allowed are gt, gte, lt, lte, not, contains, exists"),
    ({"height": {}}, "allowed are gt, gte, lt, lte"),
    ({"country": {"exists": "yes"}}, "is true or false, not 'yes'"),
    ({"country": {"contains": 7}}, "takes a text or several, not 7"),
    ({"country": {"not": 7}}, "'country' holds texts.*7"),
    ({"$or": {"country": "Japan"}}, "'\\$or' takes a list of filters"),
    ({"$or": [{}]}, "a filter is a mapping from field to condition"),
    ({"$not": "Japan"}, "a filter is a mapping"),
    ({"height": {"lt": float("inf")}}, "holds inf.*allowed"),
    ({"$or": [{"contry": "Japan"}]}, "did you mean 'country'"),
    ({"height": float("nan")}, "holds nan.*allowed"),
    ({"height": 2**64}, "holds 18446744073709551616.*allowed"),
    ({"country": "\ud800"}, "allowed"),
    (_nest({"country": "Japan"}, 17), "nested more than 16 levels deep; simplify it"),
    # Deep enough to exhaust the stack where the depth is not checked first.
    (_nest({"country": "Japan"}, 2_000), "nested more than 16 levels deep; simplify it"),
]
