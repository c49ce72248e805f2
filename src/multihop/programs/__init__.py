"""The HoVer programs as DSPy modules: thin faces of the strategies `gap` and `listwise`, made to be optimized.

Using them needs the extra `multihop[lm]`, optimizing them `multihop[optimize]`.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from multihop.programs.auto import AutoPipeline
    from multihop.programs.gap import GapPipeline
    from multihop.programs.listwise import ListwisePipeline
    from multihop.programs.metric import discrete_retrieval_eval
    from multihop.programs.questions import examples

__all__ = ["AutoPipeline", "GapPipeline", "ListwisePipeline", "discrete_retrieval_eval", "examples"]

_LAZY = {
    "AutoPipeline": "multihop.programs.auto",
    "GapPipeline": "multihop.programs.gap",
    "ListwisePipeline": "multihop.programs.listwise",
    "discrete_retrieval_eval": "multihop.programs.metric",
    "examples": "multihop.programs.questions",
}


def __getattr__(name: str) -> Any:
    """Load a program on first use, so that `optimization` can say which extra it needs when DSPy is missing."""
    if name in _LAZY:
        return getattr(importlib.import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'multihop.programs' has no attribute {name!r}")
