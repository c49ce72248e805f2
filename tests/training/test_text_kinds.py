"""Texts of published repositories: questions lead to the passages that hold what they need, and splits share none."""

from __future__ import annotations

import csv
import json
import random
import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest
import reading_examples
from text_kinds import PUBLISHED, ROOM, Source, cut, gather, main, talk, tidy, within

from multihop.evaluation.datasets import load

ICE = "The ice did not move for days, and nobody on board had much to say about it. " * 20
BUILT = "Fram was built in Larvik by Colin Archer, who also built boats for pilots. "


def test_meetings_lead_to_the_turns_that_answer(tmp_path: Path) -> None:
    turns = [{"speaker": "Nansen", "content": f"We 'll wait for ship number {n} {{vocalsound}} ."} for n in range(20)]
    turns[3]["content"] = "Mm - hmm ."
    asked = {"query": "What was said of ships ?", "relevant_text_span": [["2", "3"], ["19", "19"]]}
    _write(
        tmp_path / "data" / "Product" / "all" / "ES1.json",
        {"meeting_transcripts": turns, "specific_query_list": [asked]},
    )
    [(title, question, (first, last))] = _read("meetings", tmp_path)
    assert (title, question) == ("Product meeting ES1", "What was said of ships in product meeting ES1?")
    assert "Nansen: We'll wait for ship number 2.\nNansen: We'll wait for ship number 4." in first
    assert last.endswith("Nansen: We'll wait for ship number 19.")


def test_scenes_lead_to_the_turn_of_the_answer(tmp_path: Path) -> None:
    scene = {
        "title": "s01_e23_c06",
        "paragraphs": [
            {
                "utterances:": [
                    {"speakers": ["Ross"], "utterance": f"Line number {n} , is n't it ?"} for n in range(12)
                ],
                "qas": [
                    {"question": "Who ?", "answers": [{"utterance_id": 7, "answer_text": "Line number 7"}]},
                ],
            }
        ],
    }
    _write(tmp_path / "dat" / "friendsqa_dev.json", {"data": [scene]})
    [(title, question, [passage])] = _read("series", tmp_path)
    assert (title, question) == ("Friends, season 1, episode 23, scene 6", "Who?")
    assert "Ross: Line number 7, isn't it?" in passage


def test_chats_lead_to_the_turn_at_the_place_of_the_answer(tmp_path: Path) -> None:
    said = [("fram", "my disk is full"), ("maud", "try df"), ("fram", "thanks"), ("gjoa", "or try du"), ("fram", "ok")]
    text = " ".join(f"{speaker}: {words}" for speaker, words in said)
    answers = [{"answer_start": text.index("du"), "text": "du"}]
    chat = {
        "edus": [{"speaker": speaker, "text": words} for speaker, words in said],
        "qas": [
            {"question": "What does gjoa suggest ?", "is_impossible": False, "answers": answers},
            {"question": "What is suggested ?", "is_impossible": False, "answers": answers},
            {"question": "What does fram suggest ?", "is_impossible": True, "answers": []},
        ],
    }
    _write(tmp_path / "MRC(withDiscourse)" / "test.json", {"data": {"dialogues": [chat]}})
    [(_, question, [passage])] = _read("chats", tmp_path)
    assert question == "What does gjoa suggest?"
    assert "gjoa: or try du" in passage


def test_games_lead_to_the_turns_that_a_sentence_tells_of(tmp_path: Path) -> None:
    def chunk(text: str, first: int, score: float = 2.0) -> dict[str, object]:
        turns = [
            {"NAMES": ["MATT"], "UTTERANCES": [f"Turn {n},", "you see a ship."], "NUMBER": n}
            for n in range(first, first + 10)
        ]
        return {"CHUNK": text, "ALIGNMENT": {"ALIGNMENT SCORE": score}, "TURNS": turns}

    chunks = [
        chunk("Welcome to Critical Role.", 0),
        chunk("Then Grog and Pike see a ship.", 9),
        chunk("Then Grog and Pike see Keyleth.", 19, 0.1),
        chunk("She and Pike see Grog.", 29),
        *(chunk("They rest.", first) for first in (39, 49, 59)),
    ]
    _write(tmp_path / "data" / "aligned data" / "c=2" / "C1E031_2_0.json", chunks)
    [(title, question, passages)] = _read("play", tmp_path)
    assert (title, question) == ("Critical Role, campaign 1, episode 31", "Then Grog and Pike see a ship.")
    assert all(any(f"Matt: Turn {n}, you see a ship." in passage for passage in passages) for n in range(9, 19))


def test_stories_lead_to_their_sections_and_name_the_story_where_nothing_else_does(tmp_path: Path) -> None:
    folder = tmp_path / "data-by-train-split"
    sections = [{"section": n, "text": f"Section {n}\nof the story."} for n in (1, 2, 3)]
    _write_table(folder / "section-stories" / "val" / "the-swan-story.csv", sections)
    asked = [
        {"cor_section": "1,3", "question": "Who was the youngest?", "answer1": "Leif"},
        {"cor_section": "2", "question": "Why did Leif leave?", "answer1": ""},
    ]
    _write_table(folder / "questions" / "val" / "the-swan-questions.csv", asked)
    assert _read("stories", tmp_path) == [
        (
            "The swan",
            "Who was the youngest in the story of The swan?",
            ["Section 1 of the story.", "Section 3 of the story."],
        ),
        ("The swan", "Why did Leif leave?", ["Section 2 of the story."]),
    ]


def test_claims_of_a_game_lead_to_the_sentences_that_decide_them(tmp_path: Path) -> None:
    evidence = [{"text": "It floats."}, {"text": "It is old."}]
    row = {
        "text": "Fram sank.", "wikipedia_page": "Fram", "gold_evidence": evidence[:1], "retrieved_evidence": evidence,
    }  # fmt: skip
    _write(tmp_path / "dataset" / "dev.jsonl", json.dumps(row) + "\n")
    assert _read("trivia", tmp_path) == [("Fram", "Fram sank.", ["It floats."])]


def test_rules_are_asked_for_in_situations(tmp_path: Path) -> None:
    _write(tmp_path / "data" / "id2snippet.json", {"0": "Sailors may vote.", "1": "Cooks may not."})
    rows = [
        {"question": "Can I vote?", "scenario": "", "answer": "Yes", "gold_snippet_id": "0"},
        {"question": "Can I vote?", "scenario": "I sail.", "answer": "Yes", "gold_snippet_id": "0"},
        {"question": "Does this apply?", "scenario": "I cook.", "answer": "No", "gold_snippet_id": "1"},
        {"question": "Is it cold?", "scenario": "", "answer": "Irrelevant", "gold_snippet_id": "1"},
    ]
    _write(tmp_path / "data" / "open_retrieval_sharc_dev.json", "".join(json.dumps(row) + "\n" for row in rows))
    assert [(text, gold) for _, text, gold in _read("rules", tmp_path)] == [
        ("Can I vote?", ["Sailors may vote."]),
        ("I sail. Can I vote?", ["Sailors may vote."]),
        ("I cook. Does this apply?", ["Cooks may not."]),
    ]


def test_manuals_lead_to_the_part_of_a_section_that_answers(tmp_path: Path) -> None:
    sections = [ICE, "Press and hold the red button for three seconds."]
    corpus = {str(n): {"title": "The remote", "text": [text]} for n, text in enumerate(sections)}
    _write(tmp_path / "data" / "smart_tv_remote_manual_corpus.json", corpus)
    answers = ("Hold the red button for three seconds.", "Yes")
    asked = [
        {"Section Hierarchy": "Start>The remote", "Link": "", "Question": f"How {n}?", "Answer": answer}
        for n, answer in enumerate(answers)
    ]
    with zipfile.ZipFile(tmp_path / "data" / "smart_remote_QA.zip", "w") as archive:
        archive.writestr("all.json", json.dumps({"All_Questions": asked}))
    assert _read("manual", tmp_path) == [("The remote", "How 0?", [sections[1]])]


def test_papers_lead_to_the_passage_at_the_place_of_the_answer(tmp_path: Path) -> None:
    text = f"On ships\n\n{ICE}{BUILT}{ICE}"
    answer = {"text": "Colin Archer", "answer_start": text.index("Colin")}
    paper = {"paragraphs": [{"context": text, "qas": [{"question": "Who built Fram?", "answers": [answer]}]}]}
    _write(tmp_path / "data" / "question-answering" / "200423_covidQA.json", {"data": [paper]})
    [(title, question, [passage])] = _read("papers", tmp_path)
    assert (title, question) == ("On ships", "Who built Fram?")
    assert BUILT.strip() in passage


def test_contracts_lead_to_the_clauses_that_decide(tmp_path: Path) -> None:
    text = f"{ICE}{BUILT}{ICE}"
    start = text.index(BUILT)
    agreement = {
        "file_name": "my%20nda.pdf",
        "text": text,
        "spans": [[0, 20], [start, start + len(BUILT)]],
        "annotation_sets": [{"annotations": {"nda-1": {"spans": [1]}, "nda-2": {"spans": []}}}],
    }
    labels = {"nda-1": {"hypothesis": "Someone builds boats."}, "nda-2": {"hypothesis": "Nobody builds boats."}}
    _write(tmp_path / "dataset" / "dev.json", {"documents": [agreement], "labels": labels})
    [(title, question, passages)] = _read("contracts", tmp_path)
    assert (title, question) == ("Agreement my nda", "Someone builds boats in agreement my nda.")
    assert any("Colin Archer" in passage for passage in passages)


def test_reports_lead_to_the_passages_of_their_excerpts(tmp_path: Path) -> None:
    folder = tmp_path / "chunking_evaluation" / "evaluation_framework" / "general_evaluation_data"
    text = f"{ICE * 14}{BUILT}{ICE}"
    start = text.index("Colin")
    _write(folder / "corpora" / "speech.md", text)
    excerpt = json.dumps([{"start_index": start, "end_index": start + 12}])
    _write_table(folder / "questions_df.csv", [{"question": "Who?", "references": excerpt, "corpus_id": "speech"}])
    [(title, question, [passage])] = _read("reports", tmp_path)
    assert (title, question) == ("speech", "Who?")
    assert "Colin Archer" in passage


def test_sources_are_parted_whole_and_only_clear_questions_are_taken() -> None:
    sources = [
        Source(
            f"Ship {n}",
            [f"Passage {n} {part}." for part in range(7)],
            [
                (f"What is in ship {n}?", frozenset({n % 7}), ""),
                (f"What is all of ship {n}?", frozenset(range(6)), ""),
                ("What is it?", frozenset({0}), ""),
            ],
        )
        for n in range(300)
    ]
    talkative = Source("Long", [ICE * 20], [("What is long?", frozenset({0}), "")])
    kind = gather("ships", [*sources, talkative], random.Random(1))
    assert all(asked.text.startswith("What is in ship") for split in kind.splits.values() for asked in split)
    train, dev = ({asked.gold[0].split("-")[1] for asked in kind.splits[split]} for split in ("train", "dev"))
    assert len(train) + len(dev) == 300
    assert not train & dev


def test_turns_and_texts_are_cut_into_passages_that_hold_all_of_them() -> None:
    passages, places = talk([("Nansen", ICE), ("Amundsen", "Yes."), ("Nansen", "")], 3)
    assert all(len(passage) <= ROOM + len("Nansen: ") for passage in passages)
    assert " ".join(passages).replace("Nansen: ", "").startswith(ICE[:300])
    assert places[0] | places[1] == frozenset(range(len(passages)))
    assert 2 not in places
    parts = cut(ICE)
    assert "".join(ICE[part.start : part.stop] for part in parts) == ICE
    assert all(ICE[: part.stop].endswith(".") for part in parts[:-1])


def test_marks_of_transcribers_and_parted_words_are_tidied() -> None:
    assert tidy("I do n't {pause} know , he 's here <laugh> .") == "I don't know, he's here."
    assert within("Where is it", "Larvik") == "Where is it in Larvik"


def test_what_is_there_is_written_and_read_as_a_data_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pages = [
        {"text": f"Ship {n} sank.", "wikipedia_page": f"Ship {n}", "gold_evidence": [{"text": f"Ship {n} floats."}],
         "retrieved_evidence": []}
        for n in range(40)
    ]  # fmt: skip
    lines = "".join(json.dumps(page) + "\n" for page in pages)
    _write(tmp_path / "repositories" / "fool-me-twice" / "dataset" / "dev.jsonl", lines)
    out = tmp_path / "kinds"
    monkeypatch.setattr("sys.argv", ["text_kinds.py", "--published", str(tmp_path / "repositories"), "--out", str(out)])
    main()
    assert [path.name for path in out.iterdir()] == ["trivia"]
    train, dev = (load("trivia", out, split=split).questions for split in ("train", "dev"))
    assert (len(train), len(dev)) == (35, 5)


def test_a_call_that_names_no_folder_says_what_to_give(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["text_kinds.py"])
    with pytest.raises(SystemExit, match="2"):
        main()
    assert "give --data, --published or both" in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--data", "--published"])
@pytest.mark.parametrize("command", [main, reading_examples.main])
def test_a_folder_that_is_not_there_is_named(
    command: Callable[[], None],
    option: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    gone = str(tmp_path / "gone")
    out = tmp_path / "out"
    monkeypatch.setattr("sys.argv", ["command", "--data", str(tmp_path), option, gone, "--out", str(out)])
    with pytest.raises(SystemExit, match="2"):
        command()
    assert f"there is no folder {gone}" in capsys.readouterr().err
    assert not out.exists()


def _read(name: str, folder: Path) -> list[tuple[str, str, list[str]]]:
    """Give the title of the text, the question and its gold passages, for every question of a set."""
    return [
        (source.title, text, [source.passages[n] for n in sorted(gold)])
        for source in PUBLISHED[name][1](folder)
        for text, gold, _ in source.questions
    ]


def _write(path: Path, content: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")


def _write_table(path: Path, rows: Sequence[Mapping[str, object]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, list(rows[0]))
        table.writeheader()
        table.writerows(rows)
