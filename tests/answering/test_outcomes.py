"""What a text mentions without stating it, by rule and by the verdicts of the built-in models."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from multihop import Document, Engine
from multihop.answering.contexts import only_plans
from multihop.answering.outcomes import came_to_nothing, held_before, is_agreed, outcome_in
from multihop.answering.versions import without_superseded
from multihop.parts.selectors.reading import QuestionWords, ReadPassage
from multihop.types import Passage

MINUTES = """Present: 41 members. In the chair: Solange Petit.

A motion to raise the yearly fee from 240 to 280 francs was rejected by 29 votes to 11.

The motion of Theo Branger to buy a second eight was postponed until the autumn.

The purchase of a double scull for at most 14,000 francs was approved.

The jetty was to be repaired in February; the work has not begun, since the canton has not yet given its permission.

Rowing at night becomes legal if the lamps stay lit until May.
"""
VOTES = """Motion by Theo Branger to sell the old launch. It was discussed at length.
It failed by 12 votes to 24.

The board proposed to raise the rent of a locker from 20 to 25 francs from May. 21 members voted for, 15 against.
The motion was carried.
"""
OARS = "The oars are made of carbon; until 2011 they were made of wood."
RULES_2016 = "A key to the boathouse costs a deposit of 20 francs. Guests may row twice a year."
RULES_2023 = "A key to the boathouse costs a deposit of 50 francs. Guests may row four times a year."


@pytest.fixture(scope="module")
def club(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with Engine.open(tmp_path_factory.mktemp("club") / "club.mh", create=True) as engine:
        engine.add(
            [
                Document("minutes", MINUTES, "General meeting, 17 March 2024"),
                Document("votes", VOTES, "General meeting, 9 October 2024"),
                Document("oars", OARS, "Oars"),
                Document("rules_2016", RULES_2016, "House rules (2016)"),
                Document("rules_2023", RULES_2023, "House rules (2023)"),
            ]
        )
        yield engine


@pytest.mark.parametrize(
    ("claim", "label"),
    [
        ("The yearly fee was raised to 280 francs.", "contradicted"),
        ("The club decided to buy a second eight in March 2024.", "contradicted"),
        ("The jetty was repaired in February.", "contradicted"),
        ("The meeting approved the purchase of a double scull.", "supported"),
        ("The motion to sell the launch was carried.", "contradicted"),
        ("The motion to sell the launch was rejected.", "supported"),
        ("The rent of a locker was raised to 25 francs.", "supported"),
        ("15 members voted against a higher rent of a locker.", "supported"),
        ("The lamps stayed lit until May.", "undecided"),
        ("The oars are made of wood.", "contradicted"),
        ("The oars are made of carbon.", "supported"),
        ("Until 2011 the oars were made of wood.", "supported"),
    ],
)
def test_what_was_refused_undone_supposed_or_formerly_so_does_not_support(club: Engine, claim: str, label: str) -> None:
    assert club.verdict(claim).label == label


def test_superseded_rules_say_nothing_of_now(club: Engine) -> None:
    assert club.verdict("Under the present rules the deposit for a key is 20 francs.").label == "contradicted"
    assert club.verdict("Guests may now row four times a year.").label == "supported"
    assert club.verdict("In 2016 the deposit for a key was 20 francs.").label != "contradicted"


def test_where_only_superseded_documents_speak_of_a_claim_they_are_shown_and_decide_nothing(tmp_path: Path) -> None:
    with Engine.open(tmp_path / "rules.mh", create=True) as engine:
        engine.add([Document("old", "Guests may row twice a year. The fee is 20 francs.", "Rules 2021 (replaced)")])
        verdict = engine.verdict("Guests may row twice a year.")
    assert verdict.label == "undecided"
    assert verdict.sentences[0].quote.text == "Guests may row twice a year."
    assert "superseded" in verdict.notes[0].text


@pytest.mark.parametrize(
    ("unit", "claim", "after", "nothing"),
    [
        ("A third, to let Ada spend 500 euros alone, was withdrawn.", "Ada may spend 500 euros alone.", (), True),
        ("Ada asked to spend 500 euros alone.", "Ada may spend 500 euros alone.", ("It was refused.",), True),
        ("Ada asked to spend 500 euros alone.", "Ada may spend 500 euros alone.", ("Carried, 9 to 2.",), False),
        ("The motion to sell the quay was rejected.", "A motion to sell the quay was made.", (), False),
        ("A motion to sell the quay.", "The motion to sell the quay was carried.", ("It failed by 9 to 4.",), True),
        ("A motion to sell the quay.", "A motion to sell the quay was made.", ("It failed by 9 to 4.",), False),
        ("The motion to sell the quay was rejected.", "The quay was not sold.", (), False),
        ("He declined the command of the lost ship.", "Ross took the command of the lost ship.", (), True),
        ("Ada asked to spend 500 euros alone.", "Ada may spend 500 euros.", ("It failed by 12 votes to 24.",), True),
        ("We voted on a sale of the quay.", "The club approved the sale of the quay.", ("6 for, 9 against.",), True),
        ("We voted on a sale of the quay.", "The club approved the sale of the quay.", ("9 for, 6 against.",), False),
        ("We voted on a move to Oslo.", "The club moved to Oslo.", ("Six were against it, three for it.",), True),
        ("Sales declined by 5 percent in 2020.", "Sales fell by 5 percent in 2020.", (), False),
        ("A plan to close the pool was rejected, but it closed in 2021.", "The pool closed in 2021.", (), False),
        ("Wood was rejected for the hull, which is of steel.", "The hull is of steel.", (), False),
        ("A reader was announced for 3.1 but never built.", "The reader came in 3.1.", (), True),
    ],
)
def test_what_was_refused_or_never_done(unit: str, claim: str, after: tuple[str, ...], nothing: bool) -> None:
    assert came_to_nothing(unit, claim, after) is nothing


@pytest.mark.parametrize(
    ("unit", "after", "told"),
    [
        ("A motion to sell the launch.", ("It was discussed.", "It failed by 9 votes to 4."), [1]),
        ("The board proposed to buy a launch.", ("9 members voted for, 4 against.", "The motion was carried."), [0, 1]),
        ("We voted on a new launch.", ("Nine were for it, four against.", "It is red."), [0]),
        ("The board proposed to buy a launch.", ("Agreed.", "It will cost 900 francs."), [0]),
        ("The launch was sold.", ("Agreed.",), []),
    ],
)
def test_what_became_of_a_motion(unit: str, after: tuple[str, ...], told: list[int]) -> None:
    assert outcome_in(unit, after) == [after[place] for place in told]
    assert is_agreed(unit, after) is any(after[place] in ("Agreed.", "The motion was carried.") for place in told)


@pytest.mark.parametrize(
    ("unit", "claim", "before"),
    [
        (OARS, "The oars are made of wood.", True),
        (OARS, "The oars are made of carbon.", False),
        (OARS, "The oars were made of wood.", False),
        (OARS, "The oars are not made of wood.", False),
        ("Until 2011, the club raced in a wooden eight.", "The club races in a wooden eight.", True),
        ("The yard is closed until 5 May.", "The yard is closed.", False),
        ("Until 2011 the club raced the Grebe, which now hangs in a bar.", "The Grebe hangs in a bar.", False),
    ],
)
def test_what_held_until_some_time(unit: str, claim: str, before: bool) -> None:
    assert held_before(unit, claim) is before


def test_a_condition_does_not_say_that_it_was_met() -> None:
    unit = "Decided: the port opens in May if the tests stay green until 9 April."
    assert only_plans(unit, "The tests stayed green until 9 April.")
    assert not only_plans(unit, "The port opened in May.")


@pytest.mark.parametrize(
    ("titles", "claim", "left"),
    [
        (("Rules 2016", "Rules 2023"), "Dogs are now allowed.", ["Rules 2023"]),
        (("Rules 2016", "Rules 2023"), "Dogs are allowed.", ["Rules 2016", "Rules 2023"]),
        (("Rules 2016", "Rules 2023"), "In 2016 dogs were allowed.", ["Rules 2016", "Rules 2023"]),
        (("Rules 2016", "Report 2023"), "Dogs are now allowed.", ["Rules 2016", "Report 2023"]),
        (("Minutes of 3 May 2016", "Minutes of 9 May 2023"), "Dogs are now allowed.", None),
        (("Rules 2021 (replaced)", "Rules"), "Dogs are allowed.", ["Rules"]),
        (("Rules 2021 (replaced)", "Rules"), "Dogs were allowed.", None),
    ],
)
def test_superseded_documents_are_left_out_of_claims_about_the_present(
    titles: tuple[str, ...], claim: str, left: list[str] | None
) -> None:
    words = QuestionWords(claim, {}, 10)
    readings = [ReadPassage(Passage(f"{t}#0", t, 0, t, "Dogs are allowed."), words, score=0.9) for t in titles]
    found = [reading.passage.title for reading in without_superseded(readings, claim)]
    assert found == (list(titles) if left is None else left)
