from __future__ import annotations

import codecs
import json
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from multihop.index.readers import decoding, json as json_module, read
from multihop.types import Document

from .reading import documents, problems, written

DOCUMENTS = [Document("1", "First.", "A"), Document("2", 'Second, [with] {brackets} "and" \\.', "B")]
RECORDS = [{"id": d.id, "title": d.title, "text": d.text} for d in DOCUMENTS]


@pytest.mark.parametrize("chunk", [1, 7, 64, 2**20])
@pytest.mark.parametrize("indent", [None, 2])
def test_a_list_of_records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chunk: int, indent: int | None) -> None:
    monkeypatch.setattr(json_module, "CHUNK", chunk)
    assert list(read(written(tmp_path / "c.json", json.dumps(RECORDS, indent=indent)))) == DOCUMENTS
    assert list(read(written(tmp_path / "c.json", json.dumps(RECORDS[0], indent=indent)))) == DOCUMENTS[:1]
    assert list(read(written(tmp_path / "c.json", "\n".join(map(json.dumps, RECORDS))))) == DOCUMENTS


@pytest.mark.parametrize("chunk", [1, 7, 2**20])
def test_malformed_records_are_reported_with_their_line_and_skipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chunk: int
) -> None:
    monkeypatch.setattr(json_module, "CHUNK", chunk)
    path = written(
        tmp_path / "c.json",
        '[\n{"id": 1, "text": "a"},\n{"id": 2 "text": "}"},\n12,\n nope,\n'
        '{"id": 3},\n"s",\n{"id": 4, "text": "b"}\n]\n',
    )
    assert documents(path) == [Document("1", "a"), Document("4", "b")]
    assert problems(path) == [
        ":3: is not valid JSON: Expecting ',' delimiter at character 10",
        ":4: a record must be an object with a text, not a number",
        ":5: is not valid JSON: Expecting value at character 1",
        ":6: there is no text; one of the fields text, contents, body, content, page_content is needed",
        ":7: a record must be an object with a text, not a string",
    ]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", ":1: is empty; a list of records is expected"),
        (" \n ", ":1: is empty; a list of records is expected"),
        ("[", ":1: the list of records is never closed with ]"),
        ('[{"id": 1, "text": "a"},\n', ":2: the list of records is never closed with ]"),
        ('[{"id": 1, "text": "a', ":1: is not valid JSON: Unterminated string starting at character 19"),
        ("nope", ":1: is not valid JSON: Expecting value at character 1"),
        ("[" * 100_000, ":1: is not usable JSON: it is nested too deeply"),
    ],
)
def test_files_that_end_too_soon(tmp_path: Path, text: str, problem: str) -> None:
    assert problems(written(tmp_path / "c.json", text)) == [problem]


def test_an_empty_list_holds_no_documents(tmp_path: Path) -> None:
    assert list(read(written(tmp_path / "c.json", "[ ]"))) == []


def test_encodings(tmp_path: Path) -> None:
    text = json.dumps([{"id": 1, "text": "東京 é"}], ensure_ascii=False)
    assert documents(written(tmp_path / "c.json", codecs.BOM_UTF8 + text.encode())) == [Document("1", "東京 é")]
    assert documents(written(tmp_path / "c.json", codecs.BOM_UTF16_LE + text.encode("utf-16-le"))) == [
        Document("1", "東京 é")
    ]
    path = written(
        tmp_path / "c.json", b'[{"id": 1, "text": "a"},\n{"id": 2, "text": "caf\xe9"},\n{"id": 3, "text": "b"}]'
    )
    assert documents(path) == [Document("1", "a"), Document("3", "b")]
    [said] = problems(path)
    assert said.startswith(":2: is not UTF-8 text: byte 0xe9 at position 23 of the record; save it as UTF-8 or")
    broken = written(tmp_path / "c.json", codecs.BOM_UTF16_LE + text.encode("utf-16-le") + b"\x00")
    assert "is not UTF-16-LE text" in problems(broken)[-1]


def test_a_record_beyond_the_limit_ends_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decoding, "MAX_RECORD", 1000)
    monkeypatch.setattr(json_module, "CHUNK", 100)
    path = written(tmp_path / "c.json", json.dumps([RECORDS[0], {"id": 2, "text": "x" * 5000}]))
    assert documents(path) == DOCUMENTS[:1]
    assert problems(path) == [":1: is longer than 1000 characters; the rest is not read"]


def test_ids_are_made_from_titles_or_lines(tmp_path: Path) -> None:
    path = written(tmp_path / "c.json", '[{"title": "T", "text": "a"},\n{"title": "T", "text": "b"},\n{"text": "c"}]')
    assert [d.id for d in documents(path)] == ["T", "T~2", "c.json:3"]


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    record = json.dumps({"id": "x", "text": "Some words of a passage. " * 40})
    with path.open("w") as file:
        file.write("[" + record)
        for _ in range(10_000):
            file.write(",\n" + record)
        file.write("]")
    assert path.stat().st_size > 10_000_000
    tracemalloc.start()
    try:
        assert sum(1 for _ in read(path)) == 10_001
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 8_000_000


@given(st.text(alphabet='[]{}",:\\1a \n'), st.integers(1, 9))
def test_anything_ends(text: str, chunk: int) -> None:
    import io

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_module, "CHUNK", chunk)
        found = list(json_module.JsonRecords(io.TextIOWrapper(io.BytesIO(text.encode()), "utf-8"), "s").records())
    assert len(found) <= len(text) + 1
