"""Asks a language model on behalf of the retrieval loop, and notes in the trace when a rule is used instead."""

from __future__ import annotations

from collections.abc import Iterable

from multihop.protocols import Context, LmAnswer, Step
from multihop.types import Note, Passage

SHOWN = 600
"""Characters of a passage in a prompt."""
NO_MODEL = Note("lm-missing", {}, "no language model is configured: every step was done by its rule")
FAILED = "lm-step-failed"
"""Code of the note that a language model step failed and its rule was used."""


def answers(context: Context, hop: int, *steps: Step) -> list[LmAnswer]:
    """Ask all steps at once; the caller falls back to its rule for failed ones, which are noted in the trace."""
    if context.lm is None:
        context.note(NO_MODEL)
        return [LmAnswer(None, NO_MODEL.text) for _ in steps]
    # In one call, so that a session can run them concurrently.
    given = list(context.lm.ask(steps, hop))
    for step, answer in zip(steps, given, strict=True):
        if answer.values is None:
            context.note(failed_step(step.prompt, hop, answer.problem))
    return given


def failed_step(step: str, hop: int, problem: str) -> Note:
    """Return the note for a failed step with its problem; hop 0 is the plan."""
    text = f"language model, {f'hop {hop}' if hop else 'plan'}, {step}: {problem}; done by rule"
    return Note(FAILED, {"step": step, "hop": hop, "problem": problem}, text)


def document_lines(passages: Iterable[Passage]) -> list[str]:
    """Format passages for a prompt as numbered lines, "[1] Title | text"."""
    return [f"[{i}] {' '.join(f'{p.label} | {p.text}'[:SHOWN].split())}" for i, p in enumerate(passages, 1)]
