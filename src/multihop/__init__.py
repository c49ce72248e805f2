"""Multi-hop evidence retrieval: at most k passages that together cover every hop, and a trace that says why."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from multihop import _moved
from multihop.errors import MultihopError
from multihop.types import Coverage, Document, Evidence, Passage, Result, Trace, Verdict

if TYPE_CHECKING:
    from multihop.adapters.langprobe import HoverMultiHopPipeline, discrete_retrieval_eval
    from multihop.engine import Engine
    from multihop.loop import Strategy
    from multihop.parts.selectors import EntityFirstRanker
    from multihop.research import AspectCoverage, QueryAspect, QueryPlanner, ResearchAgent, ResearchResult
    from multihop.survey import (
        embed_prompt,
        evaluate_chunks,
        retrieve_chunks,
        retrieve_chunks_with_hop,
        run_script,
    )

__version__ = "0.1.0"
__all__ = [
    "AspectCoverage",
    "Coverage",
    "Document",
    "Engine",
    "EntityFirstRanker",
    "Evidence",
    "HoverMultiHopPipeline",
    "MultihopError",
    "Passage",
    "QueryAspect",
    "QueryPlanner",
    "ResearchAgent",
    "ResearchResult",
    "Result",
    "Strategy",
    "Trace",
    "Verdict",
    "discrete_retrieval_eval",
    "embed_prompt",
    "evaluate_chunks",
    "retrieve_chunks",
    "retrieve_chunks_with_hop",
    "run_script",
]

_LAZY = {
    "AspectCoverage": "multihop.research",
    "Engine": "multihop.engine",
    "EntityFirstRanker": "multihop.parts.selectors",
    "HoverMultiHopPipeline": "multihop.adapters.langprobe",
    "QueryAspect": "multihop.research",
    "QueryPlanner": "multihop.research",
    "ResearchAgent": "multihop.research",
    "ResearchResult": "multihop.research",
    "Strategy": "multihop.loop",
    "discrete_retrieval_eval": "multihop.adapters.langprobe",
    "embed_prompt": "multihop.survey",
    "evaluate_chunks": "multihop.survey",
    "retrieve_chunks": "multihop.survey",
    "retrieve_chunks_with_hop": "multihop.survey",
    "run_script": "multihop.survey",
}

_moved.install()


def __getattr__(name: str) -> Any:
    """Load the heavier names on first use, so that importing the package stays fast."""
    if name in _LAZY:
        return getattr(importlib.import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'multihop' has no attribute {name!r}")


def __dir__() -> list[str]:
    """List what is public, the names that are not loaded yet among it."""
    return sorted((*__all__, "__version__"))
