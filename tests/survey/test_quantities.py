from __future__ import annotations

import pytest

from multihop.survey.quantities import Kind, Scale, Value, in_unit, number_of, scale_of, values_in


@pytest.mark.parametrize(
    ("kind", "said", "text", "number", "unit", "qualifier"),
    [
        ("money", "pays EUR 1.2 million a year", "EUR 1,200,000", 1.2e6, "EUR", "a year"),
        ("money", "$4.50", "USD 4.5", 4.5, "USD", ""),
        ("money", "300 thousand dollars", "USD 300,000", 3e5, "USD", ""),
        ("money", "€12m", "EUR 12,000,000", 12e6, "EUR", ""),
        ("money", "TEUR 1,250", "EUR 1,250,000", 1.25e6, "EUR", ""),
        ("money", "UAH 5,000 and 300 MAD; try 3", "UAH 5,000", 5000.0, "UAH", ""),
        ("money", "GEL 400", "GEL 400", 400.0, "GEL", ""),
        ("money", "a dividend of CHF 0.40 per share", "CHF 0.4", 0.4, "CHF", "per share"),
        ("percent", "28 % (transport sector only)", "28%", 28.0, "%", "(transport sector only)"),
        ("percent", "45 % below 2005", "45%", 45.0, "%", "below 2005"),
        ("percent", "43% of electricity", "43%", 43.0, "%", "of electricity"),
        ("percent", "20 per cent relative to BAU", "20%", 20.0, "%", "relative to BAU"),
        ("percent", "10 to 15 percent", "10% to 15%", 10.0, "%", ""),
        ("duration", "at three months' notice", "3 months", 3.0, "months", ""),
        ("duration", "within thirty (30) days", "30 days", 30.0, "days", ""),
        ("duration", "a 2-year term", "2 years", 2.0, "years", ""),
        ("date", "signed on 2 July 2024", "2024-07-02", None, "date", ""),
        ("date", "July 2nd, 2024", "2024-07-02", None, "date", ""),
        ("date", "on 03/04/2021", "2021-04-03", None, "date", ""),
        ("date", "in May 2020", "2020-05", None, "date", ""),
        ("number", "we had 1,204 employees", "1,204", 1204.0, "", ""),
        ("number", "3.5 million users", "3,500,000", 3.5e6, "", ""),
        ("number", "twelve employees", "12", 12.0, "", ""),
    ],
)
def test_values(kind: Kind, said: str, text: str, number: float | None, unit: str, qualifier: str) -> None:
    found = values_in(kind, said)[0]
    assert (found.text, found.number, found.unit, found.qualifier) == (text, number, unit, qualifier)


@pytest.mark.parametrize(
    ("kind", "said", "values"),
    [
        ("number", "Courses with fewer than 5 participants are cancelled.", [("fewer than", "5")]),
        ("number", "1,200 or more users", [("at least", "1,200")]),
        ("number", "20 seats or fewer than 8 tables", [("", "20"), ("fewer than", "8")]),
        ("money", "A fine of up to EUR 20,000 applies.", [("up to", "EUR 20,000")]),
        ("money", "costs exceeding NOK 5 million", [("more than", "NOK 5,000,000")]),
        ("percent", "more than 5 % of the votes", [("more than", "5%")]),
        ("duration", "less than 3 months", [("less than", "3 months")]),
        ("duration", "at least 3 months' notice", [("", "3 months")]),
        ("duration", "paid over 3 months", [("", "3 months")]),
    ],
)
def test_bounds(kind: Kind, said: str, values: list[tuple[str, str]]) -> None:
    assert [(value.bound, value.text) for value in values_in(kind, said)] == values


@pytest.mark.parametrize(
    ("kind", "said", "values"),
    [
        ("duration", "the period of 1 month is replaced by 2 months", ["2 months"]),
        ("number", "the limit was raised from 30 to 50 staff", ["50"]),
        ("number", "the limit of 30 seats is amended", ["30"]),
    ],
)
def test_values_that_an_amendment_replaces_are_left_out(kind: Kind, said: str, values: list[str]) -> None:
    assert [value.text for value in values_in(kind, said)] == values


def test_ranges_are_one_value() -> None:
    said = (
        "between 10 and 15 staff",
        "10 to 15 staff",
        "from 10 to 15 staff",
        "rose from 10 to 15 staff",
        "10 and 15 staff",
    )
    found = [[value.text for value in values_in("number", each)] for each in said]
    assert found == [["10 to 15"], ["10 to 15"], ["10", "15"], ["10", "15"], ["10", "15"]]


def test_figures_that_stand_alone_take_the_unit_of_their_table() -> None:
    assert values_in("money", "1,234") == []
    [amount] = values_in("money", "(1,234)", Scale(1e3, "EUR"))
    assert (amount.text, amount.number) == ("EUR -1,234,000", -1_234_000.0)
    [own] = values_in("money", "USD 5 million", Scale(1e3, "EUR"))
    assert own.text == "USD 5,000,000"
    signed = [values_in("money", said, Scale(1e6))[0].text for said in ("$ 4,756", "($4,935)", "$ (4,935)", "( 228 )")]
    assert signed == ["USD 4,756,000,000", "USD -4,935,000,000", "USD -4,935,000,000", "-228,000,000"]


@pytest.mark.parametrize(
    ("caption", "factor", "currency"),
    [
        ("Key figures (EUR thousand)", 1e3, "EUR"),
        ("Key figures, EUR million", 1e6, "EUR"),
        ("Income statement, in thousands of euros", 1e3, "EUR"),
        ("(in USD millions, except per share)", 1e6, "USD"),
        ("Amounts in TEUR", 1e3, "EUR"),
        ("€m", 1e6, "EUR"),
        ("(Dollars in thousands, except per share data)", 1e3, "USD"),
        ("(In millions, except number of shares, which are reflected in thousands)", 1e6, ""),
        ("all figures in CHF", 1.0, "CHF"),
        ("Height of the tower (m)", 1.0, ""),
        ("in 2023", 1.0, ""),
    ],
)
def test_captions_say_the_unit(caption: str, factor: float, currency: str) -> None:
    assert scale_of(caption) == (factor, currency)


def test_numbers_of_several_countries() -> None:
    written = ("1,234.5", "1 234.5", "1.234.567", "1.234,5", "18,94", "0,213")
    assert [number_of(w) for w in written] == [1234.5, 1234.5, 1234567.0, 1234.5, 18.94, 0.213]


def test_values_in_the_unit_asked_for() -> None:
    amount = Value(0, 0, "EUR 771,700,000", 771.7e6, "EUR")
    assert in_unit(amount, "EUR million").text == "771.7 EUR million"
    assert in_unit(amount, "USD million") == amount
    assert in_unit(Value(0, 0, "2 years", 2.0, "years"), "months").text == "24 months"
    assert in_unit(Value(0, 0, "30 days", 30.0, "days"), "months").text == "30 days"
