"""What reads candidates beside the question: the model that comes with the package, one of yours, or a hosted one."""

from multihop.parts.rerankers.asking import scores_of
from multihop.parts.rerankers.built_in import BuiltInReranker
from multihop.parts.rerankers.endpoint import EndpointReranker
from multihop.parts.rerankers.predicting import PredictingReranker

__all__ = ["BuiltInReranker", "EndpointReranker", "PredictingReranker", "scores_of"]
