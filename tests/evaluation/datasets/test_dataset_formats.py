"""The official formats, HippoRAG's and BEIR's, each as a few rows in its own shape."""

from __future__ import annotations

import bz2
import io
import json
import sqlite3
import tarfile
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from multihop.errors import InvalidInput, InvalidRecord, UnknownName
from multihop.evaluation.datasets import load

HOTPOT: list[dict[str, Any]] = [
    {"_id": "h1", "question": "Who led the band?", "answer": "Ann", "type": "bridge", "level": "hard",
     "supporting_facts": [["Band", 0], ["Ann", 1], ["Band", 1]],
     "context": [["Band", ["The band played.", " Ann led it."]], ["Ann", ["Ann sang.", " She led."]],
                 ["X", ["Noise."]]]},
    {"_id": "h2", "question": "Which is older?", "answer": "yes", "type": "comparison", "level": "easy",
     "supporting_facts": [["Ann", 0], ["Bob", 0]],
     "context": [["Ann", ["Ann sang.", " She led."]], ["Bob", ["Bob is old."]], ["Empty", []]]},
]  # fmt: skip
MUSIQUE: list[dict[str, Any]] = [
    {"id": "2hop__1_2", "question": "Where is the river?", "answer": "Spain", "answerable": True,
     "question_decomposition": [], "paragraphs": [
         {"idx": 0, "title": "River", "paragraph_text": "A river in Spain.", "is_supporting": True},
         {"idx": 1, "title": "River", "paragraph_text": "A river in France.", "is_supporting": False},
         {"idx": 2, "title": "Spain", "paragraph_text": "Spain is a country.", "is_supporting": True}]},
    {"id": "3hop1__1_2_3", "question": "And the other?", "answer": "France", "answerable": True, "paragraphs": [
         {"idx": 0, "title": "River", "paragraph_text": "A river in  France.", "is_supporting": True},
         {"idx": 1, "title": "River", "paragraph_text": "A river in Spain.", "is_supporting": False}]},
]  # fmt: skip
HOVER: list[dict[str, Any]] = [
    {"uid": "v1", "claim": "Ann led the band.", "supporting_facts": [["Band", 0], ["Band", 1], ["Ann", 0]],
     "label": "SUPPORTED", "num_hops": 2, "hpqa_id": "h1"},
    {"uid": "v2", "claim": "Bob led.", "supporting_facts": [["Nobody", 0]], "label": "NOT_SUPPORTED", "num_hops": 3},
]  # fmt: skip
WIKI = [{"title": "Band", "text": "The band played."}, {"title": "Ann", "text": "Ann sang."}]


def write(path: Path, value: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def write_lines(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


# --- questions of so many hops ---


def test_hops_choose_the_questions_and_the_corpus_stays_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_lines(tmp_path / "datasets" / "hover" / "corpus.jsonl", WIKI)
    rows = [{**HOVER[0], "uid": f"v{n}", "num_hops": n} for n in (2, 3, 3)]
    rows[2]["uid"] = "v4"
    write(tmp_path / "datasets" / "hover" / "hover_dev_release_v1.1.json", rows)
    monkeypatch.chdir(tmp_path)
    dataset = load("hover", hops=3)
    assert [q.id for q in dataset.questions] == ["v3", "v4"]
    assert dataset.corpus.size == 2
    assert "the 2 of 3 questions that have 3 hops" in dataset.notes
    assert [q.id for q in load("hover", "datasets", hops=3, limit=1).questions] == ["v3"]
    with pytest.raises(InvalidInput, match="no question has 4 hops; there are questions of 2, 3 hops"):
        load("hover", hops=4)
    with pytest.raises(InvalidInput, match="hops is the number of hops"):
        load("hover", hops=0)


# --- HotpotQA and 2WikiMultiHopQA ---


def test_hotpotqa_distractor_is_the_union_of_its_paragraphs(tmp_path: Path) -> None:
    write(tmp_path / "hotpot_dev_distractor_v1.json", HOTPOT)
    dataset = load("hotpotqa", tmp_path)
    assert {d.id: d.text for d in dataset.documents()} == {
        "Band": "The band played. Ann led it.",
        "Ann": "Ann sang. She led.",
        "X": "Noise.",
        "Bob": "Bob is old.",
    }
    first, second = dataset.questions
    assert (first.id, first.gold, first.type, first.answer) == ("h1", ("Band", "Ann"), "bridge", "Ann")
    assert second.gold == ("Ann", "Bob")
    assert dataset.notes == ()


def test_hotpotqa_fullwiki_without_wikipedia_says_so(tmp_path: Path) -> None:
    write(tmp_path / "hotpotqa/hotpot_dev_distractor_v1.json", HOTPOT)
    retrieved = [{**HOTPOT[0], "context": HOTPOT[0]["context"][:1]}, HOTPOT[1]]
    write(tmp_path / "hotpotqa/hotpot_dev_fullwiki_v1.json", retrieved)
    dataset = load("hotpotqa-fullwiki", tmp_path)
    assert "fullwiki" in dataset.source
    assert [q.gold for q in dataset.questions] == [("Band", "Ann"), ("Ann", "Bob")]
    assert dataset.notes[0].startswith("full-wiki without a corpus of Wikipedia")
    assert "distractor" in load("hotpotqa", tmp_path).source


def test_hotpotqa_fullwiki_over_the_official_abstracts(tmp_path: Path) -> None:
    write(tmp_path / "hotpot_dev_fullwiki_v1.json", HOTPOT)
    articles = [
        {"id": "12", "url": "u", "title": "Band", "text": ["The band.", " It played."]},
        {"id": "13", "url": "u", "title": "Ann", "text": ["Ann."]},
        {"id": "14", "url": "u", "title": "Nothing", "text": []},
    ]
    packed = bz2.compress("".join(json.dumps(a) + "\n" for a in articles).encode())
    with tarfile.open(tmp_path / "enwiki-20171001-pages-meta-current-withlinks-abstracts.tar.bz2", "w:bz2") as archive:
        member = tarfile.TarInfo("abstracts/AA/wiki_00.bz2")
        member.size = len(packed)
        archive.addfile(member, io.BytesIO(packed))
    dataset = load("hotpotqa-fullwiki", tmp_path)
    assert dataset.corpus.size == 2
    assert [(q.id, q.gold) for q in dataset.questions] == [("h1", ("12", "13"))]
    assert dataset.notes == ("1 of 2 questions kept out: a gold title is not in the corpus (first: 'h2' wants 'Bob')",)
    packed_file = next(tmp_path.glob("*.tar.bz2"))
    packed_file.write_bytes(packed_file.read_bytes()[:60])
    with pytest.raises(InvalidInput, match="cannot be read as HotpotQA's abstracts"):
        load("hotpotqa-fullwiki", tmp_path)


def test_2wiki_has_plain_file_names(tmp_path: Path) -> None:
    rows = [{**row, "evidences": [["Band", "leader", "Ann"]]} for row in HOTPOT]
    write(tmp_path / "2wikimultihopqa/dev.json", rows)
    write(tmp_path / "2wikimultihopqa/test.json", [{**HOTPOT[0], "supporting_facts": []}])
    dataset = load("2wiki", tmp_path)
    assert (len(dataset), dataset.corpus.size) == (2, 4)
    assert load(str(tmp_path / "2wikimultihopqa")).corpus_hash() == dataset.corpus_hash()
    with pytest.raises(InvalidInput, match="no question is left: 1 of 1 questions kept out: no gold is given"):
        load("2wiki", tmp_path, split="test")
    with pytest.raises(UnknownName, match=r"has no split 'train'; present: dev, test\. Choose with --split"):
        load("2wiki", tmp_path, split="train")


def test_a_given_corpus_replaces_the_union(tmp_path: Path) -> None:
    write(tmp_path / "hotpot_dev_distractor_v1.json", HOTPOT)
    corpus = write_lines(tmp_path / "mine.jsonl", WIKI)
    dataset = load("hotpotqa", tmp_path, corpus=str(corpus))
    assert [(q.id, q.gold) for q in dataset.questions] == [("h1", ("Band", "Ann"))]


def test_malformed_hotpot_rows_are_named(tmp_path: Path) -> None:
    file = tmp_path / "hotpot_dev_distractor_v1.json"
    file.write_text(f"[{json.dumps(HOTPOT[0])},\n{json.dumps({**HOTPOT[1], 'context': [['Ann']]})}]")
    with pytest.raises(InvalidRecord, match=r"_v1.json:2: a paragraph is not of the form"):
        load("hotpotqa", tmp_path)
    file.write_text(json.dumps([{**HOTPOT[0], "supporting_facts": [1]}]))
    with pytest.raises(InvalidRecord, match=r"_v1.json:1: 'supporting_facts' must be a list of \[title"):
        load("hotpotqa", tmp_path)
    file.write_text(json.dumps(HOTPOT, indent=1)[:-200])
    with pytest.raises(InvalidRecord, match=r"_v1.json:\d+: .*seems to be cut off"):
        load("hotpotqa", tmp_path)


# --- MuSiQue ---


def test_musique_gold_is_a_paragraph_not_a_title(tmp_path: Path) -> None:
    write_lines(tmp_path / "musique_ans_v1.0_dev.jsonl", MUSIQUE)
    dataset = load("musique", tmp_path)
    texts = {d.id: d.text for d in dataset.documents()}
    assert sorted(texts.values()) == ["A river in France.", "A river in Spain.", "Spain is a country."]
    first, second = dataset.questions
    assert [texts[g] for g in first.gold] == ["A river in Spain.", "Spain is a country."]
    assert [" ".join(texts[g].split()) for g in second.gold] == ["A river in France."]
    assert (first.hops, first.type, second.hops, second.type) == (2, "2hop", 3, "3hop1")


def test_musique_full_leaves_out_the_twins_without_answer(tmp_path: Path) -> None:
    twin = {**MUSIQUE[0], "answerable": False, "paragraphs": MUSIQUE[0]["paragraphs"][1:]}
    write_lines(tmp_path / "musique_full_v1.0_train.jsonl", [*MUSIQUE, twin])
    assert [q.id for q in load("musique", tmp_path, split="train").questions] == ["2hop__1_2", "3hop1__1_2_3"]


# --- HippoRAG ---


def test_hipporag(tmp_path: Path) -> None:
    corpus = [{"title": p["title"], "text": p["paragraph_text"], "idx": i}
              for i, p in enumerate(MUSIQUE[0]["paragraphs"])]  # fmt: skip
    write(tmp_path / "musique_corpus.json", corpus)
    write(tmp_path / "musique.json", MUSIQUE)
    write(tmp_path / "2wikimultihopqa_corpus.json", {t: s for row in HOTPOT for t, s in row["context"]})
    write(tmp_path / "2wikimultihopqa.json", HOTPOT)
    dataset = load("musique", tmp_path)
    assert (len(dataset), dataset.corpus.size, dataset.split) == (2, 3, "dev")
    assert dataset.questions[1].gold == ("River~2",)
    assert [q.gold for q in load("2wiki", tmp_path).questions] == [("Band", "Ann"), ("Ann", "Bob")]
    with pytest.raises(InvalidInput, match=r"holds several datasets \(2wikimultihopqa, musique\): load\("):
        load(str(tmp_path))


def test_hipporag_folder_of_one_set_and_questions_without_id(tmp_path: Path) -> None:
    rows = [{k: v for k, v in MUSIQUE[0].items() if k != "id"}]
    write(tmp_path / "sample.json", rows)
    write(tmp_path / "sample_corpus.json", [{"title": "River", "text": "A river in Spain."},
                                            {"title": "Spain", "text": "Spain is a country."}])  # fmt: skip
    assert load(str(tmp_path)).questions[0].id == "row-1"
    assert load("sample", tmp_path).questions[0].gold == ("River", "Spain")


# --- HoVer and EX-FEVER ---


def test_hover_release_over_a_given_corpus(tmp_path: Path) -> None:
    write(tmp_path / "hover_dev_release_v1.1.json", HOVER)
    with pytest.raises(InvalidInput, match=r"hover_dev_release_v1.1.json needs a corpus"):
        load("hover", tmp_path)
    corpus = write_lines(tmp_path / "wiki.jsonl", WIKI)
    dataset = load("hover", tmp_path, corpus=str(corpus))
    (question,) = dataset.questions
    assert (question.id, question.gold, question.hops, question.label) == ("v1", ("Band", "Ann"), 2, "SUPPORTED")
    assert dataset.notes == (
        "1 of 2 questions kept out: a gold title is not in the corpus (first: 'v2' wants 'Nobody')",
    )


def test_hover_release_over_its_own_wikipedia(tmp_path: Path) -> None:
    write(tmp_path / "hover/hover_dev_release_v1.1.json", HOVER)
    with closing(sqlite3.connect(tmp_path / "hover/wiki_wo_links.db")) as database:
        database.execute("CREATE TABLE documents (id PRIMARY KEY, text)")
        database.executemany("INSERT INTO documents VALUES (?, ?)", [(w["title"], w["text"]) for w in WIKI])
        database.execute("INSERT INTO documents VALUES ('Empty', '')")
        database.commit()
    dataset = load("hover", tmp_path)
    assert (len(dataset), dataset.corpus.size) == (1, 2)
    (tmp_path / "hover/wiki_wo_links.db").write_bytes(b"not a database at all, " * 100)
    with pytest.raises(InvalidInput, match="cannot be read as HoVer's database of Wikipedia"):
        load("hover", tmp_path)


EXFEVER = (
    "claim,explanation,label,golden entity,mention,result entity,discard number\n"
    '"Ann led,\nthe band.",Because.,SUPPORT,"[\'Ann\', ""The_Band\'s_End""]",[\'x\'],,\n'
    "Bob sang.,Why.,NOT ENOUGH INFO,\"['Bob', 'Ann']\",,,\n"
)


def test_exfever_tables(tmp_path: Path) -> None:
    (tmp_path / "exfever").mkdir()
    (tmp_path / "exfever/test.csv").write_text(EXFEVER, encoding="utf-8")
    write_lines(tmp_path / "hover/corpus.jsonl", [*WIKI, {"title": "The Band's End", "text": "It ended."}])
    dataset = load("exfever", tmp_path, split="test")
    (question,) = dataset.questions
    assert (question.id, question.gold, question.hops) == ("test-1", ("Ann", "The Band's End"), 2)
    assert (question.text, question.label) == ("Ann led,\nthe band.", "SUPPORT")
    assert len(dataset.notes) == 1


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ("C.,E.,SUPPORT,__import__('os'),,,", r"test.csv:5: the golden entities are not a list of titles"),
        ("C.,E.,SUPPORT,[1],,,", r"test.csv:5: the golden entities are not a list of titles"),
        (",E.,SUPPORT,['Ann'],,,", r"test.csv:5: the field 'claim' is empty"),
        ("C.,E.", r"test.csv:5: the row has 2 cells, the header 7"),
        ('"C.,E.', r"test.csv:5: is not a valid row"),
    ],
)
def test_exfever_errors_name_the_row(tmp_path: Path, row: str, problem: str) -> None:
    (tmp_path / "exfever").mkdir()
    (tmp_path / "exfever/test.csv").write_text(EXFEVER + row + "\n", encoding="utf-8")
    write_lines(tmp_path / "exfever/corpus.jsonl", WIKI)
    with pytest.raises(InvalidRecord, match=problem):
        load("exfever", tmp_path, split="test")


# --- BEIR ---


@pytest.fixture
def beir(tmp_path: Path) -> Path:
    folder = tmp_path / "scifact"
    write_lines(
        folder / "corpus.jsonl",
        [
            {"_id": "d1", "title": "One", "text": "First.", "metadata": {}},
            {"_id": "d2", "title": "Only a title", "text": "", "metadata": {}},
            {"_id": "d3", "title": "", "text": "", "metadata": {}},
        ],
    )
    queries: list[dict[str, Any]] = [
        {"_id": "q1", "text": "Which?", "metadata": {"answer": "this"}},
        {"_id": "q2", "text": "Unjudged?"},
    ]
    write_lines(folder / "queries.jsonl", queries)
    (folder / "qrels").mkdir()
    qrels(folder, "q1\td1\t1\nq1\td2\t2\nq1\tgone\t0\n")
    return folder


def qrels(folder: Path, rows: str) -> None:
    (folder / "qrels/test.tsv").write_text("query-id\tcorpus-id\tscore\n" + rows)


def test_beir(beir: Path) -> None:
    dataset = load("scifact", beir.parent, split="test")
    (question,) = dataset.questions
    assert (question.id, question.text, question.gold, question.answer) == ("q1", "Which?", ("d1", "d2"), "this")
    assert {d.id: d.text for d in dataset.documents()} == {"d1": "First.", "d2": "Only a title"}
    assert load(str(beir), split="test").questions == dataset.questions
    with pytest.raises(UnknownName, match="no split 'dev'; present: test"):
        load(str(beir))


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ("q1\td1\t1\nq1\td9\t1\n", r"test.tsv:3: question 'q1' names the passage 'd9', which is not in the corpus"),
        ("q9\td1\t1\n", r"test.tsv:2: the query 'q9' is not in .*queries.jsonl"),
        ("q1\td1\n", r"test.tsv:2: a row has 3 cells .* not 2"),
        ("q1\td1\tyes\n", r"test.tsv:2: the score must be a number, got 'yes'"),
    ],
)
def test_beir_errors_name_the_row(beir: Path, rows: str, problem: str) -> None:
    qrels(beir, rows)
    with pytest.raises(InvalidRecord, match=problem):
        load(str(beir), split="test")


def test_beir_without_queries(beir: Path) -> None:
    (beir / "queries.jsonl").unlink()
    with pytest.raises(InvalidInput, match=r"there is a folder qrels but no queries.jsonl"):
        load(str(beir), split="test")
