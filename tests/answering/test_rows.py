"""What the rows of a table say together: how often something happened, and which has most of something."""

from __future__ import annotations

import pytest

from multihop import Document, Engine

from .scripted import ScriptedReader, ScriptedVerifier

LOANS = (
    ("2024-03-02", "Projector", "Imke", 2, "yes"), ("2024-03-05", "Tent", "Raoul", 5, "no"),
    ("2024-03-09", "Projector", "Imke", 1, "no"), ("2024-03-20", "Canoe", "Imke", 9, "no"),
    ("2024-04-01", "Projector", "Raoul", 3, "yes"), ("2024-04-06", "Tent", "Imke", 4, "none"),
    ("2024-04-07", "Drill", "Sanna", 1, "no"),
)  # fmt: skip
OFFERS = (
    ("Hagen Roofs", "48,600", "slate"), ("Roofing Norrby", "47,150", "tiles"),
    ("Best & Sons", "55,230", "slate"), ("Tak & Co", "49,900", "tin"),
)  # fmt: skip
BIDS = (("Elm Sails", 310, "3 weeks"), ("Canvas & Rope", 520, "5 weeks"), ("Lofthus", 495, "1 week"))
PONDS = (("North", 4.2, 60, 12), ("South", 5.1, 45, 9), ("Mill", 3.8, 80, 20), ("Old", 2.5, 95, 15))


def _table(columns: str, rows: tuple[tuple[object, ...], ...]) -> str:
    names = columns.split(" | ")
    return "\n".join(" · ".join(f"{n}: {v}" for n, v in zip(names, row, strict=True)) for row in rows)


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    engine = Engine.open(
        tmp_path_factory.mktemp("tables") / "t.mh",
        create=True,
        reader=ScriptedReader({"": {"none": 0.9}}),
        verifier=ScriptedVerifier(),
    )
    engine.add(
        [
            Document("loans", _table("lent_on | thing | borrower | days | damaged", LOANS), "Loans of the club"),
            Document("offers", _table("Company | Offer (€) | Material", OFFERS), "Offers for the roof"),
            Document("bids", _table("Sailmaker | Bid | Delivery", BIDS), "Bids for the mainsail"),
            Document("ponds", _table("pond | depth_m | length_m | max_boat_length_m", PONDS), "Ponds"),
        ]
    )
    return engine


@pytest.mark.parametrize(
    ("asked", "said", "quoted"),
    [
        ("How many times was the Projector lent?", "3", 3),
        ("How many times was the Projector lent in March 2024?", "2", 2),
        ("How many times was the Canoe lent in March 2024?", "1", 1),
        ("How many loans were there in April 2024?", "3", 3),
        ("How many different things were lent in March 2024?", "3", 4),
        ("How many things were damaged?", "", 0),
        ("How many loans were damaged?", "2", 2),
        # The table does not say this.
        ("How many times was the Projector repaired?", "", 0),
        ("How many times was the Projector lent in May 2024?", "", 0),
        ("How many times was the Tuba lent?", "", 0),
        # No words of a row can meet this.
        ("How many loans were not damaged?", "", 0),
        ("How many loans were there after 5 April 2024?", "", 0),
        ("How many times was the Projector lent for more than 1 day?", "", 0),
        # A thing that was lent twice may count once or twice.
        ("How many things were lent in March 2024?", "", 0),
    ],
)
def test_how_many_rows(tables: Engine, asked: str, said: str, quoted: int) -> None:
    found = tables.answer(asked)
    assert found.text == said
    assert not said or len(found.sentences) == quoted


def test_a_log_of_another_period_makes_a_count_unclear(
    tables: Engine, tmp_path_factory: pytest.TempPathFactory
) -> None:
    documents = [
        Document(f"loans-{year}", "\n".join(
            f"lent_on: {year}-05-{day:02} · thing: {thing}" for day, thing in enumerate(["Tent", "Tent", "Drill"], 1)
        ), f"Loans {year}")
        for year in (2022, 2023)
    ]  # fmt: skip
    reader = ScriptedReader({"": {"none": 0.9}})
    folder = tmp_path_factory.mktemp("logs")
    with Engine.open(folder / "l.mh", create=True, reader=reader, verifier=ScriptedVerifier()) as engine:
        engine.add(documents)
        assert engine.answer("How many times was the Tent lent?").text == ""
        assert engine.answer("How many times was the Tent lent in May 2022?").text == "2"


def test_of_two_dates_either_may_be_meant(tmp_path_factory: pytest.TempPathFactory) -> None:
    rows = (("2023-01-02", "2023-01-09", "Imke"), ("2023-12-01", "2024-01-20", "Imke"), ("2023-03-01", "", "Raoul"))
    reader = ScriptedReader({"": {"none": 0.9}})
    folder = tmp_path_factory.mktemp("plans")
    with Engine.open(folder / "p.mh", create=True, reader=reader, verifier=ScriptedVerifier()) as engine:
        engine.add([Document("p", _table("planned | done | by", rows), "Repairs")])
        assert engine.answer("How many times was a repair done by Imke in 2023?").text == ""


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("Which borrower had more loans, Imke or Raoul?", "Imke"),
        ("Who borrowed fewer things according to the list of March 2024: Imke or Raoul?", "Raoul"),
        # As many, or another number than that of the rows, or a column that the question does not name.
        ("Who borrowed more things in April 2024, Imke or Raoul?", ""),
        ("Which borrower had more days, Imke or Raoul?", ""),
        ("Who wrote more letters, Imke or Raoul?", ""),
    ],
)
def test_which_of_two_has_more_rows(tables: Engine, asked: str, said: str) -> None:
    assert tables.answer(asked).text == said


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("Which company offers the least money?", "Roofing Norrby"),
        ("Which roof company gives the highest offer?", "Best & Sons"),
        # A bid needs no currency.
        ("Which sailmaker asked for the most money?", "Canvas & Rope"),
        ("Which sailmaker asked for the least money?", "Elm Sails"),
        ("Which sailmaker sent the most money?", ""),
        ("Which pond is the deepest?", "South"),
        ("Which pond is the longest?", "Old"),
        ("Which pond takes the longest boats?", "Mill"),
        ("What is the longest boat in the ponds?", "20"),
        ("Which company paid the most money in taxes?", ""),
        ("Which pond has the most money?", ""),
    ],
)
def test_the_column_of_an_extreme_is_that_with_most_words_of_the_question(
    tables: Engine, asked: str, said: str
) -> None:
    assert tables.answer(asked).text == said
