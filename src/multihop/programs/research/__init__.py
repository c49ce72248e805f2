"""Research with aspect coverage: search until every facet of a question is covered, whatever does the searching."""

from __future__ import annotations

from multihop.lm.aspects import TYPES as TYPES
from multihop.programs.research.agent import (
    ResearchAgent as ResearchAgent,
    ResearchResult as ResearchResult,
    aspect_log as aspect_log,
)
from multihop.programs.research.planning import (
    AspectCoverage as AspectCoverage,
    QueryAspect as QueryAspect,
    QueryPlanner as QueryPlanner,
)
from multihop.programs.research.report import ResearchReport as ResearchReport, Section as Section
