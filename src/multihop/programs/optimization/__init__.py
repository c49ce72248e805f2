"""Optimizing the prompts of a strategy on questions with known evidence, through DSPy's optimizers.

Importing this needs the extra `multihop[optimize]`.
"""

from multihop.errors import needs_extra

with needs_extra("Optimizing prompts", "optimize"):
    import dspy  # noqa: F401  # looked for before the modules that need it

from multihop.programs.optimization.optimizers import OPTIMIZERS as OPTIMIZERS, OptimizerSettings as OptimizerSettings
from multihop.programs.optimization.procedure import Optimized as Optimized, optimize as optimize
from multihop.programs.questions import examples as examples
