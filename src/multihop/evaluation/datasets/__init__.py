"""Datasets to measure with: questions, gold documents and the corpus, from the formats they are published in."""

from multihop.evaluation.datasets.catalog import NAMES
from multihop.evaluation.datasets.dataset import Corpus, Dataset, Question
from multihop.evaluation.datasets.download import download
from multihop.evaluation.datasets.loading import DATA, load
from multihop.evaluation.datasets.titles import normalized_title

__all__ = ["DATA", "NAMES", "Corpus", "Dataset", "Question", "download", "load", "normalized_title"]
