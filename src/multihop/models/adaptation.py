"""A small linear layer on top of the ranking, learned from questions about one index and stored with it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from multihop.protocols import Blobs, Cache

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NAME = "adaptation"
"""Under which an index stores it."""
_MODELS = ("evidence.npz", "ranker.onnx")


@cache
def models_digest() -> str:
    """Hash the weights of trees and ranker: an adaptation corrects what these very weights get wrong."""
    data = resources.files(__package__).joinpath("data")
    return hashlib.sha256(b"".join(data.joinpath(name).read_bytes() for name in _MODELS)).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Adaptation:
    """What is added to the log-odds of a candidate: a weighted sum of standardized columns."""

    ranker: str
    """Identity of the reranker whose readings it was fitted on; those of another one mean something else."""
    questions: int
    """From how many it was learned."""
    bias: float
    columns: tuple[str, ...]
    means: tuple[float, ...]
    scales: tuple[float, ...]
    weights: tuple[float, ...]
    models: str = ""
    """The `models_digest` of the package it was fitted with."""

    def correction(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what is added to the log-odds of candidates, one row of columns each."""
        added: NDArray[np.float64] = (rows - self.means) / self.scales @ self.weights + self.bias
        return added

    def fits(self, ranker: str, columns: Sequence[str]) -> bool:
        """Return whether it was learned for a ranking like this one."""
        return self.ranker == ranker and self.columns == tuple(columns) and self.models == models_digest()

    def to_bytes(self) -> bytes:
        return json.dumps(asdict(self)).encode()


def stored_adaptation(blobs: Blobs | Cache) -> Adaptation | None:
    """Read the adaptation of an index; None where it has none, or where it was undone."""
    _, data = blobs.get_blob(NAME) or (0, b"")
    if not data:
        return None
    values: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in json.loads(data).items()}
    return Adaptation(**values)
