"""A linear correction of the ranking, learned from questions about an index and stored with it."""

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
"""Name of the blob in the index."""
_MODELS = ("evidence.npz", "ranker.onnx")


@cache
def models_digest() -> str:
    """Hash the weights of trees and ranker; an adaptation is valid for these weights only."""
    data = resources.files(__package__).joinpath("data")
    return hashlib.sha256(b"".join(data.joinpath(name).read_bytes() for name in _MODELS)).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Adaptation:
    """A correction of a candidate's log-odds: a weighted sum of standardized columns."""

    ranker: str
    """Identity of the reranker whose scores it was fitted on."""
    questions: int
    """Number of questions it was learned from."""
    bias: float
    columns: tuple[str, ...]
    means: tuple[float, ...]
    scales: tuple[float, ...]
    weights: tuple[float, ...]
    models: str = ""
    """The `models_digest` it was fitted with."""

    def correction(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the correction of the log-odds for each row of columns."""
        added: NDArray[np.float64] = (rows - self.means) / self.scales @ self.weights + self.bias
        return added

    def fits(self, ranker: str, columns: Sequence[str]) -> bool:
        """Return whether it was learned for this ranking."""
        return self.ranker == ranker and self.columns == tuple(columns) and self.models == models_digest()

    def to_bytes(self) -> bytes:
        return json.dumps(asdict(self)).encode()


def stored_adaptation(blobs: Blobs | Cache) -> Adaptation | None:
    """Load the adaptation of an index; None if it has none, or it was undone."""
    _, data = blobs.get_blob(NAME) or (0, b"")
    if not data:
        return None
    values: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in json.loads(data).items()}
    return Adaptation(**values)
