"""A DSPy agent that looks for evidence with a tool and answers from what it read."""

from __future__ import annotations

import json
import tempfile

import dspy
from dspy.utils import DummyLM

from multihop import Engine
from multihop.adapters.dspy import MultihopRM, evidence_tool
from multihop.testing import sample_documents

QUESTION = "Who drew the ship that Amundsen borrowed?"
# A model of yours goes here: dspy.LM("openai/…"). This one says what it was given to say.
MODEL = DummyLM(
    [
        {
            "next_thought": "I need the ship and whoever drew her.",
            "next_tool_name": "retrieve_evidence",
            "next_tool_args": json.dumps({"question": QUESTION, "k": 3}),
        },
        {"next_thought": "Passage 3 has it.", "next_tool_name": "finish", "next_tool_args": "{}"},
        {"reasoning": "Amundsen borrowed the Fram; Colin Archer drew her lines.", "answer": "Colin Archer"},
    ]
)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, Engine.open(f"{folder}/sample.mh", create=True) as engine:
        engine.add(sample_documents())
        with dspy.context(lm=MODEL):
            agent = dspy.ReAct("question -> answer", tools=[evidence_tool(engine)])
            done = agent(question=QUESTION)
        print("answer:", done.answer)
        print(done.trajectory["observation_0"])

        # Programs that take their passages from dspy.Retrieve need no change.
        with dspy.context(rm=MultihopRM(engine, where={"country": "Norway"})):
            passages = dspy.Retrieve(k=2)("Who went into the ice?").passages
        print("retrieved:", "; ".join(passage.partition(" | ")[0] for passage in passages))


if __name__ == "__main__":
    main()
