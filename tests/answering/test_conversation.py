"""Follow-up questions: what pronouns and "what about" refer to."""

from __future__ import annotations

from dataclasses import replace

import pytest

from multihop import Engine
from multihop.answering.conversation import Turn
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
