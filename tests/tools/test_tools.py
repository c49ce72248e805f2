"""The tools of agents: exact search, reading on, and what is missing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from multihop import Document, Engine
from multihop.errors import InvalidInput, UnknownName
from multihop.rendering.tokens import estimate_tokens
from multihop.tools import grep, missing, read

QUESTION = "Who drew the ship that Amundsen borrowed?"


def test_grep_finds_every_passage_that_contains_a_text(sample: Engine) -> None:
    found = grep(sample, "Colin  archer", limit=1000)
    expected = [p.id for p in sample.index().passages.scan() if "colin archer" in p.text.lower()]
    assert [m.passage_id for m in found.matches] == expected
    assert found.complete
    assert (found.left, found.next_start) == (0, None)
    assert not grep(sample, "colin archer", case=True).matches


def test_grep_goes_on_where_it_ended(sample: Engine) -> None:
    whole = grep(sample, r"\b1[89]\d\d\b", expression=True, limit=1000)
    first = grep(sample, r"\b1[89]\d\d\b", expression=True, limit=5)
    assert first.left == len(whole.matches) - 5
    got, start = list(first.matches), first.next_start
    while start is not None:
        part = grep(sample, r"\b1[89]\d\d\b", expression=True, tokens=200, start=start)
        got, start = [*got, *part.matches], part.next_start
    assert got == list(whole.matches)


def test_grep_keeps_to_a_filter_and_says_how_far_it_came(sample: Engine) -> None:
    norway = grep(sample, "Fram", where={"country": "Norway"})
    assert norway.size < sample.stats().passages
    hurried = grep(sample, "zzz", seconds=0.0)
    assert not hurried.complete
    assert hurried.next_start == hurried.searched == 1


@pytest.mark.parametrize(
    ("pattern", "message"), [(" ", "1 characters; give 1 to 500"), ("(", "not a regular"), ("x" * 501, "501 char")]
)
def test_grep_refuses(sample: Engine, pattern: str, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        grep(sample, pattern, expression=True)


def test_arguments_of_a_wrong_type_are_refused_by_name(sample: Engine) -> None:
    wrong: dict[str, Any] = {"pattern": 5, "passages": "fram-ship#0", "tokens": 0, "id": 7}
    with pytest.raises(InvalidInput, match="pattern must be a text; got 5"):
        grep(sample, wrong["pattern"])
    with pytest.raises(InvalidInput, match="passages must be a list; got 'fram-ship#0'"):
        missing(sample, "Who drew the Fram?", wrong["passages"])
    with pytest.raises(InvalidInput, match="tokens must be a whole number from 1 on; got 0"):
        read(sample, "fram-ship", tokens=wrong["tokens"])
    with pytest.raises(InvalidInput, match="id must be a text; got 7"):
        read(sample, wrong["id"])


def test_an_expression_without_end_is_refused(tmp_path: Path) -> None:
    with Engine.open(tmp_path / "a.mh", create=True) as engine:
        engine.add(Document("a", "a" * 4000 + "!"), whole=True)
        with pytest.raises(InvalidInput, match="takes too long"):
            grep(engine, r"(a|aa)+$", expression=True, seconds=0.05)


def test_reading_a_page_and_around_a_passage(tmp_path: Path) -> None:
    pages = "".join(f"Page {i} says {'word ' * 200}end {i}.\n\f" for i in range(1, 5))
    with Engine.open(tmp_path / "pages.mh", create=True) as engine:
        engine.add(Document("book", pages, "Book"))
        second = read(engine, "book", page=2)
        assert second.text.startswith("Page 2 says")
        assert second.text.rstrip().endswith("end 2.")
        assert (second.page, second.length) == (2, len(pages))
        part = read(engine, "book", page=2, tokens=100)
        assert estimate_tokens(part.text) <= 100
        assert second.text.startswith(part.text)
        with pytest.raises(InvalidInput, match="the document has 4 pages; got page 5"):
            read(engine, "book", page=5)
        with pytest.raises(InvalidInput, match="is beyond its end"):
            read(engine, "book", start=10**6)
    with Engine.open(tmp_path / "plain.mh", create=True) as engine:
        engine.add(Document("plain", "No pages here."))
        with pytest.raises(InvalidInput, match="has no pages"):
            read(engine, "plain", page=1)


def test_reading_on_gives_the_whole_document(sample: Engine) -> None:
    document = sample.document("fram-ship")
    assert document is not None
    got = ""
    start: int | None = 0
    while start is not None:
        part = read(sample, "fram-ship", start=start, tokens=20)
        got, start = got + part.text, part.next_start
        assert estimate_tokens(part.text) <= 20
    assert got == document.text
    with pytest.raises(UnknownName, match="did you mean 'fram-ship'"):
        read(sample, "fram-shipp")


def test_what_is_missing_shrinks_with_every_passage(sample: Engine) -> None:
    nothing = missing(sample, "Did Roald Amundsen meet Zyxwvut Qponmlk?", ["roald-amundsen#0"])
    assert nothing.names == ("Zyxwvut Qponmlk",)
    one = missing(sample, QUESTION, ["roald-amundsen#0"])
    two = missing(sample, QUESTION, ["roald-amundsen#0", "fram-ship#0"])
    assert set(two.words) < set(one.words)
    assert "colin-archer" in [lead.document_id for lead in two.leads]
    all_said = missing(sample, "Roald Amundsen", ["roald-amundsen#0"])
    assert all_said.text.startswith(("everything", "leads"))
    assert estimate_tokens(missing(sample, " ".join(f"Zyx{i} Qpo{i}," for i in range(200)), []).text) <= 100
    with pytest.raises(UnknownName, match="passage 'fram' not found"):
        missing(sample, QUESTION, ["fram"])


def test_grep_searches_what_holds_on_a_day(tmp_path: Path) -> None:
    with Engine.open(tmp_path / "days.mh", create=True) as engine:
        engine.add(Document("old", "The fee is 5 euros.", metadata={"valid_until": "2020-12-31"}))
        engine.add(Document("new", "The fee is 7 euros.", metadata={"valid_from": "2021-01-01"}))
        assert [m.passage_id for m in grep(engine, "fee").matches] == ["new#0"]
        assert [m.passage_id for m in grep(engine, "fee", as_of="2020-05-01").matches] == ["old#0"]
        assert len(grep(engine, "fee", as_of="any").matches) == 2
