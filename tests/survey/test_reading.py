from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import openpyxl
import pytest

from multihop import Document, Engine
from multihop.errors import InvalidInput
from multihop.survey import survey
from multihop.survey.cells import Topic, lines_of, look_up
from multihop.survey.columns import Column
from multihop.survey.files import write_table
from multihop.survey.reading import heading_name, named_clause, named_kind, names_beside_roles, only_value
from multihop.types import Passage, Reading, Span

REPORT = """# Key figures

Key figures (EUR thousand)

| Item | 2023 | 2022 |
|---|---|---|
| Net sales | 771,700 | 746,900 |
| Cost of sales | 300,000 | 290,000 |
| Profit for the year | 12,000 | (3,000) |

# People

| | 2023 | 2022 |
|---|---|---|
| Employees at year end | 1,204 | 1,100 |

Auditor: Grant Thornton
"""
PDF = """Key figures, EUR million

2023 2022
Net sales 771.7 746.9
Cost of sales 300.1 280.0
Total assets 5 1,200.0 990.5"""


@dataclass(frozen=True)
class Finder:
    """A reader that marks given words wherever a context has them."""

    words: Sequence[str]
    identity: str = "test:finder"

    def read(self, question: str, contexts: Sequence[str]) -> Reading:
        spans = [
            Span(place, at, at + len(word), 0.9 / (1 + number))
            for number, word in enumerate(self.words)
            for place, context in enumerate(contexts)
            if (at := context.find(word)) >= 0
        ]
        return Reading(tuple(spans[:1]), none=0.1)


def cell(asked: str, *passages: Passage) -> list[tuple[str, float | None]]:
    column = Column.of(asked)
    return [(m.value.text, m.value.number) for m in look_up(column, Topic.of(column), lines_of(passages))]


def test_lines_of_a_pdf_take_years_and_unit_from_above() -> None:
    page = Passage("a#0", "a", 0, "", PDF, page=4)
    assert cell("Revenue in 2022", page) == [("EUR 746,900,000", 746.9e6)]
    assert cell("Revenue", page)[0] == ("EUR 771,700,000", 771.7e6)
    assert cell("Total assets in 2022", page) == [("EUR 990,500,000", 990.5e6)]
    assert cell("Cost of sales in 2023", page) == [("EUR 300,100,000", 300.1e6)]
    assert cell("Net profit in 2023", page) == []


FILING = """ORLICE GLASS INC.
CONSOLIDATED STATEMENTS OF INCOME
(In millions, except per share data)
Years ended
September 24,
2022
September 25,
2021
Net sales:
Products $ 1,200 $ 1,100
Total net sales  1,500  1,350
Other income/(expense), net  (34)  12
Net income including noncontrolling interests  110  ( 20 )
Net income attributable to noncontrolling interests  (2)  (1)
Net income attributable to Orlice Glass $ 108 $ (21)
Net income per share $ 1.20 $ (0.24)
See accompanying notes."""
SEGMENTS = """The segments were as follows:
2022 Change 2021
Net sales $ 700  8 % $ 650
Net sales $ 800  14 % $ 700
Total assets $ 90 $ 80 $ 10 $ 5"""


def test_filings_say_scale_and_years_above_their_rows() -> None:
    pages = [Passage("a#1", "a", 1, "", SEGMENTS, page=2), Passage("a#0", "a", 0, "", FILING, page=1)]
    assert cell("Revenue in 2022", *pages)[0] == ("USD 1,500,000,000", 1.5e9)
    assert cell("Revenue in 2021", *pages)[0] == ("USD 1,350,000,000", 1.35e9)
    assert cell("Net income in 2022", *pages) == [("USD 110,000,000", 110e6), ("USD 108,000,000", 108e6)]
    assert cell("Net income in 2021", *pages) == [("USD -20,000,000", -20e6), ("USD -21,000,000", -21e6)]
    # Tables without a caption are in the unit of the statements.
    assert ("USD 700,000,000", 700e6) in cell("Revenue in 2022", *pages)
    # Four figures below two years: which is of which cannot be told.
    assert cell("Total assets in 2022", *pages) == []


def test_cells_are_known_by_their_row_and_their_column() -> None:
    by_year = Passage(
        "a#0",
        "a",
        0,
        "",
        "Year: 2022 · Revenue: EUR 5 million · Staff: 12\nYear: 2023 · Revenue: EUR 6 million · Staff: 14",
    )
    assert cell("Revenue in 2022", by_year) == [("EUR 5,000,000", 5e6)]
    form = Passage("b#0", "b", 0, "", "Auditor | KPMG\nRetention period (months) | 24\nShare of women (%) | 38.5")
    assert cell("Who audits it?", form) == [("KPMG", None)]
    assert cell("Retention period", form) == [("24 months", 24.0)]
    assert cell("Share of women", form) == [("38.5%", 38.5)]


def test_forms_of_two_columns_and_lists_of_people() -> None:
    rows = "Name: Date of birth · Karel Petrov: 24 December 1971\nName: City · Karel Petrov: Split"
    form = Passage("a#0", "a", 0, "", rows)
    assert cell("City", form) == [("Split", None)]
    assert cell("Date of birth", form) == [("1971-12-24", None)]
    # Its first pair stands where a table has its header.
    assert cell("Name", form) == [("Karel Petrov", None)]
    assert cell("Date of birth", Passage("c#0", "c", 0, "", "Born\nDate of birth September 2, 1975")) == [
        ("1975-09-02", None)
    ]
    people = Passage("b#0", "b", 0, "", "Name: Pia Holm · Office: Sandnes\nName: Jon Berg · Office: Larvik")
    assert cell("Name", people) == []


def test_names_stand_beside_their_roles() -> None:
    said = "It was agreed by Lumen Panes plc (the Supplier), and Sable Foods S.A., the customer, on 2 May 2020."
    lines = [(line, 1.0) for line in lines_of([Passage("a#0", "a", 0, "", said)])]
    found = [names_beside_roles(Column.of(role), lines)[0].value.text for role in ("Supplier", "Customer")]
    assert found == ["Lumen Panes plc", "Sable Foods S.A."]
    studied = [(line, 1.0) for line in lines_of([Passage("a#0", "a", 0, "", "I studied at the University of Lyon.")])]
    assert names_beside_roles(Column.of("University"), studied)[0].value.text == "University of Lyon"
    assert read("Chief executive officer", "Jo Berg\n\nChief Executive Officer and Director") == []
    assert read("Policy owner", "The IT Department is the policy owner.") == ["IT Department"]


def read(asked: str, said: str, heading: str = "") -> list[str]:
    """What the rules for names and clauses find in a text."""
    lines = lines_of([Passage("a#0", "a", 0, "", said, heading)])
    best = [(line, 1.0) for line in lines]
    column = Column.of(asked)
    topic = Topic.of(column)
    ruled = [*named_clause(column, best), *named_kind(column, topic, best), *only_value(column, topic, best)]
    found = [*names_beside_roles(column, best), *ruled, *heading_name(column, lines)]
    return [each.value.text for each in found]


def test_current_employers_and_places_stand_beside_their_verbs() -> None:
    assert read("Current employer", "From 2005 to 2012 I worked at Tarn Paper Ltd.") == []
    assert read("Current employer", "Since 2012 I have worked at Tarn Paper Ltd as a clerk.") == ["Tarn Paper Ltd"]
    assert read("Current employer", "2012 to today: clerk at Tarn Paper Ltd, my current employer.") == [
        "Tarn Paper Ltd"
    ]
    assert read("City", "Pia Holm lives in Graz and can be reached by mail.") == ["Graz"]
    assert read("Funding", "We were supported by the Academy of Finland (grant 12).") == ["Academy of Finland"]


def test_a_file_is_named_after_whom_its_heading_names() -> None:
    assert read("Name", "Pia Holm lives in Graz.", "Pia Holm") == ["Pia Holm"]
    assert read("Name", "Pia Holm\n\nPia Holm lives in Graz.") == ["Pia Holm"]
    assert read("Name", "Pia Holm lives in Graz.", "Terms of Use") == []
    assert read("Chief executive", "Pia Holm lives in Graz.", "Pia Holm") == []


def test_what_a_sentence_says_of_the_thing_asked_for() -> None:
    assert read("Main result", "The main result is that the rate rose by 2.5% a year.") == [
        "the rate rose by 2.5% a year"
    ]
    assert read("Limitations", "A limitation of this study is that the sample is small.") == ["the sample is small"]
    assert read("Main result", "The rate rose.") == []
    assert read("Method", "The method is a survey with repeated measures.") == ["a survey with repeated measures"]
    assert read("Method", "The method is described in Section 2.") == []
    assert read("Version", "This is version 2.1 of the manual.") == ["2.1"]


@pytest.mark.parametrize(
    ("said", "law"),
    [
        ("Dutch law governs this agreement.", ["Dutch law"]),
        ("This agreement is governed by Dutch law, and the courts of Porto decide.", ["Dutch law"]),
        ("The lease shall be governed by the laws of the State of New York.", ["State of New York"]),
        ("Governing Law. It is governed by the law of England and Wales.", ["England and Wales"]),
        ("The governing law of this agreement was not chosen.", []),
        ("Dutch law forbids it.", []),
    ],
)
def test_the_law_that_governs_is_named_beside_it(said: str, law: list[str]) -> None:
    assert read("Governing law", said) == law


def test_a_part_is_not_the_whole() -> None:
    parts = "Other income, net (228) 60\nTotal current assets 8,996 8,669"
    rows = f"(USD million) 2022 2021\n{parts}\nTotal assets 27,165 27,241"
    balance = Passage("a#0", "a", 0, "", rows)
    assert cell("Total assets in 2022", balance) == [("USD 27,165,000,000", 27.165e9)]
    assert cell("Net income in 2022", balance) == []


def test_a_percentage_is_a_share() -> None:
    said = "Customers abroad accounted for 74 % (Europe only) of revenue.\n\nPrices fell by 12%."
    assert read("Share of revenue from abroad", said) == ["74%"]
    assert read("Share of revenue from abroad", "Prices abroad fell by 12%.") == []


def test_a_figure_in_a_form_may_be_a_text() -> None:
    form = "Version: Effective date · 2.1: 2 May 2020\nVersion: Owner · 2.1: Legal"
    assert cell("Version", Passage("a#0", "a", 0, "", form)) == [("2.1", None)]
    towns = "Name: Graz · Country: Austria\nName: Porto · Country: Portugal"
    assert cell("Name", Passage("b#0", "b", 0, "", towns)) == []


def test_years_above_a_column_name_no_count() -> None:
    row = "In millions: Payroll and employee benefits · Years ended December 31, 2022: 2,617.4 · 2021: 2,677.2"
    assert cell("Number of employees", Passage("a#0", "a", 0, "", row)) == []


def test_rows_named_by_their_unit_have_the_currency_of_the_rows_above() -> None:
    rows = "In millions: Cash · 2023: $ 12 · 2022: $ 11\nIn millions: Total assets · 2023: 40 · 2022: 39"
    assert cell("Total assets in 2022", Passage("a#0", "a", 0, "", rows)) == [("USD 39,000,000", 39e6)]


def test_a_day_is_no_name() -> None:
    assert cell("Journal", Passage("a#0", "a", 0, "", "Published: 4 July 2018")) == []


def test_a_name_does_not_say_of_itself_what_is_asked(tmp_path: Path) -> None:
    with Engine.open(tmp_path / "x.mh", create=True, reader=Finder(["Media City"])) as opened:
        opened.add([Document("a", "Hangar Seven\n\nMedia City"), Document("b", "She lives in the city of Media City.")])
        found = survey(opened, ask=["City"])
    assert [g.answers[0].value for g in found.groups] == ["not found", "Media City"]


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    with Engine.open(tmp_path / "x.mh", create=True, reader=Finder(["2 July 2024", "three months"])) as opened:
        opened.add(
            [
                Document("r/a.md", REPORT, "(anonymous)"),
                Document("r/b.md", REPORT.replace("771,700", "518,000"), "(anonymous)"),
                Document(
                    "r/c.md", "It was signed on 2 July 2024. It can be ended at three months' notice.", "(anonymous)"
                ),
            ]
        )
        yield opened


ASKED = ("Revenue in 2023", "Net profit in 2022", "Number of employees", "Who audits it?", "Date of signature")


def test_a_table_in_plain_words(engine: Engine) -> None:
    found = survey(engine, ask=ASKED)
    values = {g.group: [a.value for a in g.answers] for g in found.groups}
    assert values == {
        "r/a.md": ["EUR 771,700,000", "EUR -3,000,000", "1,204", "Grant Thornton", "not found"],
        "r/b.md": ["EUR 518,000,000", "EUR -3,000,000", "1,204", "Grant Thornton", "not found"],
        "r/c.md": ["not found", "not found", "not found", "not found", "2024-07-02"],
    }
    first = found.groups[0].answers[0].findings[0]
    assert (first.number, first.unit, first.found_by) == (771.7e6, "EUR", "table")
    assert "Net sales" in first.sentence and first.confidence > 0.9
    read = found.groups[2].answers[4].findings[0]
    assert (read.sentence, read.found_by) == ("It was signed on 2 July 2024.", "reader")


def test_files_of_one_row_are_its_sources_and_may_differ(engine: Engine) -> None:
    found = survey(engine, ask=["Revenue in 2023"], by="title")
    [row] = found.groups
    assert "several documents in one row, by 'title': (anonymous) (r/a.md, r/b.md, r/c.md)" in found.notes
    assert {(f.document, f.text, f.contradicts) for f in row.answers[0].findings} == {
        ("r/a.md", "EUR 771,700,000", True),
        ("r/b.md", "EUR 518,000,000", True),
    }


def test_it_resumes_and_is_written_as_a_table(engine: Engine, tmp_path: Path) -> None:
    found = survey(engine, ask=ASKED[:4], out=tmp_path / "out")
    assert found.resumed == 0 and survey(engine, ask=ASKED[:4], out=tmp_path / "out").resumed == 12
    assert survey(engine, ask=[*ASKED[:3], Column.of(ASKED[3], "text")], out=tmp_path / "out").resumed == 0
    write_table(found, tmp_path / "table.csv")
    rows = list(csv.DictReader((tmp_path / "table.csv").read_text("utf-8").splitlines()))
    assert rows[0] == {
        "file": "r/a.md", "Revenue in 2023 (EUR)": "771700000", "Net profit in 2022 (EUR)": "-3000000",
        "Number of employees": "1204", "Who audits it?": "Grant Thornton",
    }  # fmt: skip
    assert rows[2]["Revenue in 2023 (EUR)"] == "not found"
    write_table(found, tmp_path / "table.xlsx")
    book = openpyxl.load_workbook(tmp_path / "table.xlsx")
    assert book.sheetnames == ["table", "sources"] and book["table"]["B2"].value == 771_700_000


def test_a_survey_asks_one_or_the_other(engine: Engine) -> None:
    for wrong in ({}, {"profile": "climate", "ask": ["Revenue"]}):
        with pytest.raises(InvalidInput, match="a profile, or questions in plain words, but not both"):
            survey(engine, **wrong)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="not answered by traversal"):
        survey(engine, ask=["Revenue"], hop=True)


def test_plain_wording_is_read(tmp_path: Path) -> None:
    (tmp_path / "deal.md").write_text(
        "This agreement was signed on 2 July 2024 between Orlice Glass and Baltic Panes.\n\n"
        "Either side may end it at three months' notice.\n\nCzech law governs this agreement.\n",
        "utf-8",
    )
    found = survey(tmp_path, ask=["Date of signature", "Notice period", "Governing law", "Number of employees"])
    assert [a.value for a in found.groups[0].answers] == ["2024-07-02", "3 months", "Czech law", "not found"]


def test_bounds_are_part_of_values(tmp_path: Path) -> None:
    (tmp_path / "rules.md").write_text(
        "Number of seats: fewer than 12\n\nMaximum fine: up to EUR 500\n\nDelivery fee: up to EUR 500\n", "utf-8"
    )
    found = survey(tmp_path, ask=["Number of seats", "Maximum fine (EUR)", "Delivery fee (EUR)"])
    size, fine, fee = (answer.findings[0] for answer in found.groups[0].answers)
    assert (size.text, size.details) == ("fewer than 12", {"bound": "fewer than"})
    assert (fine.text, fee.text) == ("EUR 500", "up to EUR 500")


def _two_sources(engine: Engine, **about: str) -> None:
    for name, sales, verb, date in (("old", 12, "sell", "2023-03-01"), ("new", 14, "build", "2024-03-01")):
        text = f"Net sales: EUR {sales} million\n\nPurpose: to {verb} ships"
        more = about if name == "new" else {}
        engine.add(Document(name, text, name.capitalize(), {"firm": "Acme", "date": date} | more))


def test_files_of_one_row_that_disagree_are_named(tmp_path: Path) -> None:
    with Engine.open(tmp_path / "a.mh", create=True) as engine:
        _two_sources(engine)
        found = survey(engine, ask=["Net sales", "Purpose"], by="firm")
    sales, purpose = found.groups[0].answers
    assert [(f.text, f.contradicts) for f in sales.findings] == [("EUR 14,000,000", True), ("EUR 12,000,000", True)]
    # Texts are not compared: both may be right.
    assert [f.contradicts for f in purpose.findings] == [False, False]
    values = "EUR 14,000,000 (New, 2024-03-01) or EUR 12,000,000 (Old, 2023-03-01)"
    assert f"sources disagree in 1 answer: Acme, Net sales: {values}" in found.notes


def test_only_documents_that_hold_are_in_the_table(tmp_path: Path) -> None:
    with Engine.open(tmp_path / "a.mh", create=True) as engine:
        _two_sources(engine, supersedes="old", valid_from="2024-03-01")
        days = (None, "2023-06-01", "any")
        found = {day: survey(engine, ask=["Net sales"], by="firm", as_of=day).groups[0].answers[0] for day in days}
        tables = [survey(engine, ask=["Net sales"], as_of=day) for day in days]
    assert [answer.value for answer in found.values()] == ["EUR 14,000,000", "EUR 12,000,000", "EUR 14,000,000"]
    assert [len(answer.findings) for answer in found.values()] == [1, 1, 2]
    assert [[group.group for group in table.groups] for table in tables] == [["new"], ["old"], ["new", "old"]]
    assert [note for note in tables[1].notes if "not valid" in note] == [
        "left out because they are not valid on 1 June 2023: new; --as-of any includes them"
    ]
    assert not any("not valid" in note for note in tables[2].notes)


def answer(tmp_path: Path, asked: str, said: str, words: str = "", title: str = "") -> str:
    with Engine.open(tmp_path / "y.mh", create=True, reader=Finder([words or "\0"])) as opened:
        opened.add([Document("a", said, title)])
        [row] = survey(opened, ask=[asked]).groups
    return row.answers[0].value


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ("Pets are not allowed.", "no"),
        ("No pets.", "no"),
        ("Small pets welcome.", "yes"),
        ("Garden: yes\nPets: yes\n", "yes"),
        ("The carpet is new.", "not found"),
    ],
)
def test_whether_something_is_allowed(said: str, value: str, tmp_path: Path) -> None:
    assert answer(tmp_path, "Are pets allowed?", f"A flat of 64 m².\n\n{said}") == value


def test_the_day_of_a_meeting_is_not_that_of_the_next(tmp_path: Path) -> None:
    said = "The next meeting will be on 14 May 2024."
    assert answer(tmp_path, "Date of the meeting", said, "14 May 2024", title="Minutes") == "not found"


def test_the_title_dates_minutes(tmp_path: Path) -> None:
    said = "The next meeting will be on 14 May 2024."
    assert answer(tmp_path, "Date of the meeting", said, title="Minutes, 9 April 2024") == "2024-04-09"


def test_a_labeled_text_ends_with_its_sentence(tmp_path: Path) -> None:
    said = "Deposit: two months' rent. Available from May. Pets are not allowed."
    assert answer(tmp_path, "Deposit", f"A flat.\n\n{said}") == "two months' rent"


def test_a_list_below_its_heading_is_given_whole(tmp_path: Path) -> None:
    said = "# Soup\n\nServes 4.\n\n# Ingredients\n\n- 3 leeks\n- 50 ml cream\n\nServe it hot.\n"
    assert answer(tmp_path, "Ingredients", said, "50 ml cream") == "3 leeks, 50 ml cream"
