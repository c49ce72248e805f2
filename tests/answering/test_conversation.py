"""Follow-up questions: what pronouns and "what about" refer to."""

from __future__ import annotations

from dataclasses import replace

import pytest

from multihop import Engine
from multihop.answering.conversation import Turn
from multihop.testing.lm import Faults, ScriptedLM
from multihop.types import LONGEST_QUESTION

ARCHER = Turn("Who drew the Fram?", "Who drew the Fram?", "Colin Archer", "person", ("colin-archer#0", "fram-ship#0"))
LOVELACE = Turn("Who wrote on it?", "Who wrote on it?", "", "person", ("ada-lovelace#0", "analytical-engine#0"))
BORN = Turn("When was Colin Archer born?", "When was Colin Archer born?", "1832", "date", ("colin-archer#0",))


@pytest.mark.parametrize(
    ("turns", "question", "resolved"),
    [
        ([ARCHER], "And when was he born?", "When was Colin Archer born?"),
        ([ARCHER], "Where did his brothers live?", "Where did Colin Archer’s brothers live?"),
        ([ARCHER], "Where does it rest now?", "Where does Fram rest now?"),
        ([ARCHER], "Who drew that ship?", "Who drew Fram, the ship?"),
        ([LOVELACE], "Who was her father?", "Who was Ada Lovelace’s father?"),
        ([LOVELACE], "Who taught her?", "Who taught Ada Lovelace?"),
        ([LOVELACE, ARCHER], "When was she born?", "When was Ada Lovelace born?"),
        ([BORN], "What about Fridtjof Nansen?", "When was Fridtjof Nansen born?"),
        ([BORN], "And Fridtjof Nansen?", "When was Fridtjof Nansen born?"),
        ([ARCHER], "When?", "When: Colin Archer?"),
        ([BORN], "And what is the fee for visitors of the museum?", "And what is the fee for visitors of the museum?"),
        ([BORN], "And since when?", "Since when: Colin Archer?"),
        ([ARCHER], "Who was Mary Anning?", "Who was Mary Anning?"),
        ([], "And when was he born?", "And when was he born?"),
    ],
)
def test_a_follow_up_is_resolved(sample: Engine, turns: list[Turn], question: str, resolved: str) -> None:
    assert sample.conversation(turns).resolve(question) == resolved


def test_a_follow_up_that_would_become_too_long_stays_as_it_was_asked(sample: Engine) -> None:
    question = "And when was he born?".ljust(LONGEST_QUESTION, "?")
    told = replace(ARCHER, answer="Colin Archer, " + "the naval architect of Larvik " * 20)
    assert sample.conversation([told]).resolve(question[:100]) != question[:100]
    assert sample.conversation([told]).resolve(question) == question


def test_a_conversation_is_a_value(sample: Engine) -> None:
    begun = sample.conversation()
    first = begun.ask("When was Colin Archer born?")
    second = first.ask("And what did he build?")
    assert (len(begun.turns), len(first.turns), len(second.turns)) == (0, 1, 2)
    assert second.answer is not None
    assert second.answer.question == second.turns[-1].resolved == "What did Colin Archer build?"
    assert second.turns[-1].question == "And what did he build?"
    assert sample.conversation(first.turns).resolve("And where was he born?") == "Where was Colin Archer born?"


def test_a_pronoun_means_nothing_that_only_filled_the_budget(sample: Engine) -> None:
    talk = sample.conversation().ask("When was Colin Archer born?")
    assert talk.answer is not None
    filling = talk.answer.chain.filling
    assert filling
    assert set(filling).isdisjoint(talk.turns[-1].passages)
    assert talk.resolve("When was she born?") == "When was she born?"


def test_a_model_resolves_what_rules_cannot(sample: Engine) -> None:
    written = "Which cutters did the naval architect of the Fram build?"
    lm = ScriptedLM({"standalone_question": {"question": written}})
    talk = Engine(sample.store, lm=lm).conversation([ARCHER])
    asked = "Which cutters were built by the same person?"
    assert talk.resolve(asked) == written
    [step] = lm.asked
    assert "Who drew the Fram? Answer: Colin Archer. Sources: Colin Archer; Fram (ship)" in step.inputs["conversation"]
    assert step.inputs["follow_up"] == asked
    # The first question of a conversation, and one without the model, cost no call.
    assert Engine(sample.store, lm=lm).conversation().resolve(asked) == asked
    assert talk.resolve("And when was he born?", lm=False) == "When was Colin Archer born?"
    assert len(lm.asked) == 1


@pytest.mark.parametrize("said", ["", "What is the capital of Peru?", "x" * (LONGEST_QUESTION + 1)])
def test_where_a_model_asks_something_else_the_rules_decide(sample: Engine, said: str) -> None:
    lm = ScriptedLM({"standalone_question": {"question": said}})
    talk = Engine(sample.store, lm=lm).conversation([ARCHER])
    assert talk.resolve("And when was he born?") == "When was Colin Archer born?"


def test_what_a_model_cost_stands_in_the_trace(sample: Engine) -> None:
    broken = ScriptedLM({}, Faults(("refusal",)))
    talk = Engine(sample.store, lm=broken).conversation([ARCHER]).ask("And when was he born?", strategy="bm25")
    assert talk.answer is not None
    assert talk.turns[-1].resolved == "When was Colin Archer born?"
    trace = talk.answer.result.trace
    assert trace.lm_calls[0].step == "standalone_question"
    assert "standalone_question: it refused to answer; done by rule" in trace.notes[0].text
