from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from multihop import Engine
from multihop.answering.lm import ABSTAINED, Words, prompt_sentences, words_of
from multihop.lm import open_lm
from multihop.testing.lm import FAULTS, Fault, Faults, ScriptedLM
from multihop.types import Answer

from ..lm.able import server

QUESTION = "When was Colin Archer born?"


def number_of(sample: Engine, words: str) -> int:
    """Say under which number a sentence is offered."""
    offered = prompt_sentences(sample.answer(QUESTION, k=3, strategy="bm25"))
    return 1 + next(i for i, o in enumerate(offered) if words in o.quote.text)


def answered(sample: Engine, answer: str, statements: Any, faults: Faults | None = None) -> Answer:
    lm = ScriptedLM({"cited_answer": {"answer": answer, "statements": statements}}, faults)
    return sample.answer(QUESTION, k=3, strategy="bm25", lm=lm)


def test_statements_cite_what_stands_in_the_passages(sample: Engine) -> None:
    number = number_of(sample, "1832")
    found = answered(sample, "1832", [f"Colin Archer came into the world in Larvik in 1832. [{number}]"])
    assert (found.text, found.source) == ("1832", "language model")
    assert found.confidence > 0.5
    [statement] = found.statements
    assert statement.text == "Colin Archer came into the world in Larvik in 1832."
    texts = {e.passage.id: e.passage.text for e in found.result.evidence}
    assert all(texts[q.passage_id][q.start : q.end] == q.text for q in statement.quotes)
    assert found.result.trace.lm_calls[-1].step == "cited_answer"


@pytest.mark.parametrize(
    "statement",
    [
        "Colin Archer was born in 1833. [{n}]",
        "Colin Archer was born in Oslo. [{n}]",
        'The passage says "born in the year of the whale". [{n}]',
    ],
)
def test_what_the_cited_sentence_does_not_say_is_marked(sample: Engine, statement: str) -> None:
    number = number_of(sample, "1832")
    right = f"He came into the world in 1832. [{number}]"
    found = answered(sample, "1832", [right, statement.format(n=number)])
    assert [s.supported for s in found.statements] == [True, False]
    assert found.confidence == 0.5
    assert [str(note) for note in found.notes] == ["1 of 2 statements are not supported by the sentences they cite"]


def test_a_denial_is_not_supported_by_a_sentence_that_denies_nothing(sample: Engine) -> None:
    number = number_of(sample, "1832")
    told = ("came", "never came", "did not come")
    statements = [f"Colin Archer {word} into the world in Larvik in 1832. [{number}]" for word in told]
    lm = ScriptedLM({"cited_answer": {"answer": "1832", "statements": statements}})
    # Without the verifier that comes with the package, too.
    for models in (True, False):
        found = sample.answer(QUESTION, k=3, strategy="bm25", lm=lm, models=models)
        assert [s.supported for s in found.statements] == [True, False, False]


@pytest.mark.parametrize("cited", ["", " [999]", " [{wrong}]"])
def test_what_is_cited_wrongly_is_found_where_it_stands(sample: Engine, cited: str) -> None:
    wrong = number_of(sample, "Fram")
    found = answered(sample, "1832", [f"Colin Archer was born in 1832.{cited.format(wrong=wrong)}"])
    [quote] = found.statements[0].quotes
    assert "1832" in quote.text
    assert found.source == "language model"


def test_an_answer_without_a_statement_is_shown_with_the_sentence_that_holds_it(sample: Engine) -> None:
    found = answered(sample, "Larvik", ["He was a man of the sea."])
    assert (found.text, found.source) == ("Larvik", "language model")
    assert "Larvik" in found.statements[-1].quotes[0].text


def test_an_answer_that_nothing_supports_gives_way_to_the_sentences(sample: Engine) -> None:
    without = sample.answer(QUESTION, k=3, strategy="bm25")
    for found in (
        answered(sample, "1851", ["He was born in 1851. [1]"]),
        answered(sample, "1851", [f"He came into the world in 1832. [{number_of(sample, '1832')}]"]),
    ):
        assert (found.text, found.source, found.sentences) == (without.text, "sentences", without.sentences)
        assert found.notes[-1].text.endswith("this is the extractive answer")


def test_where_a_model_gives_up_the_sentences_stand(sample: Engine) -> None:
    found = answered(sample, "unknown", [])
    assert (found.text, found.source, found.answered) == ("1832", "sentences", True)
    assert [str(note) for note in found.notes] == [f"{ABSTAINED}; this is the extractive answer"]


def test_a_model_may_abstain_where_no_sentence_answers(sample: Engine) -> None:
    lm = ScriptedLM({"cited_answer": {"answer": "unknown", "statements": []}})
    found = sample.answer("Which airline flies to Reykjavik?", k=3, strategy="bm25", lm=lm)
    assert (found.text, found.notes, found.answered) == ("", (ABSTAINED,), False)


@pytest.mark.parametrize("fault", [f for f in FAULTS if f not in ("slow", "rate limit")])
def test_when_the_model_fails_the_sentences_stand(sample: Engine, fault: Fault) -> None:
    found = answered(sample, "1832", ["Born in 1832. [1]"], Faults((fault,)))
    assert (found.text, found.source) == ("1832", "sentences")
    assert found.notes[-1].code == "lm-failed"


def test_words_come_as_they_are_written(sample: Engine) -> None:
    statements = [f'He was born "in 1832". [{number_of(sample, "1832")}]', "He wrote operas. [1]"]
    lm = ScriptedLM({"cited_answer": {"answer": "1832", "statements": statements}})
    heard: list[Words] = []
    with server(lm) as (url, requests):
        model = open_lm("openai/scripted", base=url)
        found = sample.answer(QUESTION, k=3, strategy="bm25", lm=model, on_words=heard.append)
    assert (found.text, found.source, len(requests)) == ("1832", "language model", 1)
    assert [s.supported for s in found.statements] == [True, False]
    assert heard[-1] == Words("1832", ('He was born "in 1832".', "He wrote operas."))
    assert len(heard) > 5
    assert all(a.text in b.text and len(a.statements) <= len(b.statements) for a, b in pairwise(heard))


def test_a_model_that_cannot_stream_is_asked_without(sample: Engine) -> None:
    lm = ScriptedLM({"cited_answer": {"answer": "unknown", "statements": []}})
    heard: list[Words] = []
    with server(lm, streams=False) as (url, requests):
        model = open_lm("openai/scripted", base=url)
        found = sample.answer(QUESTION, k=3, strategy="bm25", lm=model, on_words=heard.append)
    assert (heard, [note.code for note in found.notes]) == ([], ["lm-abstained"])
    assert [bool(r.get("stream")) for r in requests] == [True, False]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("", Words("", ())),
        ("[[ ## answer ## ]]\n18", Words("18", ())),
        ("[[ ## answer ## ]]\n1832\n\n[[ ## stat", Words("1832", ())),
        ('[[ ## answer ## ]]\na\n[[ ## statements ## ]]\n["Caf\\u00e9 \\u00', Words("a", ("Café",))),
        ('[[ ## answer ## ]]\na\n[[ ## statements ## ]]\n["One. [1, 2]", "Two. [3', Words("a", ("One.", "Two."))),
        ('[[ ## answer ## ]]\na\n[[ ## statements ## ]]\n["It says \\', Words("a", ("It says",))),
        ('{"answer": "18', Words("18", ())),
        ('{\n "answer": "a", "statements": ["One. [1]", "Two', Words("a", ("One.", "Two"))),
    ],
)
def test_words_are_read_wherever_the_text_ends(written: str, expected: Words) -> None:
    assert words_of(written) == expected


def test_the_draft_comes_before_the_model_is_asked(sample: Engine) -> None:
    drafts: list[Answer] = []
    lm = ScriptedLM({"cited_answer": {"answer": "unknown", "statements": []}})
    sample.answer(QUESTION, k=3, strategy="bm25", lm=lm, on_draft=drafts.append)
    assert [d.text for d in drafts] == ["1832"]
    assert [a.step for a in lm.asked] == ["cited_answer"]
