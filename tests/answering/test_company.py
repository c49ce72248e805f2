"""The company set holds together: its files can be read, and what its questions and claims need stands in them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from multihop import Engine
from multihop.index.readers import read, split
from multihop.text import words
from multihop.text.units import units
from multihop.types import Document

from .company import CompanyQuestion, claims, indexed, questions, written

WORKED_OUT = ("yes/no", "count", "comparison", "difference")
"""Shapes of answers that stand in no file in these words."""
LITERAL = [question for question in questions() if question.answers and question.shape not in WORKED_OUT]


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Document]:
    found = list(read(written(tmp_path_factory.mktemp("company"))))
    assert all(isinstance(document, Document) for document in found), found
    return {document.id: document for document in found if isinstance(document, Document)}


def test_files_of_many_formats_can_be_read(documents: dict[str, Document]) -> None:
    formats = Counter(Path(id).suffix for id in documents)
    assert len(documents) >= 60
    assert set(formats) == {".md", ".eml", ".docx", ".xlsx", ".csv", ".html", ".pdf", ".txt"}


def test_there_are_enough_questions_and_claims_of_every_kind() -> None:
    kinds = Counter(question.kind for question in questions())
    assert (kinds["multi-hop"] >= 30, kinds["single"] >= 25, kinds["unanswerable"] >= 15) == (True, True, True)
    assert {"span", "date", "amount", "cell", "phone", "yes/no", "comparison", "count", "list"} <= {
        question.shape for question in questions()
    }
    labels = Counter(claim.label for claim in claims())
    assert sum(labels.values()) >= 40
    assert min(labels.values()) >= 10
    assert {"negation", "for/against", "other number", "other year", "other unit", "other row", "other entity"} <= {
        claim.how for claim in claims() if claim.label == "contradicted"
    }
    for all_of in (questions(), claims()):
        assert len({each.id for each in all_of}) == len(all_of)


def test_gold_files_exist_and_multi_hop_questions_need_several(documents: dict[str, Document]) -> None:
    for question in questions():
        assert set(question.gold) <= set(documents), question
        assert (len(question.gold) > 1) == (question.kind == "multi-hop"), question
        assert bool(question.answers) == bool(question.gold) == (question.kind != "unanswerable"), question
    for claim in claims():
        assert claim.gold, claim
        assert set(claim.gold) <= set(documents), claim


@pytest.mark.parametrize("question", LITERAL, ids=lambda question: question.id)
def test_answers_stand_in_the_gold_files(question: CompanyQuestion, documents: dict[str, Document]) -> None:
    said = [f" {' '.join(words(documents[id].text))} " for id in question.gold]
    stands = [any(f" {' '.join(words(answer))} " in text for text in said) for answer in question.answers]
    assert all(stands) if question.shape == "list" else any(stands)


def test_answers_in_tables_stand_in_one_unit_with_what_is_asked(documents: dict[str, Document]) -> None:
    for question in questions():
        if question.shape == "cell":
            held = [
                unit.of(piece.text)
                for id in question.gold
                for piece in split(documents[id])
                for unit in units(piece.text)
                if unit.kind == "row"
            ]
            assert any(" · " in row and any(answer in row for answer in question.answers) for row in held), question


def test_the_company_is_indexed(tmp_path: Path) -> None:
    with indexed(tmp_path / "files", tmp_path / "company.mh") as engine:
        assert isinstance(engine, Engine)
        result = engine.retrieve("Who is the contact at Tindvik Elektro?", k=3, strategy="bm25")
        assert "suppliers/suppliers.csv" in {e.passage.document_id for e in result.evidence}
