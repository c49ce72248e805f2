"""The plain layout, and what holds for every dataset: gold, notes, order, hash, errors."""

from __future__ import annotations

import gzip
import json
import random
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import zstandard
from hypothesis import given, strategies as st

from multihop.errors import InvalidInput, InvalidRecord, UnknownName
from multihop.evaluation.datasets import DATASETS, Question, load, normalized_title
from multihop.evaluation.datasets.shuffle import ContentHash, content_key, shuffle
from multihop.types import Document

CORPUS: list[dict[str, Any]] = [
    {"title": "Frankfort, Kentucky", "text": "Frankfort is the capital of Kentucky."},
    {"title": "Kentucky River", "text": "The Kentucky River flows through Frankfort."},
    {"title": "Café Müller", "text": "Café Müller is a piece by Pina Bausch."},
    {"title": "The Beatles", "text": "The Beatles were a band."},
]
CLAIMS: list[dict[str, Any]] = [
    {"uid": "c1", "claim": "The capital lies on the river.", "num_hops": 2, "label": "SUPPORTED",
     "gold_titles": ["Frankfort, Kentucky", "Kentucky River"]},
    {"uid": None, "id": "c2", "claim": "A band played in a piece.", "num_hops": 2, "label": "NOT_SUPPORTED",
     "gold_titles": ["Beatles", "Cafe\u0301 Mu\u0308ller"]},
]  # fmt: skip


def jsonl(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    data = "".join(json.dumps(row) + "\n" for row in rows).encode()
    if path.suffix == ".zst":
        data = zstandard.compress(data)
    elif path.suffix == ".gz":
        data = gzip.compress(data)
    path.write_bytes(data)
    return path


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder like the one that the benchmarks read: several datasets side by side, compressed or not."""
    jsonl(tmp_path / "hover/corpus.jsonl.zst", CORPUS)
    jsonl(tmp_path / "hover/corpus_lite.jsonl.zst", CORPUS[:2])
    jsonl(tmp_path / "hover/dev.jsonl", CLAIMS)
    jsonl(tmp_path / "exfever/train.jsonl", CLAIMS[:1])
    jsonl(
        tmp_path / "musique/corpus.jsonl",
        [{"pid": 7, "title": "River", "text": "One river."}, {"pid": 8, "title": "River", "text": "Another river."}],
    )
    question = {"id": "2hop__1_2", "question": "Which river?", "answer": ["A", "B"], "gold_pids": [8], "num_hops": 2}
    jsonl(tmp_path / "musique/train.jsonl.gz", [question])
    return tmp_path


def test_loads_by_name(data: Path) -> None:
    dataset = load("hover", data)
    assert (dataset.name, dataset.split, len(dataset), dataset.whole, dataset.notes) == ("hover", "dev", 2, True, ())
    gold = ("Frankfort, Kentucky", "Kentucky River")
    assert dataset.questions[0] == Question("c1", "The capital lies on the river.", gold, 2, "", "", "SUPPORTED")
    assert dataset.corpus.size == len(list(dataset.documents())) == 4
    assert "corpus.jsonl.zst" in dataset.source


def test_titles_match_in_normalized_form(data: Path) -> None:
    assert load("hover", data).questions[1].gold == ("The Beatles", "Café Müller")


def test_smaller_corpus_keeps_questions_out_and_says_so(data: Path) -> None:
    dataset = load("hover", data, corpus="lite")
    assert [q.id for q in dataset.questions] == ["c1"]
    assert dataset.notes == (
        "1 of 2 questions kept out: a gold title is not in the corpus (first: 'c2' wants 'Beatles')",
    )


def test_exfever_borrows_the_corpus_of_hover(data: Path) -> None:
    dataset = load("exfever", data, split="train")
    assert dataset.corpus_hash() == load("hover", data).corpus_hash()
    assert load("exfever", data, split="train", corpus="lite").corpus.size == 2


def test_gold_pids_tell_repeated_titles_apart(data: Path) -> None:
    question = load("musique", data, split="train").questions[0]
    assert (question.gold, question.answer) == (("8",), "A")


def test_a_folder_is_loaded_by_its_path(data: Path) -> None:
    dataset = load(str(data / "hover"), corpus=str(data / "hover/corpus_lite.jsonl.zst"))
    assert (dataset.name, dataset.corpus.size) == ("hover", 2)
    assert load("hover", data / "hover").corpus.size == 4


def test_limit_keeps_the_corpus_whole(data: Path) -> None:
    dataset = load("hover", data, limit=1)
    assert (len(dataset), dataset.corpus.size) == (1, 4)
    assert dataset.notes == ("the first 1 of 2 questions",)
    with pytest.raises(InvalidInput, match="limit must be at least 1, got 0"):
        load("hover", data, limit=0)


def test_unknown_names(data: Path, tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match=r"no dataset 'hovr' in .*did you mean 'hover'"):
        load("hovr", data)
    with pytest.raises(UnknownName, match="no dataset and no folder 'musiqe'; did you mean 'musique'"):
        load("musiqe")
    with pytest.raises(UnknownName, match="has no split 'test'; present: dev"):
        load("hover", data, split="test")
    with pytest.raises(UnknownName, match="no corpus 'light', neither a file nor a variant; did you mean 'lite'"):
        load("hover", data, corpus="light")
    with pytest.raises(InvalidInput, match="musique is not a folder"):
        load("musique")
    with pytest.raises(InvalidInput, match="no files of '2wiki' in a known format"):
        load("2wiki", data)
    with pytest.raises(InvalidInput, match="no such folder"):
        load("hover", tmp_path / "nowhere")
    with pytest.raises(InvalidInput, match="is a file; give the folder"):
        load(str(data / "hover/dev.jsonl"))


def test_a_name_does_not_take_the_files_of_another_dataset(data: Path) -> None:
    with pytest.raises(InvalidInput, match="no files of 'musique'"):
        load("musique", data / "hover")


def test_missing_corpus(tmp_path: Path) -> None:
    jsonl(tmp_path / "dev.jsonl", CLAIMS)
    with pytest.raises(InvalidInput, match=r"dev.jsonl needs a corpus: put corpus.jsonl .* or pass corpus=PATH"):
        load(str(tmp_path))


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"claim": " "}, r"dev.jsonl:2: the field 'claim' is empty"),
        ({"id": "c1"}, r"dev.jsonl:2: the question id 'c1' was used in line 1 already"),
        ({"gold_titles": "Beatles"}, r"dev.jsonl:2: the field 'gold_titles' must be a list, not str"),
        ({"gold_pids": ["x"]}, r"dev.jsonl:2: question 'c2' names the passage 'x', which is not in the corpus"),
    ],
)
def test_bad_questions_name_file_and_row(data: Path, change: dict[str, Any], problem: str) -> None:
    jsonl(data / "hover/dev.jsonl", [CLAIMS[0], {**CLAIMS[1], **change}])
    with pytest.raises(InvalidRecord, match=problem):
        load("hover", data)


def test_rows_without_gold_fields(data: Path) -> None:
    jsonl(data / "hover/dev.jsonl", [{"id": "a", "claim": "x"}])
    with pytest.raises(
        InvalidRecord, match=r"dev.jsonl:1: there is no field 'gold_titles' or 'gold_pids'; present: id"
    ):
        load("hover", data)


def test_no_question_left(data: Path) -> None:
    jsonl(data / "hover/dev.jsonl", [{**CLAIMS[0], "gold_titles": ["Nowhere"]}, {**CLAIMS[1], "gold_titles": []}])
    with pytest.raises(InvalidInput, match=r"no question is left: 1 of 2 .*wants 'Nowhere'.*no gold is given"):
        load("hover", data)


def test_ambiguous_gold_titles_are_kept_out(data: Path) -> None:
    jsonl(data / "hover/corpus.jsonl.zst", [*CORPUS, {"title": "Kentucky River", "text": "Another one."}])
    notes = load("hover", data).notes
    assert notes == (
        "1 of 2 questions kept out: a gold title names several documents "
        "(first: 'c1' wants 'Kentucky River': Kentucky River, Kentucky River~2)",
    )


def test_cut_files(data: Path) -> None:
    file = data / "hover/dev.jsonl"
    file.write_bytes(file.read_bytes()[:-20])
    with pytest.raises(InvalidRecord, match=r"dev.jsonl:2: is not valid JSON.*seems to be cut off"):
        load("hover", data)
    packed = data / "musique/train.jsonl.gz"
    packed.write_bytes(packed.read_bytes()[:-12])
    with pytest.raises(InvalidRecord, match=r"train.jsonl.gz: cannot be read: Compressed file ended"):
        load("musique", data, split="train")


def test_bad_corpus_names_file_and_row(data: Path) -> None:
    jsonl(data / "hover/corpus.jsonl.zst", [*CORPUS, {"title": "No text"}])
    with pytest.raises(InvalidRecord, match=r"corpus.jsonl.zst:5: there is no text"):
        load("hover", data)
    jsonl(data / "hover/corpus.jsonl.zst", [{"id": "a", **CORPUS[0]}, {"id": "a", **CORPUS[1]}])
    with pytest.raises(InvalidRecord, match=r"corpus.jsonl.zst:2: the id 'a' is that of a document read before"):
        load("hover", data)


# --- order and hash ---


def test_order_and_hash_do_not_depend_on_the_rows(data: Path) -> None:
    first = load("hover", data)
    jsonl(data / "hover/corpus.jsonl.zst", CORPUS[::-1])
    second = load("hover", data)
    assert list(first.documents()) == list(second.documents())
    assert first.corpus_hash() == second.corpus_hash()
    jsonl(data / "hover/corpus.jsonl.zst", [*CORPUS[:3], {**CORPUS[3], "text": "The Beatles were not a band."}])
    assert load("hover", data).corpus_hash() != first.corpus_hash()


def test_shuffled_keeps_everything_of_a_document_and_mixes() -> None:
    documents = [Document(str(n), f"text {n}\nline", f"T{n}", {"n": n, "tags": ("a", "é")}, ("x",)) for n in range(200)]
    mixed = list(shuffle(documents))
    assert mixed != documents
    assert sorted(mixed, key=lambda d: int(d.id)) == documents
    neighbors = sum(abs(int(a.id) - int(b.id)) == 1 for a, b in pairwise(mixed))
    assert neighbors < 10


texts = st.text(st.characters(exclude_categories=["Cs"]))


@given(st.lists(st.tuples(texts, texts)), st.randoms(use_true_random=False))
def test_hash_is_independent_of_order(rows: list[tuple[str, str]], chance: random.Random) -> None:
    def hashed(found: list[tuple[str, str]]) -> str:
        total = ContentHash()
        for title, text in found:
            total.add(content_key(title, text))
        return total.hex()

    mixed = list(rows)
    chance.shuffle(mixed)
    assert hashed(mixed) == hashed(rows)
    assert hashed([*rows, ("one", "more")]) != hashed(rows)


@given(texts)
def test_normalizing_twice_changes_little(title: str) -> None:
    once = normalized_title(title)
    assert once == " ".join(once.split())
    assert not set(once) & set("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
    assert not {"a", "an", "the"} & set(once.split())
    assert normalized_title(f"  The {title.upper()}!?") == normalized_title(title.upper())


def test_normalized_titles() -> None:
    assert normalized_title("The Beatles") == normalized_title("Beatles!") == "beatles"
    assert normalized_title("Café") == normalized_title("Cafe\u0301")
    assert normalized_title("Café") != normalized_title("Cafe")
    assert normalized_title("Theatre of a Day") == "theatre of day"


def test_names_describe_what_can_be_asked_for() -> None:
    assert {"hover", "hotpotqa", "hotpotqa-fullwiki", "2wiki", "musique", "exfever"} <= DATASETS.keys()
    descriptions = [DATASETS[name].description for name in DATASETS.built_in]
    assert all(text and "\n" not in text for text in descriptions)
