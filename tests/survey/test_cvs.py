from __future__ import annotations

import pytest

from multihop.survey.cells import Topic, lines_of
from multihop.survey.columns import Column
from multihop.survey.cvs import headed_list, is_cv, stated_in_cv
from multihop.types import Passage

CV = """Orla Tamm
Email: orla@tamm.example
About me
I make kilns quiet, with 7 years of experience in felt. I took a course of 6 months.
Experience
Varde Kilns - The Works ~ 7 years (2015-Present)
Junior Kiln Engineer (2022-Present)
Kiln Assistant (2015-2022)
Education
Varde College"""


def stated(asked: str, *said: str, title: str = "", heading: str = "") -> list[str] | None:
    passages = [Passage(f"a#{n}", "a", n, title, each, heading=heading) for n, each in enumerate(said)]
    found = stated_in_cv(Column.of(asked), passages, lines_of(passages))
    return None if found is None else [value.text for value, _, _ in found]


@pytest.mark.parametrize(
    ("asked", "value"),
    [
        ("Name", "Orla Tamm"),
        ("Current employer", "Varde Kilns - The Works"),
        ("Current position", "Junior Kiln Engineer"),
        ("Years of experience", "7 years"),
    ],
)
def test_a_cv_states_it_by_its_form(asked: str, value: str) -> None:
    assert stated(asked, CV) == [value]


@pytest.mark.parametrize(
    "entry",
    [
        "2019-present Kiln Engineer at Varde Works",
        "`2016 - now` **Kiln Engineer**, [Varde Works](https://varde.example)",
        "Kiln Engineer, Varde Works (May 2019 – present)",
        "2012 to today: kiln engineer at Varde Works, my current employer.",
    ],
)
def test_entries_that_go_on_today(entry: str) -> None:
    assert stated("Current employer", f"Kiln Assistant at Old Works (2001-2019)\n{entry}") == ["Varde Works"]
    for found in (stated("Current position", entry), stated("Current position", "A line.", heading=f"Work > {entry}")):
        assert [each.lower() for each in found or ()] == ["kiln engineer"]


def test_the_name_may_be_the_title() -> None:
    assert stated("Name", "Kiln Engineer\nAbout me", title="🏺 ORLA TAMM") == ["ORLA TAMM"]
    assert stated("Name", "Contact Info\nTamm CV", title="notes") is None


def test_what_is_a_cv() -> None:
    assert is_cv([Passage("a#0", "a", 0, "", CV)])
    heads = ("👋 About Me", "💼 Work Experience", "🌐 Language Skills")
    assert is_cv([Passage(f"a#{n}", "a", n, "", "text", heading=head) for n, head in enumerate(heads)])
    assert not is_cv([Passage("a#0", "a", 0, "", "Report\nSummary\nSales fell.\nEducation\nWe train people.")])


def test_a_list_stands_below_its_heading() -> None:
    column = Column.of("Languages")
    said = "- Danish\n- [English](https://en.example) - good\n"
    for heading in ("Skills > Languages", "Language Skills"):
        passages = [Passage("a#0", "a", 0, "", "I speak Danish."), Passage("a#1", "a", 1, "", said, heading=heading)]
        [(value, line, _)] = headed_list(column, Topic.of(column), passages)
        assert value.text == "Danish, English - good"
        assert line.text[value.start : value.end] == said.strip()
    for other in ("Languages: Danish, English", "I am fluent in the languages Danish and English."):
        assert not headed_list(column, Topic.of(column), [Passage("a#0", "a", 0, "", other, heading="Languages")])
    assert not headed_list(column, Topic.of(column), [Passage("a#0", "a", 0, "", said, heading="Programming")])
    assert not headed_list(Column.of("City"), Topic.of(column), [Passage("a#0", "a", 0, "", said, heading="Languages")])
