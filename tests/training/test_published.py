"""Published tables and claims: answers stand in the row that is asked for, and labels follow the table."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import published
import pytest
from contrast import Example, Verdict, kind_of_answer, state
from published import claims, questions
from reading_examples import Examples, Kind, add_published, add_stated
from rows import decode

ROWS = (("Fram", "Larvik", "1892"), ("Gjøa", "Rosendal", "1872"), ("Maud", "Vollen", "1917"))


@pytest.fixture(name="folder")
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(published, "CELLS", 600)
    wiki = tmp_path / "WikiTableQuestions" / "csv" / "200-csv" / "0.csv"
    wiki.parent.mkdir(parents=True)
    table = [("Ship", "Built in", "Launched"), *ROWS]
    wiki.write_text("\n".join(",".join(f'"{cell}"' for cell in row) for row in table), "utf-8")
    facts = tmp_path / "Table-Fact-Checking"
    (facts / "data" / "all_csv").mkdir(parents=True)
    (facts / "tokenized_data").mkdir()
    (facts / "data" / "all_csv" / "1.csv").write_text("\n".join("#".join(row) for row in table), "utf-8")
    (facts / "data" / "simple_ids.json").write_text('["1.csv"]')
    (facts / "data" / "simple_test_id.json").write_text("[]")
    stated = {"1.csv": [["fram be build in larvik", "gjøa be build in vollen"], [1, 0], "polar ships"]}
    for part, content in (("val", stated), ("test", {})):
        (facts / "tokenized_data" / f"{part}_examples.json").write_text(json.dumps(content))
    _write_report(tmp_path / "TAT-QA" / "dataset_raw" / "tatqa_dataset_dev.json")
    fooled = tmp_path / "fool-me-twice" / "dataset" / "dev.jsonl"
    fooled.parent.mkdir(parents=True)
    row = {
        "text": "Fram sank.",
        "label": "REFUTES",
        "wikipedia_page": "Fram",
        "gold_evidence": [{"text": "It floats."}],
    }
    fooled.write_text(json.dumps(row) + "\n")
    return tmp_path


def _write_report(path: Path) -> None:
    path.parent.mkdir(parents=True)
    asked = {"question": "What were sales in 2019?", "answer": ["44.1"], "answer_type": "span", "answer_from": "table"}
    counted = {**asked, "answer_type": "arithmetic", "answer": 12.6}
    table = {"table": [["", "2019", "2018"], ["Sales", "44.1", "56.7"]]}
    page = {"table": table, "paragraphs": [{"text": "Sales fell."}], "questions": [asked, counted]}
    path.write_text(json.dumps([page]))


def _write_linked(folder: Path) -> None:
    """Write a table whose names lead to articles, a question that an article answers, and one that a cell answers."""
    linked = folder / "WikiTables-WithLinks"
    head, rows = (
        [["Ship", []], ["Built in", []]],
        [
            [["Fram", ["/wiki/Fram_(ship)"]], ["Larvik", []]],
            [["Maud", ["/wiki/Maud"]], ["Vollen", []]],
        ],
    )
    articles = {"/wiki/Fram_(ship)": "Fram was designed by Colin Archer .", "/wiki/Maud": "Maud sank in 1930 ."}
    for part, content in (("tables", {"title": "Ships", "header": head, "data": rows}), ("request", articles)):
        (linked / f"{part}_tok").mkdir(parents=True)
        (linked / f"{part}_tok" / "Ships_0.json").write_text(json.dumps(content))
    asked: list[dict[str, Any]] = [
        {"question": "Who designed the ship built in Larvik?", "answer-text": "Colin Archer",
         "answer-node": [["Fram", [0, 0], "/wiki/Fram_(ship)", "passage"]]},
        {"question": "Where was the ship built that sank in 1930?", "answer-text": "Vollen",
         "answer-node": [["Vollen", [1, 1], None, "table"]]},
        {"question": "How many?", "answer-text": "2", "answer-node": []},
    ]  # fmt: skip
    path = folder / "HybridQA" / "released_data" / "dev.traced.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps([{"table_id": "Ships_0", **each} for each in asked]))


def test_a_table_and_an_article_answer_together(tmp_path: Path) -> None:
    _write_linked(tmp_path)
    examples = Examples()
    add_published(examples, tmp_path, random.Random(1))
    found = [
        (decode(examples.documents[n][a : b + 1].tolist()), each.documents.index(n))
        for each in examples.asked["hybrid"]
        for n, [(a, b)] in each.spans.items()
    ]
    assert found == [("colin archer", 1), ("vollen", 0)]
    article = examples.documents[examples.asked["hybrid"][1].documents[1]]
    assert decode(article.tolist()) == "maud : maud sank in 1930 ."


def test_cells_are_asked_for_by_the_name_of_their_row(folder: Path) -> None:
    asked = list(questions(folder, 200, random.Random(1))["cells"])
    answered = [question for question in asked if question.answer]
    assert {question.answer for question in answered} >= {"Larvik", "1872", "Maud"}
    for question in answered:
        line = question.lines[question.where]
        assert question.answer in line
        assert any(cell in question.text for cell in line.replace(": ", " · ").split(" · "))


def test_questions_about_reports_that_a_cell_answers_are_taken(folder: Path) -> None:
    [question] = questions(folder, 200, random.Random(1))["tatqa"]
    assert question.lines[question.where] == "Sales · 2019: 44.1 · 2018: 56.7"


def test_claims_about_cells_have_the_verdict_of_the_table(folder: Path) -> None:
    built, verdicts = {ship: (place, year) for ship, place, year in ROWS}, set[Verdict]()
    for claim in claims(folder, 200, random.Random(1))["cells"]:
        ship = next((name for name in built if name in claim.claim), None)
        if ship is None or claim.verdict is Verdict.NEITHER:
            continue
        said = any(cell in claim.claim for cell in built[ship])
        denied = " not " in claim.claim
        assert (claim.verdict is Verdict.SUPPORTED) == (said != denied)
        verdicts.add(claim.verdict)
    assert verdicts == {Verdict.SUPPORTED, Verdict.CONTRADICTED}


def test_published_claims_keep_their_labels(folder: Path) -> None:
    found = claims(folder, 200, random.Random(1))
    assert [(e.claim, e.verdict) for e in found["tabfact"]] == [
        ("Fram is build in larvik.", Verdict.SUPPORTED), ("Gjøa is build in vollen.", Verdict.CONTRADICTED),
    ]  # fmt: skip
    assert list(found["foolme"]) == [Example("Fram sank.", ("Fram:", "It floats."), Verdict.CONTRADICTED)]


def test_published_answers_are_found_in_their_row(folder: Path) -> None:
    examples = Examples()
    add_published(examples, folder, random.Random(1))
    for asked in examples.asked["cells"][:200]:
        [number] = asked.documents
        for first, last in asked.spans.get(number, ()):
            assert decode(examples.documents[number][first : last + 1].tolist()) in decode(
                examples.documents[number].tolist()
            )
        assert (asked.kind is Kind.SPAN) == bool(asked.spans)


@pytest.mark.parametrize(
    ("question", "answer", "said"),
    [
        ("Who designed the ship?", "Colin Archer", "Colin Archer designed the ship."),
        ("What is the capital of Norway?", "Oslo", "Oslo is the capital of Norway."),
        ("When did the ship leave Oslo?", "1893", "In 1893 the ship leave Oslo."),
        ("How was it built?", "of oak", None),
        ("Who designed the ship?", "a man whose name nobody on board had ever heard", None),
    ],
)
def test_questions_and_answers_are_stated(question: str, answer: str, said: str | None) -> None:
    assert state(question, answer) == said


def test_stated_answers_are_only_exchanged_for_others_of_their_kind() -> None:
    kinds = {answer: kind_of_answer(answer) for answer in ("1893", "12 men", "Oslo", "a ship")}
    assert len(set(kinds.values())) == 4
    context = "Colin Archer designed Fram. Roald Amundsen sailed it. Thorvald Nilsen commanded it."
    found: list[dict[str, Any]] = [
        {"question": f"Who {verb} the ship?", "context": context, "answers": [{"text": name}]}
        for verb, name in (("designed", "Colin Archer"), ("sailed", "Roald Amundsen"), ("commanded", "Thorvald Nilsen"))
    ]
    verdicts = set[Verdict]()
    for seed in range(30):
        examples = Examples()
        add_stated(examples, found, random.Random(seed))
        for judged in examples.judged["stated"]:
            own = {
                f"{name} the ship ."
                for name in ("colin archer designed", "roald amundsen sailed", "thorvald nilsen commanded")
            }
            claim = decode(judged.claim.tolist())
            assert (judged.verdict is Verdict.SUPPORTED) == (claim in own)
            verdicts.add(judged.verdict)
    assert verdicts == {Verdict.SUPPORTED, Verdict.CONTRADICTED}
