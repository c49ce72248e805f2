"""Entity-aware multi-query retrieval with listwise reranking, as a DSPy program."""

from __future__ import annotations

from multihop.lm.prompts import LISTWISE as STEPS
from multihop.programs.pipeline import Pipeline
from multihop.strategies import LISTWISE, LISTWISE_DOCUMENTED


class ListwisePipeline(Pipeline):
    """The strategy `listwise` with its own modules; in the documented form unless `documented` is False."""

    steps = STEPS
    strategy = LISTWISE
    documented = LISTWISE_DOCUMENTED


HoverMultiHopPipeline = ListwisePipeline
"""The name under which the program is documented."""
