"""A question with what the plan appended to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from multihop.protocols import Context, State
from multihop.types import Query


@dataclass(frozen=True, slots=True)
class AskEnhanced:
    """Ask once, in the words of the plan: the question enhanced by keywords, or the question as it is."""

    def write(self, state: State, context: Context) -> Sequence[Query]:
        if state.hop:
            return ()
        text = state.plan.sub_questions[0] if state.plan.sub_questions else state.question
        purpose = "the question as it is" if text == state.question else "the question and the keywords of its profile"
        # Every passage is scored anyway, so more than the budget would only be thrown away.
        return (Query(text, purpose, state.k),)
