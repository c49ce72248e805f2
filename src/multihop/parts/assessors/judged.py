"""Coverage judged by a language model: one call a hop, and the rules wherever it has nothing usable to say.

The model sees passages as data and answers with numbers about the aspects and passages it was offered; anything else
it says is passed over.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from multihop.lm import answers, language_model
from multihop.lm.steps import failed_step
from multihop.parts.assessors.aspects import AspectAssessor
from multihop.protocols import Context, State, Step
from multihop.text.units import opening
from multihop.types import Aspect, Coverage, Passage, Target

_SHOWN = 400
"""Characters of a passage that the model is shown."""


@dataclass(frozen=True, slots=True)
class JudgedAspects:
    """Asks a language model how well each aspect is covered; `inner` answers when it fails.

    The model is that of the question, or `client`: what `multihop.lm.language_model` takes, with books of its own.
    """

    client: Any = field(default=None, compare=False)
    inner: AspectAssessor = AspectAssessor()
    passages: int = 12

    def assess(self, state: State, context: Context) -> Coverage:
        by_rule = self.inner.assess(state, context)
        shown = [state.pool[c.passage_id].passage for c in state.selection.choices[: self.passages]]
        if not shown or not state.plan.aspects:
            return by_rule
        judged = self._ask(state, shown, context)
        if not judged:
            return by_rule
        targets = [
            self._score_target(target, aspect, judged.get(i), shown, state.hop)
            for i, (target, aspect) in enumerate(zip(by_rule.targets, state.plan.aspects, strict=True), 1)
        ]
        return Coverage(tuple(targets))

    def _ask(self, state: State, shown: list[Passage], context: Context) -> dict[int, tuple[float, int]]:
        # A client of its own has its own session, so that its calls do not count against the question's limits.
        model = language_model(self.client)
        asked = context if model is None else replace(context, lm=model.session())
        step = Step("aspect_coverage", {
            "aspects": [f"[{i}] {aspect.text}" for i, aspect in enumerate(state.plan.aspects, 1)],
            "passages": [f"[{i}] {p.label}: {opening(p.text, _SHOWN)}" for i, p in enumerate(shown, 1)],
        })  # fmt: skip
        [answer] = answers(asked, state.hop, step)
        if answer.values is None:
            return {}
        judged = _judgements(answer.values["judgements"], len(state.plan.aspects), len(shown))
        if not judged:
            context.note(failed_step("aspect_coverage", state.hop, "no usable judgement"))
        return judged

    def _score_target(
        self, target: Target, aspect: Aspect, verdict: tuple[float, int] | None, shown: list[Passage], hop: int
    ) -> Target:
        if verdict is None:
            return target
        score, place = verdict
        if score < (self.inner.core if aspect.core else self.inner.optional):
            return replace(target, score=score, covered_by="", hop=0)
        return replace(target, score=score, covered_by=shown[place - 1].id, hop=target.hop or hop)


def _judgements(items: Sequence[Mapping[str, Any]], aspects: int, passages: int) -> dict[int, tuple[float, int]]:
    """Read the judgements; a number that was not offered or makes no sense is left out."""
    kept: dict[int, tuple[float, int]] = {}
    for item in items:
        aspect, score, passage = (item.get(name) for name in ("aspect", "score", "passage"))
        if not (type(aspect) is int and 1 <= aspect <= aspects and type(passage) is int and 1 <= passage <= passages):
            continue
        if isinstance(score, int | float) and not isinstance(score, bool) and 0 <= score <= 1:
            kept[aspect] = (round(float(score), 6), passage)
    return kept
