from __future__ import annotations

import pytest

from multihop.errors import InvalidInput
from multihop.profiles.values import Named, ValueRule
from multihop.survey.candidates import candidates, number_of

MASS = (Named("Mt", r"(?:mt|million tonnes)\b"), Named("kt", r"(?:kt|gg)\b", 0.001), Named("t", r"t\b", 1e-6))
MONEY = (Named("USD", r"^(?:usd|us\$|\$)"),)
GASES = (Named("CO2", r"\bco2\b|\bcarbon dioxide\b"), Named("CH4", r"\bch4\b|\bmethane\b"), Named("N2O", r"\bn2o\b"))


def values(kind: str, line: str, names: tuple[Named, ...] = ()) -> list[str]:
    return [c.value for c in candidates(ValueRule(kind, names=names), line)]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("a cut of 13,6 % or 13.6 per cent", ["13.6%", "13.6%"]),
        ("by 51–55 per cent", ["51% to 55%"]),
        ("by 7% to 22%, by 2030", ["7% to 22%"]),
        ("between 25 per cent and 28.5 percent", ["25% to 28.5%"]),
        ("by at least 55% and 60% by 2030 and 2035", ["55%", "60%"]),
        ("version 2.5.30%", []),
        ("1400% and 40 persons", []),
    ],
)
def test_percentages(line: str, found: list[str]) -> None:
    assert values("percent", line) == found


@pytest.mark.parametrize(
    ("line", "found", "number"),
    [
        ("emissions of 1,407 Mt in 2013", "1,407 Mt", 1407.0),
        ("emissions of 25,855, Gg of CO2", "25,855 Gg", 25.855),
        ("almost 18,94 kt", "18,94 kt", 0.01894),
        ("was 0,213 Mt per year", "0,213 Mt", 0.213),
        ("about 34 234 032 t in all", "34 234 032 t", 34.234032),
        ("to between 45 to 50 million tonnes", "45 to 50 million tonnes", 45.0),
    ],
)
def test_amounts_come_to_one_unit(line: str, found: str, number: float) -> None:
    [only] = candidates(ValueRule("amount", names=MASS), line)
    assert (only.value, only.unit) == (found, "Mt")
    assert only.number == pytest.approx(number)


def test_a_currency_stands_before_its_amount() -> None:
    [only] = candidates(ValueRule("amount", names=MONEY), "capped at US$ 2,500,000 in total")
    assert (only.value, only.number) == ("US$ 2,500,000", 2_500_000)


@pytest.mark.parametrize("regex", ["(a|aa)+!", "^(?:a|aa)+!"])
def test_a_unit_that_runs_away_ends_with_an_error(regex: str) -> None:
    with pytest.raises(InvalidInput, match="catastrophic backtracking"):
        values("amount", f"12 {'a' * 200}", (Named("a", regex),))


def test_a_year_beside_a_unit_is_no_amount() -> None:
    assert values("amount", "2014 2015 2016 Mt per dollar 0.7", MASS) == []


def test_equal_amounts_are_the_same_however_written() -> None:
    one, other = candidates(ValueRule("amount", names=MASS), "first 1.5 Mt, then 1,500 kt")
    assert one.same == other.same and one.value != other.value


def test_years_dates_and_bounds() -> None:
    assert values("year", "from 1990 to 2030, page 1990.5 and 20305") == ["1990", "2030"]
    bounded = ValueRule("year", lowest=1985, highest=2024)
    assert [c.value for c in candidates(bounded, "below 2005 levels by 2030")] == ["2005"]
    assert values("date", "on 3 May 2021, March 4th, 2020 and 2019-12-31") == ["2021-05-03", "2020-03-04", "2019-12-31"]


def test_names_near_each_other_are_one_list() -> None:
    assert values("names", "Gases: methane, CO2 and N2O." + " x" * 60 + " Methane leaks.", GASES) == [
        "CO2, CH4, N2O", "CH4",
    ]  # fmt: skip
    assert values("names", "all gases but CO2 (excluding methane and N2O)", GASES) == ["CO2"]
    assert values("names", "Methane was not selected. Selected are CO2 and N2O.", GASES) == ["CO2, N2O"]


def test_choices_and_sentences() -> None:
    assert values("choice", "below BAU, below 1990", (Named("yes", "bau"), Named("no", "1990"))) == ["yes", "no"]
    assert values("text", "One is here. Another is there.") == ["One is here.", "Another is there."]
    assert values("text", "") == []


@pytest.mark.parametrize(
    ("written", "number"), [("1,234.5", 1234.5), ("1 234", 1234), ("18,9", 18.9), ("0,213", 0.213)]
)
def test_numbers_as_people_write_them(written: str, number: float) -> None:
    assert number_of(written) == number
