"""The metric."""

from multihop.programs.metric import discrete_retrieval_eval as discrete_retrieval_eval
