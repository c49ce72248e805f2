"""How a part of the loop asks a language model, and what it tells the trace when it has to do without."""

from __future__ import annotations

from collections.abc import Iterable

from multihop.protocols import Context, LmAnswer, Step
from multihop.types import Note, Passage

SHOWN = 600
"""Characters of a passage that a model is shown."""
NO_MODEL = Note("lm-missing", {}, "no language model is configured: every step was done by its rule")
FAILED = "lm-step-failed"
"""Code of the note that a step put to a language model was done by its rule."""


def answers(context: Context, hop: int, *steps: Step) -> list[LmAnswer]:
    """Ask everything at once; where there is no answer the caller uses its rule, and the trace says why."""
    if context.lm is None:
        context.note(NO_MODEL)
        return [LmAnswer(None, NO_MODEL.text) for _ in steps]
    # In one call, so that a session can answer them at the same time.
    given = list(context.lm.ask(steps, hop))
    for step, answer in zip(steps, given, strict=True):
        if answer.values is None:
            context.note(failed_step(step.prompt, hop, answer.problem))
    return given


def failed_step(step: str, hop: int, problem: str) -> Note:
    """Note that a step put to a language model was done by its rule, and why; hop 0 is the plan."""
    text = f"language model, {f'hop {hop}' if hop else 'plan'}, {step}: {problem}; done by rule"
    return Note(FAILED, {"step": step, "hop": hop, "problem": problem}, text)


def document_lines(passages: Iterable[Passage]) -> list[str]:
    """Number passages for a model, as "[1] Title | text", each on one line."""
    return [f"[{i}] {' '.join(f'{p.label} | {p.text}'[:SHOWN].split())}" for i, p in enumerate(passages, 1)]
