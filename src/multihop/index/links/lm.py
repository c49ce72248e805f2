"""A language model as judge of relations: for each pair it is offered it chooses one of the known kinds, or none.

What it says is a choice and a number. It cannot name other passages, and its limits hold for all pairs together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import get_args

from multihop.lm import SHOWN
from multihop.protocols import LanguageModel, LmAnswer, Step
from multihop.types import Passage, PassagePair, Relation, RelationKind

STEP = "relation_judgement"
METHOD = "language model"
_KINDS = get_args(RelationKind)
_NONE = "NONE"
_BACKWARDS = "second to first"


class LmJudge:
    """Asks a language model about pairs; without an answer only the rules count, and `notes` says so."""

    def __init__(self, model: LanguageModel) -> None:
        self._model = model
        self._session = model.session()
        self._asked = 0
        self._problems: Counter[str] = Counter()

    @property
    def name(self) -> str:
        return self._model.name

    def __repr__(self) -> str:
        # Relations are found again when this changes. With more calls the same model continues where it stopped.
        return f"LmJudge({self._model.name!r})"

    def judge(self, pairs: Sequence[PassagePair]) -> Sequence[Sequence[Relation] | None]:
        steps = [Step(STEP, {"first": _excerpt(p.first), "second": _excerpt(p.second)}) for p in pairs]
        answers = self._session.ask(steps, 0)
        self._asked += len(steps)
        return [self._relations(pair, answer) for pair, answer in zip(pairs, answers, strict=True)]

    @property
    def notes(self) -> tuple[str, ...]:
        """How many pairs got no answer, and why."""
        return tuple(
            f"the language model did not judge {count:,} of {self._asked:,} pairs, rules alone did: {why}; relate "
            "again to go on with them"
            for why, count in self._problems.most_common()
        )

    def _relations(self, pair: PassagePair, answer: LmAnswer) -> tuple[Relation, ...] | None:
        values = answer.values
        if values is None:
            self._problems[answer.problem] += 1
            return None
        kind, confidence = values["kind"], values["confidence"]
        if kind == _NONE:
            return ()
        sure = isinstance(confidence, int | float) and 0.0 <= confidence <= 1.0
        if kind not in _KINDS or not sure:
            # Noted, but not None as above, for which the next call would look at the passage again.
            self._problems["its answer makes no sense"] += 1
            return ()
        ends = (pair.first.id, pair.second.id)
        source, target = reversed(ends) if values["direction"] == _BACKWARDS else ends
        return (Relation(source, target, kind, round(confidence, 3), f"judged by {self._model.name}", METHOD),)


def _excerpt(passage: Passage) -> str:
    return " ".join(f"{passage.label} | {passage.text}"[:SHOWN].split())
