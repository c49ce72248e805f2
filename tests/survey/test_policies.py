from __future__ import annotations

from pathlib import Path

import pytest

from multihop.survey import survey
from multihop.survey.cells import lines_of
from multihop.survey.columns import Column
from multihop.survey.policies import is_of_policy, is_policy, stated_in_policy
from multihop.survey.quantities import Value
from multihop.types import Passage


def stated(asked: str, said: str) -> list[str] | None:
    found = stated_in_policy(Column.of(asked), lines_of([Passage("a#0", "a", 0, "", said)]))
    for value, line, _ in found or ():
        assert line.text[value.start : value.end].strip()
    return None if found is None else [value.text for value, _, _ in found]


@pytest.mark.parametrize(
    ("asked", "said", "value"),
    [
        ("Who it applies to", "The kiln rule applies to potters. This policy applies to all guests.", "all guests"),
        ("Review interval", "All policies are reviewed annually by the officer.", "1 year"),
        ("Review interval", "Keys are counted monthly. This document is reviewed quarterly.", "3 months"),
        ("Sanctions", "Keys are red. Violation of this policy may result in dismissal.",
         "Violation of this policy may result in dismissal."),
    ],
)  # fmt: skip
def test_policies_say_it_of_themselves(asked: str, said: str, value: str) -> None:
    assert stated(asked, said) == [value]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("Who it applies to", "The kiln rule applies to potters."),
        ("Review interval", "Logs are reviewed monthly."),
        ("Sanctions", "Violations of kilns are:"),
    ],
)
def test_what_is_said_of_others_is_left_out(asked: str, said: str) -> None:
    assert stated(asked, said) is None


@pytest.mark.parametrize(
    ("asked", "own", "other"),
    [
        ("Approved by", "It was approved by the Board.", "An audit must be approved by the Board."),
        ("Policy owner", "The policy is owned by the Board.", "An issue is given an owner, the Board."),
        ("Who it applies to", "The policy applies to the Board.", "The rule applies to the Board."),
        ("Deadline for reports", "Report it to the Board within 2 days.", "Locks change within 2 days of a report."),
        ("Headquarters", "Anything about the Board.", ""),
    ],
)
def test_requests_are_approved_and_issues_owned_too(asked: str, own: str, other: str) -> None:
    for said, meant in ((own, True), (other, False)):
        for line in lines_of([Passage("a#0", "a", 0, "", said)]):
            assert is_of_policy(Column.of(asked), Value(0, 3, "Board"), line) is meant


def test_a_version_has_a_number() -> None:
    [line] = lines_of([Passage("a#0", "a", 0, "", "Product versions are listed below the table.")])
    assert not is_of_policy(Column.of("Version"), Value(0, 16, "Product versions"), line)
    assert is_of_policy(Column.of("Version"), Value(0, 3, "2.1"), line)


@pytest.mark.parametrize(
    ("title", "opening", "expected"),
    [
        ("Travel policy", "All trips are booked early.", True),
        ("HR-12", "This policy applies to all employees.", True),
        ("Memo on the crane", "The purchase was approved by Kari Moe, at standard terms.", False),
    ],
)
def test_only_documents_that_call_themselves_policies_are_policies(title: str, opening: str, expected: bool) -> None:
    assert is_policy([Passage("a#0", "a", 0, title, opening)]) is expected


def test_approvals_in_other_documents_are_values(tmp_path: Path) -> None:
    (tmp_path / "memo").mkdir()
    (tmp_path / "memo" / "crane.md").write_text(
        "# Memo on the crane\n\nThe purchase was approved by Kari Moe on 3 May.\n"
    )
    [row] = survey(tmp_path / "memo", ask=["Approved by"]).groups
    assert row.answers[0].value == "Kari Moe"
