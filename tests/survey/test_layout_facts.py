from __future__ import annotations

import pytest

from multihop.survey.cells import Topic, lines_of
from multihop.survey.columns import Column
from multihop.survey.layout_facts import stated_facts
from multihop.types import Passage

COVER = """FORM 10-K
For the fiscal year ended
September 24, 2022
Commission File Number: 001-36743
Orlice Glass Inc.
(Exact name of registrant as specified in its charter)
Oregon 94-2404110
(State of incorporation) (I.R.S. Employer Identification No.)
12 Mill Road
Port Alder, Oregon 95014-2704
(Address of principal executive offices) (Zip Code)
As of June 3, 2022, there were 99,000,000 shares outstanding held by non-affiliates.
As of October 14, 2022, 457.8 million shares of the common stock, $0.01 par value per share, were outstanding."""
SIGNED = """By /s/ PIA L. HOLM By /s/ JON BERG
Pia L. Holm
President, Chief Executive Officer and Director
Jon Berg
Chairman of the Board
/s/ Pia L. Holm
Pia L. Holm
Chairman of the Board of Directors,
Chief Executive Officer October 27, 2022
Ada Moreau 51 President and Chief Executive Officer, Orlice Europe
Certification of Chief Executive Officer
/s/ Lindqvist & Weber LLP
We have served as the auditor since 1994."""


def facts(asked: str, said: str, page: int = 1) -> list[str]:
    column, passage = Column.of(asked), Passage("a#0", "a", 0, "", said, page=page)
    found = stated_facts(column, Topic.of(column), [passage], lines_of([passage]))
    for value, line, sure in found:
        assert 0.5 < sure < 1.0
        assert line.text[value.start : value.end].strip()
    return [value.text for value, _, _ in found]


def test_a_cover_states_facts_by_its_layout() -> None:
    assert facts("Headquarters", COVER) == ["Port Alder, Oregon"]
    assert facts("Fiscal year end", COVER) == ["2022-09-24"]
    assert facts("Shares outstanding", COVER) == ["457,800,000"]
    assert facts("Registrant", COVER) == ["Orlice Glass Inc."]
    # Far from the cover a count of shares may be one of many.
    assert facts("Shares outstanding", COVER, page=9) == []
    assert facts(
        "Shares outstanding", "At May 3, 2022 it had 99,000,001   shares of its stock issued and outstanding."
    ) == ["99,000,001"]
    wrapped = "12 Mill Road\nPort Alder, Oregon\n95014 (Zip Code)\n(Address of principal executive offices)"
    assert facts("Headquarters", wrapped) == ["Port Alder, Oregon"]
    two = "There were 200,000 Class A shares outstanding and 300,000 Class B shares outstanding."
    assert facts("Shares outstanding", two) == []


def test_people_sign_above_their_titles_and_firms_below_reports() -> None:
    assert facts("Chief executive officer", SIGNED) == ["Pia L. Holm"]
    assert facts("Chief executive officer", "/s/ PIA HOLM II\nChief Executive Officer") == ["Pia Holm II"]
    assert facts("Chief executive officer", "our Chief Executive Officer decides") == []
    assert facts("Chief executive officer", "Key Figures\nChief executive officer: Pia Holm") == []
    assert facts("Who audits it?", SIGNED) == ["Lindqvist & Weber LLP"]
    assert facts("Supplier", SIGNED) == []
    assert facts("Who audits it?", "/s/ LINDQVIST & WEBER LLP") == ["Lindqvist & Weber LLP"]
    assert facts("Who audits it?", "/s/ LWP USA, LLP") == ["LWP USA, LLP"]


@pytest.mark.parametrize(
    ("said", "count"),
    [
        ("As of May 31, 2022, we employed approximately 221,000 people, 99,000 of them abroad.", ["221,000"]),
        ("In 2019 and 2018 our Company had about 86,100 and 62,500 employees, respectively.", ["86,100"]),
        ("The Company had about 164,000 full-time equivalent employees.", ["164,000"]),
        ("Orlice's total workforce was approximately 156,000 and 142,000.", ["156,000"]),
        ("The segment employed 6,000 employees. We had 46,000 employees worldwide.", ["46,000"]),
        ("Over 9,000 employees use these programs every year.", []),
        ("We had 16,555 full-time and 33,378 part-time employees.", []),
    ],
)  # fmt: skip
def test_the_whole_is_what_a_company_says_it_employs(said: str, count: list[str]) -> None:
    assert facts("Number of employees", said) == count


def test_places_are_located_in_sentences() -> None:
    assert facts("Headquarters", "Our corporate headquarters are located in Redmond, Washington.") == [
        "Redmond, Washington"
    ]
