"""Multi-hop evidence retrieval: at most k passages that together cover every hop, and a trace that says why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from multihop._lazy import lazy
from multihop.errors import MultihopError
from multihop.types import (
    Answer,
    Chain,
    Coverage,
    Document,
    Evidence,
    Judgement,
    Passage,
    Reading,
    Request,
    Result,
    Rights,
    Span,
    Trace,
    Verdict,
)

if TYPE_CHECKING:
    from multihop.engine import Engine
    from multihop.loop import Strategy
    from multihop.parts.selectors import EntityFirstRanker
    from multihop.programs.langprobe import HoverMultiHopPipeline, discrete_retrieval_eval
    from multihop.programs.research import AspectCoverage, QueryAspect, QueryPlanner, ResearchAgent, ResearchResult
    from multihop.rendering.prompt import write_prompt
    from multihop.survey import embed_prompt, evaluate_chunks, retrieve_chunks, retrieve_chunks_with_hop, run_script

__version__ = "0.2.0"
__all__ = [
    "Answer",
    "AspectCoverage",
    "Chain",
    "Coverage",
    "Document",
    "Engine",
    "EntityFirstRanker",
    "Evidence",
    "HoverMultiHopPipeline",
    "Judgement",
    "MultihopError",
    "Passage",
    "QueryAspect",
    "QueryPlanner",
    "Reading",
    "Request",
    "ResearchAgent",
    "ResearchResult",
    "Result",
    "Rights",
    "Span",
    "Strategy",
    "Trace",
    "Verdict",
    "discrete_retrieval_eval",
    "embed_prompt",
    "evaluate_chunks",
    "retrieve_chunks",
    "retrieve_chunks_with_hop",
    "run_script",
    "write_prompt",
]  # fmt: skip

# The heavier names are loaded on first use, so that importing the package stays fast.
__getattr__ = lazy(
    __name__,
    {
        "multihop.programs.langprobe": "HoverMultiHopPipeline discrete_retrieval_eval",
        "multihop.engine": "Engine",
        "multihop.loop": "Strategy",
        "multihop.parts.selectors": "EntityFirstRanker",
        "multihop.rendering.prompt": "write_prompt",
        "multihop.programs.research": "AspectCoverage QueryAspect QueryPlanner ResearchAgent ResearchResult",
        "multihop.survey": "embed_prompt evaluate_chunks retrieve_chunks retrieve_chunks_with_hop run_script",
    },
)


def __dir__() -> list[str]:
    """List what is public, the names that are not loaded yet among it."""
    return sorted((*__all__, "__version__"))
