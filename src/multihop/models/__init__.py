"""Built-in models: small, stored as data in the package, run without a deep-learning framework."""

from multihop.models.boosted import BoostedTrees, boosted_trees
from multihop.models.encoder import Encoder, encoder
from multihop.models.onnx import NOT_INSTALLED
from multihop.models.ranker import Ranker, ranker
from multihop.models.reader import BuiltInReader, BuiltInVerifier, reader, verifier

__all__ = [
    "NOT_INSTALLED", "BoostedTrees", "BuiltInReader", "BuiltInVerifier", "Encoder", "Ranker", "boosted_trees",
    "encoder", "ranker", "reader", "verifier",
]  # fmt: skip
