"""The forms of the programs, each by the name of its strategy: as documented, and as measured to be better."""

from __future__ import annotations

from multihop.errors import UnknownName, suggestion
from multihop.lm.prompts import AUTO
from multihop.programs.gap import GapPipeline
from multihop.programs.listwise import ListwisePipeline
from multihop.programs.pipeline import Pipeline
from multihop.strategies import AUTO_LM


class AutoPipeline(Pipeline):
    """The strategy `auto`, as it works with a language model, with its own modules; it has one form only."""

    steps = AUTO
    strategy = AUTO_LM
    documented = AUTO_LM


FORMS: dict[str, tuple[type[Pipeline], bool]] = {
    "gap": (GapPipeline, False),
    "listwise": (ListwisePipeline, False),
    "auto": (AutoPipeline, False),
    "gap-documented": (GapPipeline, True),
    "listwise-documented": (ListwisePipeline, True),
}
"""The strategies with steps at a language model, with the program of each and whether it is in its documented form."""


def form(name: str) -> tuple[type[Pipeline], bool]:
    """Look a form up; raises for a strategy without steps at a language model."""
    if name not in FORMS:
        raise UnknownName(f"there is no strategy {name!r} that asks a language model: {suggestion(name, FORMS)}")
    return FORMS[name]
