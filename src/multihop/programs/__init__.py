"""The HoVer programs as DSPy modules: thin faces of the strategies `gap` and `listwise`, made to be optimised.

Importing this needs the extra `multihop[lm]`.
"""

from multihop.programs.gap import GapPipeline
from multihop.programs.listwise import ListwisePipeline

__all__ = ["GapPipeline", "ListwisePipeline"]
