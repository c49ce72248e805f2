"""Documents of an engine: those that cannot be indexed, lists of them, and filters that nothing meets."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from multihop.engine import Engine
from multihop.errors import InvalidFilter, InvalidInput, InvalidRecord
from multihop.index.readers import read
from multihop.testing import sample_questions
from multihop.types import Document, Request, RequestOptions
from multihop.types.notes import ID_UNKNOWN


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    with Engine.open(tmp_path / "x.mh", create=True) as opened:
        yield opened


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "folder"
    place.mkdir()
    (place / "a.md").write_text("# A\n\nA note.")
    (place / "b.jsonl").write_text('{"id": 1}\n{"id": 2, "text": "Fine."}\n')
    return place


def test_what_a_reader_could_not_read_is_raised_with_file_and_reason(engine: Engine, folder: Path) -> None:
    with pytest.raises(InvalidRecord, match=r"b\.jsonl:1: there is no text") as caught:
        engine.add(read(folder))
    assert (caught.value.source, caught.value.line) == (str(folder / "b.jsonl"), 1)
    assert "on_problem" in caught.value.__notes__[0]
    assert engine.stats().documents == 0


def test_with_someone_to_tell_the_rest_is_added(engine: Engine, folder: Path) -> None:
    said: list[InvalidRecord] = []
    wrong = Document("m", "Text.", metadata={"f": [{"a": 1}]})  # type: ignore[dict-item]  # what is refused
    added = engine.add([*read(folder), Document("empty", " "), wrong], on_problem=said.append)
    assert added.documents == 2
    assert [problem.problem.partition(";")[0] for problem in said] == [
        "there is no text",
        "document 'empty' has no text",
        "document 'm' has metadata 'f': {'a': 1}",
    ]


def test_two_documents_of_one_id_are_refused(engine: Engine) -> None:
    documents = [Document("a", "One."), Document("b", "Two."), Document("a", "Three.")]
    with pytest.raises(InvalidRecord, match="two documents of one call have the id 'a'; give each its own"):
        engine.add(documents)
    assert engine.stats().documents == 0
    said: list[InvalidRecord] = []
    assert engine.add(documents, on_problem=said.append).documents == 2
    assert len(said) == 1
    assert engine.document("a") == documents[0]


def test_known_documents_are_replaced_only_where_that_is_wanted(engine: Engine) -> None:
    engine.add(Document("a", "One."))
    with pytest.raises(InvalidRecord, match="the index has a document 'a' already; give another id, or ask to replace"):
        engine.add(Document("a", "Two."), replace=False)
    assert engine.document("a") == Document("a", "One.")
    assert engine.add([Document("a", "One."), Document("b", "B.")], replace=False).documents == 2
    assert engine.add(Document("a", "Two.")).replaced == 1


@pytest.fixture
def countries(engine: Engine) -> Engine:
    engine.add(
        Document(f"{country}{tier}", "Fog on the coast.", metadata={"country": country, "tier": tier, "open": tier > 1})
        for country in ("Norway", "Sweden")
        for tier in (1, 2)
    )
    return engine


@pytest.mark.parametrize(
    ("where", "hint"),
    [
        ({"country": "norway"}, "no document has country = 'norway': did you mean 'Norway'?"),
        ({"country": ["Norway", "Sveden"]}, "no document has country = 'Sveden': did you mean 'Sweden'?"),
        ({"country": "=Japan"}, "no document has country = '=Japan': known: Norway, Sweden"),
        ({"tier": 3, "country": "Norway"}, "no document has tier = 3: its numbers go from 1 to 2"),
    ],
)
def test_a_value_that_no_document_has_gets_a_hint(countries: Engine, where: dict[str, object], hint: str) -> None:
    result = countries.retrieve("Fog", k=4, where=where)
    assert result.trace.notes[0].text == hint


@pytest.mark.parametrize("where", [{"country": "Norway"}, {"open": True}, {"tier": {"gt": 5}}, {"tier": [1, 2.0]}])
def test_a_value_that_a_document_has_gets_none(countries: Engine, where: dict[str, object]) -> None:
    assert not any(note.code == "value-unknown" for note in countries.retrieve("Fog", k=9, where=where).trace.notes)


@pytest.mark.parametrize(("value", "advice"), [("two", "give a number"), ("2", "remove the quotes")])
def test_a_text_for_a_number(countries: Engine, value: str, advice: str) -> None:
    with pytest.raises(InvalidFilter, match=f"'tier' holds numbers; got the text '{value}': {advice}"):
        countries.retrieve("Fog", where={"tier": value})


def test_the_values_of_a_field(countries: Engine) -> None:
    countries.add(Document("more", "Fog.", metadata={"country": ("Sweden", "Japan")}))
    assert countries.values("country") == [("Sweden", 3), ("Norway", 2), ("Japan", 1)]
    assert countries.values("country", limit=1) == [("Sweden", 3)]
    assert countries.values("unknown") == countries.values("\ud800") == []


def test_documents_are_listed(countries: Engine) -> None:
    countries.add(Document("Älv", "A river.", "River in Norway"))
    assert [d.id for d in countries.documents()] == ["Norway1", "Norway2", "Sweden1", "Sweden2", "Älv"]
    assert [d.id for d in countries.documents(search="NORWAY")] == ["Norway1", "Norway2", "Älv"]
    assert [d.id for d in countries.documents(prefix="river", search="äl")] == ["Älv"]
    assert [d.id for d in countries.documents(where={"country": "Norway", "tier": {"gt": 1}})] == ["Norway2"]
    with pytest.raises(InvalidFilter, match="did you mean 'country'"):
        list(countries.documents(where={"contry": "Norway"}))


def test_many_documents_are_listed(engine: Engine) -> None:
    engine.add(Document(f"{i:05}", "Fog.", metadata={"even": i % 2 == 0}) for i in range(1200))
    assert len(list(engine.documents())) == 1200
    assert [d.id for d in engine.documents(where={"even": True})] == [f"{i:05}" for i in range(0, 1200, 2)]


def test_keep_filters_the_result_and_not_the_walk(sample: Engine) -> None:
    question = "Who drew the ship that Amundsen borrowed?"
    people = sample.retrieve(question, k=3, keep={"kind": "person"})
    assert [e.rank for e in people] == [1, 2, 3]
    assert {e.passage.metadata["kind"] for e in people} == {"person"}
    assert "Colin Archer" in [e.passage.title for e in people]
    assert people.to_dict()["keep"] == {"kind": "person"}
    assert any(note.code == "narrowed" for note in people.trace.notes)
    with pytest.raises(InvalidFilter, match="did you mean 'kind'"):
        sample.retrieve(question, keep={"kid": "person"})


@pytest.mark.parametrize(
    "options",
    [
        {"keep": {"kind": {"not": "nothing"}}},
        {"exclude": ["no such document"]},
        {"exclude": ["fram-ship"], "where": {"kind": "person"}},
        {"at_most": {"kind": 3}},
    ],
)
def test_options_that_drop_nothing_do_not_change_the_evidence(sample: Engine, options: RequestOptions) -> None:
    for question in sample_questions()[:12]:
        plain: RequestOptions = {"k": 3, "strategy": "replace", "models": False, "where": options.get("where")}
        expected = sample.retrieve(question.text, **plain)
        given: RequestOptions = {**plain, **options}
        assert sample.retrieve(question.text, **given).evidence == expected.evidence


def test_ids_to_exclude_that_the_index_does_not_have_are_named(sample: Engine) -> None:
    asked = Request("Who drew the Fram?", k=3, where={"kind": "person"})
    wrong = ["fram-ship", "fram-ship#0", "frm", "x", "y", "frm", "z"]
    [note] = [n for n in sample.retrieve(asked, exclude=wrong).trace.notes if n.code == ID_UNKNOWN]
    assert note.text == "no passage or document to exclude has the id 'frm', 'x', 'y' and 1 more"
    assert note.data == {"ids": ("frm", "x", "y", "z")}
    known = sample.retrieve(asked, exclude=wrong[:2])
    assert not [n for n in known.trace.notes if n.code == ID_UNKNOWN]


def test_documents_are_deleted_by_their_metadata(engine: Engine) -> None:
    engine.add(Document(f"d{n}", f"Note {n}.", metadata={"year": 2000 + n}) for n in range(4))
    assert engine.delete(where={"year": {"gte": 2002}}).documents == 2
    assert [document.id for document in engine.documents()] == ["d0", "d1"]
    assert engine.delete(where={"year": 1999}).documents == 0
    for wrong in ({}, {"ids": "d0", "where": {"year": 2000}}):
        with pytest.raises(InvalidInput, match="ids of documents, a filter"):
            engine.delete(**wrong)  # type: ignore[arg-type]
    with pytest.raises(InvalidFilter, match="would delete every document"):
        engine.delete(where={})
    assert engine.stats().documents == 2
