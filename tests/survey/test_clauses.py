from __future__ import annotations

import pytest

from multihop.survey.cells import lines_of
from multihop.survey.clauses import stated_clauses
from multihop.survey.columns import Column
from multihop.types import Passage

LEASE = """EXHIBIT 4.2
SUPPLY AGREEMENT

This Supply Agreement (this “Agreement”) is made and entered into this 9th day of May,
2019, by and between Orlice Glass, Inc., an Oregon corporation (together with its successors, “Supplier”), and
Tern Foods LLC, a Maine limited liability company with an office at 12 Mill Road (“Customer”).

WHEREAS, the parties signed a Letter of Intent dated as of March 1, 2018;

1. The initial term of this Agreement shall be three (3) years and shall commence on June 1, 2019. It shall be renewed
for successive periods of one year unless either party gives written notice at least ninety (90) days prior to its
expiration.
2. Customer shall pay each invoice within forty-five (45) days of receipt. Either party may terminate this Agreement if
the other fails to cure a breach within thirty (30) days of written notice.
3. Governing Law. This Agreement shall be governed by and construed in accordance with the laws of the State of Oregon,
without regard to its conflict of laws. Any dispute shall be brought exclusively in the courts located in Port Alder,
Oregon."""
TERMS = """Last updated: 16:09, 4 March 2024
These terms are an agreement between you and Aspen Mail AG ("we", "us"). You must be at least sixteen (16) years old to
use the service. A change becomes effective no sooner than 14 days after we post it.
THESE TERMS ARE GOVERNED BY THE LAWS OF THE CANTON OF ZUG WITHOUT GIVING EFFECT TO OTHER LAWS.
Disputes are heard by the Swiss courts."""


def stated(asked: str, said: str) -> list[str]:
    passage = Passage("a#0", "a", 0, "", said, page=1)
    found = stated_clauses(Column.of(asked), [passage], lines_of([passage]))
    assert found is not None
    for value, line, sure in found:
        assert 0.5 < sure < 1.0
        assert line.text[value.start : value.end].strip()
    return [value.text for value, _, _ in found]


@pytest.mark.parametrize(
    ("asked", "value"),
    [
        ("Parties", "Orlice Glass, Inc., Tern Foods LLC"),
        ("Date of signature", "2019-05-09"),
        ("Effective date", "2019-06-01"),
        ("Duration of the contract", "3 years"),
        ("Notice period", "90 days"),
        ("Payment term", "45 days"),
        ("Governing law", "Oregon"),
        ("Place of jurisdiction", "Port Alder, Oregon"),
    ],
)
def test_contracts_state_values_in_usual_clauses(asked: str, value: str) -> None:
    assert stated(asked, LEASE) == [value]


@pytest.mark.parametrize(
    ("asked", "value"),
    [
        ("Provider", "Aspen Mail AG"),
        ("Last updated", "2024-03-04"),
        ("Minimum age", "16"),
        ("Notice period for changes", "14 days"),
        ("Governing law", "ZUG"),
        ("Place of jurisdiction", "Swiss"),
    ],
)
def test_terms_of_service_state_values_in_usual_clauses(asked: str, value: str) -> None:
    assert stated(asked, TERMS) == [value]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("Notice period", "A party may terminate if a breach is not cured within 30 days of written notice."),
        (
            "Duration of the contract",
            "During the term, and for a period of two years thereafter, no one shall solicit staff.",
        ),
        ("Governing law", "Orlice Glass, Inc., a corporation organized under the laws of Oregon, is the Supplier."),
        ("Place of jurisdiction", "If a court of competent jurisdiction holds a provision invalid, the others stay."),
        ("Payment term", "Either party may terminate within 30 days of a missed payment."),
        ("Effective date", "During the period beginning October 1, 2009 no other sponsor is named."),
    ],
)
def test_other_clauses_with_the_same_words_state_nothing(asked: str, said: str) -> None:
    assert stated(asked, said) == []


def test_labels_name_parties_where_no_sentence_does() -> None:
    said = "Cooperation agreement\nParty A: Orlice Glass Co., Ltd.\nA maker of glass.\nParty B: Tern Foods Co., Ltd.\n"
    assert stated("Parties", said) == ["Orlice Glass Co., Ltd., Tern Foods Co., Ltd."]


def test_columns_that_ask_for_no_clause_are_left_to_others() -> None:
    assert stated_clauses(Column.of("Number of employees"), [Passage("a#0", "a", 0, "", LEASE)], []) is None


@pytest.mark.parametrize(
    "piece", ["(", "(“A", "governed by the laws of ", "between A and ", "term of 3 years ", "A, a B "]
)
@pytest.mark.parametrize("asked", ["Parties", "Governing law", "Place of jurisdiction", "Notice period", "Provider"])
def test_repeated_pieces_end_soon(asked: str, piece: str) -> None:
    """Patterns that backtrack without bounds would not end within the time of a test."""
    found = stated_clauses(Column.of(asked), [Passage("a#0", "a", 0, "", piece * 4_000)], [])
    assert found is not None
