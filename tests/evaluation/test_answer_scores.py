from __future__ import annotations

from pathlib import Path

import pytest

from multihop.evaluation.answer_scores import acceptance, answer_measures, contains_answer, exact_match, f1
from multihop.evaluation.datasets import Question, load
from multihop.evaluation.runs import execute
from multihop.evaluation.summary import summarize
from multihop.evaluation.system_answers import Reply
from multihop.testing import sample_documents, sample_questions

from ..cli.command import run_json


def test_exact_match_and_f1_are_those_of_squad() -> None:
    assert exact_match("The Fram", "fram.") == 1.0
    assert exact_match("the Fram", "the Gjøa") == 0.0
    assert f1("Colin Archer", "Archer") == pytest.approx(2 / 3)
    assert f1("a b c d", "d e") == pytest.approx(0.4)
    assert (f1("", ""), f1("x", "")) == (1.0, 0.0)


def test_an_answer_is_contained_as_whole_words() -> None:
    assert contains_answer("Larvik", "He was born in Larvik, in 1832.")
    assert not contains_answer("art", "He was born in Larvik and liked parties.")
    assert not contains_answer("", "anything")


@pytest.mark.parametrize(
    ("gold", "given", "score"),
    [
        ("New York City", "new york", 1.0),
        ("1832", "in 1832.", 1.0),
        ("art", "party", 0.0),
        ("the", "", 0.0),
        ("no", "yes", 0.0),
    ],
)
def test_an_answer_that_contains_the_other_is_accepted(gold: str, given: str, score: float) -> None:
    assert acceptance(gold, given) == score


def test_replies_are_scored_against_answers_and_gold() -> None:
    questions = [
        Question("1", "Where?", ("a", "b"), answer="Larvik"),
        Question("2", "Is it?", ("c",), answer="yes"),
        Question("3", "Who?", ("d",)),
    ]
    replies = {
        "1": Reply("Larvik", ("No.", "In Larvik."), ("a", "x"), True),
        "2": Reply("", (), (), False),
        "3": Reply("x", ("x",), ("d",), True),
    }
    values = answer_measures(questions, replies)
    assert values["answer EM"] == values["answer accuracy"] == [1.0, 0.0]
    assert values["in first sentence"] == [0.0]
    assert values["in first three"] == [1.0]
    assert (values["citation precision"], values["citation recall"]) == ([0.5], [0.5, 0.0])
    assert values["answered"] == [1.0, 0.0]


def test_a_run_with_answers_measures_them_and_one_without_does_not(tmp_path: Path) -> None:
    folder = _dataset(tmp_path)
    asked = ("eval", folder, "--strategies", "auto,bm25", "-k", "5", "--limit", "2")
    [first, _] = run_json(*asked, "--out", tmp_path / "with", "--answers")["systems"]
    assert 0 <= first["measures"]["answer EM"]["mean"] <= first["measures"]["answer F1"]["mean"] <= 1
    assert first["measures"]["in first three"]["n"] == 2
    [first, _] = run_json(*asked, "--out", tmp_path / "without")["systems"]
    assert "answer EM" not in first["measures"]
    ceiling = first["measures"]["precision@5 of ceiling"]["mean"]
    assert first["measures"]["precision@5"]["mean"] <= ceiling <= 1


def test_answers_are_kept_in_the_run_and_read_again(tmp_path: Path) -> None:
    dataset = load(str(_dataset(tmp_path)), limit=2)
    run_json(
        "eval",
        tmp_path / "set",
        "--strategies",
        "bm25",
        "-k",
        "3",
        "--limit",
        "2",
        "--out",
        tmp_path / "r",
        "--answers",
    )
    again = execute(dataset, next((tmp_path / "indexes").glob("*.mh")), ["bm25"], 3, tmp_path / "r", replies=True)
    replies = [a.reply for a in again.answers["bm25"].values()]
    assert all(isinstance(reply, Reply) for reply in replies)
    assert summarize(again).systems[0].measures["answered"].n == 2


def _dataset(tmp_path: Path) -> Path:
    import json

    folder = tmp_path / "set"
    folder.mkdir()
    titles = {d.id: d.title for d in sample_documents()}
    corpus = [{"title": d.title, "text": d.text} for d in sample_documents()]
    rows = [
        {"id": q.id, "question": q.text, "gold_titles": [titles[g] for g in q.gold], "answer": "Larvik"}
        for q in sample_questions()[:6]
    ]
    (folder / "corpus.jsonl").write_text("".join(json.dumps(r) + "\n" for r in corpus), encoding="utf-8")
    (folder / "dev.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows), encoding="utf-8")
    return folder
