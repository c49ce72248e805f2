"""A survey as tables for spreadsheets and statistics: tidy (a row per group and question), values, and passages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from multihop.rendering.xlsx import Cell
from multihop.survey.answers import FIELDS, GroupAnswers, Survey, SurveyAnswer

_FIRST = ("question_number", "label", "question", "value", "found", "number", "unit")
_LAST = (
    "confidence", "found_by", "contradicts", "other_values", "sentence", "title", "document", "date", "page", "url",
    "passage", "score", "passages", "retrieval_method",
)  # fmt: skip


def findings_table(survey: Survey) -> tuple[list[str], list[list[Cell]]]:
    """Return header and rows: the value for each group and question, or "not found"."""
    # Every row has the columns for the details of all questions.
    details = sorted({name for g in survey.groups for a in g.answers for f in a.findings for name in f.details})
    header = [survey.field, *_FIRST, *details, *_LAST]
    rows = [_row(group, answer, details) for group in survey.groups for answer in group.answers]
    return header, rows


def _row(group: GroupAnswers, answer: SurveyAnswer, details: Sequence[str]) -> list[Cell]:
    first = answer.findings[0] if answer.findings else None
    # Other values share a cell, since every question has one row.
    others = "; ".join(f"{f.text} ({f.date})" if f.date else f.text for f in answer.findings[1:])
    best = answer.chunks[0].combined_score if answer.chunks else None
    has_value = "yes" if first else "no"
    start: list[Cell] = [group.group, answer.number, answer.label, answer.question, answer.value, has_value]
    if first is None:
        return [*start, *[None] * (2 + len(details) + 11), best, len(answer.chunks), group.method]
    # A year is 2005, not 2005.0.
    number = int(first.number) if first.number is not None and first.number.is_integer() else first.number
    return [
        *start, number, first.unit, *(first.details.get(name) for name in details), first.confidence,
        first.found_by, "yes" if first.contradicts else "no", others, first.sentence, first.title, first.document,
        first.date, first.page, first.link, first.passage, best, len(answer.chunks), group.method,
    ]  # fmt: skip


def values_table(survey: Survey) -> tuple[list[str], list[list[Cell]]]:
    """Return a row for each group and a column for each question.

    If all values of a column are numbers of one unit, the cells are numbers and the heading has the unit.
    """
    columns = [[group.answer(number) for group in survey.groups] for number in survey.questions]
    units = [_common_unit(answers) for answers in columns]
    labels = zip(survey.questions.values(), units, strict=True)
    header = [survey.field, *(f"{label} ({unit})" if unit else label for label, unit in labels)]
    cells = [
        [_value(answer, unit) for answer in answers] for answers, unit in zip(columns, units, strict=True)
    ]  # fmt: skip
    rows: list[list[Cell]] = [[group.group, *row] for group, *row in zip(survey.groups, *cells, strict=True)]
    return header, rows


def _common_unit(answers: Iterable[SurveyAnswer | None]) -> str | None:
    """Return the common unit of all values of a column, empty for plain numbers; None if there is none."""
    first = [answer.findings[0] for answer in answers if answer and answer.findings]
    units = {finding.unit for finding in first}
    plain = all(f.number is not None and not f.details for f in first)
    return units.pop() if first and plain and len(units) == 1 else None


def _value(answer: SurveyAnswer | None, unit: str | None) -> Cell:
    if answer is None:
        return None
    if unit is None or not answer.findings:
        return answer.value
    number = answer.findings[0].number
    return int(number) if number is not None and number.is_integer() else number


def passages_table(field: str, groups: Iterable[GroupAnswers]) -> tuple[list[str], Iterator[list[Cell]]]:
    """Return the header, and an iterator of rows: every passage of every answer with its scores."""
    header = [
        field, "question_number", "retrieval_method", "rank", *FIELDS, "id", "title", "heading", "page", "content",
    ]  # fmt: skip
    rows: Iterator[list[Cell]] = (
        [
            group.group, answer.number, group.method, chunk.rank, *(getattr(chunk, f) for f in FIELDS),
            chunk.id, chunk.title, chunk.heading, chunk.page, chunk.content,
        ]
        for group in groups for answer in group.answers for chunk in answer.chunks
    )  # fmt: skip
    return header, rows
