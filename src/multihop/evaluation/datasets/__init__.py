"""Datasets to measure with: questions, gold documents and the corpus, from the formats they are published in."""

from multihop.evaluation.datasets.loading import NAMES, load
from multihop.evaluation.datasets.values import Corpus, Dataset, Question

__all__ = ["NAMES", "Corpus", "Dataset", "Question", "load"]
