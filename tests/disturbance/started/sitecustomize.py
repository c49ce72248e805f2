"""Python imports this when it starts, where it is on the path: the ranker of the program is disturbed too."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING

from multihop.models.ranker import Ranker

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# By its file: the folder of all tests need not be on the path of a program.
_spec = spec_from_file_location("disturbance", Path(__file__).parents[1] / "__init__.py")
assert _spec is not None and _spec.loader is not None
disturbance = sys.modules["disturbance"] = module_from_spec(_spec)
_spec.loader.exec_module(disturbance)
_read = Ranker.score


def _disturbed(model: Ranker, question: str, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
    scores = _read(model, question, pairs)
    for place, pair in enumerate(pairs):
        scores[place] += disturbance.noise(disturbance.key_of(question, pair))
    return scores


Ranker.score = _disturbed  # type: ignore[method-assign, assignment]  # this is what the module is for
