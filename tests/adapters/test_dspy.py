"""The DSPy retriever and tool, alone and in programs whose language model is scripted."""

from __future__ import annotations

import asyncio
import copy
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import dspy
import pytest
from dspy.lm15 import Message, Request, Response, Usage

from multihop import Engine
from multihop.adapters.dspy import MultihopRM, evidence_tool
from multihop.errors import InvalidBudget

from .conftest import EXPECTED, QUESTION


class Script:
    """A language model that says its lines one after the other, and remembers what it was asked."""

    def __init__(self, lines: Sequence[dict[str, str]]) -> None:
        self.lines = list(lines)
        self.asked: list[str] = []

    def complete(self, request: Request) -> Response:
        self.asked.append("\n".join(m.text or "" for m in request.messages))
        said = "\n\n".join(f"[[ ## {field} ## ]]\n{value}" for field, value in self.lines.pop(0).items())
        message = Message.assistant(f"{said}\n\n[[ ## completed ## ]]")
        return Response(id=None, model="script", message=message, finish_reason="stop", usage=Usage())


class AsyncScript:
    def __init__(self, script: Script) -> None:
        self.script = script

    async def complete(self, request: Request) -> Response:
        return self.script.complete(request)


def model(script: Script) -> Any:
    return dspy.LM("script", engine=script, async_engine=AsyncScript(script), cache=False, num_retries=0)


def test_passages_say_why_they_are_there(sample: Engine) -> None:
    found = MultihopRM(sample, k=3)(QUESTION)
    assert [p.pid for p in found] == EXPECTED
    assert found.passages[2].startswith("Colin Archer | Colin Archer came into the world in Larvik")
    archer = found[2]
    assert archer.long_text == archer["long_text"] == found.passages[2]
    assert (archer.rank, archer.hop, archer.reason) == (
        3,
        2,
        "linked from “Fram (ship)”; speaks of what “Fram (ship)” mentions",
    )
    assert archer.score == sample.retrieve(QUESTION, k=3).evidence[2].score
    assert {"document_id": "colin-archer", "country": "Norway", "hop": 2}.items() <= archer.metadata.items()
    assert found.result.trace.hops


def test_terms_of_the_instance_and_of_a_call(folder: Path, sample: Engine) -> None:
    rm = MultihopRM(folder, k=2, strategy="bm25", where={"country": "Norway"})
    expected = [e.passage.id for e in sample.retrieve(QUESTION, k=2, strategy="bm25", where={"country": "Norway"})]
    assert [p.pid for p in rm(QUESTION)] == expected
    assert [p.pid for p in rm(QUESTION, 3, strategy="auto", where={})] == EXPECTED
    assert [p.pid for p in asyncio.run(rm.acall(QUESTION, k=3, strategy="auto", where={}))] == EXPECTED
    with pytest.raises(InvalidBudget, match="got 0"):
        rm(QUESTION, k=0)
    rm.close()


def test_dspy_retrieve_uses_it(sample: Engine) -> None:
    with dspy.context(rm=MultihopRM(sample)):
        found = dspy.Retrieve(k=3)(QUESTION)
        filtered = dspy.Retrieve(k=3)(QUESTION, where={"country": "Norway"}, strategy="bm25")
    assert [p.partition(" | ")[0] for p in found.passages] == ["Fram (ship)", "Roald Amundsen", "Colin Archer"]
    assert len(filtered.passages) == 3


class Answering(dspy.Module):  # type: ignore[misc]  # DSPy has no types
    """A usual program: retrieve, then answer from what was found."""

    def __init__(self) -> None:
        super().__init__()
        self.retrieve = dspy.Retrieve(k=3)
        self.respond = dspy.Predict("context: list[str], question -> answer")

    def forward(self, question: str) -> Any:
        return self.respond(context=self.retrieve(question).passages, question=question)


def test_a_program_answers_from_the_evidence(sample: Engine) -> None:
    script = Script([{"answer": "Colin Archer"}])
    with dspy.context(lm=model(script), rm=MultihopRM(sample)):
        assert Answering()(question=QUESTION).answer == "Colin Archer"
    assert "Colin Archer | Colin Archer came into the world in Larvik" in script.asked[0]


class Holding(dspy.Module):  # type: ignore[misc]  # DSPy has no types
    """A program with a retriever of its own."""

    def __init__(self, rm: MultihopRM) -> None:
        super().__init__()
        self.rm = rm
        self.respond = dspy.Predict("context: list[str], question -> answer")

    def forward(self, question: str) -> Any:
        return self.respond(context=self.rm(question).passages, question=question)


def test_a_program_with_a_retriever_can_be_copied_as_optimizers_do(folder: Path) -> None:
    program = Holding(MultihopRM(folder, k=3))
    program.rm(QUESTION)
    with dspy.context(lm=model(Script([{"answer": "Colin Archer"}]))):
        assert program.deepcopy()(question=QUESTION).answer == "Colin Archer"
        assert copy.deepcopy(program).rm(QUESTION)[2].pid == "colin-archer#0"
    program.rm.close()


def steps(**arguments: Any) -> list[dict[str, str]]:
    """What the model says in a run of ReAct: it looks once, finishes, and answers."""
    return [
        {
            "next_thought": "I look for the ship and her architect.",
            "next_tool_name": "retrieve_evidence",
            "next_tool_args": json.dumps(arguments),
        },
        {"next_thought": "That is all I need.", "next_tool_name": "finish", "next_tool_args": "{}"},
        {"reasoning": "The Fram was drawn by Colin Archer.", "answer": "Colin Archer"},
    ]


def test_react_finds_the_evidence_with_the_tool(sample: Engine) -> None:
    script = Script(steps(question=QUESTION, k=3))
    with dspy.context(lm=model(script)):
        done = dspy.ReAct("question -> answer", tools=[evidence_tool(sample)], max_iters=4)(question=QUESTION)
    assert done.answer == "Colin Archer"
    seen = done.trajectory["observation_0"]
    assert "[3] Colin Archer | Colin Archer came into the world in Larvik" in seen
    assert "(colin-archer#0)" in seen
    assert "came into the world in Larvik" in script.asked[1]
    assert not script.lines


def test_react_runs_asynchronously(folder: Path) -> None:
    script = Script(steps(question=QUESTION))
    tool = evidence_tool(folder, k=3, where={"country": "Norway"}, asynchronous=True)

    async def run() -> Any:
        with dspy.context(lm=model(script)):
            return await dspy.ReAct("question -> answer", tools=[tool], max_iters=4).acall(question=QUESTION)

    done = asyncio.run(run())
    assert done.answer == "Colin Archer"
    assert "[3]" in done.trajectory["observation_0"]
    assert "[4]" not in done.trajectory["observation_0"]


def test_a_mistake_of_the_model_is_an_observation(sample: Engine) -> None:
    script = Script(steps(question=QUESTION, k=0))
    with dspy.context(lm=model(script)):
        done = dspy.ReAct("question -> answer", tools=[evidence_tool(sample)], max_iters=4)(question=QUESTION)
    assert "whole number from 1 to 1000; got 0" in done.trajectory["observation_0"]
    assert done.answer == "Colin Archer"


def test_the_tool_describes_itself(sample: Engine) -> None:
    tool = evidence_tool(sample, name="look", k=4)
    assert tool.name == "look"
    assert tool.args["question"]["description"] == "the whole question or claim, in plain words"
    assert (tool.args["k"]["type"], tool.args["k"]["default"]) == ("integer", 4)


def test_the_tool_says_what_nothing_was_found_for(sample: Engine) -> None:
    said = evidence_tool(sample)(question="Did Roald Amundsen meet Zyxwvut Qponmlk?", k=2)
    assert said.endswith("Nothing was found on: Zyxwvut Qponmlk")
    assert evidence_tool(sample)(question="qqqq zzzz") == "No passage was found; ask in other words."
