"""The pipeline and its signatures."""

from multihop.lm.signatures import (
    BridgingEntityIdentifier as BridgingEntityIdentifier,
    ClaimDecomposition as ClaimDecomposition,
    DocumentRelevanceScorer as DocumentRelevanceScorer,
    EntityExtractor as EntityExtractor,
    GapAnalysis as GapAnalysis,
    GapAnalyzer as GapAnalyzer,
)
from multihop.programs.langprobe import HoverMultiHopPipeline as HoverMultiHopPipeline
