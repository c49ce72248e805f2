from __future__ import annotations

import pytest

from multihop import Engine
from multihop.answering.extract import NOTHING
from multihop.answering.scoring import answer_model
from multihop.testing import sample_questions
from multihop.types import Answer

QUESTION = "Who was the architect of the ship that Amundsen borrowed?"


def quoted_rightly(found: Answer) -> bool:
    texts = {e.passage.id: e.passage.text for e in found.result.evidence}
    quotes = [q for s in found.sentences for q in (s.quote, s.answer) if q]
    return all(texts[q.passage_id][q.start : q.end] == q.text for q in quotes)


def test_an_answer_has_its_sentence_its_confidence_and_its_chain(sample: Engine) -> None:
    found = sample.answer("When was Colin Archer born?")
    assert found.text == "1832"
    assert found.sentences[0].quote.text.startswith("Colin Archer came into the world in Larvik")
    assert found.answered
    assert found.kind == "date"
    assert found.confidence == found.sentences[0].confidence >= answer_model().threshold
    assert [s.confidence for s in found.sentences] == sorted((s.confidence for s in found.sentences), reverse=True)
    assert found.sentences[0].quote.passage_id in found.chain.passages
    assert quoted_rightly(found)


@pytest.mark.parametrize("question", [q.text for q in sample_questions()])
def test_every_quote_is_what_stands_at_its_place(sample: Engine, question: str) -> None:
    assert quoted_rightly(sample.answer(question, k=5, models=False))


@pytest.mark.parametrize("nonsense", ["xqzzyv wplk", "What is the wplk of xqzzyv?", "Who xqzzyvs the wplk of brzzt?"])
def test_nonsense_gets_no_answer(sample: Engine, nonsense: str) -> None:
    found = sample.answer(nonsense)
    assert (found.text, found.sentences, found.answered, found.notes) == ("", (), False, (NOTHING,))


def test_what_the_index_does_not_know_gets_no_answer(sample: Engine) -> None:
    found = sample.answer("Which goalkeeper won the golden glove of the 2022 football tournament in Qatar?")
    assert not found.answered


def test_a_name_that_the_question_gives_is_no_answer_to_it(sample: Engine) -> None:
    found = sample.answer(QUESTION)
    assert "Amundsen" not in found.text


def test_which_came_first_is_told_by_the_dates(sample: Engine) -> None:
    assert sample.answer("Who was born first, Roald Amundsen or Fridtjof Nansen?").text == "Fridtjof Nansen"
    assert sample.answer("Who was born later, Roald Amundsen or Fridtjof Nansen?").text == "Roald Amundsen"


def test_equal_questions_have_equal_answers(sample: Engine) -> None:
    assert sample.answer(QUESTION).to_json(timing=False) == sample.answer(QUESTION).to_json(timing=False)


def test_other_strategies_answer_too(sample: Engine) -> None:
    for strategy in ("bm25", "aspects", "auto-fast"):
        found = sample.answer("When was Colin Archer born?", strategy=strategy)
        assert quoted_rightly(found)
        assert "1832" in found.sentences[0].quote.text


def test_a_filter_holds_for_answers(sample: Engine) -> None:
    found = sample.answer(QUESTION, where={"country": "Norway"})
    assert {e.passage.metadata["country"] for e in found.result.evidence} == {"Norway"}


def test_an_answer_is_plain_values(sample: Engine) -> None:
    row = sample.answer("When was Colin Archer born?").to_dict()
    assert row["kind"] == "date"
    assert row["answered"] is True
    assert row["sentences"][0]["quote"]["passage_id"] == "colin-archer#0"
    assert row["result"]["evidence"]
