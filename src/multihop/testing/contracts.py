"""Contract suites, one per protocol: what every store, embedder, searcher and selector must do.

A new implementation inherits the suite in its own tests and supplies the fixtures that the suite asks for:

    class TestMyStore(StoreContract):
        @pytest.fixture
        def store_factory(self, tmp_path):
            return lambda embedder=None: MyStore(tmp_path / str(uuid4()), MentionLinker(), embedder=embedder)
"""

# A test says what must hold by assert.
# ruff: noqa: S101

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import pytest

from multihop.errors import InvalidFilter, InvalidRecord
from multihop.protocols import Context, Divided, Embedder, Searcher, Selector, State, Store, View
from multihop.types import Candidate, Document, Passage, Piece, Plan, Query, Selection, Where

if TYPE_CHECKING:
    from multihop.protocols import Vectors

__all__ = ["EmbedderContract", "HashEmbedder", "SearcherContract", "SelectorContract", "StoreContract", "StoreFactory"]


class StoreFactory(Protocol):
    """Opens a new and empty store each time; one that links by mention, as `MentionLinker` does."""

    def __call__(self, embedder: Embedder | None = None) -> Store: ...


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
        seeds = [zlib.crc32(word.encode("utf-8", "replace")) for word in text.casefold().split()]
        total = sum((np.random.default_rng(s).normal(size=self.dimension) for s in seeds), np.zeros(self.dimension))
        length = np.linalg.norm(total)
        return (total / length if length else total).astype(np.float32)


def divided(*documents: Document) -> Iterator[Divided]:
    """Cut each document at its blank lines."""
    for document in documents:
        yield document, [Piece("", part.strip()) for part in document.text.split("\n\n")]


def fill(store: Store, *documents: Document) -> Store:
    """Add documents in one call."""
    store.add(divided(*documents))
    return store


def found(view: View, query: str, limit: int = 10) -> list[str]:
    return [id for id, _ in view.lexical([query], limit)[0]]


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
    ({"years": {"gte": 1900, "lt": 1980}}, set()),
    ({"years": {"gte": 1900, "lt": 1990}}, {"misti"}),
    ({"country": "Japan", "height": {"gt": 2000}}, {"fuji"}),
    ({"country": "Japan", "tag": "c"}, set()),
]
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
    ({"height": {"above": 3}}, r"\['above'\].*allowed are gt, gte, lt, lte"),
    ({"height": {}}, "allowed are gt, gte, lt, lte"),
    ({"height": float("nan")}, "holds nan.*allowed"),
    ({"height": 2**64}, "holds 18446744073709551616.*allowed"),
    ({"country": "\ud800"}, "allowed"),
]


class StoreContract:
    """What every store must do; supply a fixture `store_factory`."""

    # --- documents ---

    def test_an_empty_store_answers(self, store_factory: StoreFactory) -> None:
        embedder = HashEmbedder()
        store = store_factory(embedder)
        view = store.view()
        assert (view.size, list(store.document_ids()), store.document("a")) == (0, [], None)
        assert view.lexical(["volcano", ""], 5) == [[], []]
        assert view.nearest(embedder.embed(["volcano", "peak"]), 5) == [[], []]
        assert view.named(["Fuji", ""]) == [(), ()]
        assert (view.passages(["a#0"]), view.passages_of(["a"], 2)) == ({}, {})
        assert (view.links_from(["a#0"]), view.links_to(["a"], 5)) == ([], [])
        assert (store.stats().documents, store.stats().passages) == (0, 0)
        assert all(check.ok for check in store.verify())
        assert store.delete(["a"]).documents == 0

    def test_documents_come_back_as_they_were(self, store_factory: StoreFactory) -> None:
        documents = (
            Document("plain", "One paragraph."),
            Document("two", "One paragraph.\n\nAnother  one.", "A title"),
            Document("spaces", "\n  Blank lines at both ends,\r\n\ttabs.\n\n\n\nAnd many between.  \n", "  Title "),
            Document("#1/é 東", "Zoë’s naïve café, 東京, שלום, a NUL \x00 and 🎈.", "Ünïcode", aliases=("Zoé", "東")),
            Document("types", "x", "T", {"i": 1, "f": 1.0, "b": True, "s": "1", "many": (1, 2.5, "x", False)}),
        )
        store = fill(store_factory(), *documents)
        for document in documents:
            assert repr(store.document(document.id)) == repr(document)
        assert list(store.document_ids()) == sorted(document.id for document in documents)

    def test_passages_of_a_document(self, store_factory: StoreFactory) -> None:
        document = Document("a", "First.\n\nSecond.\n\nThird.", "Title", {"year": 1990, "tags": ("x", "y")})
        view = fill(store_factory(), document, Document("b", "Another.")).view()
        assert view.passages_of(["b", "a", "unknown"], 2) == {"a": ["a#0", "a#1"], "b": ["b#0"]}
        assert view.passages_of(["a"], 0) == {}
        loaded = view.passages(["a#2", "a#0", "a#9", "c#0", "a#0"])
        assert list(loaded) == ["a#2", "a#0"]
        assert loaded["a#2"] == Passage("a#2", "a", 2, "Title", "Third.", "", document.metadata)
        assert view.size == 4

    def test_adding_again_replaces(self, store_factory: StoreFactory) -> None:
        store = fill(
            store_factory(), Document("a", "Granite.\n\nBasalt.", "Old", {"year": 1}), Document("b", "Marble.")
        )
        added = store.add(divided(Document("a", "Limestone.", "New", {"month": 2})))
        assert (added.documents, added.replaced, added.passages) == (1, 1, 1)
        view = store.view()
        assert (found(view, "granite"), found(view, "basalt"), found(view, "limestone")) == ([], [], ["a#0"])
        assert (view.size, store.stats().documents) == (2, 2)
        assert view.passages(["a#0"])["a#0"].title == "New"
        assert view.named(["Old New"])[0][0].documents == ("a",)
        with pytest.raises(InvalidFilter, match="'year'"):
            store.view({"year": 1})

    def test_the_last_of_equal_ids_wins(self, store_factory: StoreFactory) -> None:
        store = store_factory()
        added = store.add(divided(Document("a", "Granite."), Document("b", "Marble."), Document("a", "Limestone.")))
        assert (added.documents, added.replaced) == (3, 1)
        assert store.document("a") == Document("a", "Limestone.")
        assert (store.view().size, found(store.view(), "granite")) == (2, [])

    def test_deleted_documents_are_gone(self, store_factory: StoreFactory) -> None:
        store = fill(store_factory(HashEmbedder()), *FILTERED)
        assert store.delete(["fuji", "unknown", "fuji", "aso", "\ud800"]).documents == 2
        view = store.view()
        assert (store.document("fuji"), store.document("\ud800")) == (None, None)
        assert (view.passages(["fuji#0"]), view.passages_of(["fuji"], 1)) == ({}, {})
        assert sorted(found(view, "volcano")) == sorted(near(view, "volcano")) == ["etna#0", "misti#0", "nameless#0"]
        assert store.stats().documents == 3
        assert all(check.ok for check in store.verify())

    def test_a_stream_is_added_without_being_held(self, store_factory: StoreFactory) -> None:
        store = store_factory()
        added = store.add(pair for i in range(2500) for pair in divided(Document(f"d{i}", f"Stream number{i}.")))
        assert (added.documents, added.passages, store.view().size) == (2500, 2500, 2500)
        assert found(store.view(), "number2499") == ["d2499#0"]

    def test_a_stream_that_fails_leaves_nothing(self, store_factory: StoreFactory) -> None:
        def failing() -> Iterator[Divided]:
            yield from divided(Document("b", "Basalt."), Document("a", "Changed."))
            raise InvalidRecord("the third record is broken")

        store = fill(store_factory(), Document("a", "Granite."))
        before = store.generation
        with pytest.raises(InvalidRecord, match="third record"):
            store.add(failing())
        assert (store.generation, store.document("b"), store.document("a")) == (before, None, Document("a", "Granite."))
        assert (found(store.view(), "basalt"), found(store.view(), "granite")) == ([], ["a#0"])
        fill(store, Document("b", "Basalt."))
        assert found(store.view(), "basalt") == ["b#0"]

    def test_what_cannot_be_stored_is_refused(self, store_factory: StoreFactory) -> None:
        store = store_factory()
        for wrong in (
            Document("a", "half \ud800 of a pair"),
            Document("a", "x", "half \udfff"),
            Document("a", "x", aliases=("\ud800",)),
            Document("a", "x", metadata={"field": ("y", "\ud800")}),
            Document("a", "x", metadata={"big": 2**64}),
        ):
            with pytest.raises(InvalidRecord, match=r"'a' holds .*cannot be stored"):
                fill(store, wrong)
        assert store.document("a") is None

    def test_generation_grows_with_every_change(self, store_factory: StoreFactory) -> None:
        store = store_factory()
        generations = [store.generation, fill(store, *FILTERED).generation]
        generations.append(fill(store, FILTERED[0]).generation)
        generations.append(store.delete(["fuji"]).generation)
        assert generations == sorted(set(generations))
        assert store.delete(["fuji"]).generation == store.add(divided()).generation == generations[-1]
        assert store.view().generation == store.refresh() == store.stats().generation == generations[-1]

    def test_a_view_stays_on_its_generation(self, store_factory: StoreFactory) -> None:
        store = fill(store_factory(HashEmbedder()), Document("a", "Granite is near Rome.", "A", {"n": 1}))
        fill(store, Document("rome", "A city", "Rome"))
        view, filtered = store.view(), store.view({"n": 1})

        def seen() -> list[object]:
            return [
                *(view.generation, view.size, view.passages(["a#0", "b#0"]), view.passages_of(["a", "b"], 3)),
                *(
                    found(view, "granite basalt marble"),
                    near(view, "granite basalt marble"),
                    view.named(["Rome Basalt"]),
                ),
                *(view.links_from(["a#0"]), view.links_to(["rome"], 5), filtered.size, found(filtered, "granite")),
            ]

        before = seen()
        fill(store, Document("b", "Basalt granite, not of Rome.", "Basalt", {"n": 1}))
        fill(store, Document("a", "Marble.", "Other title", {"n": 2}))
        store.delete(["rome"])
        assert seen() == before
        assert (found(store.view(), "granite"), found(store.view(), "marble")) == (["b#0"], ["a#0"])
        assert found(store.view({"n": 1}), "granite marble") == ["b#0"]

    def test_the_list_of_documents_may_be_walked_while_it_changes(self, store_factory: StoreFactory) -> None:
        store = fill(store_factory(), *FILTERED)
        assert [id for id in store.document_ids() if store.delete([id]).documents] == sorted(d.id for d in FILTERED)
        assert list(store.document_ids()) == []

    def test_stats_count(self, store_factory: StoreFactory) -> None:
        stats = fill(store_factory(HashEmbedder()), *FILTERED).stats()
        assert (stats.documents, stats.passages, stats.vectors, stats.names) == (5, 5, 5, 4)
        assert stats.fields == {"country": 3, "height": 4, "open": 2, "tag": 3, "years": 2}
        assert stats.embedder == "hash:32"

    # --- search ---

    def test_lexical_ranks_rare_words_first(self, store_factory: StoreFactory) -> None:
        view = fill(store_factory(), *FILTERED).view()
        answers = view.lexical(["a volcano in PERÚ", "nothing at all like this", "", "Volcanoes of Japan"], 3)
        assert [len(hits) for hits in answers] == [3, 1, 0, 3]
        assert answers[0][0][0] == "misti#0"
        assert {id for id, _ in answers[3][:2]} == {"aso#0", "fuji#0"}
        for hits in answers:
            assert hits == sorted(hits, key=lambda hit: (-hit[1], hit[0]))

    def test_ties_break_by_id(self, store_factory: StoreFactory) -> None:
        ids = [f"{i:02}" for i in range(20)]
        store = store_factory(HashEmbedder())
        for batch in (ids[14:], ids[:7], ids[7:14]):
            fill(store, *(Document(id, "the very same words", metadata={"kept": True}) for id in reversed(batch)))
        for view in (store.view(), store.view({"kept": True})):
            for limit in (1, 3, 7, 30):
                expected = [f"{id}#0" for id in ids][:limit]
                assert found(view, "same words", limit) == expected
                assert near(view, "same words", limit) == expected

    def test_equal_questions_get_equal_answers(self, store_factory: StoreFactory) -> None:
        store = fill(store_factory(HashEmbedder()), *FILTERED)
        for ask in (_everything, found, near):
            assert ask(store.view(), "volcano japan") == ask(store.view(), "volcano japan")

    def test_within_restricts(self, store_factory: StoreFactory) -> None:
        store = fill(store_factory(HashEmbedder()), *FILTERED)
        within = ["misti#0", "fuji#0", "unknown#0", "fuji#0"]
        assert sorted(i for i, _ in store.view().lexical(["volcano"], 9, within)[0]) == ["fuji#0", "misti#0"]
        assert sorted(near(store.view(), "volcano", 9, within)) == ["fuji#0", "misti#0"]
        assert store.view().lexical(["volcano"], 9, []) == [[]]
        assert near(store.view(), "volcano", 9, []) == []
        japan = store.view({"country": "Japan"})
        assert [i for i, _ in japan.lexical(["volcano"], 9, within)[0]] == ["fuji#0"]
        assert near(japan, "volcano", 9, within) == ["fuji#0"]

    # --- filters ---

    def test_filters(self, store_factory: StoreFactory) -> None:
        store = fill(store_factory(HashEmbedder()), *FILTERED)
        everything = [document.id for document in FILTERED]
        for where, expected in FILTERS:
            view = store.view(where)
            ids = {f"{document}#0" for document in expected}
            assert view.size == len(expected), where
            assert set(found(view, "volcano")) == set(near(view, "volcano")) == ids, where
            assert set(view.passages([f"{id}#0" for id in everything])) == ids, where
            assert set(view.passages_of(everything, 1)) == expected, where

    def test_wrong_filters_say_what_is_wrong(self, store_factory: StoreFactory) -> None:
        store = fill(store_factory(), *FILTERED)
        for where, message in WRONG_FILTERS:
            with pytest.raises(InvalidFilter, match=message):
                store.view(where)

    def test_one_passage_of_many_is_found_through_a_filter(self, store_factory: StoreFactory) -> None:
        store = store_factory(HashEmbedder())
        fill(store, *(Document(f"{i}", f"common words everywhere {i % 7}", metadata={"n": i}) for i in range(2000)))
        for n in (0, 1234, 1999):
            view = store.view({"n": n})
            assert view.size == 1
            assert found(view, "common words everywhere", 1) == near(view, "something else", 1) == [f"{n}#0"]
        half = store.view({"n": {"gte": 1000}})
        assert len(found(half, "common words", 1500)) == len(near(half, "common", 1500)) == 1000

    def test_links_stay_inside_the_filter(self, store_factory: StoreFactory) -> None:
        rome = Document("rome", "A city", "Rome", {"kept": True})
        store = fill(
            store_factory(), rome, *(Document(f"{i}", "Near Rome", metadata={"kept": i > 7}) for i in range(10))
        )
        view = store.view({"kept": True})
        assert [link.source for link in view.links_from([f"{i}#0" for i in range(10)])] == ["8#0", "9#0"]
        assert [link.source for link in view.links_to(["rome"], 2)] == ["8#0", "9#0"]
        assert [link.source for link in view.links_to(["rome"], 1)] == ["8#0"]
        assert len(store.view().links_to(["rome"], 7)) == 7

    # --- links ---

    @pytest.mark.parametrize(
        ("title", "mentions", "others"),
        [
            (
                "Rome",
                (
                    "He saw Rome.",
                    "He saw (Rome), twice",
                    "A Rome-based painter",
                    "ROME",
                    "rome",
                    "Rome's and Rome’s walls",
                ),
                ("Romeo and Prome", "Rom e", "Romes"),
            ),
            ("Orléans", ("The siege of Orleans", "A l'ORLÉANS, Orle\u0301ans"), ("Orlean",)),
            ("Mercury (planet)", ("It passed Mercury at dawn", "the Mercury planet"), ("a planet",)),
            ("Jean-Luc Picard", ("by Jean Luc Picard", "JEAN–LUC PICARD"), ("Jean Picard",)),
            ("東京", ("日本の首都は東京です",), ("京東",)),
            ("It", (), ("He said it was so", "It")),
            ("7", (), ("all 7 of them",)),
        ],
    )
    def test_mentions(
        self, store_factory: StoreFactory, title: str, mentions: tuple[str, ...], others: tuple[str, ...]
    ) -> None:
        texts = mentions + others
        sources = [Document(str(i), text) for i, text in enumerate(texts)]
        view = fill(store_factory(), Document("named", "x", title), *sources).view()
        linked = {link.source for link in view.links_from([f"{i}#0" for i in range(len(texts))])}
        assert [text for i, text in enumerate(texts) if f"{i}#0" in linked] == list(mentions)
        assert [t for t, named in zip(texts, view.named(texts), strict=True) if named] == list(mentions)

    def test_the_longest_name_wins(self, store_factory: StoreFactory) -> None:
        places = [Document(t.casefold(), "x", t) for t in ("York", "New York", "New York City", "City Hall")]
        text = "From New York City Hall to New York and to York"
        view = fill(store_factory(), *places, Document("a", text)).view()
        assert links(view, "a#0") == {(n, n) for n in ("new york city", "new york", "york")}
        mentions = view.named([text])[0]
        assert [(m.surface, m.start, m.end) for m in mentions] == [
            ("new york city", 1, 4),
            ("new york", 6, 8),
            ("york", 10, 11),
        ]

    def test_neighbouring_names_are_both_found(self, store_factory: StoreFactory) -> None:
        view = fill(
            store_factory(), Document("r", "x", "Rome"), Document("p", "x", "Paris"), Document("a", "Rome Paris")
        )
        assert links(view.view(), "a#0") == {("r", "rome"), ("p", "paris")}

    def test_ambiguous_names_keep_their_meanings_apart(self, store_factory: StoreFactory) -> None:
        meanings = [Document(k, "x", f"Mercury ({k})") for k in ("planet", "element", "god")]
        view = fill(
            store_factory(), *meanings, Document("a", "Mercury shines"), Document("b", "the Mercury god")
        ).view()
        assert [(x.target, x.name, x.ambiguity) for x in view.links_from(["a#0"])] == [
            ("element", "mercury", 3),
            ("god", "mercury", 3),
            ("planet", "mercury", 3),
        ]
        assert links(view, "b#0") == {("god", "mercury god")}
        assert view.named(["Mercury"])[0][0].documents == ("element", "god", "planet")
        assert [(x.source, x.ambiguity) for x in view.links_to(["planet"], 9) if x.source == "a#0"] == [("a#0", 3)]

    def test_aliases_name_a_document(self, store_factory: StoreFactory) -> None:
        view = fill(
            store_factory(), Document("nyc", "x", "New York", aliases=("Big Apple",)), Document("a", "Big apple!")
        )
        assert links(view.view(), "a#0") == {("nyc", "big apple")}

    def test_a_document_does_not_link_to_itself(self, store_factory: StoreFactory) -> None:
        view = fill(store_factory(), Document("rome", "Rome is old.\n\nAll love Rome.", "Rome")).view()
        assert view.links_from(["rome#0", "rome#1"]) == view.links_to(["rome"], 5) == []

    def test_links_are_the_same_from_both_sides(self, store_factory: StoreFactory) -> None:
        view = fill(store_factory(), *_linked()).view()
        out = view.links_from([f"{d.id}#0" for d in _linked()])
        back = view.links_to([d.id for d in _linked()], 100)
        assert out == sorted(out, key=lambda x: (x.source, x.target, x.name))
        assert sorted(map(repr, out)) == sorted(map(repr, back))
        assert {x.name: x.spread for x in out} == {"rome": 4, "paris": 2, "roman forum": 2}

    def test_later_documents_are_linked_from_earlier_passages(self, store_factory: StoreFactory) -> None:
        store = fill(store_factory(), Document("a", "The Roman Forum in Rome"))
        assert links(store.view(), "a#0") == set()
        fill(store, Document("rome", "x", "Rome"))
        assert links(store.view(), "a#0") == {("rome", "rome")}
        fill(store, Document("forum", "x", "Roman Forum"))
        assert links(store.view(), "a#0") == {("rome", "rome"), ("forum", "roman forum")}

    def test_a_deleted_document_uncovers_the_shorter_name(self, store_factory: StoreFactory) -> None:
        store = fill(store_factory(), Document("a", "New York City"), Document("city", "x", "New York City"))
        fill(store, Document("state", "x", "New York"))
        assert links(store.view(), "a#0") == {("city", "new york city")}
        store.delete(["city"])
        assert links(store.view(), "a#0") == {("state", "new york")}
        assert store.view().links_to(["city"], 5) == []
        assert [m.documents for m in store.view().named(["New York City"])[0]] == [("state",)]
        store.delete(["state"])
        assert (links(store.view(), "a#0"), store.view().named(["New York City"])) == (set(), [()])
        assert all(check.ok for check in store.verify())

    def test_a_new_title_moves_the_links(self, store_factory: StoreFactory) -> None:
        store = fill(store_factory(), Document("a", "Rome and Paris"), Document("x", "A city", "Rome"))
        fill(store, Document("x", "A city", "Paris"))
        assert links(store.view(), "a#0") == {("x", "paris")}
        fill(store, Document("a", "Only Rome", "A"))
        assert links(store.view(), "a#0") == set()

    def test_a_shared_name_survives_one_of_its_documents(self, store_factory: StoreFactory) -> None:
        store = fill(
            store_factory(), Document("a", "Mercury"), Document("p", "x", "Mercury"), Document("e", "x", "Mercury")
        )
        store.delete(["p"])
        assert [(x.target, x.ambiguity) for x in store.view().links_from(["a#0"])] == [("e", 1)]

    # --- threads ---

    def test_many_threads_read_one_view(self, store_factory: StoreFactory) -> None:
        store = fill(store_factory(HashEmbedder()), *_linked(), *FILTERED)
        queries = ["volcano japan", "rome paris", "peru", "forum rome", "italy", "a city", "nothing", "etna"]
        view = store.view()

        def answer(query: str) -> list[object]:
            mine = store.view()
            return [f(v, query) for v in (view, mine) for f in (_everything, found, near)]

        expected = [answer(query) for query in queries]
        with ThreadPoolExecutor(8) as pool:
            assert list(pool.map(answer, queries * 40)) == expected * 40


def _linked() -> list[Document]:
    return [
        Document("rome", "A city unlike Paris", "Rome"),
        Document("paris", "A city, after Rome", "Paris"),
        Document("forum", "In Rome", "Roman Forum"),
        Document("a", "The Roman Forum of Rome"),
    ]


def _everything(view: View, query: str) -> list[object]:
    ids = found(view, query)
    documents = [id.partition("#")[0] for id in ids]
    return [view.passages(ids), view.passages_of(documents, 2), view.links_from(ids), view.links_to(documents, 3)]


# --- embedders ------------------------------------------------------------------------------------

TEXTS = (
    "Lyon is a city in France.",
    "The Rhône flows on. " * 30,
    "東京は日本の首都です。",
    "a NUL \x00, half a pair \ud83d",
)


class EmbedderContract:
    """What every embedder must do; supply a fixture `embedder`."""

    @pytest.mark.parametrize("query", [False, True])
    def test_rows_are_unit_vectors(self, embedder: Embedder, query: bool) -> None:
        rows = embedder.embed(TEXTS, query=query)
        assert rows.shape == (len(TEXTS), embedder.dimension)
        assert rows.dtype == np.float32
        np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-5)

    def test_no_texts_give_no_rows(self, embedder: Embedder) -> None:
        assert embedder.embed([]).shape == (0, embedder.dimension)

    def test_blank_texts_give_zero_rows(self, embedder: Embedder) -> None:
        rows = embedder.embed(["", "Lyon", " \n\t"])
        assert [bool(row.any()) for row in rows] == [False, True, False]

    @pytest.mark.parametrize("query", [False, True])
    def test_a_row_depends_on_its_own_text_only(self, embedder: Embedder, query: bool) -> None:
        together = embedder.embed(TEXTS, query=query)
        alone = np.concatenate([embedder.embed([text], query=query) for text in TEXTS])
        np.testing.assert_allclose(together, alone, atol=1e-5)
        np.testing.assert_allclose(embedder.embed(TEXTS[::-1], query=query)[::-1], together, atol=1e-5)

    def test_identity_names_kind_and_model(self, embedder: Embedder) -> None:
        kind, colon, model = embedder.identity.partition(":")
        assert kind and colon and model

    def test_several_threads_may_embed(self, embedder: Embedder) -> None:
        expected = embedder.embed(TEXTS)
        with ThreadPoolExecutor(4) as pool:
            for rows in pool.map(lambda _: embedder.embed(TEXTS), range(8)):
                np.testing.assert_allclose(rows, expected, atol=1e-5)


# --- searchers and selectors ----------------------------------------------------------------------


def _corpus(store_factory: StoreFactory) -> Store:
    cities = [f"City{c}" for c in "abcdefghijkl"]
    return fill(
        store_factory(HashEmbedder()),
        *(
            Document(city, f"{city} lies near {', '.join(cities[i + 1 : i + 8])}.\n\nMore on {city}.", city, {"n": i})
            for i, city in enumerate(cities)
        ),
    )


QUERIES = (
    Query("Which city lies near Citya, Cityc, Citye and Cityg?", "the whole", 3),
    Query("Cityb", "a part", 2, part=True),
    Query("near Cityd", "links", 3, seeds=(("Citya#0", 1.0), ("Cityd#0", 0.5))),
    Query("?!", "nothing to go by", 5),
)


class SearcherContract:
    """What every searcher must do; supply fixtures `searcher` and `store_factory`."""

    ranks = True
    """False for a searcher that looks up what a query names or links to: the limit is for those that rank the index."""

    def test_every_query_is_answered(self, searcher: Searcher, store_factory: StoreFactory) -> None:
        context = Context(_corpus(store_factory).view())
        assert len(searcher.search(QUERIES, context)) == len(QUERIES)
        assert list(searcher.search((), context)) == []

    def test_no_channel_gives_more_than_the_limit(self, searcher: Searcher, store_factory: StoreFactory) -> None:
        context = Context(_corpus(store_factory).view())
        for query, hits in zip(QUERIES, searcher.search(QUERIES, context), strict=True):
            counts = Counter(hit.channel for hit in hits)
            assert not self.ranks or all(count <= query.limit for count in counts.values())

    def test_each_channel_begins_with_its_best(self, searcher: Searcher, store_factory: StoreFactory) -> None:
        for hits in searcher.search(QUERIES, Context(_corpus(store_factory).view())):
            for channel in {hit.channel for hit in hits}:
                ranked = [(-hit.score, hit.passage_id) for hit in hits if hit.channel == channel]
                assert ranked[0] == min(ranked)

    def test_answers_do_not_depend_on_the_other_queries(self, searcher: Searcher, store_factory: StoreFactory) -> None:
        store = _corpus(store_factory)
        together = searcher.search(QUERIES, Context(store.view()))
        alone = [searcher.search([query], Context(store.view()))[0] for query in QUERIES]
        assert [list(hits) for hits in together] == [list(hits) for hits in alone]

    def test_nothing_comes_from_outside_the_filter(self, searcher: Searcher, store_factory: StoreFactory) -> None:
        view = _corpus(store_factory).view({"n": {"gte": 2, "lt": 5}})
        for hits in searcher.search(QUERIES, Context(view)):
            assert {hit.passage_id.partition("#")[0] for hit in hits} <= {"Cityc", "Cityd", "Citye"}
            assert set(view.passages(hit.passage_id for hit in hits)) == {hit.passage_id for hit in hits}

    def test_an_empty_index_has_no_hits(self, searcher: Searcher, store_factory: StoreFactory) -> None:
        answers = searcher.search(QUERIES, Context(store_factory(HashEmbedder()).view()))
        assert [len(hits) for hits in answers] == [0] * len(QUERIES)


CHANNELS = ("bm25", "name", "part name", "common name", "part", "link", "rare link", "dense", "rrf")


def _pool(view: View, size: int) -> dict[str, Candidate]:
    ids = sorted(id for ids in view.passages_of([f"City{c}" for c in "abcdefghijkl"], 2).values() for id in ids)[:size]
    draw = np.random.default_rng(size)
    return {
        id: Candidate(passage, {c: float(round(draw.random(), 1)) for c in CHANNELS if draw.random() < 0.7}, 1)
        for id, passage in view.passages(ids).items()
    }


class SelectorContract:
    """What every selector must do; supply fixtures `selector` and `store_factory`."""

    @pytest.mark.parametrize("size", [0, 1, 5, 24])
    @pytest.mark.parametrize("k", [1, 3, 5, 21, 100])
    def test_the_budget_is_filled_and_never_exceeded(
        self, selector: Selector, store_factory: StoreFactory, k: int, size: int
    ) -> None:
        chosen, pool = _select(selector, _corpus(store_factory).view(), k, size)
        ids = [choice.passage_id for choice in chosen.choices]
        bench = [choice.passage_id for choice in chosen.bench]
        assert len(ids) == min(k, size)
        assert len(set(ids + bench)) == len(ids) + len(bench)
        assert set(ids + bench) <= set(pool)
        assert all(choice.reason for choice in chosen.choices)

    def test_the_same_pool_in_any_order_gives_the_same_choice(
        self, selector: Selector, store_factory: StoreFactory
    ) -> None:
        view = _corpus(store_factory).view()
        first, _ = _select(selector, view, 7, 24)
        assert first == _select(selector, view, 7, 24)[0] == _select(selector, view, 7, 24, backwards=True)[0]

    def test_a_full_budget_stays_full(self, selector: Selector, store_factory: StoreFactory) -> None:
        view = _corpus(store_factory).view()
        before, _ = _select(selector, view, 7, 12)
        after, pool = _select(selector, view, 7, 24, selection=before)
        ids = [choice.passage_id for choice in after.choices]
        assert len(ids) == len(set(ids)) == 7
        assert {r.out for r in after.replaced}.isdisjoint(ids)
        assert {r.into for r in after.replaced} <= set(ids) <= set(pool)


def _select(
    selector: Selector, view: View, k: int, size: int, *, selection: Selection | None = None, backwards: bool = False
) -> tuple[Selection, dict[str, Candidate]]:
    pool = _pool(view, size)
    given = dict(reversed(pool.items())) if backwards else pool
    question = "Which city lies near Citya and Cityb?"
    state = State(question, k, Plan(), hop=2 if selection else 1, pool=given, selection=selection or Selection())
    return selector.select(state, Context(view)), pool
