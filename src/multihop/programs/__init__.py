"""The HoVer programs as DSPy modules: thin faces of the strategies `gap` and `listwise`, made to be optimized.

Using them needs the extra `multihop[lm]`, optimizing them `multihop[optimize]`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from multihop._lazy import lazy

if TYPE_CHECKING:
    from multihop.programs.forms import AutoPipeline
    from multihop.programs.gap import GapPipeline
    from multihop.programs.listwise import ListwisePipeline
    from multihop.programs.metric import discrete_retrieval_eval
    from multihop.programs.questions import examples

__all__ = ["AutoPipeline", "GapPipeline", "ListwisePipeline", "discrete_retrieval_eval", "examples"]

# Loaded on first use, so that `optimization` can say which extra it needs when DSPy is missing.
__getattr__ = lazy(
    __name__,
    {
        "multihop.programs.forms": "AutoPipeline",
        "multihop.programs.gap": "GapPipeline",
        "multihop.programs.listwise": "ListwisePipeline",
        "multihop.programs.metric": "discrete_retrieval_eval",
        "multihop.programs.questions": "examples",
    },
)
