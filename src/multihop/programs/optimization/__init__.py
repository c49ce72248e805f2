"""Optimizing the prompts of a strategy on questions with known evidence, through DSPy's optimizers.

Importing this needs the extra `multihop[optimize]`.
"""

from multihop._moved import renamed
from multihop.errors import MissingExtra

try:
    import dspy  # noqa: F401  # looked for before the modules that need it
except ImportError as error:
    raise MissingExtra("Optimizing prompts", "optimize") from error

from multihop.programs.optimization.optimizers import OPTIMIZERS, OptimizerSettings
from multihop.programs.optimization.procedure import Optimized, examples_of, optimize

__all__ = ["OPTIMIZERS", "Optimized", "OptimizerSettings", "examples_of", "optimize"]

__getattr__ = renamed(__name__, {"Optimised": "Optimized", "Teaching": "OptimizerSettings", "optimise": "optimize"})
