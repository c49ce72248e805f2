"""The HoVer programs as DSPy modules: thin faces of the strategies `gap` and `listwise`, made to be optimised.

Importing this needs the extra `multihop[lm]`.
"""

from multihop.programs.auto import AutoPipeline
from multihop.programs.gap import GapPipeline
from multihop.programs.listwise import ListwisePipeline
from multihop.programs.metric import discrete_retrieval_eval

__all__ = ["AutoPipeline", "GapPipeline", "ListwisePipeline", "discrete_retrieval_eval"]
