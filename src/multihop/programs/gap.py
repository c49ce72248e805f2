"""Query decomposition with early gap analysis and iterative entity discovery, as a DSPy program."""

from __future__ import annotations

from multihop.lm.prompts import GAP as STEPS
from multihop.programs.pipeline import Pipeline
from multihop.strategies import GAP, GAP_DOCUMENTED


class GapPipeline(Pipeline):
    """The strategy `gap` with its own modules, in the documented form.

    With `documented=False` in ours, which finds more: without a model all gold of 93 % of HoVer's claims over 72,000
    articles instead of 73 %.
    """

    steps = STEPS
    unique_titles = True
    strategy = GAP
    documented = GAP_DOCUMENTED


HoverMultiHopPipeline = GapPipeline
"""The name under which the program is documented."""
