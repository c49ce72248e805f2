"""How files are read: metadata from the path and from tables, fields of records, encodings."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from multihop import Engine
from multihop.errors import InvalidInput, InvalidRecord
from multihop.index.readers import read
from multihop.index.readers.options import ReadOptions, path_metadata
from multihop.types import Document


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    with Engine.open(tmp_path / "x.mh", create=True) as engine:
        yield engine


def metadata(engine: Engine, id: str) -> dict[str, Any]:
    document = engine.document(id)
    assert document is not None
    return {field: value for field, value in document.metadata.items() if not field.startswith("file.")}


@pytest.mark.parametrize(
    ("pattern", "path", "found"),
    [
        ("{country}/{year}", "Chile/2020/ndc.pdf", {"country": "Chile", "year": 2020}),
        ("{country}/{year}", "Chile/2020.pdf", {"country": "Chile", "year": 2020}),
        ("{country}/{year}", "ndc.pdf", {}),
        ("{country}", "Costa Rica/a/b/c.md", {"country": "Costa Rica"}),
        ("*/{country}_{year}", "ndcs/Chile_2020.pdf", {"country": "Chile", "year": 2020}),
        ("{country}/NDC-{version}.pdf", "Chile/NDC-1.1.pdf", {"country": "Chile", "version": 1.1}),
        ("a.b/{x}", "aXb/c/d", {}),
    ],
)
def test_metadata_from_the_path(pattern: str, path: str, found: dict[str, Any]) -> None:
    assert path_metadata(pattern, path) == found


@pytest.mark.parametrize("pattern", ["", "country", "{}", "{a}/{a}", "{a", "{a}}"])
def test_patterns_that_say_nothing(pattern: str) -> None:
    with pytest.raises(InvalidInput, match="write each field in braces"):
        ReadOptions(metadata_from_path=pattern)


def test_metadata_from_path_table_and_front_matter(engine: Engine, tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    (folder / "Chile").mkdir(parents=True)
    (folder / "Chile" / "a.md").write_text("---\ncountry: Peru\nkind: note\n---\n# A\n\nWords.")
    (folder / "Chile" / "b.txt").write_text("Words.")
    (folder / "metadata.csv").write_text("file,year,title\nChile/b.txt,2020,The NDC\nChile/a.md,,\n")
    engine.sync(folder, metadata={"source": "us", "country": "none"}, metadata_from_path="{country}")
    assert metadata(engine, "Chile/a.md") == {"source": "us", "country": "Peru", "kind": "note"}
    assert metadata(engine, "Chile/b.txt") == {"source": "us", "country": "Chile", "year": 2020}
    assert [d.title for d in engine.documents()] == ["A", "The NDC"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", "Key,Name,Description,text\nk1,Fram,A ship.,other\n"),
        ("a.jsonl", '{"Key": "k1", "Name": "Fram", "Description": "A ship.", "text": "other"}\n'),
        ("a.json", '[{"Key": "k1", "Name": "Fram", "Description": "A ship.", "text": "other"}]'),
    ],
)
def test_fields_by_name(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    options = ReadOptions(text_field="Description", title_field="Name", id_field="Key")
    assert list(read(tmp_path / name, options=options)) == [Document("k1", "A ship.", "Fram", {"text": "other"})]


def test_a_field_that_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"text": "Words."}\n')
    (tmp_path / "a.csv").write_text("text\nWords.\n")
    options = ReadOptions(text_field="Body")
    [problem] = read(tmp_path / "a.jsonl", options=options)
    assert "there is no text; the field Body is needed" in str(problem)
    [problem] = read(tmp_path / "a.csv", options=options)
    assert "must be a header with a column Body, not 'text'" in str(problem)


@pytest.mark.parametrize("name", ["a.txt", "a.md", "a.html", "a.csv", "a.jsonl", "a.json"])
def test_encodings(tmp_path: Path, name: str) -> None:
    written = {"a.csv": "text\nZürich\n", "a.jsonl": '{"text": "Zürich"}', "a.json": '[{"text": "Zürich"}]'}
    (tmp_path / name).write_bytes(written.get(name, "Zürich").encode("cp1252"))
    [problem] = read(tmp_path / name)
    assert isinstance(problem, InvalidRecord)
    [document] = read(tmp_path / name, options=ReadOptions(encoding="cp1252"))
    assert isinstance(document, Document)
    assert document.text == "Zürich"


def test_an_encoding_that_nobody_knows() -> None:
    with pytest.raises(InvalidInput, match="unknown encoding 'klingon'; give one such as utf-8"):
        ReadOptions(encoding="klingon")


def test_metadata_for_every_document_name_somebody() -> None:
    with pytest.raises(InvalidInput, match="the field 'allow' names nobody"):
        ReadOptions(metadata={"allow": ()})


def test_an_encoding_is_for_files_that_show_no_other(engine: Engine, tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    for name, encoding in (("a", "cp1252"), ("b", "utf-8"), ("c", "utf-8-sig"), ("d", "utf-16")):
        (folder / f"{name}.txt").write_bytes("Zürich".encode(encoding))
        (folder / f"{name}.csv").write_bytes(f"id,text\n{name},Zürich\n".encode(encoding))
    engine.sync(folder, encoding="cp1252")
    found = [engine.document(document.id) for document in engine.documents()]
    assert [document and document.text for document in found] == ["Zürich"] * 8


def test_an_encoding_without_a_mark(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes("Zürich".encode("utf-16-le"))
    [document] = read(tmp_path / "a.txt", options=ReadOptions(encoding="utf-16-le"))
    assert isinstance(document, Document)
    assert document.text == "Zürich"


def test_metadata_for_every_document_may_be_numbers_of_numpy_and_dates(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Words.")
    given: Any = {"year": np.int64(2020), "part": [np.float64(0.5)], "day": date(2024, 5, 3)}
    engine.sync(tmp_path / "a.txt", metadata=given)
    assert metadata(engine, "a.txt") == {"year": 2020, "part": (0.5,), "day": "2024-05-03"}
    assert engine.sync(tmp_path / "a.txt").unchanged == 1


@pytest.mark.parametrize("wrong", [{"x": float("nan")}, {"x": {"y": 1}}, {"x": None}, {1: "x"}])
def test_metadata_for_every_document_that_cannot_be_stored(wrong: dict[Any, Any]) -> None:
    with pytest.raises(InvalidInput, match="allowed are texts, finite numbers, booleans, dates, and lists of them"):
        ReadOptions(metadata=wrong)
