"""Built-in models: small, stored in the package, run without a deep-learning framework."""

from multihop.models.boosted import BoostedTrees, boosted_trees
from multihop.models.encoder import Encoder, encoder
from multihop.models.onnx import NOT_INSTALLED
from multihop.models.ranker import Ranker, ranker
from multihop.models.reader import BuiltInReader, BuiltInVerifier, reader, verifier

__all__ = [
    "NOT_INSTALLED", "BoostedTrees", "BuiltInReader", "BuiltInVerifier", "Encoder", "Ranker", "boosted_trees",
    "encoder", "load_for_questions", "ranker", "reader", "verifier",
]  # fmt: skip


def load_for_questions() -> None:
    """Load all models that answer questions, so that the first question does not have to wait."""
    boosted_trees(), ranker(), reader()
