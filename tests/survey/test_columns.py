from __future__ import annotations

from pathlib import Path

import pytest

from multihop.errors import InvalidInput, UnknownName
from multihop.survey.columns import Column, list_names, read_columns


@pytest.mark.parametrize(
    ("asked", "question", "kind"),
    [
        ("Revenue in 2023", "What is the revenue in 2023?", "money"),
        ("Number of employees", "How many employees are there?", "number"),
        ("Who audits it?", "Who audits it?", "organization"),
        ("Chief executive", "Who is the chief executive?", "person"),
        ("Total assets in 2022", "What are the total assets in 2022?", "money"),
        ("Share of revenue from abroad", "What is the share of revenue from abroad?", "percent"),
        ("Date of signature", "What is the date of signature?", "date"),
        ("Notice period", "What is the notice period?", "duration"),
        ("Governing law", "What is the governing law?", "text"),
        ("Years of experience", "How many years of experience?", "duration"),
        ("Languages", "What are the languages?", "list"),
        ("Headquarters", "What are the headquarters?", "place"),
        ("CO2 emissions", "What are the CO2 emissions?", "text"),
        ("Does it have a union", "Does it have a union?", "yes/no"),
    ],
)
def test_a_heading_becomes_a_question_of_a_type(asked: str, question: str, kind: str) -> None:
    column = Column.of(asked)
    assert (column.label, column.question, column.kind) == (asked, question, kind)


def test_usual_words_come_from_the_lists_that_ship() -> None:
    assert "net sales" in Column.of("Revenue in 2023").also
    # Those of every list: policies are in force from a day, contracts take effect.
    assert {"in force from", "commencement date"} <= set(Column.of("Effective date").also)
    assert Column.of("Number of llamas").also == ()


def test_lists_ship() -> None:
    assert list_names() == ("annual-reports", "contracts", "cvs", "policies", "scientific-papers")
    for name in list_names():
        assert len(read_columns(questions=name)) >= 8


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
def test_a_list_from_a_spreadsheet(tmp_path: Path, encoding: str) -> None:
    file = tmp_path / "mine.csv"
    file.write_text("Question;Type;Unit\nRevenue;money;€ million\nWho audits it?;;\n", encoding)
    revenue, auditor = read_columns(questions=file)
    assert (revenue.kind, revenue.unit, auditor.label) == ("money", "€ million", "Who audits it?")


def test_a_question_that_a_comma_would_cut_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "mine.csv"
    file.write_text("question\nRevenue\nIs it audited, and by whom?\n", "utf-8")
    with pytest.raises(InvalidInput, match="line 3: 2 cells under 1 columns; put a question that contains a comma"):
        read_columns(questions=file)
    file.write_text('question\nRevenue\n"Is it audited, and by whom?"\n', "utf-8")
    assert [column.label for column in read_columns(questions=file)] == ["Revenue", "Is it audited, and by whom?"]


def test_a_list_of_ones_own(tmp_path: Path) -> None:
    file = tmp_path / "mine.csv"
    file.write_text("question,type,unit\nRevenue,money,EUR million\nAuditor,organisation,\n", "utf-8")
    revenue, auditor, extra = read_columns(["Where is it?"], file)[1:] + read_columns(["Where is it?"])
    assert (revenue.kind, revenue.unit, auditor.kind, extra.kind) == ("money", "EUR million", "organization", "place")
    file.write_text("question,type\nRevenue,mony\n", "utf-8")
    with pytest.raises(InvalidInput, match="line 2: there is no type 'mony' of a column: did you mean 'money'"):
        read_columns(questions=file)
    file.write_text("column,type\nRevenue,money\n", "utf-8")
    with pytest.raises(InvalidInput, match="the first row must name the columns question"):
        read_columns(questions=file)
    with pytest.raises(UnknownName, match="did you mean 'contracts'"):
        read_columns(questions="contract")
    with pytest.raises(InvalidInput, match="no questions; give headings"):
        read_columns([])
    with pytest.raises(InvalidInput, match="a column is empty"):
        read_columns([" "])
