from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, strategies as st

from multihop.errors import InvalidRecord
from multihop.index.readers.record import FreshIds, clean, parse_cell, to_document
from multihop.types import Document


def document(record: object) -> Document:
    return to_document(record, "corpus.jsonl", 7, lambda title: f"made from {title!r}")


def test_a_beir_record() -> None:
    record = {"_id": "d1", "title": "Paris", "text": "Capital of France.", "metadata": {"lang": "en"}}
    assert document(record) == Document("d1", "Capital of France.", "Paris", {"lang": "en"})


@pytest.mark.parametrize("id", ["id", "_id", "pid", "doc_id"])
@pytest.mark.parametrize("text", ["text", "contents", "body", "content", "page_content"])
def test_the_usual_names_of_fields(id: str, text: str) -> None:
    assert document({id: 12, text: "Words."}) == Document("12", "Words.")


def test_dumps_of_frameworks_are_read_as_they_are() -> None:
    haystack = {"id": "h", "content": "Words.", "meta": {"page": 3}, "score": None}
    langchain = {"id": None, "page_content": "Words.", "metadata": {"source": "a.pdf"}, "type": "Document"}
    assert document(haystack) == Document("h", "Words.", "", {"page": 3})
    assert document(langchain).metadata == {"source": "a.pdf", "type": "Document"}


def test_the_first_id_wins_and_the_other_becomes_metadata() -> None:
    found = document({"doc_id": "outer", "id": "inner", "text": "x"})
    assert (found.id, found.metadata) == ("inner", {"doc_id": "outer"})


def test_a_record_without_id_gets_the_fallback() -> None:
    assert document({"title": "Paris", "text": "x"}).id == "made from 'Paris'"
    assert document({"id": None, "text": "x"}).id == "made from ''"


def test_other_scalars_and_lists_of_texts_become_metadata() -> None:
    record = {
        "id": "a",
        "text": "x",
        "year": 1990,
        "open": True,
        "tags": ["b", "c"],
        "none": None,
        "vector": [0.1, 0.2],
    }
    assert document(record).metadata == {"year": 1990, "open": True, "tags": ("b", "c")}


def test_metadata_is_flattened() -> None:
    record = {
        "id": "a",
        "text": "x",
        "metadata": {"a": {"b": {"c": 1}}, "l": [1, 2.5, None, True, "s"], "e": [], "n": None},
    }
    assert document(record).metadata == {"a.b.c": 1, "l": (1, 2.5, True, "s")}


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        ([{"a": 1}, {"a": 2, "b": ["x", "y"]}, {"a": 1}], {"f.a": (1, 2), "f.b": ("x", "y")}),
        ([{"a": {"b": 1}}, {}], {"f.a.b": (1,)}),
        ([{}], {}),
        ([[1], [2]], {"f": ("[1]", "[2]")}),
        ([1, {"a": "é"}], {"f": (1, '{"a": "é"}')}),
        (2**70, {"f": "1180591620717411303424"}),
        (float("inf"), {"f": "inf"}),
        (
            {"a": {"a": {"a": {"a": {"a": {"a": {"a": {"a": 1}}}}}}}},
            {"f.a.a.a.a.a.a.a": '{"a": 1}'},
        ),
    ],
)
def test_an_odd_metadata_field_costs_no_record(value: object, kept: dict[str, object]) -> None:
    found = document({"id": "a", "text": "x", "metadata": {"f": value, "year": 1990}})
    assert found == Document("a", "x", "", kept | {"year": 1990})  # type: ignore[arg-type]  # as parametrized


def test_a_field_metadata_that_is_no_object_is_a_field_like_others() -> None:
    assert document({"id": "a", "text": "x", "metadata": "m"}).metadata == {"metadata": "m"}


@pytest.mark.parametrize(
    ("record", "match"),
    [
        (["a"], r"corpus.jsonl:7: a record must be an object with a text, not a list \(a string\)"),
        ("a", "not a string"),
        (None, "not null"),
        ({"id": "a"}, "there is no text; one of the fields text, contents, body, content, page_content is needed"),
        ({"id": "a", "text": " \n\t\x00 "}, "the text is empty"),
        ({"id": "a", "text": ""}, "the text is empty"),
        ({"id": "a", "text": 5}, "the text must be a string, not a number"),
        ({"id": "", "text": "x"}, "the id is empty"),
        ({"id": " ", "text": "x"}, "the id is empty"),
        ({"id": "a" * 513, "text": "x"}, "the id has 513 characters; at most 512 are allowed"),
        ({"id": "a\nb", "text": "x"}, r"the id holds the control character '\\n'"),
        ({"id": "\ud800", "text": "x"}, "the id holds the control character"),
        ({"id": True, "text": "x"}, "the id must be a text or a number, not true or false"),
        ({"id": ["a"], "text": "x"}, "the id must be a text or a number, not a list"),
        ({"id": "a", "text": "x", "title": {}}, "the title must be a string, not an object"),
        ({"id": "a", "text": "x", "aliases": [1]}, "'aliases' must be a list of strings"),
        ({"text": "x", "allow": []}, "the field 'allow' names nobody; list who may read the document, or leave it out"),
        ({"text": "x", "allow": {"users": ["jon"]}}, "the field 'allow' names nobody"),
        ({"text": "x", "allow": ["jon"], "metadata": {"allow": [None]}}, "the field 'allow' names nobody"),
        ({"text": "x", "meta": {"allow": [{}]}}, "the field 'allow' names nobody"),
    ],
)
def test_what_is_refused(record: object, match: str) -> None:
    with pytest.raises(InvalidRecord, match=match) as caught:
        document(record)
    assert (caught.value.source, caught.value.line) == ("corpus.jsonl", 7)


def test_who_may_read_is_never_left_out() -> None:
    assert document({"id": "a", "text": "x", "allow": ["jon", None]}).metadata == {"allow": ("jon",)}
    assert document({"id": "a", "text": "x", "allow": None}).metadata == {}


def test_titles_and_aliases_are_tidied() -> None:
    found = document({"id": "a", "text": "x", "title": " The\n Who ", "aliases": ["Who", " ", "The  Who", "Who"]})
    assert (found.title, found.aliases) == ("The Who", ("Who", "The Who"))
    assert document({"id": "a", "text": "x", "title": "Q"}).title == "Q"
    assert document({"id": "a", "text": "x", "title": 1984, "aliases": "Big Brother"}).aliases == ("Big Brother",)


@pytest.mark.parametrize("text", ["مرحبا بالعالم.", "שלום עולם", "東京は日本の首都。", "emoji 👩‍🚀 stay"])
def test_every_script_is_kept(text: str) -> None:
    assert document({"id": text, "title": text, "text": text}) == Document(text, text, text)


def test_control_characters_go_and_words_stay_apart() -> None:
    assert clean("a\x00b\x07\tc\r\nd\re\x0cf\x1fg\x7f \ud800") == "ab\tc\nd\ne\x0cf g \ufffd"


@given(st.text())
def test_clean_texts_are_clean_and_can_be_encoded(text: str) -> None:
    cleaned = clean(text)
    cleaned.encode("utf-8")
    assert clean(cleaned) == cleaned
    assert not {c for c in cleaned if c < " "} - {"\n", "\t", "\f"}


@pytest.mark.parametrize(
    ("cell", "value"),
    [("1990", 1990), ("-3", -3), ("2.5", 2.5), ("true", True), ("FALSE", False)],
)
def test_bare_words_become_numbers(cell: str, value: object) -> None:
    assert (parse_cell(cell), type(parse_cell(cell))) == (value, type(value))


@pytest.mark.parametrize("cell", ["007", "2.50", "-0", "1e5", "9" * 30, "٣", "n/a", ""])
def test_bare_words_stay_words_where_a_number_would_lose_something(cell: str) -> None:
    assert parse_cell(cell) == cell


def test_fresh_ids_never_repeat_and_are_the_same_in_every_run() -> None:
    titles = ["A", "A", "B", "A", "A~2", "", "", "x" * 600]
    runs = [[ids.pick(f"f:{i}", title) for i, title in enumerate(titles)] for ids in (FreshIds(), FreshIds())]
    assert runs[0] == runs[1] == ["A", "A~2", "B", "A~3", "A~2~2", "f:5", "f:6", "f:7"]


def test_an_id_is_given_once() -> None:
    ids = FreshIds()
    ids.claim("A")
    assert ids.pick("f:1", "A") == "A~2"
    for id in ("A", "A~2"):
        with pytest.raises(InvalidRecord, match=f"the id '{id}' is that of a document read before"):
            ids.claim(id)


@given(st.lists(st.sampled_from(["", "A", "A~2", "A~3", "B", "f:1", "f:1~2"])))
def test_fresh_ids_are_unique(titles: list[str]) -> None:
    ids = FreshIds()
    given_ids = [ids.pick(f"f:{i}", title) for i, title in enumerate(titles)]
    assert len(set(given_ids)) == len(given_ids)


json_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)
names = st.sampled_from(["id", "_id", "text", "body", "title", "metadata", "aliases", "other"])


@given(json_values | st.dictionaries(names, json_values))
def test_any_record_gives_a_document_or_an_invalid_record(record: object) -> None:
    try:
        found = document(record)
    except InvalidRecord as problem:
        assert "\n" not in problem.problem
    else:
        assert found.id
        assert found.text.strip() == found.text != ""
        json.dumps(dict(found.metadata), allow_nan=False)
