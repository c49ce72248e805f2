"""DSPy: a retriever for `dspy.context(rm=…)` and `dspy.Retrieve`, and a tool for `dspy.ReAct` and other agents."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from multihop.adapters.source import IndexAdapter, Source, answer_fields, evidence_metadata
from multihop.answering.threads import in_thread
from multihop.engine import Engine
from multihop.errors import needs_extra
from multihop.rendering.prompt import write_prompt
from multihop.types import Evidence, Result

with needs_extra("The DSPy adapter", "lm"):
    import dspy

TOOL_K = 5
"""Default number of passages for an agent."""
_TOOL = "retrieve_evidence"
_DESCRIPTION = (
    "Find the passages that together answer a question or decide a claim, following links from one to the next. "
    "Ask the whole question at once."
)


# A list, because dspy.Retrieve iterates over the result of a retriever.
class Retrieved(list[Any]):
    """The evidence for one question, best first: a list of predictions with `long_text`, and `passages`."""

    def __init__(self, result: Result) -> None:
        super().__init__(_prediction(e, result) for e in result)
        self.result = result

    @property
    def passages(self) -> list[str]:
        """The texts only, as input for a signature."""
        return [each.long_text for each in self]


class MultihopRM(IndexAdapter):
    """Retrieve evidence from `index`: an engine, the folder of an index, or its `postgresql://` URL.

    The options of `Engine.retrieve` apply to every question, unless overridden for one: `rm(question, k=5)`.
    """

    def __call__(self, query: str, k: int | None = None, **options: Any) -> Retrieved:
        """Retrieve the evidence for a question."""
        return Retrieved(self._source.ask(query, k=k, **options))

    acall = in_thread(__call__)


class MultihopAnswer(IndexAdapter, dspy.Module):  # type: ignore[misc]  # dspy has no types
    """A module that maps a question to `answer`, `confidence`, `sentences` and `chain`, without a language model.

    `passages` are the texts of the evidence. Takes the options of the retriever.
    """

    def forward(self, question: str) -> Any:
        """Answer a question."""
        answered = self._source.answer(question)
        row = answer_fields(answered)
        return dspy.Prediction(answer=row.pop("text"), passages=Retrieved(answered.result).passages, **row)

    aforward = in_thread(forward)


def evidence_tool(
    index: Engine | str | Path,
    *,
    k: int = TOOL_K,
    name: str = _TOOL,
    tokens: int = 1000,
    asynchronous: bool = False,
    **options: Any,
) -> dspy.Tool:
    """Create a tool that finds evidence, for `dspy.ReAct`; use `asynchronous` for programs run with `acall`.

    The agent gives the question and optionally k; the program fixes the other options of `Engine.retrieve`. The agent
    gets the passages with titles and ids in at most `tokens` tokens, and the names that nothing was found for.
    """
    source = Source(index, k=k, **options)

    def retrieve(question: str, k: int = k) -> str:
        return _readable(source.ask(question, k=k), tokens)

    return dspy.Tool(
        in_thread(retrieve) if asynchronous else retrieve,
        name=name,
        desc=_DESCRIPTION,
        arg_desc={"question": "the whole question or claim, in plain words", "k": "how many passages at most"},
    )


def _prediction(evidence: Evidence, result: Result) -> Any:
    return dspy.Prediction(
        long_text=_long_text(evidence), text=evidence.passage.text, pid=evidence.passage.id, rank=evidence.rank,
        score=evidence.score, hop=evidence.hop, reason=evidence.reason, metadata=evidence_metadata(evidence, result),
    )  # fmt: skip


def _long_text(evidence: Evidence) -> str:
    passage = evidence.passage
    # DSPy's own examples write passages as "title | text".
    return f"{passage.title} | {passage.text}" if passage.title else passage.text


def _readable(result: Result, tokens: int) -> str:
    if not result.evidence:
        return "No passage was found; ask in other words."
    context = write_prompt(result, tokens, template="[{number}] {title} | {text}\n({id})")
    missing = ", ".join(t.name for t in result.coverage.missing)
    return f"{context}\n\nNothing was found on: {missing}" if missing else context
