from __future__ import annotations

from pathlib import Path

import pytest

from multihop.index.readers import read
from multihop.index.readers.options import ReadOptions
from multihop.types import Document

from .reading import documents, problems, written


def test_rows_become_documents(tmp_path: Path) -> None:
    header = "ID,Title,text,year,note,aliases,metadata\n"
    first = '1,A,"One, ""two""\nand three.",1990,,X|Y Z,"{""a"": {""b"": 1}}"\n'
    path = written(tmp_path / "c.csv", header + first + "\n2,,b,n/a,true,,\n")
    assert list(read(path)) == [
        Document("1", 'One, "two"\nand three.', "A", {"year": 1990, "a.b": 1}, ("X", "Y Z")),
        Document("2", "b", "", {"year": "n/a", "note": True}),
    ]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("c.tsv", "id\ttitle\ttext\n1\tA\tb, c; d\n"),
        ("c.csv", "id;title;text\n1;A;b, c; d\n".replace("b, c; d", '"b, c; d"')),
        ("c.csv", '\ufeffid,title,text\r\n1,A,"b, c; d"\r\n'),
    ],
)
def test_separators_marks_and_line_ends(tmp_path: Path, name: str, text: str) -> None:
    assert list(read(written(tmp_path / name, text))) == [Document("1", "b, c; d", "A")]


def test_ids_are_made_from_titles_or_lines(tmp_path: Path) -> None:
    path = written(tmp_path / "c.csv", "title,text\nT,a\nT,b\n,c\n")
    assert [d.id for d in documents(path)] == ["T", "T~2", "c.csv:4"]


def test_rows_that_cannot_be_read_are_reported_with_their_line_and_skipped(tmp_path: Path) -> None:
    path = written(
        tmp_path / "c.csv",
        b'id,text,metadata\n1,"a\nb",\n2,too,many,cells\n3\n4,,\n5,caf\xe9,\n'
        b'6,"a"b,\n7,x\n8,c,\n9,"never closed\n10,d,\n',
    )
    assert documents(path) == [Document("1", "a\nb"), Document("8", "c")]
    assert problems(path) == [
        ":4: the row has 4 cells, the header 3",
        ":5: the row has 1 cells, the header 3",
        ":6: there is no text; one of the fields text, contents, body, content, page_content is needed",
        ":7: is not UTF-8 text: byte 0xe9 at position 6 of the line; save it as UTF-8 or give its --encoding",
        ":8: is not a valid row: ',' expected after '\"'",
        ":9: the row has 2 cells, the header 3",
        ":11: is not a valid row: a quoted field is never closed",
    ]


def test_a_column_metadata_that_is_not_json_is_a_column_like_others(tmp_path: Path) -> None:
    path = written(tmp_path / "c.csv", 'id,text,metadata\n1,a,nope\n2,b,"{""year"": 1990}"\n')
    assert [d.metadata for d in documents(path)] == [{"metadata": "nope"}, {"year": 1990}]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            "",
            ":1: the first row must be a header with a column text, contents, body, content or page_content, "
            "not nothing",
        ),
        (
            "1,some text\n",
            ":1: the first row must be a header with a column text, contents, body, content or page_content, "
            "not '1', 'some text'",
        ),
        ("id,text,text\n1,a,b\n", ":1: the header has duplicate columns: 'id', 'text', 'text'"),
        (
            b"id,t\xe9xt\n1,a\n",
            ":1: is not UTF-8 text: byte 0xe9 at position 5 of the line; save it as UTF-8 or give its --encoding",
        ),
        ('id,"text\n1,a\n', ":1: is not a valid row: a quoted field is never closed"),
    ],
)
def test_a_header_is_needed(tmp_path: Path, text: str | bytes, problem: str) -> None:
    path = written(tmp_path / "c.csv", text)
    assert problems(path) == [problem]
    assert documents(path) == []


def test_a_cell_of_ten_megabytes(tmp_path: Path) -> None:
    path = written(tmp_path / "c.csv", "id,text\n1," + "word " * 2_000_000 + "\n2,b\n")
    assert [len(d.text) for d in documents(path)] == [9_999_999, 1]


def test_a_table_without_texts_is_one_document(tmp_path: Path) -> None:
    table = "Name;Office;Phone\nPia Holm;Sandnes;51 00 00 01\n\nBo\nOla Moe;;x;extra\n"
    path = written(tmp_path / "offices.csv", table)
    rows = "Name: Pia Holm · Office: Sandnes · Phone: 51 00 00 01\nName: Bo\nName: Ola Moe · Phone: x · extra"
    assert list(read(path)) == [Document("offices.csv", rows, "offices")]
    named = ReadOptions(text_field="Description")
    assert "must be a header with a column Description" in str(next(iter(read(path, options=named))))
    broken = written(tmp_path / "a.csv", 'a,b\n1,2\n"x')
    assert problems(broken) == [":3: is not a valid row: a quoted field is never closed"]


def test_a_column_named_body_or_content_may_hold_no_texts(tmp_path: Path) -> None:
    members = written(tmp_path / "members.csv", "Name,Post,Body\nPia Holm,chair,board\nOla Moe,caretaker,\n")
    rows = "Name: Pia Holm · Post: chair · Body: board\nName: Ola Moe · Post: caretaker"
    assert list(read(members)) == [Document("members.csv", rows, "members")]
    mails = written(tmp_path / "mails.csv", "from,body\nPia,Yes\nOla,I will be there at nine on Monday\n")
    assert [d.text for d in documents(mails)] == ["Yes", "I will be there at nine on Monday"]
    notes = written(tmp_path / "notes.csv", "id,content\n1,Yes\n2,No\n")
    assert [d.text for d in documents(notes)] == ["Yes", "No"]
    posts = written(tmp_path / "posts.csv", "post,body\nchair,board\n")
    [chair] = read(posts, options=ReadOptions(text_field="body"))
    assert isinstance(chair, Document)
    assert (chair.text, chair.metadata) == ("board", {"post": "chair"})
