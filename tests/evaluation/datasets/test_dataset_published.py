"""FEVER, BRIGHT, MultiHop-RAG, FRAMES, FanOutQA and the full MuSiQue, each as a few rows in its own shape."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from multihop.errors import InvalidInput, InvalidRecord
from multihop.evaluation.datasets import load
from multihop.evaluation.datasets.titles import fever_title, title_of_address

from .test_dataset_formats import MUSIQUE, WIKI, write, write_lines

FEVER: list[dict[str, Any]] = [
    {"id": 75397, "verifiable": "VERIFIABLE", "label": "SUPPORTS", "claim": "Ann led the band.",
     "evidence": [[[1, 2, "Ann", 0], [1, 3, "The_Band_-LRB-group-RRB-", 1]], [[4, 5, "Ann", 2]]]},
    {"id": 75398, "verifiable": "VERIFIABLE", "label": "REFUTES", "claim": "The band is alone.",
     "evidence": [[[6, 7, "The_Band_-LRB-group-RRB-", 0], [6, 8, "Ann", 0], [6, 9, "Ann", 1]]]},
    {"id": 137334, "verifiable": "NOT VERIFIABLE", "label": "NOT ENOUGH INFO", "claim": "Ann sleeps.",
     "evidence": [[[10, None, None, None]]]},
]  # fmt: skip


@pytest.fixture
def fever(tmp_path: Path) -> Path:
    write_lines(tmp_path / "fever/shared_task_dev.jsonl", FEVER)
    pages = [{"id": "", "text": "", "lines": ""}, {"id": "Ann", "text": "Ann sang .", "lines": "0\tAnn sang ."}]
    write_lines(tmp_path / "fever/wiki-pages/wiki-001.jsonl", pages)
    band = {"id": "The_Band_-LRB-group-RRB-", "text": "They played .", "lines": "0\tThey played ."}
    write_lines(tmp_path / "fever/wiki-pages/wiki-002.jsonl", [band])
    return tmp_path


def test_fever_over_its_own_wikipedia(fever: Path) -> None:
    dataset = load("fever", fever)
    assert {d.id for d in dataset.documents()} == {"Ann", "The Band (group)"}
    assert [(q.id, q.gold, q.label) for q in dataset.questions] == [
        ("75397", ("Ann",), "SUPPORTS"),
        ("75398", ("The Band (group)", "Ann"), "REFUTES"),
    ]
    assert dataset.notes == ("1 of 3 questions kept out: no gold is given (first: '137334')",)
    assert load(str(fever / "fever")).questions == dataset.questions


def test_fever_unpacked_beside_its_claims_and_malformed(fever: Path) -> None:
    folder = fever / "fever"
    for page in (folder / "wiki-pages").iterdir():
        page.rename(folder / page.name)
    assert len(load("fever", fever)) == 2
    write_lines(folder / "shared_task_dev.jsonl", [{**FEVER[0], "evidence": [["Ann"]]}])
    with pytest.raises(InvalidRecord, match=r"shared_task_dev.jsonl:1: 'evidence' must be a list of sets"):
        load("fever", fever)


def test_train_alone_is_not_taken_for_fever(tmp_path: Path) -> None:
    write_lines(tmp_path / "mine/train.jsonl", [{"question": "Who?", "gold_titles": ["Ann"]}])
    write_lines(tmp_path / "mine/corpus.jsonl", WIKI)
    assert load(str(tmp_path / "mine"), split="train").questions[0].gold == ("Ann",)


BRIGHT: list[dict[str, Any]] = [
    {"query": "Why do insects fly to light?", "reasoning": "…", "id": "0", "excluded_ids": ["N/A"],
     "gold_ids_long": ["long/a.txt"], "gold_ids": ["light/a_0.txt", "light/a_1.txt"], "gold_answer": "They …"},
    {"query": "And moths?", "reasoning": "…", "id": "1", "excluded_ids": ["light/a_1.txt"],
     "gold_ids_long": [], "gold_ids": ["light/a_0.txt"], "gold_answer": ""},
]  # fmt: skip
BRIGHT_DOCUMENTS = [
    {"id": "light/a_0.txt", "content": "Lamps attract moths."},
    {"id": "light/a_1.txt", "content": "Insects turn their backs to light."},
    {"id": "empty.txt", "content": ""},
]


def test_bright_has_a_split_for_every_task(tmp_path: Path) -> None:
    write_lines(tmp_path / "bright/examples/biology.jsonl", BRIGHT)
    write_lines(tmp_path / "bright/documents/biology.jsonl", BRIGHT_DOCUMENTS)
    write_lines(tmp_path / "bright/examples/pony.jsonl", BRIGHT)
    dataset = load("bright", tmp_path, split="biology")
    assert [q.gold for q in dataset.questions] == [("light/a_0.txt", "light/a_1.txt"), ("light/a_0.txt",)]
    assert (dataset.corpus.size, dataset.whole) == (2, False)
    assert dataset.notes == ("1 questions name documents to leave out of the ranking, which is not done",)
    with pytest.raises(InvalidInput, match="needs its documents: put those of 'pony' into"):
        load("bright", tmp_path, split="pony")


def test_bright_in_parquet_is_read_with_pyarrow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parts = {"examples": BRIGHT, "documents": BRIGHT_DOCUMENTS}
    for part in parts:
        (tmp_path / "bright" / part).mkdir(parents=True)
        (tmp_path / "bright" / part / "biology-00000-of-00001.parquet").touch()

    def batches(path: Path) -> Any:
        rows = parts[path.parent.name]
        return SimpleNamespace(iter_batches=lambda: [SimpleNamespace(to_pylist=lambda: rows)])

    monkeypatch.setitem(sys.modules, "pyarrow", SimpleNamespace())
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", SimpleNamespace(ParquetFile=batches))
    assert len(load("bright", tmp_path, split="biology")) == 2
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(InvalidInput, match="is Parquet, which pyarrow reads: pip install pyarrow"):
        load("bright", tmp_path, split="biology")


NEWS = [
    {"title": "Ann wins", "author": "A", "source": "S", "published_at": "2023-01-01", "category": "c", "url": "u",
     "body": "Ann won the race. " * 5},
    {"title": "Bob loses", "author": "B", "source": "S", "published_at": "2023-01-02", "category": "c", "url": "v",
     "body": "Bob lost the race."},
]  # fmt: skip
MULTIHOP_RAG: list[dict[str, Any]] = [
    {"query": "Who won and who lost?", "answer": "Ann", "question_type": "comparison_query",
     "evidence_list": [{"title": "Ann wins", "fact": "Ann won."}, {"title": "Bob loses", "fact": "Bob lost."}]},
    {"query": "Who slept?", "answer": "Insufficient information.", "question_type": "null_query", "evidence_list": []},
]  # fmt: skip


def test_multihop_rag(tmp_path: Path) -> None:
    write(tmp_path / "multihop-rag/MultiHopRAG.json", MULTIHOP_RAG)
    with pytest.raises(InvalidInput, match=r"needs its corpus: put corpus.json beside it"):
        load("multihop-rag", tmp_path, split="test")
    write(tmp_path / "multihop-rag/corpus.json", NEWS)
    dataset = load("multihop-rag", tmp_path, split="test")
    (question,) = dataset.questions
    assert (question.gold, question.hops, question.type) == (("Ann wins", "Bob loses"), 2, "comparison_query")
    assert not dataset.whole and "kept out: no gold is given" in dataset.notes[0]
    write(tmp_path / "multihop-rag/MultiHopRAG.json", [{**MULTIHOP_RAG[0], "evidence_list": ["Ann wins"]}])
    with pytest.raises(InvalidRecord, match="must be a list of objects with a title"):
        load("multihop-rag", tmp_path, split="test")


def frames(folder: Path, links: str, header: str = "wiki_links") -> None:
    folder.mkdir(parents=True, exist_ok=True)
    row = f"Who led the band?\tAnn\tMultiple constraints\t{links}\n"
    (folder / "test.tsv").write_text(f"Prompt\tAnswer\treasoning_types\t{header}\n{row}", encoding="utf-8")


@pytest.mark.parametrize(
    ("header", "links"),
    [
        ("wiki_links", "['https://en.wikipedia.org/wiki/The_Band#History', 'https://en.wikipedia.org/wiki/Ann']"),
        (
            "wikipedia_link_1\twikipedia_link_2",
            "https://en.wikipedia.org/wiki/The_Band\thttps://en.wikipedia.org/wiki/Ann",
        ),
        ("wikipedia_link_11+", "https://en.wikipedia.org/wiki/The_Band,https://en.wikipedia.org/wiki/Ann (her life)"),
        ("wiki_links", "['https://en.wikipedia.org/wiki/The_Band, https://en.wikipedia.org/wiki/Ann']"),
    ],
)
def test_frames_over_a_corpus_of_wikipedia(tmp_path: Path, header: str, links: str) -> None:
    frames(tmp_path / "frames", links, header)
    with pytest.raises(InvalidInput, match=r"needs a corpus: put corpus\.jsonl"):
        load("frames", tmp_path, split="test")
    write_lines(tmp_path / "frames/corpus.jsonl", [WIKI[1], {"title": "The Band", "text": "The band played."}])
    (question,) = load("frames", tmp_path, split="test").questions
    assert (question.gold, question.hops, question.answer) == (("The Band", "Ann"), 2, "Ann")
    assert question.type == "Multiple constraints"


def test_malformed_frames_are_named(tmp_path: Path) -> None:
    write_lines(tmp_path / "frames/corpus.jsonl", WIKI)
    for links, problem in (("[1]", "test.tsv:2: 'wiki_links' is not a list"), ("a\tb", "the row has 5 cells")):
        frames(tmp_path / "frames", links)
        with pytest.raises(InvalidRecord, match=problem):
            load("frames", tmp_path, split="test")


def test_fanoutqa_of_both_splits(tmp_path: Path) -> None:
    leaf = {"id": "b", "question": "Who?", "decomposition": [], "answer": "Ann", "depends_on": [],
            "evidence": {"pageid": 1, "revid": 2, "title": "Ann", "url": "u"}}  # fmt: skip
    node = {"id": "c", "question": "Which band?", "decomposition": [leaf], "answer": "x", "evidence": None}
    dev = {"id": "a", "question": "Who is in each band?", "decomposition": [leaf, node], "answer": {"Band": 2}}
    test = {
        "id": "t",
        "question": "Who?",
        "necessary_evidence": [{"title": "Band"}, {"title": "Ann"}],
        "categories": [],
    }
    write(tmp_path / "fanoutqa/fanout-final-dev.json", [dev])
    write(tmp_path / "fanoutqa/fanout-final-test.json", [test])
    write_lines(tmp_path / "fanoutqa/corpus.jsonl", WIKI)
    (question,) = load("fanoutqa", tmp_path).questions
    assert (question.gold, question.hops, json.loads(question.answer)) == (("Ann",), 1, {"Band": 2})
    assert load("fanoutqa", tmp_path, split="test").questions[0].gold == ("Band", "Ann")
    write(tmp_path / "fanoutqa/fanout-final-dev.json", [{**dev, "decomposition": ["b"]}])
    with pytest.raises(InvalidRecord, match="evidence must be objects with a title"):
        load("fanoutqa", tmp_path)


def test_both_versions_of_musique_lie_side_by_side(tmp_path: Path) -> None:
    write_lines(tmp_path / "musique/musique_ans_v1.0_dev.jsonl", MUSIQUE)
    twins = [*MUSIQUE, {**MUSIQUE[0], "answerable": False}]
    write_lines(tmp_path / "musique/musique_full_v1.0_dev.jsonl", twins)
    plain, full = load("musique", tmp_path), load("musique-full", tmp_path)
    assert "musique_ans" in plain.source and "musique_full" in full.source
    assert plain.questions == full.questions


def test_titles_of_pages() -> None:
    assert fever_title("Fox_-LRB-band-RRB-") == "Fox (band)"
    assert title_of_address("https://en.wikipedia.org/wiki/Caf%C3%A9_Ann#Part ") == "Café Ann"


def test_locomo_turn_by_turn(tmp_path: Path) -> None:
    said = [
        {"speaker": "Jon", "dia_id": "D1:1", "text": "I lost my job as a banker."},
        {"speaker": "Gina", "dia_id": "D1:2", "text": "So did I.", "blip_caption": "an empty desk"},
    ]
    talk = {"speaker_a": "Jon", "session_1_date_time": "4:04 pm on 20 January, 2023", "session_1": said}
    qa = [
        {"question": "What was Jon?", "answer": "a banker", "evidence": ["D1:1"], "category": 4},
        {"question": "Who lost a job?", "answer": "both", "evidence": ["D1:1; D1:02"], "category": 1},
        {"question": "Who found one?", "answer": "Jon", "evidence": ["D1:1", "D9:1"], "category": 1},
        {"question": "What was Gina's boat called?", "evidence": ["D1:2"], "category": 5},
    ]
    write(tmp_path / "locomo/locomo10.json", [{"sample_id": "conv-30", "conversation": talk, "qa": qa}])
    dataset = load("locomo", tmp_path, split="test")
    assert {q.conversation for q in dataset.questions} == {"conv-30"}
    assert [(q.id, q.gold, q.type) for q in dataset.questions] == [
        ("conv-30-q1", ("conv-30/D1:1",), "single-hop"),
        ("conv-30-q2", ("conv-30/D1:1", "conv-30/D1:2"), "multi-hop"),
    ]
    assert dataset.notes == ("1 of 3 questions kept out: no gold is given (first: 'conv-30-q3')",)
    documents = {d.id: d for d in dataset.documents()}
    assert documents["conv-30/D1:2"].text == "Gina: So did I. (shares a picture: an empty desk)"
    assert documents["conv-30/D1:1"].metadata["session"] == "conv-30/D1"
    assert documents["conv-30/D1:1"].title == "Jon, 4:04 pm on 20 January, 2023"
    write(tmp_path / "locomo/locomo10.json", [{"sample_id": "conv-30", "qa": qa}])
    with pytest.raises(InvalidRecord, match="there is no conversation"):
        load("locomo", tmp_path, split="test")


def longmemeval_row(id: str, kind: str = "multi-session") -> dict[str, Any]:
    asking = [
        {"role": "user", "content": "I moved to Lisbon.", "has_answer": True},
        {"role": "assistant", "content": "Nice!"},
    ]
    telling = [{"role": "user", "content": "Ann moved too.", "has_answer": True}]
    return {
        "question_id": id, "question_type": kind, "question": "Who moved?", "answer": "Ann and I",
        "haystack_session_ids": ["s1", "s2"], "haystack_dates": ["2023/05/20 (Sat) 02:21", "2023/05/22 (Mon) 10:00"],
        "haystack_sessions": [asking, telling], "answer_session_ids": ["s1", "s2"],
    }  # fmt: skip


def test_longmemeval_turn_by_turn(tmp_path: Path) -> None:
    write(tmp_path / "longmemeval/longmemeval_s_cleaned.json", [longmemeval_row("q1"), longmemeval_row("q2_abs")])
    write(tmp_path / "longmemeval/longmemeval_s.json", [longmemeval_row("old")])
    write(tmp_path / "longmemeval/longmemeval_oracle.json", [longmemeval_row("q1"), longmemeval_row("q3")])
    dataset = load("longmemeval", tmp_path, split="s")
    [question] = dataset.questions
    assert (question.id, question.type, question.answer) == ("q1", "multi-session", "Ann and I")
    assert (question.gold, question.conversation) == (("q1/s1/1", "q1/s2/3"), "q1")
    documents = {d.id: d for d in dataset.documents()}
    assert documents["q1/s1/2"].text == "assistant: Nice!"
    assert documents["q1/s1/2"].title == "assistant, 2023/05/20 (Sat) 02:21"
    assert documents["q1/s2/3"].metadata["session"] == "q1/s2"
    assert [q.id for q in load("longmemeval", tmp_path, split="oracle").questions] == ["q1", "q3"]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"haystack_dates": []}, "must have the same length"),
        ({"haystack_sessions": ["s1", "s2"]}, "a session must be a list of turns"),
        ({"haystack_sessions": [[{"role": "user"}], []]}, "a turn must be an object with a role and a content"),
    ],
)
def test_a_damaged_longmemeval_names_what_is_wrong(change: dict[str, Any], problem: str, tmp_path: Path) -> None:
    write(tmp_path / "longmemeval/longmemeval_m.json", [longmemeval_row("q1") | change])
    with pytest.raises(InvalidRecord, match=problem):
        load("longmemeval", tmp_path, split="m")
