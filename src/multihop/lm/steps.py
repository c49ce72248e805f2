"""How a part of the loop asks a language model, and what it tells the trace when it has to do without."""

from __future__ import annotations

from collections.abc import Iterable

from multihop.protocols import Context, LmAnswer, Step
from multihop.types import Passage

SHOWN = 600
"""Characters of a passage that a model is shown."""
NONE = "no language model is configured: every step was done by its rule"


def answers(context: Context, hop: int, *steps: Step) -> list[LmAnswer]:
    """Ask everything at once; where there is no answer the caller uses its rule, and the trace says why."""
    if context.lm is None:
        context.note(NONE)
        return [LmAnswer(None, NONE) for _ in steps]
    # In one call, so that a session can answer them at the same time.
    given = list(context.lm.ask(steps, hop))
    for step, answer in zip(steps, given, strict=True):
        if answer.values is None:
            where = f"hop {hop}" if hop else "plan"
            context.note(f"language model, {where}, {step.prompt}: {answer.problem}; done by rule")
    return given


def document_lines(passages: Iterable[Passage]) -> list[str]:
    """Number passages for a model, as "[1] Title | text", each on one line."""
    return [f"[{i}] {' '.join(f'{p.label} | {p.text}'[:SHOWN].split())}" for i, p in enumerate(passages, 1)]
