"""Datasets to measure with: questions, gold documents and the corpus, from the formats they are published in."""

from multihop.evaluation.datasets.catalog import DATASETS, KnownDataset
from multihop.evaluation.datasets.dataset import CONVERSATION, Corpus, Dataset, Question, dataset_of
from multihop.evaluation.datasets.download import download
from multihop.evaluation.datasets.loading import DATA, lies_in_folder, load
from multihop.evaluation.datasets.titles import normalized_title

__all__ = [
    "CONVERSATION",
    "DATA",
    "DATASETS",
    "Corpus",
    "Dataset",
    "KnownDataset",
    "Question",
    "dataset_of",
    "download",
    "lies_in_folder",
    "load",
    "normalized_title",
]
