"""Research with aspect coverage: search until every facet of a question is covered, whatever does the searching."""

from __future__ import annotations

from multihop.lm.aspects import TYPES
from multihop.research.agent import ResearchAgent, ResearchResult, aspect_log
from multihop.research.planning import AspectCoverage, QueryAspect, QueryPlanner
from multihop.research.report import ResearchReport, Section

__all__ = [
    "TYPES",
    "AspectCoverage",
    "QueryAspect",
    "QueryPlanner",
    "ResearchAgent",
    "ResearchReport",
    "ResearchResult",
    "Section",
    "aspect_log",
]
