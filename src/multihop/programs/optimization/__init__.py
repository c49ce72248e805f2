"""Optimising the prompts of a strategy on questions with known evidence, through DSPy's optimizers.

Importing this needs the extra `multihop[optimize]`.
"""

from multihop.programs.optimization.running import Optimised, examples_of, optimise
from multihop.programs.optimization.teaching import OPTIMIZERS, Teaching

__all__ = ["OPTIMIZERS", "Optimised", "Teaching", "examples_of", "optimise"]
