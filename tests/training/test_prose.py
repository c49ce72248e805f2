"""Published questions about stories, times and denials, and claims: answers stand in what is shown."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path
from typing import Any

import prose
import pytest
from contrast import Example, Verdict
from reading_examples import Examples, Kind, add_prose
from rows import decode

LONG = "The ice did not move for days. " * 60


@pytest.fixture(name="folder")
def _folder(tmp_path: Path) -> Path:
    data = tmp_path / "qamr" / "data"
    sentences = {"1": "Fram `` Forward '' sailed from Oslo in 1893 .", "2": "Maud sank ."}
    _write(data / "wiki-sentences.tsv", "".join(f"{id}\t{text}\n" for id, text in sentences.items()))
    head = "1\tkey\t1\tworker\t0"
    asked = ["From where did Fram sail?\t6\tw2:6\tw3:6", "When?\t8\tw2:7 8\tw3:", "What is split?\t0 8\tw2:\tw3:"]
    _write(data / "filtered" / "dev.tsv", "".join(f"{head}\t{each}\n" for each in asked))
    _write(data / "filtered" / "test.tsv", "")
    times = tmp_path / "Time-Sensitive-QA" / "dataset" / "human_train.hard.json.gzip"
    times.parent.mkdir(parents=True)
    context = LONG + "Nansen led it until 1895 , then Sverdrup . " + LONG
    rows: list[dict[str, Any]] = [
        {"question": "Who led it in 1896?", "context": context, "targets": ["Sverdrup"],
         "from": [context.index("Sverdrup")]},
        {"question": "Who led it in 1980?", "context": context, "targets": [""], "from": [0]},
    ]  # fmt: skip
    with gzip.open(times, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)
    denied = {"sentence1": LONG + "Nobody slept.", "original sentence": "Nobody slept."}
    labels = {"Did the cook sleep?": "NO", "Was anybody awake?": "YES", "Was it cold?": "DON'T KNOW", "?": "other"}
    lines = [json.dumps({**denied, "sentence2": question, "label": label}) for question, label in labels.items()]
    _write(tmp_path / "CondaQA" / "data" / "condaqa_dev.json", "\n".join(lines))
    rules = tmp_path / "open_retrieval_conversational_machine_reading" / "data"
    _write(rules / "id2snippet.json", json.dumps({"7": "## Berths\n\nPupils from 16 may sleep on board."}))
    told = {"scenario": "I am 15.", "question": "May I sleep on board?", "gold_snippet_id": "7"}
    history = [{"follow_up_question": "Are you a pupil?", "follow_up_answer": "Yes"}]
    lines = [json.dumps({**told, "history": history, "answer": "No"})]
    lines += [json.dumps({**told, "scenario": "", "history": [], "answer": "Are you a pupil?"})]
    _write(rules / "open_retrieval_sharc_dev.json", "\n".join(lines))
    story = tmp_path / "FairytaleQAData" / "data-by-train-split"
    sections = "section,text\n1,Leif left.\n2,He came home late.\n"
    _write(story / "section-stories" / "val" / "the-swan-story.csv", sections)
    about_leif = "cor_section,question,answer1\n2,When did Leif return?,late\n2,Why did Leif leave?,no reason\n"
    _write(story / "questions" / "val" / "the-swan-questions.csv", about_leif)
    return tmp_path


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


def test_answers_stand_where_the_row_says(folder: Path) -> None:
    found = prose.questions(folder, random.Random(1))
    assert set(found) == {"qamr", "times", "denials", "rules", "stories"}
    for row in (row for rows in found.values() for row in rows):
        assert len(row["context"]) <= prose.WINDOW
        for answer in row["answers"]:
            assert row["context"][answer["start"] :].startswith(answer["text"])
    answered = {row["question"]: [a["text"] for a in row["answers"]] for rows in found.values() for row in rows}
    assert answered["From where did Fram sail?"] == ["Oslo"]
    assert answered["When?"] == ["1893", "in 1893"]
    assert answered["Who led it in 1896?"] == ["Sverdrup"]
    assert answered["Who led it in 1980?"] == []
    assert "What is split?" not in answered
    assert answered["When did Leif return?"] == ["late"]
    assert "Why did Leif leave?" not in answered, "an answer in other words than the story's has no place in it"


def test_a_treebank_is_written_as_text(folder: Path) -> None:
    [context] = {row["context"] for row in prose.questions(folder, random.Random(1))["qamr"]}
    assert context == 'Fram "Forward" sailed from Oslo in 1893.'


def test_denials_are_answered_by_yes_no_or_nothing(folder: Path) -> None:
    examples = Examples()
    add_prose(examples, folder, random.Random(1))
    kinds = {decode(asked.question.tolist()): asked.kind for asked in examples.asked["denials"]}
    assert kinds == {"did the cook sleep ?": Kind.NO, "was anybody awake ?": Kind.YES, "was it cold ?": Kind.NONE}
    for asked in examples.asked["denials"]:
        assert decode(examples.documents[asked.documents[0]].tolist()).endswith("nobody slept .")


def test_rules_are_asked_about_by_somebody_who_tells_of_themselves(folder: Path) -> None:
    told, open_ = prose.questions(folder, random.Random(1))["rules"]
    assert told["question"] == "I am 15. Are you a pupil? Yes. May I sleep on board?"
    assert (told["yesno"], told["context"].split()[-1]) == ("no", "board.")
    assert (open_["question"], open_.get("yesno")) == ("May I sleep on board?", None)


def test_contracts_pages_and_articles_keep_their_verdicts(tmp_path: Path) -> None:
    clauses = ["The Buyer may keep copies.", "The Seller pays.", "All notes are returned."]
    text = " ".join(clauses)
    spans = [[text.index(clause), text.index(clause) + len(clause)] for clause in clauses]
    choices = {"a": ("Entailment", [0]), "b": ("Contradiction", [2]), "c": ("NotMentioned", [])}
    contract = {
        "text": text, "spans": spans,
        "annotation_sets": [{"annotations": {id: {"choice": c, "spans": s} for id, (c, s) in choices.items()}}],
    }  # fmt: skip
    labels = {id: {"hypothesis": f"Statement {id}."} for id in choices}
    _write(
        tmp_path / "Contract-NLI" / "dataset" / "dev.json", json.dumps({"documents": [contract] * 8, "labels": labels})
    )
    page = {"claim": "Fram was built in Larvik.", "label": "supported", "supporting_sentences": [[1]],
            "evidence": ["(meta data) TITLE: Ships", "Larvik built the Fram.", "More."]}  # fmt: skip
    partly = {**page, "claim": "Fram was built in Larvik in 1800.", "label": "partially_supported"}
    path = tmp_path / "wice" / "data" / "entailment_retrieval" / "claim" / "dev.jsonl"
    _write(path, "\n".join(json.dumps(row) for row in (page, partly)))
    row = {"claim": "Fram sank .", "evidence_sentence": "Fram is a museum .", "label": "REFUTES"}
    _write(tmp_path / "FeverSymmetric" / "symmetric_v0.1" / "fever_symmetric_full.jsonl", json.dumps(row))

    found = prose.claims(tmp_path, random.Random(1))
    assert found["symmetric"] == [Example("Fram sank.", ("Fram is a museum.",), Verdict.CONTRADICTED)]
    assert [(e.claim, e.verdict) for e in found["pages"]] == [
        (page["claim"], Verdict.SUPPORTED), (partly["claim"], Verdict.NEITHER),
    ]  # fmt: skip
    assert all("Larvik built the Fram." in e.evidence for e in found["pages"])
    assert not any(told.startswith("(meta") for e in found["pages"] for told in e.evidence)
    shown = {"Statement a.": (clauses[0], Verdict.SUPPORTED), "Statement b.": (clauses[2], Verdict.CONTRADICTED)}
    decided = [e for e in found["contracts"] if e.verdict is not Verdict.NEITHER]
    assert len(decided) == 16
    for example in decided:
        clause, verdict = shown[example.claim]
        assert clause in example.evidence
        assert example.verdict is verdict
