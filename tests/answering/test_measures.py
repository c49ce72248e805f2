from __future__ import annotations

import pytest

from multihop.answering.measures import fits, is_for_other_period, is_in_other_unit, measures_in


def test_numbers_are_found_with_their_units() -> None:
    assert [each[:2] for each in measures_in("2.5 mg in 20-ml tubes for NOK 1,395 or €5 (30 sec)")] == [
        (2.5, "mg"), (20, "ml"), (1395, "nok"), (5, "euros"), (30, "seconds")
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("said", "question", "does"),
    [
        ("ten days", "How much did the vet cost?", False),
        ("300 tonnes", "How much did the bridge cost?", False),
        ("500 crowns a year", "How much does the license cost?", True),
        ("NOK 395", "What does a meter of the hose cost?", True),
        ("six hours", "How long is the flight?", True),
        ("€5", "How long is the flight?", False),
        ("48 tonnes", "How much waste was recycled?", True),
        ("six years", "How much a year was he to receive?", False),
        ("six years", "How much time was he given?", True),
        ("six years", "How much older is Ada than Bob?", True),
        ("1 cm", "How many slices were useful?", False),
        ("3 m", "How many metres of rope are left?", True),
        ("500 crowns", "How many crowns did they pay?", True),
        ("two hours", "How many times did it ring?", True),
        ("six years", "What was the price of the house?", False),
    ],
)
def test_an_answer_fits_the_measure_asked_for(said: str, question: str, does: bool) -> None:
    assert fits(said, question) is does


@pytest.mark.parametrize(
    ("question", "said", "answer", "other"),
    [
        ("What is the monthly rent?", "The flat costs 25 euros a night.", "25 euros", True),
        ("What is the rent per month?", "The flat costs 25 euros a night.", "25 euros a night", True),
        ("What is the rent per night?", "The flat costs 25 euros a night.", "25 euros", False),
        ("What does the flat cost?", "The flat costs 25 euros a night.", "25 euros", False),
        ("What will I pay per hour for the bike?", "The bike costs 4,200 euros.", "4,200 euros", True),
        ("What does the van cost an hour?", "item: Van · unit: per hour · price: 3.20", "3.20", False),
        ("What does the van cost an hour?", "The van costs 3 euros hourly.", "3 euros", False),
        ("What is the monthly rent?", "The rent is 900 euros and is due early.", "900 euros", False),
    ],
)
def test_an_amount_is_for_the_period_asked_for(question: str, said: str, answer: str, other: bool) -> None:
    assert is_for_other_period(question, said, answer) is other


@pytest.mark.parametrize(
    ("claim", "said", "differs"),
    [
        ("The dose is 2.5 g.", "Warfarin 3 mg, ramipril 2.5 mg.", True),
        ("The dose is 2.5 mg.", "Warfarin 3 mg, ramipril 2.5 mg.", False),
        ("The crane lifts 25 kilograms.", "Crane: 2 · Capacity in tonnes: 25", True),
        ("The crane lifts 25 tons.", "Crane: 2 · Capacity in tonnes: 25", False),
        ("It takes 3 hours.", "It takes 3 hrs.", False),
        ("It took 2 weeks.", "Two of them were there for 5 years, 2 people in all.", False),
    ],
)
def test_a_number_in_another_unit_is_another_amount(claim: str, said: str, differs: bool) -> None:
    assert is_in_other_unit(claim, said) is differs
