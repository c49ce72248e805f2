"""Following citations of numbered parts: which numbers are cited, under which title, and where each leads."""

from __future__ import annotations

from dataclasses import replace

import pytest

from multihop.parts.searchers import CitationWalker, citations
from multihop.protocols import Context, Store
from multihop.testing.contracts import StoreFactory, fill
from multihop.types import Document, Passage, Walk

from ..making import BARE, context_of

DOCUMENTS = (
    Document("a1", "4.5.1 Records must be kept for six years.", "AML", {"part": "rules"}),
    Document("a2", "4.5.4 Guidance. Records under \u200eRule 4.5.1 may be electronic.", "AML", {"part": "guidance"}),
    Document("a3", "4.5.10 Another rule.", "AML"),
    Document("a4", "4.6.1(1) Copies are kept.", "AML"),
    Document("a5", "4.6.1(2) Copies are shown.", "AML"),
    Document("p1", "4.5.1 Capital is counted.", "PRU"),
    Document("p2", "5.1 Sukuk are counted by AML Rule 4.5.1 and by sections 4.5.1 to 4.6.1.", "PRU"),
    Document("t1", "Rule 4.5.1 does not begin with its own number here.", "Notes"),
)


@pytest.fixture
def store(store_factory: StoreFactory) -> Store:
    return fill(store_factory(), *DOCUMENTS)


def follow(context: Context, *seeds: tuple[str, float]) -> dict[str, tuple[float, str]]:
    [hits] = CitationWalker().walk([Walk("Who?", "links", 10, seeds)], context)
    assert {h.channel for h in hits} <= {"link", "rare link"}
    return {h.passage_id: (h.score, h.via) for h in hits}


def test_a_citation_leads_to_the_part_with_that_number_under_the_same_title(store: Store) -> None:
    assert follow(context_of(store), ("a2#0", 0.7)) == {"a1#0": (0.7, "a2#0")}


def test_a_title_before_the_number_is_meant(store: Store) -> None:
    found = follow(context_of(store), ("p2#0", 1.0))
    # "AML Rule 4.5.1" is that of AML, "sections 4.5.1" that of its own title; 4.6.1 is in AML alone and not meant.
    assert set(found) == {"a1#0", "p1#0"}


def test_sub_paragraphs_are_found_by_the_number_of_their_rule(store_factory: StoreFactory) -> None:
    cites = Document("c", "9.1 See rule 4.6.1(2).", "AML")
    assert set(follow(context_of(fill(store_factory(), *DOCUMENTS, cites)), ("c#0", 1.0))) == {"a4#0", "a5#0"}


def test_a_part_of_the_same_document_is_reached(store_factory: StoreFactory) -> None:
    filler = "Whoever sails one keeps it in good order and shows its papers on request. " * 30
    text = f"§ 12 A ship needs a name. {filler}\n\n§ 13 The name in § 12 is painted. {filler}"
    store = fill(store_factory(), Document("law", text, "Ship Act"))
    [cited, citing] = [p.id for p in store.view().scan() if p.text.startswith("§")]
    assert follow(context_of(store), (citing, 1.0)) == {cited: (1.0, citing)}


def test_what_the_filter_hides_is_not_reached(store: Store) -> None:
    assert follow(context_of(store, {"part": "guidance"}), ("a2#0", 1.0)) == {}


def test_where_nothing_is_cited_or_nothing_is_known_nothing_is_found(store: Store) -> None:
    assert follow(context_of(store), ("a1#0", 1.0), ("a3#0", 1.0), ("nowhere#0", 1.0)) == {}
    index = context_of(store).index
    assert follow(Context(replace(index, cache=None)), ("a2#0", 1.0)) == {}
    assert follow(BARE, ("a2#0", 1.0)) == {}


def test_a_large_index_is_not_read_through(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("multihop.parts.searchers.citations._LARGEST", 3)
    assert follow(context_of(store), ("a2#0", 1.0)) == {}


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("see Rule 2.4.1", ["2.4.1"]),
        ("under Sections 5.2 and 5.3", ["5.2", "5.3"]),
        ("Article 12A applies", ["12A"]),
        ("paragraph ‎4.1(b)", ["4.1"]),
        ("it cost 5.2 million in 1999", []),
        ("the rules of 1999", []),
    ],
)
def test_numbers_are_cited_by_a_word_before_them(text: str, numbers: list[str]) -> None:
    found = citations.citations(Passage("d#0", "d", 0, "T", text))
    assert [keys[-1] for keys in found] == [("t", number) for number in numbers]
