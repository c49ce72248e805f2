"""What every store must do; a new one supplies the fixture `store_factory`."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from multihop.errors import InvalidFilter, InvalidRecord
from multihop.protocols import Divided, Edit, Forgotten, Lookup, Removal, View
from multihop.testing.contracts.corpus import (
    DATED,
    DATES,
    FILTERED,
    FILTERS,
    WRONG_FILTERS,
    CountingEmbedder,
    HashEmbedder,
    StoreFactory,
    divide_each,
    fill,
    found,
    links,
    near,
)
from multihop.text import terms, to_embed
from multihop.types import Document, Metadata, Passage, Piece, Relation, SourceFile


def _failing(*edits: Edit) -> Iterator[Edit]:
    yield from edits
    raise RuntimeError("stop")


class StoreContract:
    """What every store must do; supply a fixture `store_factory`."""

    # --- documents ---

    def test_an_empty_store_answers(self, store_factory: StoreFactory) -> None:
        embedder = HashEmbedder()
        store = store_factory(embedder)
        view = store.view()
        assert (view.size, list(store.document_ids()), store.document("a")) == (0, [], None)
        assert view.lexical([Lookup("volcano", 5), Lookup("", 5)]) == [[], []]
        assert view.nearest(embedder.embed(["volcano", "peak"]), 5) == [[], []]
        assert view.find_names(["Fuji", ""]) == [(), ()]
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
            # By repr, as 1 == 1.0 == True: types must come back, too.
            assert repr(store.document(document.id)) == repr(document)
        assert store.get_documents(["unknown", *(d.id for d in documents), "\ud800"]) == {d.id: d for d in documents}
        assert store.get_documents([]) == {}
        assert list(store.document_ids()) == sorted(document.id for document in documents)

    def test_passages_have_the_metadata_of_their_document(self, store_factory: StoreFactory) -> None:
        # PostgreSQL cannot hold a NUL; whatever stands in for it must not be confused with itself.
        metadata: Metadata = {"odd \ue000 name": "a \ue000, a \ue0001 and a NUL \x00", "many": ("\ue000", 2)}
        view = fill(store_factory(), Document("a", "First.\n\nSecond.", "T", metadata)).view()
        assert [p.metadata for p in view.passages(["a#0", "a#1"]).values()] == [metadata, metadata]
        assert [p.metadata for p in view.scan()] == [metadata, metadata]

    def test_passages_of_a_document(self, store_factory: StoreFactory) -> None:
        document = Document("a", "First.\n\nSecond.\n\nThird.", "Title", {"year": 1990, "tags": ("x", "y")})
        view = fill(store_factory(), document, Document("b", "Another.")).view()
        assert view.passages_of(["b", "a", "unknown"], 2) == {"a": ["a#0", "a#1"], "b": ["b#0"]}
        assert view.passages_of(["a"], 0) == {}
        loaded = view.passages(["a#2", "a#0", "a#9", "c#0", "a#0"])
        assert list(loaded) == ["a#2", "a#0"]
        assert loaded["a#2"] == Passage("a#2", "a", 2, "Title", "Third.", "", document.metadata)
        assert view.size == 4

    def test_pages_of_passages(self, store_factory: StoreFactory) -> None:
        store = store_factory()
        store.add([(Document("a", "One.\n\nTwo.", "A"), [Piece("", "One.", 1), Piece("", "Two.", 17)])])
        assert [p.page for p in store.view().scan()] == [1, 17]
        assert [p.page for p in store.view().passages(["a#0", "a#1"]).values()] == [1, 17]

    # --- files ---

    def test_files_are_noted_listed_and_forgotten(self, store_factory: StoreFactory) -> None:
        store = store_factory()
        # Times of files are nanoseconds, beyond 32 bits and beyond what a float holds exactly.
        files = [SourceFile("", f"{name}.md", 3, 2**60, name * 32, "r") for name in "abc"]
        other = SourceFile("it's/", "it's/a.md", 1, 0, "d", "r", "is not\nreadable")
        store.put_files([*files, other])
        assert (store.generation, store.files("", "", 10)) == (0, files)
        assert store.files("", "a.md", 1) == files[1:2]
        assert store.files_at("it's/", ["it's/a.md", "b.md"]) == {"it's/a.md": other}
        changed = replace(files[0], digest="new")
        done = store.edit([*divide_each(Document("a", "One.")), changed, Forgotten("", "b.md")])
        assert (done.documents, done.passages, store.files("", "", 10)) == (1, 1, [changed, files[2]])
        store.edit([Forgotten("", "c.md")])
        assert (store.generation, store.files("", "", 10)) == (1, [changed])

    def test_documents_by_a_text_of_their_metadata(self, store_factory: StoreFactory) -> None:
        with pytest.raises(InvalidRecord, match="the name of a field has at most 500 bytes"):
            fill(store_factory(), Document("d", "One.", "", {"f" * 10_000: "x"}))
        assert fill(store_factory(), Document("d", "One.", "", {"f" * 500: "x" * 10_000})).stats().documents == 1
        long = "x" * 80
        documents = [Document(f"d{n}", "One.\n\nTwo.", "", {"file": long, "n": n}) for n in range(4)]
        store = fill(store_factory(), *documents, Document("other", "One.", "", {"file": long + "y"}))
        assert store.ids_with("file", long, "", 3) == ["d0", "d1", "d2"]
        assert store.ids_with("file", long, "d2", 3) == ["d3"]
        assert store.ids_with("file", "unknown", "", 3) == store.ids_with("unknown", long, "", 3) == []

    def test_edits_come_in_one_transaction(self, store_factory: StoreFactory) -> None:
        store = fill(store_factory(), Document("a", "Apples."), Document("b", "Pears."))
        done = store.edit([Removal(("a", "unknown")), *divide_each(Document("b", "Plums."), Document("c", "Figs."))])
        assert (done.documents, done.replaced, done.generation) == (2, 1, 2)
        assert list(store.document_ids()) == ["b", "c"]
        assert found(store.view(), "apples pears plums figs") == ["b#0", "c#0"]
        with pytest.raises(RuntimeError, match="stop"):
            store.edit(_failing(Removal(("b",)), *divide_each(Document("d", "Dates."))))
        # What failed has left no trace, not even a generation: caches stay valid.
        assert (list(store.document_ids()), store.generation) == (["b", "c"], 2)

    def test_passages_that_stay_keep_their_vectors(self, store_factory: StoreFactory) -> None:
        embedder = CountingEmbedder()
        store = fill(store_factory(embedder), Document("a", "Apples.\n\nPears.", "A"), Document("b", "Figs.", "B"))
        # Embedding is the slow part of indexing: only a text that is new may cost a call.
        assert embedder.texts == 3
        fill(store, Document("a", "Apples.\n\nPlums.", "A", {"year": 1}))
        assert embedder.texts == 4
        store.edit([Removal(("b",)), *divide_each(Document("c", "Figs.", "C"))])
        assert embedder.texts == 4
        view = store.view()
        texts = [to_embed("A", "", "Apples."), to_embed("A", "", "Plums."), to_embed("B", "", "Figs.")]
        wanted = HashEmbedder().embed(texts)
        assert np.allclose(view.vectors(["a#0", "a#1", "c#0"]), wanted, atol=1e-3)

    def test_adding_again_replaces(self, store_factory: StoreFactory) -> None:
        old = Document("a", "Granite.\n\nBasalt.", "Old", {"year": 1})
        store = fill(store_factory(), old, Document("b", "Marble."))
        added = store.add(divide_each(Document("a", "Limestone.", "New", {"month": 2})))
        assert (added.documents, added.replaced, added.passages) == (1, 1, 1)
        view = store.view()
        assert (found(view, "granite"), found(view, "basalt"), found(view, "limestone")) == ([], [], ["a#0"])
        assert (view.size, store.stats().documents) == (2, 2)
        assert view.passages(["a#0"])["a#0"].title == "New"
        assert view.find_names(["Old New"])[0][0].documents == ("a",)
        with pytest.raises(InvalidFilter, match="'year'"):
            store.view({"year": 1})

    def test_the_last_of_equal_ids_wins(self, store_factory: StoreFactory) -> None:
        store = store_factory()
        added = store.add(divide_each(Document("a", "Granite."), Document("b", "Marble."), Document("a", "Limestone.")))
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
        added = store.add(pair for i in range(2500) for pair in divide_each(Document(f"d{i}", f"Stream number{i}.")))
        assert (added.documents, added.passages, store.view().size) == (2500, 2500, 2500)
        assert found(store.view(), "number2499") == ["d2499#0"]

    def test_a_stream_that_fails_leaves_nothing(self, store_factory: StoreFactory) -> None:
        def failing() -> Iterator[Divided]:
            yield from divide_each(Document("b", "Basalt."), Document("a", "Changed."))
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
        # Caches are stamped with it, so a change that did not count would serve old answers.
        assert generations == sorted(set(generations))
        assert store.delete(["fuji"]).generation == store.add(divide_each()).generation == generations[-1]
        assert store.view().generation == store.refresh() == store.stats().generation == generations[-1]

    def test_a_view_stays_on_its_generation(self, store_factory: StoreFactory) -> None:
        store = fill(store_factory(HashEmbedder()), Document("a", "Granite is near Rome.", "A", {"n": 1}))
        fill(store, Document("rome", "A city", "Rome"))
        view, filtered = store.view(), store.view({"n": 1})

        def seen() -> list[object]:
            stones = "granite basalt marble"
            read = [view.generation, view.size, view.passages(["a#0", "b#0"]), view.passages_of(["a", "b"], 3)]
            met = [
                found(view, stones),
                near(view, stones),
                view.find_names(["Rome Basalt"]),
                found(filtered, "granite"),
            ]
            return [*read, *met, view.links_from(["a#0"]), view.links_to(["rome"], 5), filtered.size]

        before = seen()
        fill(store, Document("b", "Basalt granite, not of Rome.", "Basalt", {"n": 1}))
        fill(store, Document("a", "Marble.", "Other title", {"n": 2}))
        # A question of several hops sees one state of the index, whatever is written meanwhile.
        store.delete(["rome"])
        assert seen() == before
        assert (found(store.view(), "granite"), found(store.view(), "marble")) == (["b#0"], ["a#0"])
        assert found(store.view({"n": 1}), "granite marble") == ["b#0"]

    def test_the_list_of_documents_may_be_walked_while_it_changes(self, store_factory: StoreFactory) -> None:
        store = fill(store_factory(), *FILTERED)
        assert [id for id in store.document_ids() if store.delete([id]).documents] == sorted(d.id for d in FILTERED)
        assert list(store.document_ids()) == []

    def test_documents_are_listed_in_parts(self, store_factory: StoreFactory) -> None:
        documents = (Document("b", "x", "Alpha"), Document("a", "x", "100% Beta"), Document("c_1", "x", "alphabet"))
        store = fill(store_factory(), *documents, Document("d", "x", "Gamma", {"tags": ("x", "y")}))
        assert [d.id for d in store.documents("", "", 3)] == ["a", "b", "c_1"]
        assert store.documents("c_1", "", 3) == [("d", "Gamma", {"tags": ("x", "y")})]
        assert [d.id for d in store.documents("", "ALPHA", 9)] == ["b", "c_1"]
        assert [d.id for d in store.documents("", "100%", 9)] == ["a"]
        assert [d.id for d in store.documents("", "c_", 9)] == ["c_1"]
        # Wildcards of SQL are plain characters here.
        assert [store.documents("", starts, 9) for starts in ("%", "_", "\\", "\ud800")] == [[], [], [], []]
        assert store.documents("\ud800", "", 9) == []

    def test_stats_count(self, store_factory: StoreFactory) -> None:
        stats = fill(store_factory(HashEmbedder()), *FILTERED).stats()
        assert (stats.documents, stats.passages, stats.vectors, stats.names) == (5, 5, 5, 4)
        assert stats.fields == {"country": 3, "height": 4, "open": 2, "tag": 3, "years": 2}
        assert stats.embedder == "hash:32"

    # --- search ---

    def test_lexical_ranks_rare_words_first(self, store_factory: StoreFactory) -> None:
        view = fill(store_factory(), *FILTERED).view()
        asked = ("a volcano in PERÚ", "nothing at all like this", "", "Volcanoes of Japan")
        answers = view.lexical([Lookup(query, 3) for query in asked])
        assert [len(hits) for hits in answers] == [3, 1, 0, 3]
        assert answers[0][0][0] == "misti#0"
        assert {id for id, _ in answers[3][:2]} == {"aso#0", "fuji#0"}
        for hits in answers:
            assert hits == sorted(hits, key=lambda hit: (-hit[1], hit[0]))

    def test_a_query_of_nothing_but_stopwords_names_a_title(self, store_factory: StoreFactory) -> None:
        band = Document("band", "An English rock band.\n\nIt has sold many records.", "The Who", {"kind": "band"})
        film = Document("film", "A film of 1982, after the novel of that name, which few have read.", "Who (film)")
        store = fill(store_factory(), band, film, *(Document(f"{i}", "Who, who is the who?") for i in range(9)))
        for query in ("The Who", "Who is The Who?"):
            assert found(store.view(), query) == ["band#0", "band#1", "film#0"]
            assert found(store.view({"kind": "band"}), query, 1) == ["band#0"]
            assert store.view().lexical([Lookup(query, 5, ["0#0", "band#1"])])[0][0][0] == "band#1"
        assert found(store.view(), "who") == ["film#0"]
        assert found(store.view(), "what is it") == []
        store.delete(["band"])
        assert found(store.view(), "The Who") == ["film#0"]

    def test_frequencies_count_passages_whatever_the_filter(self, store_factory: StoreFactory) -> None:
        store = fill(store_factory(), *FILTERED)
        [volcano] = terms("volcano")
        everything = store.view().frequencies([volcano, "unheardof"])
        assert everything == [sum(volcano in terms(d.title + " " + d.text) for d in FILTERED), 0]
        assert store.view({"country": "Japan"}).frequencies([volcano, "unheardof"]) == everything
        assert store.view().frequencies([]) == []

    def test_ties_break_by_id(self, store_factory: StoreFactory) -> None:
        ids = [f"{i:02}" for i in range(20)]
        store = store_factory(HashEmbedder())
        # In several additions and out of order: ties must not break by when or in which segment a passage came.
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
        assert sorted(i for i, _ in store.view().lexical([Lookup("volcano", 9, within)])[0]) == ["fuji#0", "misti#0"]
        assert sorted(near(store.view(), "volcano", 9, within)) == ["fuji#0", "misti#0"]
        assert store.view().lexical([Lookup("volcano", 9, [])]) == [[]]
        assert near(store.view(), "volcano", 9, []) == []
        japan = store.view({"country": "Japan"})
        assert [i for i, _ in japan.lexical([Lookup("volcano", 9, within)])[0]] == ["fuji#0"]
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

    def test_ranges_of_dates(self, store_factory: StoreFactory) -> None:
        store = fill(store_factory(), *DATED)
        for where, expected in DATES:
            assert {p.document_id for p in store.view(where).scan()} == expected, where
        # Every date comes before "soon", and after "03.05.2020".
        for bound in ("soon", "03.05.2020", "2020-5-3"):
            with pytest.raises(InvalidFilter, match=f"'on' holds dates such as '20.*'; got '{bound}': give a day"):
                store.view({"on": {"lte": bound}})
        assert store.view({"on": {"gte": "0", "lt": ":"}}).size == len(DATED)

    def test_wrong_filters_say_what_is_wrong(self, store_factory: StoreFactory) -> None:
        store = fill(store_factory(), *FILTERED)
        for where, message in WRONG_FILTERS:
            with pytest.raises(InvalidFilter, match=message):
                store.view(where)

    def test_the_values_of_a_field_with_their_documents(self, store_factory: StoreFactory) -> None:
        hekla = Document("hekla", "A.\n\nB.", metadata={"country": "Iceland", "height": "high"})
        store = fill(store_factory(), *FILTERED, hekla)
        assert store.field_values("country", 9) == [("Japan", 2), ("Iceland", 1), ("Italy", 1), ("Peru", 1)]
        assert store.field_values("height", 9) == [(1592.5, 1), (3403, 1), (3776, 1), (5822, 1), ("high", 1)]
        assert store.field_values("open", 9) == [(1, 2), (0, 1)]
        assert store.field_values("tag", 1) == [("b", 2)]
        assert store.field_values("nothing", 9) == store.field_values("\ud800", 9) == []

    def test_one_passage_of_many_is_found_through_a_filter(self, store_factory: StoreFactory) -> None:
        store = store_factory(HashEmbedder())
        # A store that searches first and filters then would find none of these among the best.
        fill(store, *(Document(f"{i}", f"common words everywhere {i % 7}", metadata={"n": i}) for i in range(2000)))
        for n in (0, 1234, 1999):
            view = store.view({"n": n})
            assert view.size == 1
            assert found(view, "common words everywhere", 1) == near(view, "something else", 1) == [f"{n}#0"]
        half = store.view({"n": {"gte": 1000}})
        assert len(found(half, "common words", 1500)) == len(near(half, "common", 1500)) == 1000

    def test_links_stay_inside_the_filter(self, store_factory: StoreFactory) -> None:
        rome = Document("rome", "A city", "Rome", {"kept": True})
        near_rome = [Document(f"{i}", "Near Rome", metadata={"kept": i > 7}) for i in range(10)]
        store = fill(store_factory(), rome, *near_rome)
        view = store.view({"kept": True})
        assert [link.source for link in view.links_from([f"{i}#0" for i in range(10)])] == ["8#0", "9#0"]
        assert [link.source for link in view.links_to(["rome"], 2)] == ["8#0", "9#0"]
        assert [link.source for link in view.links_to(["rome"], 1)] == ["8#0"]
        assert len(store.view().links_to(["rome"], 7)) == 7

    # --- links ---

    @pytest.mark.parametrize(
        ("title", "mentions", "others"),
        [
            ("Rome", ("He saw Rome.", "He saw (Rome), twice", "A Rome-based painter"), ("Romeo and Prome", "Rom e")),
            ("Rome", ("ROME", "rome", "Rome's and Rome’s walls"), ("Romes",)),
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
        assert [t for t, named in zip(texts, view.find_names(texts), strict=True) if named] == list(mentions)

    def test_the_longest_name_wins(self, store_factory: StoreFactory) -> None:
        places = [Document(t.casefold(), "x", t) for t in ("York", "New York", "New York City", "City Hall")]
        text = "From New York City Hall to New York and to York"
        view = fill(store_factory(), *places, Document("a", text)).view()
        assert links(view, "a#0") == {(n, n) for n in ("new york city", "new york", "york")}
        mentions = [(m.surface, m.start, m.end) for m in view.find_names([text])[0]]
        assert mentions == [("new york city", 1, 4), ("new york", 6, 8), ("york", 10, 11)]

    def test_neighboring_names_are_both_found(self, store_factory: StoreFactory) -> None:
        rome, paris = Document("r", "x", "Rome"), Document("p", "x", "Paris")
        view = fill(store_factory(), rome, paris, Document("a", "Rome Paris")).view()
        assert links(view, "a#0") == {("r", "rome"), ("p", "paris")}

    def test_ambiguous_names_keep_their_meanings_apart(self, store_factory: StoreFactory) -> None:
        meanings = [Document(k, "x", f"Mercury ({k})") for k in ("planet", "element", "god")]
        naming = Document("a", "Mercury shines"), Document("b", "the Mercury god")
        view = fill(store_factory(), *meanings, *naming).view()
        linked = [(x.target, x.name, x.ambiguity) for x in view.links_from(["a#0"])]
        assert linked == [(target, "mercury", 3) for target in ("element", "god", "planet")]
        assert links(view, "b#0") == {("god", "mercury god")}
        assert view.find_names(["Mercury"])[0][0].documents == ("element", "god", "planet")
        assert [(x.source, x.ambiguity) for x in view.links_to(["planet"], 9) if x.source == "a#0"] == [("a#0", 3)]

    def test_a_title_belongs_to_who_says_something_under_it(self, store_factory: StoreFactory) -> None:
        described = "The smallest planet circles the sun within eighty eight days, scorched, cratered and airless."
        planet, god = Document("planet", described, "Mercury"), Document("god", described[::-1], "Mercury")
        squatter, naming = Document("squatter", "Mercury is a page. See Mercury.", "Mercury"), Document("a", "Mercury")
        view = fill(store_factory(), planet, squatter, naming).view()
        assert view.find_names(["Mercury"])[0][0].documents == ("planet",)
        assert [(x.target, x.ambiguity) for x in view.links_from(["a#0"])] == [("planet", 1)]
        assert {x.source for x in view.links_to(["planet"], 9)} == {"a#0", "squatter#0"}
        assert view.links_to(["squatter"], 9) == []
        assert found(view, "page") == ["squatter#0"]
        # Where nobody says much, or several do, the title is theirs together.
        assert fill(store_factory(), planet, god, naming).view().find_names(["Mercury"])[0][0].documents == (
            "god",
            "planet",
        )
        small = fill(store_factory(), squatter, Document("b", "A stone.", "Mercury"), naming).view()
        assert small.find_names(["Mercury"])[0][0].documents == ("b", "squatter")

    def test_aliases_name_a_document(self, store_factory: StoreFactory) -> None:
        nyc = Document("nyc", "x", "New York", aliases=("Big Apple",))
        view = fill(store_factory(), nyc, Document("a", "Big apple!")).view()
        assert links(view, "a#0") == {("nyc", "big apple")}

    def test_a_document_does_not_link_to_itself(self, store_factory: StoreFactory) -> None:
        view = fill(store_factory(), Document("rome", "Rome is old.\n\nAll love Rome.", "Rome")).view()
        assert view.links_from(["rome#0", "rome#1"]) == view.links_to(["rome"], 5) == []

    def test_links_are_the_same_from_both_sides(self, store_factory: StoreFactory) -> None:
        view = fill(store_factory(), *_linked_documents()).view()
        out = view.links_from([f"{d.id}#0" for d in _linked_documents()])
        back = view.links_to([d.id for d in _linked_documents()], 100)
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
        assert [m.documents for m in store.view().find_names(["New York City"])[0]] == [("state",)]
        store.delete(["state"])
        assert (links(store.view(), "a#0"), store.view().find_names(["New York City"])) == (set(), [()])
        assert all(check.ok for check in store.verify())

    def test_a_new_title_moves_the_links(self, store_factory: StoreFactory) -> None:
        store = fill(store_factory(), Document("a", "Rome and Paris"), Document("x", "A city", "Rome"))
        fill(store, Document("x", "A city", "Paris"))
        assert links(store.view(), "a#0") == {("x", "paris")}
        fill(store, Document("a", "Only Rome", "A"))
        assert links(store.view(), "a#0") == set()

    def test_a_shared_name_survives_one_of_its_documents(self, store_factory: StoreFactory) -> None:
        named = (Document(id, "x", "Mercury") for id in "pe")
        store = fill(store_factory(), Document("a", "Mercury"), *named)
        store.delete(["p"])
        assert [(x.target, x.ambiguity) for x in store.view().links_from(["a#0"])] == [("e", 1)]

    # --- relations ---

    def test_relations_are_seen_from_both_ends_and_through_the_filter(self, store_factory: StoreFactory) -> None:
        store = fill(store_factory(), *FILTERED)
        inside = Relation("fuji#0", "aso#0", "FOLLOWS", 0.5, "both in Japan", "rules")
        outside = Relation("fuji#0", "etna#0", "CONTRADICTS", 0.25)
        before = store.generation
        assert store.relate([outside, inside, Relation("fuji#0", "unknown#0", "CAUSES", 1.0)]) == 2
        assert (store.generation > before, store.stats().relations) == (True, 2)
        everything, japan = store.view(), store.view({"country": "Japan"})
        assert everything.relations_from(["fuji#0", "aso#0", "unknown#0"]) == [inside, outside]
        assert everything.relations_to(["aso#0", "etna#0"]) == [inside, outside]
        assert japan.relations_from(["fuji#0"]) == japan.relations_to(["aso#0"]) == [inside]
        assert japan.relations_from(["etna#0"]) == japan.relations_to(["etna#0"]) == []

    def test_passages_that_lost_a_relation_are_told_until_that_is_settled(self, store_factory: StoreFactory) -> None:
        store = fill(store_factory(), *FILTERED)
        store.relate([Relation("fuji#0", "aso#0", "FOLLOWS", 0.5), Relation("aso#0", "etna#0", "CAUSES", 0.5)])
        early = store.view()
        assert early.lost_relations() == []
        store.delete(["etna"])
        assert (early.lost_relations(), store.view().lost_relations()) == ([], ["aso#0"])
        between = store.generation
        fill(store, Document("aso", "The Aso once more", metadata={"country": "Japan"}))
        assert store.view().lost_relations() == store.view({"country": "Japan"}).lost_relations() == ["aso#0", "fuji#0"]
        assert store.view({"country": "Italy"}).lost_relations() == []
        assert store.relate([], settles=between) == 0
        assert store.view().lost_relations() == ["fuji#0"]
        store.relate([Relation("misti#0", "fuji#0", "EXPLAINS", 1.0)], replace=True)
        assert store.view().lost_relations() == []

    def test_relations_are_replaced_and_go_with_their_passages(self, store_factory: StoreFactory) -> None:
        store = fill(store_factory(), *FILTERED)
        store.relate([Relation("fuji#0", "aso#0", "FOLLOWS", 0.5), Relation("aso#0", "etna#0", "CAUSES", 0.5)])
        stronger = Relation("fuji#0", "aso#0", "FOLLOWS", 0.75, "a cue", "lm")
        store.relate([stronger])
        assert store.view().relations_from(["fuji#0"]) == [stronger]
        store.delete(["etna"])
        assert (store.view().relations_from(["aso#0"]), store.stats().relations) == ([], 1)
        assert store.relate([Relation("misti#0", "aso#0", "EXPLAINS", 1.0)], replace=True) == 1
        assert (store.view().relations_from(["fuji#0"]), store.stats().relations) == ([], 1)
        assert all(check.ok for check in store.verify())

    # --- everything at once ---

    def test_a_scan_gives_every_passage_of_the_view(self, store_factory: StoreFactory) -> None:
        many = [Document(f"d{i}", f"One {i}.\n\nTwo {i}.", metadata={"odd": i % 2 == 1}) for i in range(1100)]
        store = fill(store_factory(), *many)
        view, odd = store.view(), store.view({"odd": True})
        ids = [p.id for p in view.scan()]
        assert sorted(ids) == sorted(f"d{i}#{n}" for i in range(1100) for n in (0, 1))
        assert ids == [p.id for p in view.scan()]
        assert [p.id for p in odd.scan()] == [id for id in ids if int(id[1:].partition("#")[0]) % 2]
        assert next(odd.scan()) == odd.passages([next(odd.scan()).id])[next(odd.scan()).id]

    def test_what_came_in_after_a_mark(self, store_factory: StoreFactory) -> None:
        store = fill(store_factory(), *FILTERED)
        everything = list(store.view().since(-1))
        assert [p for _, p in everything] == list(store.view().scan())
        marks = [mark for mark, _ in everything]
        assert marks == sorted(set(marks)) and min(marks) >= 0
        assert list(store.view().since(marks[0])) == everything[1:]
        assert list(store.view().since(marks[-1])) == []
        # What is replaced comes in again, and a mark that became free is not given twice.
        store.delete([everything[-1][1].document_id])
        fill(store, Document("etna", "Etna is in Italy.", metadata={"country": "Italy"}))
        newer = list(store.view().since(marks[-1]))
        assert [p.id for _, p in newer] == ["etna#0"]
        assert list(store.view({"country": "Italy"}).since(marks[-1])) == newer
        assert list(store.view({"country": "Japan"}).since(marks[-1])) == []

    def test_vectors_come_back_in_the_order_asked(self, store_factory: StoreFactory) -> None:
        embedder = HashEmbedder()
        view = fill(store_factory(embedder), *FILTERED).view({"country": "Japan"})
        rows = view.vectors(["aso#0", "etna#0", "fuji#0", "unknown#0"])
        expected = embedder.embed(["Aso. A volcano in Japan", "Fuji. A volcano in Japan"])
        # What is unknown or outside the filter is a row of zeros, so that rows and ids stay side by side.
        assert rows.shape == (4, embedder.dimension)
        assert abs(rows[[0, 2]] - expected).max() < 1e-3
        assert not rows[[1, 3]].any()
        assert fill(store_factory(), *FILTERED).view().vectors(["aso#0"]).shape == (1, 0)

    def test_what_is_kept_comes_back_with_its_generation(self, store_factory: StoreFactory) -> None:
        store = fill(store_factory(), *FILTERED)
        assert store.get_blob("model") is None
        store.put_blob("model", b"\x00one")
        made = store.generation
        fill(store, Document("new", "A later document"))
        assert store.get_blob("model") == (made, b"\x00one")
        store.put_blob("model", b"two")
        assert store.get_blob("model") == (store.generation, b"two")
        assert store.generation > made

    def test_a_view_remembers_by_generation_and_filter(self, store_factory: StoreFactory) -> None:
        store = fill(store_factory(), *FILTERED)
        made: list[str] = []

        def make(value: str) -> str:
            made.append(value)
            return value

        def ask(where: dict[str, Any] | None, value: str, *, shared: bool = False) -> str:
            return store.view(where).get_or_make("thing", lambda: make(value), shared=shared)

        assert (ask(None, "all"), ask(None, "again"), ask({"country": "Japan"}, "japan")) == ("all", "all", "japan")
        assert (ask({"country": "Japan"}, "again"), ask({"country": "Peru"}, "peru")) == ("japan", "peru")
        assert ask({"country": "Italy"}, "shared", shared=True) == "all"
        assert made == ["all", "japan", "peru"]
        store.put_blob("model", b"bytes")
        assert store.view({"country": "Japan"}).get_blob("model") == (store.generation, b"bytes")
        assert store.view().get_blob("unknown") is None
        fill(store, Document("new", "A later document", metadata={"country": "Japan"}))
        assert (ask(None, "later"), ask({"country": "Japan"}, "later")) == ("later", "later")

    # --- threads ---

    def test_many_threads_read_one_view(self, store_factory: StoreFactory) -> None:
        store = fill(store_factory(HashEmbedder()), *_linked_documents(), *FILTERED)
        queries = ["volcano japan", "rome paris", "peru", "forum rome", "italy", "a city", "nothing", "etna"]
        view = store.view()

        def answer(query: str) -> list[object]:
            mine = store.view()
            return [f(v, query) for v in (view, mine) for f in (_everything, found, near)]

        expected = [answer(query) for query in queries]
        with ThreadPoolExecutor(8) as pool:
            assert list(pool.map(answer, queries * 40)) == expected * 40


def _linked_documents() -> list[Document]:
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
