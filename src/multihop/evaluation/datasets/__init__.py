"""Datasets to measure with: questions, gold documents and the corpus, from the formats they are published in."""

from multihop.evaluation.datasets.catalogue import NAMES
from multihop.evaluation.datasets.download import download
from multihop.evaluation.datasets.loading import load
from multihop.evaluation.datasets.titles import normalised_title
from multihop.evaluation.datasets.values import Corpus, Dataset, Question

__all__ = ["NAMES", "Corpus", "Dataset", "Question", "download", "load", "normalised_title"]
