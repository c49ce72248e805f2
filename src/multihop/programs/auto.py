"""The strategy `auto`, as it works with a language model, as a DSPy program."""

from __future__ import annotations

from multihop.lm.prompts import AUTO as STEPS
from multihop.programs.pipeline import Pipeline
from multihop.strategies import AUTO_LM


class AutoPipeline(Pipeline):
    """The strategy `auto` with its own modules; it has one form only."""

    steps = STEPS
    strategy = AUTO_LM
    documented = AUTO_LM
