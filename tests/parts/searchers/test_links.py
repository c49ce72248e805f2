"""Following mention links: what a link is worth, and where it leads."""

from __future__ import annotations

import pytest

from multihop.parts.searchers import LinkWalker
from multihop.protocols import Store
from multihop.testing.contracts import StoreFactory, fill
from multihop.text import rarity
from multihop.types import Document, Walk

from ..making import context_of

DOCUMENTS = (
    Document("fram", "The Fram was drawn by Colin Archer and sailed from Oslo.", "Fram", {"kind": "ship"}),
    Document("maud", "The Maud was built near Oslo.", "Maud", {"kind": "ship"}),
    Document("archer", "An architect.\n\nHe lived long.", "Colin Archer", {"kind": "person"}),
    Document("oslo", "A city.", "Oslo", {"kind": "place"}),
    Document("maps", "A map of Oslo.\n\nAnother map of Oslo.", "Maps", {"kind": "thing"}),
)


@pytest.fixture
def store(store_factory: StoreFactory) -> Store:
    return fill(store_factory(), *DOCUMENTS)


def follow(
    store: Store, *seeds: tuple[str, float], walker: LinkWalker | None = None, **where: str
) -> dict[tuple[str, str], float]:
    walk = Walk("Who?", "links", 10, seeds)
    [hits] = (walker or LinkWalker()).walk([walk], context_of(store, where))
    assert {h.via for h in hits} <= {id for id, _ in seeds}
    return {(h.passage_id, h.channel): round(h.score, 6) for h in hits}


def test_a_link_inherits_the_weight_of_its_seed_and_rare_names_count_more(store: Store) -> None:
    found = follow(store, ("fram#0", 0.5))
    assert found["archer#0", "link"] == found["oslo#0", "link"] == 0.5
    # A document bears its own name, so its passages count among those that use it.
    assert found["archer#0", "rare link"] == round(0.5 * rarity(3), 6)
    assert found["oslo#0", "rare link"] == round(0.5 * rarity(5), 6)


def test_the_best_of_several_ways_counts(store: Store) -> None:
    assert follow(store, ("fram#0", 0.2), ("maud#0", 0.9))["oslo#0", "link"] == 0.9


def test_a_target_shows_its_first_passages_only(store: Store) -> None:
    def of_archer(**options: int) -> set[str]:
        found = follow(store, ("fram#0", 1.0), walker=LinkWalker(**options))
        return {id for id, _ in found if id.startswith("archer")}

    assert of_archer() == {"archer#0", "archer#1"}
    assert of_archer(passages=1) == {"archer#0"}


def test_only_the_most_telling_names_and_targets_are_followed(store: Store) -> None:
    assert {id for id, _ in follow(store, ("fram#0", 1.0), walker=LinkWalker(names=2))} == {"archer#0", "archer#1"}
    assert {id for id, _ in follow(store, ("fram#0", 1.0), walker=LinkWalker(targets=1, passages=1))} == {"archer#0"}


def test_links_do_not_leave_the_filter(store: Store) -> None:
    assert {id for id, _ in follow(store, ("fram#0", 1.0), kind="place")} <= {"oslo#0"}


def test_a_seed_that_is_not_there_leads_nowhere(store: Store) -> None:
    assert LinkWalker().walk([Walk("Colin Archer", "links", 5, (("nowhere#0", 1.0),))], context_of(store)) == [()]


def test_rarity_falls_with_the_number_of_passages() -> None:
    assert rarity(1) == 1.0 > rarity(2) > rarity(100) > 0.1
