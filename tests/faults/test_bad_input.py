from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from multihop.engine import Engine
from multihop.errors import InvalidBudget, InvalidFilter, InvalidQuestion, InvalidRecord, MultihopError, UnknownName
from multihop.types import Document

from ..reliability.soak import rounds

DOCUMENTS = (
    Document("granite", "Granite is found near Rome.", "Granite", {"country": "Italy", "year": 1990}),
    Document("rome", "Rome is a city of marble.", "Rome", {"country": "Italy", "year": 2000}),
    Document("x", "The letter after W, as in a ray.", "X"),
    Document("c", "A language, and a vitamin.", "C"),
    Document("cairo", "القاهرة هي عاصمة مصر", "القاهرة"),
    Document("jerusalem", "ירושלים היא עיר עתיקה", "ירושלים"),
    Document("tokyo", "东京是日本的首都。", "东京"),
    Document("fuji", "富士山は日本で一番高い山です。", "富士山"),
    Document("seoul", "서울은 대한민국의 수도이다.", "서울"),
    Document("delhi", "दिल्ली भारत की राजधानी है", "दिल्ली"),
    Document("bangkok", "กรุงเทพเป็นเมืองหลวงของประเทศไทย", "กรุงเทพ"),
)


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """An index that no test of this module changes."""
    with Engine.open(tmp_path_factory.mktemp("bad") / "index", create=True) as engine:
        engine.add(DOCUMENTS)
        yield engine
        assert engine.stats().documents == len(DOCUMENTS)
        assert all(check.ok for check in engine.check(repair=False))


def asked(engine: Engine, question: str, **options: Any) -> list[str]:
    result = engine.retrieve(question, **{"k": 3, **options})
    json.loads(result.to_json())
    return [evidence.passage.document_id for evidence in result]


# --- questions ---


@pytest.mark.parametrize("question", ["", "   ", "\n\t", None, 7])
def test_an_empty_question(engine: Engine, question: Any) -> None:
    with pytest.raises(InvalidQuestion, match="question"):
        engine.retrieve(question)


def test_an_endless_question(engine: Engine) -> None:
    with pytest.raises(InvalidQuestion, match=r"has 20001 characters.* 20000"):
        engine.retrieve("x" * 20_001)
    assert "granite" in asked(engine, "granite " * 2_500)
    assert asked(engine, "x" * 20_000) == []


@pytest.mark.parametrize("k", [0, -1, 1001, 10**30, True, False, 2.0, float("nan"), "3", None])
def test_no_budget(engine: Engine, k: Any) -> None:
    with pytest.raises(InvalidBudget, match=r"k, the number of passages, .*from 1 to 1000; got "):
        engine.retrieve("granite", k=k)


@pytest.mark.parametrize("k", [1, 1000])
def test_a_budget_at_the_edge(engine: Engine, k: int) -> None:
    result = engine.retrieve("Is granite found near Rome?", k=k)
    assert len(result.evidence) == min(k, 2)
    assert {e.passage.document_id for e in result} <= {"granite", "rome"}
    assert result.short == (k == 1000)


@pytest.mark.parametrize(
    ("name", "message"), [("atuo", "did you mean 'auto'"), ("BM-25", "'bm25'"), ("zzz", "known: .*auto")]
)
def test_an_unknown_strategy(engine: Engine, name: str, message: str) -> None:
    with pytest.raises(UnknownName, match=f"{name}.*{message}"):
        engine.retrieve("granite", strategy=name)


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ({"contry": "Italy"}, "'contry'.*did you mean 'country'"),
        ({"year": "1990"}, "holds numbers"),
        ({"year": {"from": 1990}}, "allowed are gt"),
        ({"country": []}, "empty list"),
        ({"country": None}, "None"),
        ({"country": {"Italy": True}}, "allowed are gt"),
        (["country"], "mapping"),
        ("country", "mapping"),
    ],
)
def test_wrong_filters(engine: Engine, where: Any, message: str) -> None:
    with pytest.raises(InvalidFilter, match=message):
        engine.retrieve("granite", where=where)


def test_a_filter_that_lets_nothing_through(engine: Engine) -> None:
    result = engine.retrieve("Is granite found near Rome?", where={"country": "Peru"})
    assert (result.evidence, result.short) == ((), True)


@pytest.mark.parametrize(
    "question",
    [
        "the of and",
        "who is it?",
        "?!… —",
        "'''",
        "🎈🎈",
        "\ud83d",
        "\x00\x07\x1b[0m",
        "\u200b\u202e",
        "½",
        "™",
        "((((",
        "a",
    ],
)
def test_questions_with_nothing_in_them(engine: Engine, question: str) -> None:
    for strategy in ("auto", "bm25"):
        result = engine.retrieve(question, k=3, strategy=strategy)
        assert len(result.evidence) <= 3
        assert result.to_dict(timing=False) == engine.retrieve(question, k=3, strategy=strategy).to_dict(timing=False)


@pytest.mark.parametrize(
    "question",
    [
        "\ud83dGranite", "Granite\x00", "\u202eGranite\u202c", "🎈Granite🎈", "“GRANITE”", "Gránite’s™",
        "Granite\u2028!", "gra\u00adnite Granite", "٣ Granite ½ ﷺ", "\ufeffGranite",
    ],
)  # fmt: skip
def test_questions_with_something_odd_in_them(engine: Engine, question: str) -> None:
    assert asked(engine, question)[0] == "granite"


@pytest.mark.parametrize(
    ("question", "document"),
    [
        ("ما هي القاهرة؟", "cairo"),
        ("عاصمة", "cairo"),
        ("יְרוּשָׁלַיִם", "jerusalem"),
        ("עתיקה", "jerusalem"),
        ("东京在哪里？", "tokyo"),
        ("首都", "tokyo"),
        ("富士山の高さは？", "fuji"),
        ("서울", "seoul"),
        ("दिल्ली", "delhi"),
        ("राजधानी", "delhi"),
        ("กรุงเทพ", "bangkok"),
    ],
)
def test_every_script_is_found_by_its_own_words(engine: Engine, question: str, document: str) -> None:
    for strategy in ("auto", "bm25"):
        assert asked(engine, question, strategy=strategy)[0] == document


def test_titles_of_one_letter(engine: Engine) -> None:
    assert asked(engine, "x ray")[0] == "x"
    assert asked(engine, "Is C a vitamin?")[0] == "c"
    assert engine.store.view().find_names(["X and C"]) == [()]


# --- documents ---


@pytest.mark.parametrize(
    ("wrong", "message"),
    # The ignored types are what a caller without types may pass.
    [
        ("a text", "expected a multihop.Document, got str"),
        (None, "expected a multihop.Document, got NoneType"),
        (Document("", "x"), "the id is empty; give one, or in a file leave the field out"),
        (Document("x" * 513, "x"), "id"),
        (Document("a\nb", "x"), "id"),
        (Document("\ud800", "x"), "id"),
        (Document(7, "x"), "id"),  # type: ignore[arg-type]
        (Document("new", ""), "'new' has no text"),
        (Document("new", " \n\t\u3000"), "'new' has no text"),
        (Document("new", None), "text of document 'new' must be a string, not NoneType"),  # type: ignore[arg-type]
        (Document("new", b"x"), "text of document 'new' must be a string, not bytes"),  # type: ignore[arg-type]
        (Document("new", "half a pair: \ud83d"), r"'new' holds .*ud83d.*surrogate"),
        (Document("new", "x" * 5000 + "\udc00"), r"'new' holds .*udc00.*surrogate"),
        (Document("new", "x", "\ud83d"), r"'new' holds .*ud83d.*surrogate"),
        (Document("new", "x", None), "'new'.*title"),  # type: ignore[arg-type]
        (Document("new", "x", aliases=("\ud83d",)), r"'new' holds .*ud83d.*surrogate"),
        (Document("new", "x", aliases=(7,)), "'new'.*aliases"),  # type: ignore[arg-type]
        (Document("new", "x", metadata={"n": float("nan")}), "'new' has metadata 'n': nan"),
        (Document("new", "x", metadata={"n": float("inf")}), "'new' has metadata 'n': inf"),
        (Document("new", "x", metadata={"n": 2**63}), "'new' holds 9223372036854775808.*64 bits"),
        (Document("new", "x", metadata={"n": None}), "'new' has metadata 'n': None"),  # type: ignore[dict-item]
        (Document("new", "x", metadata={"n": {"a": 1}}), "'new' has metadata 'n': {'a': 1}"),  # type: ignore[dict-item]
        (Document("new", "x", metadata={"n": (1, (2,))}), "'new' has metadata 'n'"),  # type: ignore[dict-item]
        (Document("new", "x", metadata={"allow": ()}), "'new': the field 'allow' names nobody; list who may read"),
        (Document("new", "x", metadata={"allow": []}), "'new': the field 'allow' names nobody"),  # type: ignore[dict-item]
        (Document("new", "x", metadata={"allow": None}), "'new' has metadata 'allow': None"),  # type: ignore[dict-item]
        (Document("new", "x", metadata={7: 1}), "'new' has metadata 7"),  # type: ignore[dict-item]
        (Document("new", "x", metadata={"n": ("a", "\ud83d")}), r"'new' holds .*ud83d.*surrogate"),
    ],
    ids=ascii,
)
def test_wrong_documents_are_refused_with_all_that_came_with_them(engine: Engine, wrong: Any, message: str) -> None:
    before = engine.stats()
    with pytest.raises(InvalidRecord, match=message):
        engine.add([Document("good", "A good document"), wrong])
    assert (engine.stats(), engine.document("good")) == (before, None)


@pytest.fixture
def empty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with Engine.open(tmp_path_factory.mktemp("odd") / "index", create=True) as engine:
        yield engine
        assert all(check.ok for check in engine.check(repair=False))


def test_odd_documents_come_back_and_are_found(empty: Engine) -> None:
    odd = [
        Document("control", "Granite\x00 with \x1b[31m bells\x07 and \x7f", "Title\x00\x07", {"a\x00b": "\x01"}),
        Document("mixed", "שלום granite עולם \u202eetinarg\u202c", "Mixed שלום"),
        Document("emoji", "🎈 granite 👩‍👩‍👧‍👦", "🎈"),
        Document("marks", "G\u0301r\u0301a\u0301nite e\u0301" + "\u0301" * 500, "Zalgo"),
        Document("id with # and 'quotes' % _", "granite; DROP TABLE document; --", "'; --"),
        Document("lists", "granite", "Lists", {"years": [1990, 2000], "none": []}),  # type: ignore[dict-item]
        Document("newlines", "granite\r\n\r\n\r\n" + "\n" * 5000 + "granite", "\n\n"),
        Document("heading", "# Granite", "Granite"),
        Document("names", "granite", "Granite " * 400, aliases=("", " ", "!", "granite" * 1000)),
    ]
    empty.add(odd)
    for document in odd[:5] + odd[6:]:
        assert empty.document(document.id) == document
    assert set(asked(empty, "granite", k=20)) == {document.id for document in odd}
    assert asked(empty, "granite", where={"years": {"gt": 1995}}) == ["lists"]
    assert asked(empty, "granite", where={"a\x00b": "\x01"}) == ["control"]


def test_equal_ids_in_one_call(empty: Engine) -> None:
    said: list[InvalidRecord] = []
    added = empty.add([Document("a", f"Version {i} of granite") for i in range(2_100)], on_problem=said.append)
    assert (added.documents, added.replaced, len(said)) == (1, 0, 2_099)
    assert empty.document("a") == Document("a", "Version 0 of granite")
    assert (asked(empty, "granite"), empty.stats().passages) == (["a"], 1)


def test_a_document_of_megabytes(empty: Engine) -> None:
    text = " ".join(f"word{i % 5000} stands here." for i in range(rounds(120_000, 480_000)))
    assert len(text) > 2_500_000
    empty.add([Document("small", "Granite, a single word7777x."), Document("big", text, "Big")])
    assert empty.document("big") == Document("big", text, "Big")
    assert asked(empty, "word4321")[0] == "big"
    assert asked(empty, "word7777x") == ["small"]
    assert empty.delete("big").documents == 1
    assert empty.stats().passages == 1


@pytest.mark.release  # long texts
def test_a_word_of_a_million_letters(empty: Engine) -> None:
    empty.add([Document("long", "x" * 1_000_000 + " granite", "y" * 100_000)])
    assert asked(empty, "granite") == ["long"]


def test_a_folder_instead_of_an_index(tmp_path_factory: pytest.TempPathFactory) -> None:
    with pytest.raises(MultihopError, match="no index at"):
        Engine.open(tmp_path_factory.mktemp("nothing"))


def test_deleting_what_is_not_there(engine: Engine) -> None:
    assert engine.delete(["unknown", "", "\ud800", "granite#0"]).documents == 0
    assert engine.document("\ud800") is None
