from __future__ import annotations

from typing import Any

import pytest

from multihop.cli.where import filter_of
from multihop.errors import InvalidFilter


@pytest.mark.parametrize(
    ("conditions", "where"),
    [
        ((), {}),
        (("country=Japan",), {"country": "Japan"}),
        (("country = New Zealand ",), {"country": "New Zealand"}),
        (("country=Japan,Brazil",), {"country": ["Japan", "Brazil"]}),
        (("country=Japan", "country=Brazil", "country=Japan"), {"country": ["Japan", "Brazil"]}),
        ((r"city=Paris\, Texas",), {"city": "Paris, Texas"}),
        ((r"city=Paris\, Texas,Rome",), {"city": ["Paris, Texas", "Rome"]}),
        (('city="Paris, Texas",Rome',), {"city": ["Paris, Texas", "Rome"]}),
        ((r'said="a \"quote\""',), {"said": 'a "quote"'}),
        ((r"path=C:\temp",), {"path": r"C:\temp"}),
        (("path=C:\\",), {"path": "C:\\"}),
        (("year=1990",), {"year": 1990}),
        (("year=-5",), {"year": -5}),
        (("share=0.50",), {"share": 0.5}),
        (('year="1990"',), {"year": "1990"}),
        (("open=true", "shut=false"), {"open": True, "shut": False}),
        (('open="true"',), {"open": "true"}),
        (("version=1.2.3",), {"version": "1.2.3"}),
        (('name=""',), {"name": ""}),
        (("year>=1990",), {"year": {"gte": 1990}}),
        (("year>=1990", "year<2000"), {"year": {"gte": 1990, "lt": 2000}}),
        (("year>1990", "year<=2000"), {"year": {"gt": 1990, "lte": 2000}}),
        (("date>=2020-01-01",), {"date": {"gte": "2020-01-01"}}),
        (("equation=a=b",), {"equation": "a=b"}),
        (("author.name=Ada", "year=1"), {"author.name": "Ada", "year": 1}),
    ],
)
def test_conditions(conditions: tuple[str, ...], where: dict[str, Any]) -> None:
    found = filter_of(conditions)
    assert found == where
    assert [type(v) for v in found.values()] == [type(v) for v in where.values()]


@pytest.mark.parametrize(
    ("conditions", "message"),
    [
        (("country",), "'country' is not a condition; write FIELD=VALUE"),
        (("=Japan",), "is not a condition"),
        (("",), "is not a condition"),
        (("country=",), "has an empty value"),
        (("country=Japan,",), "has an empty value"),
        (("country=,Japan",), "has an empty value"),
        (('country="Japan',), "open quote"),
        (('country="Japan"x',), "open quote"),
        (("year>=1990,1991",), "more than one value"),
        (("year>=1990", "year>=1991"), "more than one value"),
        (("year=1990", "year<2000"), "'year' has both a value and bounds"),
    ],
)
def test_what_is_no_condition(conditions: tuple[str, ...], message: str) -> None:
    with pytest.raises(InvalidFilter, match=message):
        filter_of(conditions)
